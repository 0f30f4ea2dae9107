"""Places are right against arithmetic of the tests' own, whoever plays when and from where."""

import random
from concurrent.futures import ThreadPoolExecutor

import flask
import pytest

from cardgames.shared_deal import PlayedLine
from tests.support.classroom import JSON, Phone, open_room
from tests.support.tournaments import (
    Decide,
    at_random,
    given_away,
    judge,
    kept,
    make,
    places,
    play_all,
    play_deal,
    result,
    shared,
    stands_on,
)
from web.classroom.standings import Standings, placed, unplaced
from web.classroom.tournaments import (
    Costs,
    DecisionCost,
    Entry,
    Play,
    Tournament,
    deal_costs,
    line_cost,
)

DEALS = 5


def by_name(told: dict[str, list[dict[str, object]]]) -> dict[str, dict[str, object]]:
    return {str(one["name"]): one for one in told["students"]}


def random_players(phones: list[Phone]) -> dict[str, Decide]:
    """Return who decides how: some alike, so that places are shared."""
    return {
        phone.name: stands_on(17) if number % 4 == 0 else at_random(number)
        for number, phone in enumerate(phones)
    }


@pytest.mark.parametrize("table", ["simple-21", "blackjack", "one-deck"])
@pytest.mark.parametrize("ranking", ["play", "result"])
def test_places_are_those_of_independent_arithmetic(
    school: flask.Flask, table: str, ranking: str
) -> None:
    room = open_room(school, 10)
    make(room, table=table, deals=DEALS, ranking=ranking)
    players = random_players(room.phones)
    for phone in room.phones:
        for deal in range(1, DEALS + 1):
            play_deal(phone, deal, _for_deal(players[phone.name], phone, deal))
    assert judge(school) == (ranking == "play")
    tournament = kept(room)
    worth = given_away if ranking == "play" else result
    totals = {
        phone.name: sum(
            worth(tournament, deal, _for_deal(players[phone.name], phone, deal))
            for deal in range(1, DEALS + 1)
        )
        for phone in room.phones
    }
    expected = places(totals, fewest=ranking == "play")
    rows = by_name(room.boss.json("/tournament/1"))
    scale = 100 if ranking == "play" else 1
    for name, row in rows.items():
        assert row["points"] == pytest.approx(scale * totals[name], abs=1e-7)
        assert row["place"] == expected[name]
    for phone in room.phones:
        assert phone.json("/tournament/1")["you"]["place"] == expected[phone.name]


def _for_deal(decide: Decide, phone: Phone, deal: int) -> Decide:
    """Return how a student decides at a deal: those who go by chance do so anew at each."""
    return decide if decide.__name__ != "by_chance" else at_random(f"{phone.name} {deal}")


def entry(*lines: str, winner: str = "dealer") -> Entry:
    return Entry(tuple(Play(line, winner) for line in lines), 1.0)


def tournament(deals: int = 2, ranking: str = "play") -> Tournament:
    kind = "play" if ranking == "play" else "result"
    return Tournament(1, "", "blackjack", deals, kind, "best", 0.0, 0.0, b"salt")


COSTS = ((DecisionCost(0.25, 0.0), DecisionCost(0.0, 0.5)), (DecisionCost(0.1, 0.2),))


def standings(
    one: Tournament, names: dict[int, str], entries: dict[int, Entry], costs: Costs
) -> Standings:
    return placed(one, unplaced(one, entries, costs), names)


NAMES = {number: f"student {number}" for number in range(1, 9)}


def test_what_differs_by_rounding_is_the_same_place_and_the_next_is_counted_on() -> None:
    tiny = ((DecisionCost(0.1 + 0.2, 0.0),), (DecisionCost(0.0, 0.3),))
    entries = {
        1: entry("stay", "stay"),  # 0.1 + 0.2
        2: entry("hit", "hit"),  # 0.3
        3: entry("stay", "hit"),
        4: entry("hit", "stay"),  # nothing
    }
    found = standings(tournament(), NAMES, entries, tiny)
    assert [(row.student, row.place) for row in found.rows] == [(4, 1), (1, 2), (2, 2), (3, 4)]
    apart = ((DecisionCost(0.3 + 1e-8, 0.0),), (DecisionCost(0.0, 0.3),))
    found = standings(tournament(), NAMES, {1: entries[1], 2: entries[2]}, apart)
    assert [(row.student, row.place) for row in found.rows] == [(2, 1), (1, 2)]


def test_missing_is_missing_and_not_lost() -> None:
    entries = {
        1: entry("stay"),
        2: entry("stay", "stay"),
        3: Entry((Play("stay", "dealer"), Play("", ""))),
        4: Entry(),
    }
    found = standings(tournament(), NAMES, entries, COSTS)
    assert [(row.student, row.place, row.played) for row in found.rows] == [
        (2, 1, 2),
        (1, 0, 1),
        (3, 0, 1),
    ]
    assert found.rows[1].scores == (25.0, None)
    assert (found.finished, found.to_come) == (1, 0)


def test_what_is_not_worked_out_yet_has_no_place_and_is_told() -> None:
    entries = {1: entry("stay", "stay"), 2: entry("hit stay", "stay"), 3: entry("stay")}
    found = standings(tournament(), NAMES, entries, COSTS[:1])
    assert [row.place for row in found.rows] == [0, 0, 0]
    assert (found.finished, found.to_come) == (2, 2)
    by_result = standings(tournament(ranking="result"), NAMES, entries, ())
    assert [row.place for row in by_result.rows] == [1, 1, 0]
    assert by_result.to_come == 0


def test_a_tie_is_half_a_round() -> None:
    entries = {
        1: Entry((Play("stay", "player"), Play("stay", "dealer"))),
        2: Entry((Play("stay", "tie"), Play("stay", "tie"))),
        3: Entry((Play("stay", "tie"), Play("stay", "player"))),
    }
    found = standings(tournament(ranking="result"), NAMES, entries, ())
    assert [(row.student, row.place, row.total) for row in found.rows] == [
        (3, 1, 1.5),
        (1, 2, 1.0),
        (2, 2, 1.0),
    ]


def test_costs_of_lines_are_those_of_the_odds() -> None:
    one = tournament(deals=6)
    advisor = one.game.advisor
    assert advisor
    for deal in range(1, 7):
        costs = deal_costs(shared(one, deal), advisor)
        for hits in range(len(costs) + 1):
            asked = iter(range(99))
            decide = lambda _, asked=asked, hits=hits: "hit" if next(asked) < hits else "stay"  # noqa: E731
            stays = hits < len(costs)
            line = PlayedLine(hits, stays, "")
            assert line_cost(costs, line) == pytest.approx(given_away(one, deal, decide), abs=1e-9)


def test_two_browsers_and_hasty_fingers_play_each_deal_once(school: flask.Flask) -> None:
    """Every press is sent twice, from two browsers at once, and pages are loaded in between."""
    room = open_room(school, 4)
    make(room, deals=4)
    rng = random.Random("hasty")

    def second_browser(phone: Phone) -> Phone:
        other = room.visitor()
        assert other.post("/rejoin", name=phone.name, code=phone.rejoin).status_code == 200
        return other

    def press(press: tuple[Phone, str, str, int]) -> int:
        phone, address, move, step = press
        return phone.post(address, move=move, step=step).status_code

    with ThreadPoolExecutor(4) as pool:
        for phone in room.phones:
            browsers = [phone, second_browser(phone)]
            while next_deal := rng.choice(browsers).json("/tournament/1")["next"]:
                address = f"/tournament/1/deal/{next_deal['deal']}"
                table = rng.choice(browsers).json(address)
                move = rng.choice(table["moves"])["name"]
                both = [(browser, address, move, table["step"]) for browser in (*browsers, phone)]
                statuses = [*pool.map(press, both)]
                assert statuses.count(200) == 1, statuses
                assert set(statuses) <= {200, 409, 422}
                rng.choice(browsers).get(address)
    judge(school)
    told = room.boss.json("/tournament/1")
    assert [row["played"] for row in told["students"]] == [4] * 4
    for phone in room.phones:
        plays = phone.json("/me.json")["tournaments"][0]["plays"]
        assert len(plays) == 4
        replayed = [
            _played_again(room_tournament, number, play["moves"])
            for room_tournament in [kept(room)]
            for number, play in enumerate(plays, 1)
        ]
        assert replayed == [play["winner"] for play in plays]
        row = by_name(told)[phone.name]
        assert row["points"] == pytest.approx(
            100
            * sum(
                given_away(kept(room), number, _line(play["moves"]))
                for number, play in enumerate(plays, 1)
            ),
            abs=1e-7,
        )


def _words(moves: str) -> list[str]:
    """Return single moves from the words of a record, where one may stand for several."""
    found = []
    for word in moves.split():
        name, _, times = word.partition("*")
        found += [name] * int(times or 1)
    return found


def _line(moves: str) -> Decide:
    words = iter(_words(moves))
    return lambda _: next(words)


def _played_again(one: Tournament, deal: int, moves: str) -> str:
    table = shared(one, deal).dealt()
    for name in _words(moves):
        table = shared(one, deal).play(table, name)
    assert table.result
    return table.result.winner


def test_a_place_counts_only_those_who_are_in_the_class(school: flask.Flask) -> None:
    room = open_room(school, 4)
    make(room, deals=1)
    for phone in room.phones[:3]:
        play_all(phone, stands_on(16))
    judge(school)
    assert room.phones[0].json("/tournament/1")["you"]["place"] == 1
    room.move("rename", student=3, name="Renamed")
    assert "Renamed" in by_name(room.boss.json("/tournament/1"))
    room.move("ban", student=1)
    assert room.phones[1].post("/leave", what="forget").status_code == 200
    assert [*by_name(room.boss.json("/tournament/1"))] == ["Renamed"]
    assert room.phones[0].get("/tournament/1", headers=JSON).status_code == 403
    play_all(room.phones[3], stands_on(16))
    assert len(room.phones[3].json("/tournament/1")["best"]) == 2
