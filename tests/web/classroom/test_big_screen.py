"""The big screen, and the QR code on it."""

from collections import Counter

import flask

from tests.support.classroom import Phone, Room, Watch, call_until_somebody_has_it, open_room
from tests.support.pages import page_of, texts, values
from tests.support.site import finish
from web.classroom.bingo.rules import BestPlayer
from web.sharing import svg_qr


def test_big_screen_follows_the_dashboard_by_default(room: Room) -> None:
    screen = room.visitor()

    def shown(query: str = "") -> str:
        shown: str = screen.json(f"/projector{query}")["show"]
        return shown

    assert shown() == "join"
    assert room.code in screen.get("/projector").text
    room.deal()
    assert shown() == "round"  # After a deal, the big screen shows the round by default.
    for what in ("nothing", "standings", "insight", "join", "round"):
        room.move("show", show=what)
        assert shown() == what
        assert shown("?show=nothing") == "nothing"
        assert screen.get("/projector").status_code == 200
    assert shown("?show=dance") == "round"
    assert room.code not in screen.get("/projector?show=nothing").text


def test_the_big_screen_names_offered_nicknames_only(school: flask.Flask) -> None:
    room = open_room(school, nicknames="free")
    rude = room.visitor()
    rude.post("/join", name="Something Rude")
    room.visitor().post("/join", name="", offer="Quiet Otter")
    finish(rude.client, "/blackjack")
    page = room.visitor().get("/projector?show=join").text
    assert "Something Rude" not in page
    assert "Newest: Quiet Otter" in page
    assert "At the tables: 1" in page
    assert "<b>2</b> are in" in page


def test_the_qr_code_holds_the_address_in_capitals(school: flask.Flask) -> None:
    room = open_room(school, 1)
    answer = room.visitor().get("/qr.svg", base_url="http://192.0.2.9")
    assert answer.headers["Content-Type"].startswith("image/svg+xml")
    assert answer.data == svg_qr(f"HTTP://192.0.2.9/J/{room.code}")


def test_big_screen_names_later_winners(room: Room) -> None:
    room.deal(by_hand="Y")
    _, (first, *_) = call_until_somebody_has_it(room)
    assert first.claim().get_json()["right"] is True
    page = room.visitor().get("/projector?show=round").text
    assert first.name in page
    assert "One card away:" not in page  # It is not told to students who cover their cards.
    room.move("go-on")
    other = next(phone for phone in room.phones if phone is not first)
    while not other.claim().get_json()["right"]:
        room.call()
    page = room.visitor().get("/projector?show=round").text
    assert other.name in page
    assert first.name not in page
    assert "place 2" in page


def test_bingo_names_students_who_were_one_card_away(school: flask.Flask) -> None:
    room = open_room(school, 6)
    room.deal(speed="Y")
    assert "One card away:" not in room.visitor().get("/projector?show=round").text
    near = call_until_bingo(room)
    while not near:  # In some rounds, no one else is one card away.
        room.move("end")
        room.deal(speed="Y")
        near = call_until_bingo(room)
    page = room.visitor().get("/projector?show=round").text
    shown = page.partition("One card away: ")[2].partition("<")[0]
    assert near[0] in shown


def call_until_bingo(room: Room) -> list[str]:
    """Return the nicknames of students who were one card away before the last call.

    Winners are omitted.
    """
    near, document = list[Phone](), room.desk()
    while document["round"]["phase"] == "playing":
        near = [phone for phone in room.phones if phone.bingo()["card"]["one_away"]]
        document = room.call_next(document)
    return [phone.name for phone in near if not phone.bingo()["card"]["winning"]]


def test_results_after_bingo_are_sorted_by_rounds_won(school: flask.Flask) -> None:
    room, screen = open_room(school, 9), "/projector?show=standings"
    assert "There are no results yet." in room.boss.get(screen).text
    won: Counter[str] = Counter()
    for number in range(5):
        room.deal(speed="Y")
        room.call_until()
        shown = room.move("end" if number else "void")["round"]
        if number:  # The first round is void, so it does not count.
            won.update(shown["places"][0]["names"])
        else:
            assert "There are no results yet." in room.boss.get(screen).text
    page = room.visitor().get(screen).text
    assert "There are no results yet." not in page
    assert "Class Bingo: rounds won" in page
    shown = room.visitor().json(screen)["bingo"]
    assert len(shown) == min(5, len(won))
    for one in shown:
        assert one["won"] == won[one["name"]]
        assert one["place"] == 1 + sum(count > one["won"] for count in won.values())
        row = f'<th scope="row" translate="no">{one["name"]}</th><td class="r">{one["won"]}</td>'
        assert (row in page) == (one["place"] > 3)  # The best three are on the podium.
    steps = [
        (str(step["class"]), [who.get_text() for who in step.select(".who")], step.small)
        for step in page_of(page).select(".podium > li")
    ]
    assert [(name, who, int(won.get_text().split()[-1])) for name, who, won in steps] == [
        (f"step-{place}", [one["name"] for one in shown if one["place"] == place], n)
        for place, n in sorted({(one["place"], one["won"]) for one in shown if one["place"] <= 3})
    ]


def test_shared_place_shares_a_step_and_skips_the_next(school: flask.Flask) -> None:
    rows = [BestPlayer(place, name, 5 - place) for place, name in
            ((1, "a"), (1, "b"), (3, "c"), (3, "d"), (5, "e"))]  # fmt: skip
    source = (
        '{% import "class/_standings.html" as places with context %}'
        "{% call(row) places.podium(rows) %}{{ row.won }}{% endcall %}"
    )
    with school.test_request_context():
        text = flask.render_template_string(source, rows=rows)
    assert values(text, "li", "class") == ["step-1", "step-3"]
    assert texts(text, ".who") == ["a", "b", "c", "d"]


def test_the_last_hour_is_counted_by_the_stores_clock(school: flask.Flask, watch: Watch) -> None:
    # The big screen shows at most five winners.
    room, screen = open_room(school, 5), "/projector?show=standings"

    def winners() -> list[str]:
        room.deal(speed="Y")
        for phone in room.phones:
            phone.bingo()
        room.call_until()
        names: list[str] = room.move("end")["round"]["places"][0]["names"]
        return names

    old = winners()
    watch.pass_by(3_500)
    new = winners()
    both = Counter([*old, *new])
    assert {one["name"]: one["won"] for one in room.boss.json(screen)["hour"]} == both
    watch.pass_by(200)
    assert {one["name"]: one["won"] for one in room.boss.json(screen)["hour"]} == Counter(new)
    assert {one["name"]: one["won"] for one in room.boss.json(screen)["bingo"]} == both
    watch.pass_by(3_600)
    assert room.boss.json(screen)["hour"] == []
    assert "Won in the last hour" not in room.boss.get("/dashboard").text
