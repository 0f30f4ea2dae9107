"""Collect all responses of the site about a table, for tests that search them for hidden cards."""

import io
import random
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Final

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import FULL_DECK, shuffled
from cardgames.table import NEW, Table
from tests.support.classroom import Phone
from tests.support.site import JSON, seat_at
from web.tables.seat import Seat

BOTH: Final[tuple[Mapping[str, str], ...]] = ({}, JSON)
"""The headers of a browser's request and of a JSON client's request."""


def deck_fields(
    table: Table, name: str, rng: random.Random, *, own_decks: bool = True
) -> dict[str, str]:
    """Return the fields of a move, with a deck in every deck field or without decks."""
    move = next(move for move in table.moves() if move.name == name)
    sent = {field: rng.choice(list(options)) for field, options in move.form.items() if options}
    if own_decks:
        sent |= {field: "\n".join(shuffled(FULL_DECK, rng)) for field in move.decks}
    return sent


def at_random(
    client: FlaskClient, slug: str, rng: random.Random, moves: int, *, own_decks: bool = True
) -> Iterator[tuple[TestResponse, Seat]]:
    """Play at a table over HTTP; yield each response and the table after the move."""
    table = Table(GAMES[slug])
    for step in range(moves):
        legal = [move.name for move in table.moves() if move is not NEW] or ["new"]
        (name,) = rng.choices(legal, [1 if name == "deal" else 5 for name in legal])
        fields = deck_fields(table, name, rng, own_decks=own_decks)
        headers = rng.choice(BOTH)
        form = {"move": name, "step": str(step), **fields}
        answer = client.post(f"/{slug}", data=form, headers=headers)
        assert answer.status_code == (200 if headers else 303)
        seat = seat_at(client, f"/{slug}")
        table = seat.table
        yield answer, seat


def look_at(client: FlaskClient | Phone, *paths: str) -> Iterator[TestResponse]:
    """Request URLs, both as a browser and as a JSON client."""
    for path, headers in product(paths, BOTH):
        yield client.get(path, headers=headers)


def refusals(client: FlaskClient, address: str, seat: Seat) -> Iterator[TestResponse]:
    """Send requests that must be rejected.

    Such a request comes from an old page, or has an invalid move, field or deck.
    """
    step, table = str(seat.step), seat.table
    unseen = list(table.game.cards(table.state) if table.state else FULL_DECK)[::-1][:52]
    forms: list[dict[str, Any]] = [
        {"move": "hit", "step": str(seat.step + 1)},
        {"move": "fold", "step": step, "deck": "\n".join(unseen)},
    ]
    for move in table.moves():
        sent = deck_fields(table, move.name, random.Random(1), own_decks=False)
        form = {**sent, "move": move.name, "step": step}
        forms.append({**form, "card": ""})
        for field in move.decks:
            # The deck contains the hidden cards themselves, so a response that repeated the deck
            # would name hidden cards.
            bad = "\n".join([*unseen[:20], *unseen[:20], *unseen[1:3], "??"])
            forms.append({**form, field: bad})
            forms.append({**form, field: (bad.lower().encode(), "my deck.txt")})
            forms.append({**form, field: "\r\n".join([*map(str, FULL_DECK), *unseen])})
    for form, headers in product(forms, BOTH):
        files = {
            name: (io.BytesIO(value[0]), value[1]) if isinstance(value, tuple) else value
            for name, value in form.items()
        }
        answer = client.post(address, data=files, headers=headers)
        assert answer.status_code in (409, 422)
        yield answer
