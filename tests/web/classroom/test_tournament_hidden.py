"""No answer tells a card of a tournament's deal to a student who has not seen it."""

import random
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator
from itertools import product

import flask
import pytest
from werkzeug.test import TestResponse

from cardgames import GAMES
from tests.support.answers import BOTH
from tests.support.classroom import Phone, Room, open_room
from tests.support.hidden import (
    HOLE,
    cards_named,
    check_names,
    other_table,
    said_by,
    whole,
)
from tests.support.tournaments import at_random, judge, kept, make, play_all, shared
from web.classroom import tournament_table
from web.classroom.tournaments import Tournament

DEALS = 2
PAGES = ("", "/tournaments", "/tournament/1", "/me.json", "/projector?show=standings", "/updates")
DESK = ("/tournaments", "/tournament/1", "/tournament/1?as=student", "/dashboard/tournaments.csv")
CARD = re.compile(r"\b[A2-9TJQK][CDHS]\b|\b(ace|two|jack|queen|king) of |[♣♧♦♢♥♡♠♤]")
"""Some way to name a card: these pages have no reason to name any."""


def at_deal(phone: Phone, deal: int, step: int) -> Iterator[TestResponse]:
    """Yield every answer about a deal that a student can get without a move."""
    address = f"/class/{phone.code}/tournament/1/deal/{deal}"
    for headers in BOTH:
        for path in (address, f"{address}/odds", f"{address}/results"):
            yield phone.client.get(path, headers=headers)
        for form in ({"move": "hit", "step": step + 1}, {"move": "fold", "step": step}):
            yield phone.client.post(address, data=form, headers=headers)


def elsewhere(room: Room, phone: Phone) -> Iterator[TestResponse]:
    """Yield what everybody else, and every other page, tells."""
    replays = (f"/tournament/1/deal/{deal}/replay" for deal in range(1, DEALS + 1))
    for path, headers in product((*PAGES, *replays), BOTH):
        yield phone.get(path, headers=headers)
    for path, headers in product(DESK, BOTH):
        yield room.boss.get(path, headers=headers)
    for path, headers in product(("/", "/deals", "/history", "/blackjack"), BOTH):
        yield phone.client.get(path, headers=headers)


def secrets(tournament: Tournament) -> Iterator[str]:
    """Yield how the salts of a tournament might stand in an answer."""
    for salt in (tournament.salt, *(tournament.deal(deal).salt for deal in (1, DEALS))):
        yield from (salt.hex(), salt.hex().upper(), str(int.from_bytes(salt, "big")))
        yield from (f(salt).decode().rstrip("=") for f in (b64encode, urlsafe_b64encode))


@pytest.mark.parametrize("slug", HOLE)
def test_no_answer_names_a_card_that_the_student_has_not_seen(
    school: flask.Flask, slug: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also while others have finished, and what decisions cost is known."""
    room, rng = open_room(school, 4), random.Random(slug)
    make(room, table=slug, deals=DEALS)
    judge(school)
    for number, other in enumerate(room.phones[1:]):
        play_all(other, at_random(number))
    tournament, phone = kept(room), room.phones[0]
    for deal in range(1, DEALS + 1):
        address, table = f"/tournament/1/deal/{deal}", shared(tournament, deal).table
        shown = phone.json(address)
        while shown["moves"]:
            hidden = GAMES[slug].hidden(table.state) if table.state else ()
            answers = [*at_deal(phone, deal, shown["step"])]
            if table.state:
                check_names(answers, hidden)
            others = [*elsewhere(room, phone)]
            for answer in others:
                assert not CARD.search(answer.text), answer.request.path
            for text in map(said_by, (*answers, *others)):
                assert not [one for one in secrets(tournament) if one in text]
            name = rng.choice([move["name"] for move in shown["moves"]])
            table = shared(tournament, deal).play(table, name)
            answer = phone.post(address, move=name, step=shown["step"])
            shown = answer.get_json()
        for text in map(said_by, at_deal(phone, deal, shown["step"])):
            assert not [one for one in secrets(tournament) if one in text]
    logged = capfd.readouterr()
    assert not cards_named(logged.out + logged.err)


@pytest.mark.parametrize("slug", HOLE)
@pytest.mark.usefixtures("watch")
def test_no_answer_depends_on_what_is_hidden(
    school: flask.Flask, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes, whatever lies where the student cannot look."""
    room, rng = open_room(school, 1), random.Random(slug)
    make(room, table=slug, deals=4)
    phone, true, different = room.phones[0], tournament_table.table_after, 0
    for deal in range(1, 5):
        address = f"/tournament/1/deal/{deal}"
        shown = phone.post(address, move="deal", step=0).get_json()
        while shown["moves"]:
            moves = phone.json("/me.json")["tournaments"][0]["plays"][-1]["moves"]
            table = true(kept(room).deal(deal), moves)
            other = other_table(table, rng)
            different += other.state != table.state
            answers = []
            for lying in (table, other):
                lies = lambda _deal, _moves, lying=lying: lying  # noqa: E731
                monkeypatch.setattr(tournament_table, "table_after", lies)
                found = at_deal(phone, deal, shown["step"])
                answers.append([whole(answer, lying.seals) for answer in found])
            assert answers[0] == answers[1]
            monkeypatch.setattr(tournament_table, "table_after", true)
            name = rng.choice([move["name"] for move in shown["moves"]])
            shown = phone.post(address, move=name, step=shown["step"]).get_json()
    assert different >= 4
