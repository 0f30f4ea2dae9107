"""Paper cards, and a round's salt. A class can verify or repeat the deal with the salt."""

import re

import flask

from tests.support.classroom import Room, has_bingo, open_room


def test_paper_cards_with_bingo_are_rejected(school: flask.Flask) -> None:
    room = open_room(school, 1)
    room.deal(mode="L", speed="Y", by_hand="Y")
    room.call(20)
    answer = room.try_move("paper", cards=30)
    assert answer.status_code == 422
    assert "already has BINGO!" in answer.get_json()["error"]


def test_a_claim_on_paper_is_checked_by_its_number_and_counted(school: flask.Flask) -> None:
    room = open_room(school, 2)
    room.deal(by_hand="Y", speed="Y")
    room.move("paper", cards=20)
    cards = room.boss.json("/print")["cards"]
    has, document = list[int](), room.desk()
    while not has:
        document = room.call_next(document)
        called = document["round"]["called"]
        has = [
            card["number"]
            for card in cards
            if card["number"] > 2 and has_bingo(card, called, speed=True)
        ]
    assert room.boss.json(f"/check?card={has[0]}")["bingo"] is True
    not_yet = next(one for one in range(3, 21) if one not in has)
    assert room.boss.json(f"/check?card={not_yet}")["said"].startswith(
        "Not yet. The card still needs "
    )
    assert "Count this BINGO!" in room.boss.get(f"/check?card={has[0]}").text
    document = room.move("claim", card=has[0])["round"]
    assert document["phase"] == "bingo"
    assert document["places"][0]["names"] == [f"Paper card {has[0]}"]
    assert "Count this BINGO!" not in room.boss.get(f"/check?card={has[0]}").text
    # a card that is not one of the paper cards
    assert room.newcomer().bingo()["card"]["number"] > 20


def test_printed_cards_are_labelled(school: flask.Flask) -> None:
    room = open_room(school, 9)
    room.deal(mode="C", speed="Y")
    page = room.boss.get("/print?from=3&to=8&size=letter&per=2").text
    assert re.findall(r"<h2>Card (\d+)</h2>", page) == ["3", "4", "5", "6", "7", "8"]
    assert page.count('class="sheet"') == 3
    assert "The four corners make a BINGO! A call covers every card of its rank." in page
    assert page.count("FREE") == 6


def test_a_void_round_is_opened_and_counts_for_nobody(room: Room) -> None:
    room.deal()
    document = room.move("void", reason="  the   bell ")["round"]
    assert (document["phase"], document["reason"]) == ("void", "the bell")
    assert "0 rounds" in room.phones[0].get().text
    assert room.deal()["round"]["number"] == 2
