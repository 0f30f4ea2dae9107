"""Invalid records are rejected quickly with a message, and never raise other errors."""

import re
import sys
import tracemalloc
from collections.abc import Callable

import pytest

from cardgames.cards import FULL_DECK
from cardgames.records.line import MAX_LENGTH, MAX_STEPS, parse, readable_line
from cardgames.records.replay import replay
from tests.support.records import golden_of, refused

DECK = "".join(FULL_DECK)
SHEET = golden_of("simple-21")[0].split("=")[1][:104]
"""The sheet's deck file in the format of a record."""

SALT = "07" * 16


def plain(part: str) -> str:
    """Return a printable test ID, so that a repeated collection of tests finds it."""
    return re.sub(r"[^ -~]", "?", part.replace(SHEET, "..."))[:60]


# ---- A record has one notation -------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (" stay result", "  stay result"),
        (" stay result", " stay  result"),
        ("simple-21 1 ", "simple-21 1  "),
        ("simple-21 1 ", " simple-21 1 "),
        ("result=dealer", "result=dealer "),
        ("result=dealer", "result=dealer\n"),
        ("result=dealer", "result=%64ealer"),
        ("result=dealer", "result=Dealer"),
        ("stay result", "stay*1 result"),
        ("stay result", "stay: result"),
        ("deal:deck", "deal*1:deck"),
        ("deal:deck", "deal:,deck"),
        ("deal:deck=", "deal:deck=+0"),
        ("deal:deck", "round=0 deal:deck"),
        ("deal:deck", "deck= deal:deck"),
        ("deal:deck", "stacked=no deal:deck"),
        ("deal:deck", "round=01 deal:deck"),
        ("deal:deck", "round=\N{ARABIC-INDIC DIGIT ONE} deal:deck"),
        ("deal:deck", "salt= deal:deck"),
        ("simple-21 1", "simple-21 01"),
        ("simple-21 1", "simple-21 2"),
        ("simple-21 1", "simple-21\t1"),
        ("KSJH", "ksjh"),
        ("KSJH", "K\N{BLACK SPADE SUIT}JH"),
    ],
    ids=plain,
)
def test_another_spelling_is_no_record(one: str, other: str) -> None:
    text = f"simple-21 1 deal:deck={SHEET} stay result=dealer"
    assert readable_line(replay(parse(text)).last.record) == text
    assert one in text
    refused(text.replace(one, other, 1))


@pytest.mark.parametrize(
    "text",
    [
        "blackjack 1 shuffle=9STHQDJC+48 deal hit hit",  # repeated hits are written as hit*2
        f"blackjack 2 salt={SALT} deal hit hit",
        f"blackjack 2 salt={SALT.upper()}AA deal hit",
        f"blackjack 1 salt={SALT} deal hit",  # a record with a salt but no orders has version 2
        f"blackjack 2 salt={SALT} shuffle={DECK} deal hit",
        f"bingo 2 salt={SALT} deal:mode=F,speed=N call:calls=1*2",
        f"bingo 1 shuffle={DECK} shuffle={DECK} deal:mode=F,speed=N call:calls=1*2",
        "war 1 deal:deck=DECK,players=2,names=A",  # the fields must be in alphabetical order
        "war 1 deal:deck=DECK,players=2,players=2",
        "war 1 deal:deck=DECK,names=,players=2",
        "war 1 deal:deck=DECK,names=%20A,players=2",  # playing strips spaces around names
        "war 1 deal:deck=DECK,names=A%2C%20B,players=2",
        "war 1 deal:deck=DECK,names=a_b,players=2",
        "war 1 deal:deck=DECK,names=%5f,players=2",
        "war 1 deal:deck=DECK,names=%FF,players=2",
        "war 1 deal:deck=DECK,names=\N{LATIN SMALL LETTER E WITH DIAERESIS},players=2",
    ],
    ids=plain,
)
def test_a_move_has_one_spelling(text: str) -> None:
    refused(text.replace("DECK", DECK))


# ---- Broken rules are rejected with their step ---------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("simple-21 1 shuffle=DECK stay", "Step 1 (stay)"),
        ("simple-21 1 shuffle=DECK deal stay hit", "Step 3 (hit)"),
        ("simple-21 1 shuffle=DECK deal deal", "in order"),
        ("war 1 deal:deck=DECK,names=,players=2", "the fields of a move are not in order"),
        ("simple-21 1 shuffle=DECK deal hit*30", "Step"),
        ("simple-21 1 shuffle=DECK deal fold", "Step 2 (fold)"),
        ("simple-21 1 shuffle=DECK deal new", "Step 2 (new)"),
        ("simple-21 1 shuffle=DECK deal forfeit", "Step 2 (forfeit)"),
        ("simple-21 1 shuffle=DECK new deal", "Step 1 (new)"),
        ("simple-21 1 shuffle=DECK deal hit:x=1", "Step 2 (hit)"),
        ("simple-21 1 shuffle=DECK deal stay deal stay", "Step 3 (deal)"),
        ("simple-21 1 shuffle=DECK deal result=dealer", "Step 1"),
        (f"simple-21 1 shuffle={SHEET} deal stay result=player", "Step 2"),
        ("simple-21 1 shuffle=DECK shuffle=DECK deal stay result=dealer", "never happened"),
        ("simple-21 1 deal stay", "Step 1 (deal)"),
        (f"simple-21 1 shuffle={DECK[:-2]} deal stay", "Step 1 (deal)"),
        ("simple-21 1 shuffle=DECK+1 deal stay", "Step 1 (deal)"),
        (f"simple-21 1 shuffle={DECK[:-2]}AC deal stay", "Step 1 (deal)"),
        (f"simple-21 1 deal:deck={DECK[:-2]}AC stay", "Step 1 (deal)"),
        (f"simple-21 1 deal:deck={DECK[:-2]} stay", "Step 1 (deal)"),
        ("simple-21 1 shuffle=+52 deal", "Step 1 needs a card"),
        ("simple-21 1 shuffle=ACxx2C+49 deal", "Step 1 needs a card"),
        ("simple-21 1 shuffle=AC3C2C+49 deal stay", "Step 2 needs a card"),
        ("simple-21 1 shuffle=AC3C2C+49 deal hit", "Step 2 needs a card"),
        ("simple-21 1 round=1 deck=DECK deal", "table in this state"),
        ("simple-21 1 round=1 deck=DECK seen=ACKDTSQH deal", "whole deck"),
        (f"simple-21 1 round=1 deck={DECK[10:]} seen={DECK[:8]} deal", "whole deck"),
        (f"simple-21 1 round=1 deck={DECK[8:]} seen={DECK[:8]}+1 deal", "whole deck"),
        (f"simple-21 1 round=1 deck={DECK[8:]} seen={DECK[:6]} deal", "table in this state"),
        (f"simple-21 1 round=1 deck={DECK[6:]} seen={DECK[:6]} deal", "table in this state"),
        (
            f"simple-21 1 round=1 deck=+40 seen={DECK[:22]} buried=+1 ways=AxAxAxAx deal",
            "whole deck",
        ),
        ("simple-21 1 round=1 buried=+1 ways=1 deal", "cards that do not exist"),
        (f"simple-21 1 deck={DECK[8:]} seen={DECK[:8]} deal", "can start with"),
        ("simple-21 1 stacked=yes shuffle=DECK deal", "can start with"),
        ("simple-21 1 salt=00ff shuffle=DECK deal", "salt"),
        (f"simple-21 2 salt={SALT} deal stay stay", "in order"),
        (f"simple-21 2 salt={SALT} deal stay hit", "Step 3 (hit)"),
        (f"blackjack 1 deal:deck={DECK}+1 stay", "Step 1 (deal)"),
        ("blackjack 1 round=1 deck=DECK shuffle=DECK deal", "an unknown word"),
        ("blackjack 1 shuffle=DECK deal forfeit*2", "Step 3 (forfeit)"),
        ("blackjack 1 shuffle=DECK deal forfeit:deck=DECK", "Step 2 (forfeit)"),
        ("blackjack 1 shuffle=DECK deal forfeit result=player", "Step 2"),
        ("blackjack 1 shuffle=DECK deal stay forfeit result=dealer", "Step 3 (forfeit)"),
        ("one-deck 1 round=3 seen=DECK deal", "table in this state"),
        (
            f"one-deck 1 round=3 deck={DECK[10:]} seen={DECK[:8]} buried={DECK[8:10]} deal",
            "this state",
        ),
        ("war 1 shuffle=DECK deal:players=2 turn", "Step 2 (turn)"),
        ("war 1 salt=00ff shuffle=DECK deal:players=2 turn:turns=1", "Step 2 (turn)"),
        ("war 1 salt=00ff shuffle=DECK deal:players=2", "Step 1 (deal)"),
        ("war 1 salt=00ff deal:players=2 turn", "in order"),
        ("war 1 salt=00ff shuffle=DECK deal:deck=DECK,players=2 turn", "salt or a shuffle"),
        ("war 1 round=1 shuffle=DECK deal:players=2", "can start with"),
        ("war 1 shuffle=DECK deal:players=7", "Step 1 (deal)"),
        ("war 1 shuffle=DECK deal:names=A%2CA,players=2", "Step 1 (deal)"),
        ("bingo 1 shuffle=DECK deal:mode=L,speed=N", "Step 1 (deal)"),
        ("bingo 1 shuffle=DECK shuffle=DECK deal:mode=l,speed=N", "Step 1 (deal)"),
        ("bingo 1 round=1 deck=DECK shuffle=DECK shuffle=DECK deal:mode=L,speed=N", "unknown word"),
        ("lasting-high-card 1 round=1 deck=AC deal", "Step 1 (deal)"),
        ("canasta 1 deal", "tables here"),
        ("simple-21 2 deal", "in order"),
        ("simple-21 3 deal", "version"),
        ("simple-21 1.0 deal", "version"),
        ("", "tables here"),
        (" ", "tables here"),
        ("simple-21", "version"),
    ],
    ids=plain,
)
def test_broken_rules_are_rejected_with_their_step(text: str, why: str) -> None:
    assert why in refused(text.replace("DECK", DECK))


# ---- Other inputs, and speed ---------------------------------------------------------------------


def calls_in(action: Callable[[], object]) -> int:
    """Return the number of function calls that an action makes.

    It is the same on every machine.
    """
    count = 0

    def counting(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counting)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(
    "text",
    [
        "simple-21 1 " + "A" * 10_000_000,
        "simple-21 1 " + "deal " * 2_000_000,
        "simple-21 1 deck=" + "AC" * 1_000_000,
        "simple-21 1 " + "shuffle=+99 " * 300 + "deal",
        "simple-21 1 " + "deal:" + "a=1," * 900,
        "simple-21 1 " + "hit stay " * 440,
        "simple-21 1 " + "%" * 3_900,
        "simple-21 1 round=" + "9" * 3_000 + " deal",
        "simple-21 1 shuffle=+9999999999 deal",
        "simple-21 1 deck=" + "AC" * 1_900 + " deal",
        "simple-21 1 shuffle=" + "xx" * 1_900 + " deal",
        "simple-21 2 salt=" + "0" * 3_900 + " deal",
        f"simple-21 1 shuffle={DECK} deal hit*99999",
        f"simple-21 1 shuffle={DECK} deal hit*{MAX_STEPS}",
        f"simple-21 1 shuffle={DECK} deal hit*{MAX_STEPS - 1}",
        f"blackjack 1 shuffle={DECK} deal forfeit*{MAX_STEPS - 1}",
        f"blackjack 2 salt={SALT} deal hit*{MAX_STEPS - 1}",
        f"war 1 salt=00 shuffle={DECK} deal:players=2 turn*{MAX_STEPS}",
        f"war 2 salt=00 deal:players=2 turn*{MAX_STEPS - 1}",
        "x" * MAX_LENGTH,
        "(" * 100_000,
    ],
    ids=plain,
)
def test_large_and_absurd_inputs_are_refused_at_once(text: str) -> None:
    """A rejection takes few calls and little memory, whereas quadratic work would take millions."""
    tracemalloc.start()
    refused(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Checking this record plays a complete game of War, because only the last turn is invalid.
    is_war = text.startswith("war")
    assert peak < 2 * len(text) + (8_000_000 if is_war else 2_000_000)
    assert calls_in(lambda: refused(text)) < (900_000 if is_war else 80_000)
