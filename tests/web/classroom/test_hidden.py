"""Nothing that is sent to a class depends on a hidden card, or names one.

Whatever is hidden is put in another order: the cards that are not called yet, the centres, and the
cards that nobody has. Every page, the JSON, the updates, the big screen, the dashboard, the printed
cards and the odds must stay as they are, byte by byte.
"""

import random
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from itertools import product

import flask
import pytest
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import Cards
from cardgames.class_bingo import card as card_module
from cardgames.class_bingo import decks as decks_module
from tests.support.amounts import few_or_all
from tests.support.answers import BOTH
from tests.support.classroom import JSON, Phone, Room, open_room
from tests.support.hidden import HOLE, cards_named, check_names, said_by
from tests.support.tournaments import at_random, judge, kept, make, play_all, shared
from web.classes.tournaments import Tournament
from web.live_class import live_round
from web.live_class.updates import NOTES

PAGES = (
    *("", "/bingo", "/bingo?as=list", "/bingo?said=7", "/bingo?still=yes", "/updates"),
    *("/projector", "/projector?show=join", "/me.json", "/round/1"),
)
DESK = (
    *("/dashboard", "/dashboard?names=yes", "/dashboard/students.csv", "/dashboard/rounds.csv"),
    *("/print?from=1&to=60", "/check?card=1", "/check?card=4", "/updates?of=dashboard"),
)


def answers(room: Room) -> Iterator[tuple[str, bytes]]:
    for phone in (*room.phones, room.visitor()):
        for path in PAGES:
            for headers in ({}, JSON):
                yield path, phone.get(path, headers=headers).data
    for path in DESK:
        for headers in ({}, JSON):
            yield path, room.boss.get(path, headers=headers).data


def everything(room: Room) -> list[tuple[str, bytes]]:
    """Return all answers, but for what chance alone has put there."""
    lucky = rb'"offers":\[[^]]*\]|name="(offer|receipt)" value="[^"]*"( checked)?> ?[^<]*'
    return [(path, re.sub(lucky, b"", data)) for path, data in answers(room)]


def clear() -> None:
    card_module.salted_card.cache_clear()
    live_round._one_away.cache_clear()
    live_round._places.cache_clear()


def other_order(
    true: Callable[[str, int], Cards], calls: int, cards: int, rng: random.Random
) -> Callable[[str, int], Cards]:
    """Return shuffles that differ from the true ones in nothing that anybody has seen."""

    def shuffle(salt: str, number: int) -> Cards:
        deck = list(true(salt, number))
        if number == 1:
            hidden = list(range(calls, 52))
        elif number - 1 <= cards:
            hidden = [24, 50, 51, *range(1, 50, 2)]  # the centre, and what is not dealt
        else:
            hidden = list(range(52))
        faces = [deck[place] for place in hidden]
        rng.shuffle(faces)
        for place, face in zip(hidden, faces, strict=True):
            deck[place] = face
        return tuple(deck)

    kept: dict[tuple[str, int], Cards] = {}
    return lambda salt, number: kept.setdefault((salt, number), shuffle(salt, number))


@few_or_all("others", 1, 3)
@pytest.mark.parametrize("by_hand", ["N", "Y"])
@pytest.mark.parametrize(
    ("mode", "speed"),
    [("L", "N"), *(pytest.param(mode, "Y", marks=pytest.mark.slow) for mode in "CF")],
)
@pytest.mark.usefixtures("watch")  # time stands still: a dashboard says it
def test_hidden_cards_change_nothing_that_is_sent(
    school: flask.Flask,
    monkeypatch: pytest.MonkeyPatch,
    by_hand: str,
    mode: str,
    speed: str,
    others: int,
) -> None:
    room = open_room(school, 5, real="may")
    monkeypatch.setattr(school.extensions[NOTES], "note", lambda *_: None)  # looking shows
    true = decks_module._shuffle
    rng = random.Random(f"{by_hand} {mode} {speed}")
    room.deal(mode=mode, speed=speed, by_hand=by_hand)
    for _ in range(4):
        document = room.call(rng.randint(0, 3))["round"]
        if document["phase"] != "playing":
            break
        if by_hand == "Y":
            room.phones[0].claim()
            room.phones[1].post("/bingo", move="mark", place=rng.randint(0, 11), on="Y")
        clear()
        before = everything(room)
        cards = [phone.bingo()["card"]["cards"] for phone in room.phones]
        for _ in range(others):
            clear()
            with monkeypatch.context() as patch:
                altered = other_order(true, len(document["called"]), len(room.phones), rng)
                patch.setattr(decks_module, "_shuffle", altered)
                assert [phone.bingo()["card"]["cards"] for phone in room.phones] == cards
                for (path, was), (_, now) in zip(before, everything(room), strict=True):
                    assert was == now, path
        clear()


def test_no_answer_opens_a_seal_before_the_round_is_over(room: Room) -> None:
    room.deal()
    room.call(3)
    early = b"".join(data for _, data in answers(room))
    early += str([phone.get("/bingo").headers for phone in room.phones]).encode()
    room.call_until()
    room.move("go-on")
    late = b"".join(data for _, data in answers(room))
    document = room.move("void")["round"]
    assert document["salt"].encode() not in early + late


DEALS = 2
OF_STUDENTS = (
    *("", "/tournaments", "/tournament/1", "/me.json", "/projector?show=standings", "/updates"),
)
OF_THE_INSTRUCTOR = (
    *("/tournaments", "/tournament/1", "/tournament/1?as=student", "/dashboard/tournaments.csv"),
)
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
    for path, headers in product((*OF_STUDENTS, *replays), BOTH):
        yield phone.get(path, headers=headers)
    for path, headers in product(OF_THE_INSTRUCTOR, BOTH):
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
