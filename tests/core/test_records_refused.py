"""What is no record is refused in a sentence, and quickly; nothing else is ever raised."""

import random
import sys
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from cardgames.moves import Action
from cardgames.records.line import (
    MAX_LENGTH,
    MAX_STEPS,
    InvalidRecord,
    line,
    parse,
    pile_names,
    readable_line,
)
from cardgames.records.record import Record
from cardgames.records.replay import known_cards, redacted, replay
from cardgames.shuffling import SaltedRandom
from tests.support.amounts import few_or_all
from tests.support.play import play, salts
from tests.support.records import golden_of, refused

DECK = "".join(FULL_DECK)
SHEET = golden_of("simple-21")[0].split("=")[1][:104]
"""The sheet's deck file as a record has it."""

SALT = "07" * 16

# ---- A record has one spelling -------------------------------------------------------------


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
    ids=lambda part: part[:20],
)
def test_another_spelling_is_no_record(one: str, other: str) -> None:
    text = f"simple-21 1 deal:deck={SHEET} stay result=dealer"
    assert readable_line(replay(parse(text)).last.record) == text
    assert one in text
    refused(text.replace(one, other, 1))


@pytest.mark.parametrize(
    "text",
    [
        "blackjack 1 shuffle=9STHQDJC+48 deal hit hit",  # counted is hit*2
        f"blackjack 2 salt={SALT} deal hit hit",
        f"blackjack 2 salt={SALT.upper()}AA deal hit",
        f"blackjack 1 salt={SALT} deal hit",  # a salt without orders is version 2
        f"blackjack 2 salt={SALT} shuffle={DECK} deal hit",
        f"bingo 2 salt={SALT} deal:mode=F,speed=N call:calls=1*2",  # as version 1 has it
        f"bingo 1 shuffle={DECK} shuffle={DECK} deal:mode=F,speed=N call*2",
        "war 1 deal:deck=DECK,players=2,names=A",  # the fields in the order of the alphabet
        "war 1 deal:deck=DECK,players=2,players=2",
        "war 1 deal:deck=DECK,names=,players=2",
        "war 1 deal:deck=DECK,names=%20A,players=2",  # as they are played: without blanks
        "war 1 deal:deck=DECK,names=A%2C%20B,players=2",
        "war 1 deal:deck=DECK,names=a_b,players=2",
        "war 1 deal:deck=DECK,names=%5f,players=2",
        "war 1 deal:deck=DECK,names=%FF,players=2",
        "war 1 deal:deck=DECK,names=\N{LATIN SMALL LETTER E WITH DIAERESIS},players=2",
    ],
    ids=lambda text: text[:45],
)
def test_a_move_has_one_spelling(text: str) -> None:
    refused(text.replace("DECK", DECK))


def test_several_turns_in_one_are_not_a_step() -> None:
    war, bingo = golden_of("war")[0], golden_of("bingo")[0]
    before, _, rest = war.partition(" turn:turns=1*")
    _, _, result = rest.partition(" ")
    refused(f"{before} turn:turns=all {result}")
    refused(f"{before} turn:turns=10*2")
    refused(bingo.replace("calls=1*6", "calls=all"))


CHANGED = [
    *(text for slug in GAMES for text in golden_of(slug)[:2] if len(text) < 500),
    *(line(play(slug, "deal", "stay", new_salt=salts(1)).record) for slug in ("one-deck",)),
    line(play("bingo", "deal mode=C speed=N", "call calls=all", new_salt=salts(2)).record),
    line(play("lasting-high-card", "deal", "swap", new_salt=salts(3)).record),
]


@few_or_all("every", 3, 1)
@pytest.mark.parametrize("text", CHANGED, ids=lambda text: text[:24])
def test_every_changed_character_is_refused_or_makes_another_record(text: str, every: int) -> None:
    """Flipped, left out and put in, at every place; what is read reads back as it stands."""
    write = readable_line if text.split()[1] == "1" else line
    refusals, others, rng = 0, 0, random.Random(1)
    every = 7 if text.startswith("war") else every  # a game of War is long
    for place in range(0, len(text) + 1, every):
        new = rng.choice("AKT2SHCDx+*:=,%_~ 019azé\n")
        flipped = chr(ord(text[place]) ^ 1) if place < len(text) else ""
        rests = (text[place + 1 :], text[place + 1 :], text[place:])
        for put, rest in zip((flipped, "", new), rests, strict=True):
            changed = text[:place] + put + rest
            try:
                record = parse(changed)
                replay(record)
            except InvalidRecord:
                refusals += 1
                continue
            assert write(record) == changed
            assert changed == text or record != parse(text)
            others += 1
    assert refusals > (10 if write is readable_line else 1) * others


# ---- What breaks the rules is refused with its step ----------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("simple-21 1 shuffle=DECK stay", "Step 1 (stay)"),
        ("simple-21 1 shuffle=DECK deal stay hit", "Step 3 (hit)"),
        ("simple-21 1 shuffle=DECK deal deal", "in order"),
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
        ("simple-21 1 round=1 deck=DECK deal", "table can look"),
        ("simple-21 1 round=1 deck=DECK seen=ACKDTSQH deal", "whole deck"),
        (f"simple-21 1 round=1 deck={DECK[10:]} seen={DECK[:8]} deal", "whole deck"),
        (f"simple-21 1 round=1 deck={DECK[8:]} seen={DECK[:8]}+1 deal", "whole deck"),
        (f"simple-21 1 round=1 deck={DECK[8:]} seen={DECK[:6]} deal", "table can look"),
        (f"simple-21 1 round=1 deck={DECK[6:]} seen={DECK[:6]} deal", "table can look"),
        (f"simple-21 1 deck={DECK[8:]} seen={DECK[:8]} deal", "take over"),
        ("simple-21 1 stacked=yes shuffle=DECK deal", "take over"),
        ("simple-21 1 salt=00ff shuffle=DECK deal", "salt"),
        (f"simple-21 2 salt={SALT} deal stay stay", "in order"),
        (f"simple-21 2 salt={SALT} deal stay hit", "Step 3 (hit)"),
        (f"blackjack 1 deal:deck={DECK}+1 stay", "Step 1 (deal)"),
        ("blackjack 1 round=1 deck=DECK shuffle=DECK deal", "means nothing"),
        ("blackjack 1 shuffle=DECK deal forfeit*2", "Step 3 (forfeit)"),
        ("blackjack 1 shuffle=DECK deal forfeit:deck=DECK", "Step 2 (forfeit)"),
        ("blackjack 1 shuffle=DECK deal forfeit result=player", "Step 2"),
        ("blackjack 1 shuffle=DECK deal stay forfeit result=dealer", "Step 3 (forfeit)"),
        ("one-deck 1 round=3 seen=DECK deal", "table can look"),
        (f"one-deck 1 round=3 deck={DECK[10:]} seen={DECK[:8]} buried={DECK[8:10]} deal", "look"),
        ("war 1 shuffle=DECK deal:players=2 turn:turns=1", "Step 2 (turn)"),
        ("war 1 salt=00ff shuffle=DECK deal:players=2", "Step 1 (deal)"),
        ("war 1 salt=00ff deal:players=2 turn:turns=1", "in order"),
        ("war 1 salt=00ff shuffle=DECK deal:deck=DECK,players=2 turn:turns=1", "salt"),
        ("war 1 round=1 shuffle=DECK deal:players=2", "take over"),
        ("war 1 shuffle=DECK deal:players=7", "Step 1 (deal)"),
        ("war 1 shuffle=DECK deal:names=A%2CA,players=2", "Step 1 (deal)"),
        ("bingo 1 shuffle=DECK deal:mode=L,speed=N", "Step 1 (deal)"),
        ("bingo 1 shuffle=DECK shuffle=DECK deal:mode=l,speed=N", "Step 1 (deal)"),
        ("bingo 1 round=1 deck=DECK shuffle=DECK shuffle=DECK deal:mode=L,speed=N", "nothing"),
        ("lasting-high-card 1 round=1 deck=AC deal", "Step 1 (deal)"),
        ("canasta 1 deal", "tables here"),
        ("simple-21 2 deal", "in order"),
        ("simple-21 3 deal", "version"),
        ("simple-21 1.0 deal", "version"),
        ("", "tables here"),
        (" ", "tables here"),
        ("simple-21", "version"),
    ],
    ids=lambda part: part.replace(SHEET, "…")[:60],
)
def test_what_breaks_the_rules_is_refused_with_its_step(text: str, why: str) -> None:
    assert why in refused(text.replace("DECK", DECK))


# ---- Anything else, and quickly ------------------------------------------------------------


def calls_in(action: Callable[[], object]) -> int:
    """Return how many calls of functions an action has made: its work, whatever the machine."""
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
        f"war 1 salt=00 shuffle={DECK} deal:players=2 turn:turns=1*{MAX_STEPS}",
        f"war 2 salt=00 deal:players=2 turn*{MAX_STEPS - 1}",
        "x" * MAX_LENGTH,
        "(" * 100_000,
    ],
    ids=lambda text: text[:30],
)
def test_large_and_absurd_inputs_are_refused_at_once(text: str) -> None:
    """Few calls and little memory: what grows with the square of the input would take millions."""
    tracemalloc.start()
    refused(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A whole game of War is played before the record turns out to have a turn too many.
    is_war = text.startswith("war")
    assert peak < 2 * len(text) + (8_000_000 if is_war else 2_000_000)
    assert calls_in(lambda: refused(text)) < (900_000 if is_war else 80_000)


words = st.one_of(
    st.sampled_from(
        [
            *("deal", "hit", "stay", "new", "forfeit", "hit*2", "hit*3", "call:calls=1*5"),
            *("call*5", "turn*40", "swap", "keep", "salt=07", f"salt={SALT}"),
            *("turn:turns=1*40", "deal:players=2", "deal:mode=L,speed=N", "round=1", "round=7"),
            *("stacked=yes", "salt=00ff", f"shuffle={DECK}", f"shuffle={SHEET}", "shuffle=+52"),
            *("result=dealer", "result=player", "result=tie", "result=A", "deck=", "seen=ACKD"),
            *("buried=xx", "buried=KC", f"deck={DECK[8:]}", f"seen={DECK[:8]}", "", "+", "*2"),
            *("result=you", "discards=AC2C", f"discards={DECK[:8]}", f"deal:deck={DECK}"),
        ]
    ),
    st.text(max_size=12),
)
ORDER = ("round", "stacked", "deck", "seen", "buried", "discards", "salt", "shuffle", "")


@given(
    st.sampled_from([*GAMES, "", "x"]),
    st.sampled_from("12"),
    st.lists(words, max_size=8),
    st.booleans(),
)
@settings(max_examples=800, deadline=None)
def test_anything_is_a_record_or_refused(
    slug: str,
    version: str,
    parts: list[str],
    sort: bool,  # noqa: FBT001
) -> None:
    if sort:
        parts.sort(key=lambda word: ORDER.index(next(o for o in ORDER if word.startswith(o))))
    text = " ".join([slug, version, *parts])
    try:
        record = parse(text)
        assert text in (readable_line(record), line(record))
        tables = replay(record, random.Random(1)).tables
    except InvalidRecord:
        return
    game = GAMES[record.game]
    assert len(tables) == record.steps + 1
    for table in tables[1:]:
        table.view()
        assert len(game.cards(table.state)) == 52 * game.info.decks


piles = st.lists(st.sampled_from([None, *FULL_DECK]), max_size=60).map(tuple)
texts = st.text(min_size=1, max_size=15)
chosen = st.dictionaries(st.sampled_from(["a", "names", "mode"]), texts, max_size=3)


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Any record that can be written, whether or not it keeps any rules."""
    game = GAMES[draw(st.sampled_from([*GAMES]))]
    carry: Any = None
    if game.carry_type and draw(st.booleans()):
        taken = {name: draw(piles) for name in pile_names(game)}
        carry = game.carry_type(**taken) if any(taken.values()) else None
    deal = Action("deal", tuple(sorted(draw(chosen).items())))
    return Record(
        game.info.slug,
        round=draw(st.integers(0, 999_999)),
        stacked=draw(st.booleans()),
        carry=carry,
        salt=draw(st.text("0123456789abcdef", max_size=64)),
        shuffles=draw(st.lists(piles, max_size=3).map(tuple)),
        actions=(deal, Action("hit", (), draw(st.integers(1, 20_000)))),
        result=draw(st.text(max_size=15)),
    )


@given(records())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_record_reads_back_as_it_was_written(record: Record) -> None:
    for text in (line(record), readable_line(record)):
        assert parse(text) == record
        assert "\n" not in text
        assert text.isascii()
    masked = redacted(record, FULL_DECK[:10])
    known = {"seen": "seen", "discards": "discards"}
    told = {card for name in known for card in getattr(record.carry, name, ()) if card}
    assert known_cards(masked) <= {*FULL_DECK[:10], *told}
    assert parse(readable_line(masked)) == masked


@given(st.sampled_from([*GAMES]), st.integers(0, 2**32), st.lists(st.integers(0, 99), max_size=12))
@settings(max_examples=150, deadline=None)
def test_any_actions_are_played_or_refused(slug: str, seed: int, choices: list[int]) -> None:
    """A record with a salt and moves of the game, in any order and as often as may be."""
    game = GAMES[slug]
    fields = {"war": (("players", "3"),), "bingo": (("mode", "C"), ("speed", "Y"))}
    record = Record(slug, salt=f"{seed:x}").with_action(Action("deal", fields.get(slug, ())))
    names = [*(move.name for move in game.round_moves), "forfeit", "deal"]
    for choice in choices:
        record = record.with_action(Action(names[choice % len(names)], times=1 + choice // 20))
    try:
        tables = replay(parse(line(record)), SaltedRandom(lambda: "07")).tables
    except InvalidRecord:
        return
    assert tables[-1].record.actions == record.actions
