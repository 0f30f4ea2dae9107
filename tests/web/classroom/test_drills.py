"""Practice for a misconception: a drill on the students' pages, and homework."""

import random
from typing import Any

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card
from cardgames.games.twentyone.rules import TABLES, is_soft, total
from cardgames.odds import odds
from cardgames.strategies.habits import HABITS, has_hands
from tests.support.classroom import Room, refusal
from tests.support.site import look
from tests.support.tournaments import kept, make, shared, try_make
from web.puzzles.series import DRILLED, SET_SIZE, choose_drill

DRILL: dict[str, Any] = {"move": "drill", "table": "blackjack", "habit": "hits-hard-17"}


def press(room: Room, **fields: Any) -> Any:
    return room.boss.post("/insight", step=room.step(), **fields)


def best(table: str, player: Any, upcard: Any) -> str:
    hand = tuple(map(Card, player))
    found = odds(TABLES[table], hand, Card(upcard), {*FULL_DECK} - {*hand, Card(upcard)})
    return max(("hit", "stay"), key=lambda move: getattr(found, move).ev)


def test_drill_is_on_the_students_page_until_ended(room: Room) -> None:
    student = room.phones[0]
    assert "/puzzles/" not in student.get().text
    answered = press(room, **DRILL)
    assert answered.get_json()["drill"] == {"table": "blackjack", "habit": "hits-hard-17"}
    page = student.get().text
    assert '/puzzles/blackjack/hits-hard-17"' in page
    assert "Hard 17 or more" in page
    assert "Hits hard 17" not in page, "that would be the answer"
    assert student.client.get("/puzzles/blackjack/hits-hard-17").status_code == 200
    assert "End the drill" in room.boss.get("/insight").text
    assert press(room, move="end-drill").get_json()["drill"] is None
    assert "/puzzles/" not in student.get().text


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"table": "simple-21", "habit": "stops-soft"}, "This table has no such hands."),
        ({"habit": "other"}, "This table has no such hands."),
        ({"habit": "courage"}, "habit must be one of"),
        ({"table": "war"}, "table must be one of"),
    ],
)
def test_unknown_drill_is_rejected(room: Room, fields: dict[str, str], sentence: str) -> None:
    answered = press(room, **DRILL | fields)
    assert answered.status_code == 422
    assert sentence in answered.get_json()["error"]
    assert "drill" not in room.phones[0].json("/me.json")


@pytest.mark.parametrize("table", TABLES)
def test_set_has_seven_hands_of_the_habit_and_three_controls(table: str) -> None:
    for name in (name for name in HABITS if has_hands(table, name)):
        dealt = choose_drill(GAMES[table], name, random.Random(name))
        assert len({*dealt}) == SET_SIZE
        chosen = HABITS[name].chosen
        right = [best(table, one.player, one.upcard) == chosen for one in dealt]
        assert right.count(False) == DRILLED, name


def test_a_drill_is_practised_as_other_puzzles_are(room: Room) -> None:
    client, address = room.phones[0].client, "/puzzles/blackjack/never-hits-soft-17"
    document = look(client, address)
    assert [move["name"] for move in document["moves"]] == ["begin"]
    rules, soft = TABLES["blackjack"], 0
    for number in range(11):
        move = "begin"
        if puzzle := document["puzzle"]:
            hand = tuple(map(Card, puzzle["player"]))
            soft += is_soft(hand, rules) and total(hand, rules) <= 17
            move = best("blackjack", hand, puzzle["upcard"])
        sent = {"move": move, "step": document["step"]}
        document = client.post(
            address, data=sent, headers={"Accept": "application/json"}
        ).get_json()
        assert number == 0 or document["answered"]["right"]
    assert soft >= DRILLED
    for wrong in ("blackjack/other", "simple-21/stops-soft", "war/hits-stiff", "blackjack/x"):
        assert client.get(f"/puzzles/{wrong}").status_code == 404


@pytest.mark.parametrize(
    ("table", "habit"),
    [("blackjack", "never-hits-soft-17"), ("one-deck", "stops-weak"), ("simple-21", "hits-stiff")],
)
def test_a_tournament_begins_each_deal_with_such_a_hand(room: Room, table: str, habit: str) -> None:
    made = make(room, table=table, deals=8, about=habit)
    assert made["title"] == HABITS[habit].about
    one, decks = kept(room), set()
    for deal in range(1, 9):
        dealt = shared(one, deal).dealt().view()
        hand, (upcard,) = dealt["player"].cards, filter(None, dealt["dealer"].cards)
        soft, worth = is_soft(hand, TABLES[table]), total(hand, TABLES[table])
        assert (soft and worth <= 17) if habit.startswith("never") else 12 <= worth <= 16
        assert best(table, hand, upcard) != HABITS[habit].chosen
        decks.add(tuple(shared(one, deal).decks().values()))
    assert len(decks) == 8  # There are so few hands of this kind that a hand may occur twice.
    plain = make(room, table=table, deals=8, title="Any")
    assert plain["title"] == "Any"
    assert kept(room, 2).skips == []


def test_homework_with_unknown_hands_is_rejected(room: Room) -> None:
    refused = try_make(room, table="simple-21", about="stops-soft")
    assert refusal(refused) == "This table has no such hands."
    assert room.boss.json("/tournaments")["tournaments"] == []
