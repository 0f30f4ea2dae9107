"""A tournament in a test.

The functions create it, play it as students, evaluate it, and compute the ranks without the site's
code.
"""

import random
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card
from cardgames.moves import Action
from cardgames.odds import odds
from cardgames.shared_deal import SharedDeal
from cardgames.table import Table
from tests.support.classroom import Phone, Room
from web import db
from web.classroom.homework.models import Tournament

HOUR = 3_600
"""One hour, in seconds."""

Decide = Callable[[dict[str, Any]], str]
"""A function that returns ``hit`` or ``stay``, given the JSON of a table's view."""


def local(at: float) -> str:
    """Return a time in the format of a form field."""
    return f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%dT%H:%M:%S}"


def try_make(room: Room, step: int | None = None, **fields: Any) -> TestResponse:
    """Create homework of deals; return the response, even to a rejected form."""
    step = room.step() if step is None else step
    sent = {"move": "make", "step": step, "table": "blackjack", "deals": 3, **fields}
    return room.boss.post("/tournaments", **sent)


def make(room: Room, **fields: Any) -> dict[str, Any]:
    """Create homework of deals, and return the instructor's page."""
    answer = try_make(room, **fields)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.get_json()
    return data


def try_pose(room: Room, step: int | None = None, **fields: Any) -> TestResponse:
    """Create homework of puzzles; return the response, even to a rejected form."""
    step = room.step() if step is None else step
    return room.boss.post(
        "/tournaments",
        **{"move": "pose", "step": step, "table": "blackjack", "theme": "own", **fields},
    )


def pose(room: Room, **fields: Any) -> dict[str, Any]:
    """Create homework of puzzles, and return the instructor's page."""
    answer = try_pose(room, **fields)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.get_json()
    return data


def answer_puzzles(phone: Phone, *moves: str, number: int = 1) -> None:
    """Answer the first puzzles of the homework."""
    for puzzle, move in enumerate(moves, 1):
        sent = phone.post(f"/tournament/{number}/deal/{puzzle}", move=move, step=0)
        assert sent.status_code == 200, sent.text


def try_move(
    room: Room, name: str, step: int | None = None, number: int = 1, **fields: Any
) -> TestResponse:
    """Send a move of a tournament, and return the response.

    The default is the first tournament.
    """
    step = room.step() if step is None else step
    return room.boss.post(f"/tournament/{number}", move=name, step=step, **fields)


def kept(room: Room, number: int = 1) -> Tournament:
    """Return a stored tournament, including its salt."""
    with db.database(room.app).session(writes=False) as session:
        found = session.get(Tournament, (room.code, number))
        assert found
        return found


def shared(tournament: Tournament, deal: int) -> SharedDeal:
    """Return one of a tournament's deals, computed only from its salt."""
    salt = tournament.deal(deal).salt.hex()
    return SharedDeal(GAMES[tournament.table], Action("deal"), salt)


def play_deal(phone: Phone, deal: int, decide: Decide, number: int = 1) -> dict[str, Any]:
    """Play a deal to its end."""
    address = f"/tournament/{number}/deal/{deal}"
    table = phone.json(address)
    while table["moves"]:
        names = [move["name"] for move in table["moves"]]
        name = "deal" if names == ["deal"] else decide(table["view"])
        answer = phone.post(address, move=name, step=table["step"])
        assert answer.status_code == 200, answer.text
        table = answer.get_json()
    return table


def play_all(phone: Phone, decide: Decide, number: int = 1) -> None:
    """Play all deals in turn, following the links on the tournament's page."""
    while next_deal := phone.json(f"/tournament/{number}")["next"]:
        play_deal(phone, next_deal["deal"], decide, number)


def at_random(seed: object) -> Decide:
    """Return a strategy that decides at random.

    The same seed always produces the same decisions.
    """
    rng = random.Random(f"{seed}")

    def by_chance(view: dict[str, Any]) -> str:
        return "hit" if view["player"]["total"] < 21 and rng.random() < 0.4 else "stay"

    return by_chance


def stands_on(total: int) -> Decide:
    """Return a strategy that hits below the given total."""
    return lambda view: "hit" if view["player"]["total"] < total else "stay"


# ---- Independent arithmetic ----------------------------------------------------------------------


def seen(table: Table) -> dict[str, Any]:
    """Return the part of a table's JSON view that is relevant to a decision."""
    view = table.view()
    return {
        who: {"cards": [card and str(card) for card in view[who].cards], "total": view[who].total}
        for who in ("player", "dealer")
    }


def decided(tournament: Tournament, deal: int, decide: Decide) -> Iterator[tuple[Any, str]]:
    """Yield each decision of a player, with the view before it."""
    one = shared(tournament, deal)
    table = one.dealt()
    while table.result is None:
        view = seen(table)
        name = decide(view)
        yield view, name
        table = one.play(table, name)


def given_away(tournament: Tournament, deal: int, decide: Decide) -> float:
    """Return the points that a player lost at a deal.

    The points are computed from the odds, without the ledger.
    """
    game = GAMES[tournament.table]
    lost = 0.0
    for view, name in decided(tournament, deal, decide):
        player = tuple(map(Card, view["player"]["cards"]))
        (upcard,) = (Card(card) for card in view["dealer"]["cards"] if card)
        unseen = tuple(card for card in FULL_DECK if card not in (*player, upcard))
        chances = odds(game.rules, player, upcard, unseen)  # type: ignore[attr-defined]
        worth = {"hit": chances.hit.ev, "stay": chances.stay.ev}
        lost += max(worth.values()) - worth[name]
    return lost


def places(totals: dict[str, float]) -> dict[str, int]:
    """Return each player's rank. Losses that differ by at most 1e-9 count as equal."""
    return {
        name: 1 + sum(other < total - 1e-9 for other in totals.values())
        for name, total in totals.items()
    }
