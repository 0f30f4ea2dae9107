"""Nothing that is sent depends on a hidden card.

Whatever is hidden is put in another order: the cards that are not called yet, the centres, and the
cards that nobody has. Every page, the JSON, the updates, the big screen, the dashboard, the printed
cards and the odds must stay as they are, byte by byte.
"""

import random
import re
from collections.abc import Callable, Iterator

import flask
import pytest

from cardgames.cards import Cards
from cardgames.class_bingo import card as card_module
from cardgames.class_bingo import decks as decks_module
from tests.support.amounts import few_or_all
from tests.support.classroom import JSON, Room, open_room
from web.classroom import live_round
from web.classroom.updates import NOTES
from web.http.static_files import FOLDER

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
    # Nobody's card is the next one by more than chance: the answers do not end in what comes.
    assert " ".join(document["orders"]["calling"].split()[3:6]).encode() not in early


def test_no_template_of_a_class_names_what_is_hidden() -> None:
    """They are given the class's state, which holds the salt of the round that is on."""
    for path in (FOLDER.parent / "templates/class").glob("*.html"):
        assert not re.search(r"secret|data\.salt|covered_by|bingo_call", path.read_text()), path
