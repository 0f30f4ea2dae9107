"""The odds at Simple 21 against all worlds that a player who has seen everything may be in.

What is known of hole cards that were never shown is followed here from what was seen alone: a world
says which cards they are, all worlds that fit are as likely, and the deck is the rest of the cards
in any order. Nothing of the odds is used, and nothing of what the table carries.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, count
from typing import NamedTuple

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from cardgames.games.twentyone.engine import Piles
from cardgames.ledger import EMPTY_LEDGER, after_decision, review_round
from cardgames.records.line import line, parse, readable_line
from cardgames.records.replay import redacted, replay, with_shuffle_orders
from cardgames.table import Phase, Table
from tests.support.amounts import few_or_all
from tests.support.play import salts

GAME = GAMES["simple-21"]
ACCURACY = 1e-9

MAX_WORLDS = 20_000
"""Maximum of the worlds that are followed."""

World = tuple[str, tuple[str, ...]]
"""The hole card while it is face down, or nothing; and the buried cards."""

Worlds = dict[World, int]


def value(card: str) -> int:
    return "A23456789T".find(card[0]) + 1 or 10


def points(hand: frozenset[str] | tuple[str, ...]) -> int:
    return sum(map(value, hand))


@dataclass(frozen=True)
class Notes:
    """What a player knows who forgets nothing."""

    cards: frozenset[str]
    """All cards of the game."""

    left: int
    """How many lie in the deck."""

    discards: frozenset[str]
    shown: frozenset[str] = frozenset()
    """The cards that lie face up on the table."""

    worlds: Worlds = field(default_factory=lambda: {("", ()): 1})
    past: bool = False
    """Whether a card lies face down, or buried, that lay so when others were shuffled in."""

    def deck(self, world: World) -> frozenset[str]:
        hole, buried = world
        deck = self.cards - self.discards - self.shown - {hole, *buried}
        assert len(deck) == self.left
        return deck

    def ready(self) -> "Notes":
        """Shuffle the discards into the empty deck."""
        if self.left:
            return self
        worlds: Counter[World] = Counter()
        for (hole, _), number in self.worlds.items():
            worlds[hole, ()] += number
        hole_down = any(hole for hole, _ in worlds)
        return replace(
            self,
            left=len(self.cards) - len(self.shown) - hole_down,
            discards=frozenset(),
            worlds=dict(worlds),
            past=hole_down,
        )

    def saw(self, card: str) -> "Notes":
        """Take a card from the deck."""
        now = self.ready()
        fits = {world: n for world, n in now.worlds.items() if card in now.deck(world)}
        return replace(now, left=now.left - 1, shown=now.shown | {card}, worlds=fits)

    def hid(self) -> "Notes":
        """Take the hole card from the deck."""
        now = self.ready()
        worlds = {(hole, w[1]): n for w, n in now.worlds.items() for hole in now.deck(w)}
        return replace(now, left=now.left - 1, worlds=worlds)

    def turned(self, card: str) -> "Notes":
        """See the hole card turned over."""
        worlds = {("", buried): n for (hole, buried), n in self.worlds.items() if hole == card}
        past = self.past and any(buried for _, buried in worlds)
        return replace(self, shown=self.shown | {card}, worlds=worlds, past=past)

    def swept(self) -> "Notes":
        """See the table cleared."""
        worlds = {
            ("", (*buried, hole) if hole else buried): n
            for (hole, buried), n in self.worlds.items()
        }
        discards = self.discards | self.shown
        return replace(self, discards=discards, shown=frozenset(), worlds=worlds)


class Step(NamedTuple):
    """A decision: the table, what its player knows, what they do, and the table after it."""

    table: Table
    notes: Notes
    move: str
    after: Table


ENDS = ("win", "tie", "lose")
Ends = tuple[float, ...]
Values = tuple[int, ...]
"""How many cards there are of each value."""


def values(cards: frozenset[str]) -> Values:
    counts = Counter(map(value, cards))
    return tuple(counts[n] for n in range(11))


@lru_cache(maxsize=400_000)
def dealt(dealer: int, deck: Values, back: Values) -> dict[str, float]:
    """How the dealer ends: with a total, bust, or out of cards."""
    if dealer >= 17:
        return {str(dealer) if dealer <= 21 else "bust": 1.0}
    if not any(deck):
        deck, back = back, (0,) * 11
    if not any(deck):
        return {"out": 1.0}
    ends: Counter[str] = Counter()
    for drawn, number in enumerate(deck):
        if number:
            left = (*deck[:drawn], number - 1, *deck[drawn + 1 :])
            for end, chance in dealt(dealer + drawn, left, back).items():
                ends[end] += number / sum(deck) * chance
    return dict(ends)


class Enumeration:
    """What the decisions of one player with one hand are worth, world by world."""

    def __init__(self, upcard: str) -> None:
        self.upcard = upcard
        self.found: dict[tuple[frozenset[str], frozenset[str], int], Ends] = {}

    def stay(self, total: int, notes: Notes) -> Ends:
        if total == 21:
            return (1.0, 0.0, 0.0)
        result, in_all = Counter[str](), sum(notes.worlds.values())
        alike: Counter[tuple[int, Values, Values]] = Counter()
        for world, number in notes.worlds.items():
            back = notes.discards.union(world[1])
            alike[value(world[0]), values(notes.deck(world)), values(back)] += number
        for (hole, deck, back), number in alike.items():
            for end, chance in dealt(value(self.upcard) + hole, deck, back).items():
                won = "tie" if end in ("out", str(total)) else "lose"
                if end == "bust" or (end != "out" and int(end) < total):
                    won = "win"
                result[won] += chance * number / in_all
        return tuple(result[end] for end in ENDS)

    def hit(self, total: int, notes: Notes) -> Ends:
        notes = notes.ready()
        chances: Counter[str] = Counter()
        for world, number in notes.worlds.items():
            chances.update(dict.fromkeys(notes.deck(world), number))
        if not chances:
            return (0.0, 1.0, 0.0)
        result = [0.0] * 3
        for card, number in chances.items():
            then = self.best(total + value(card), card, notes)
            share = number / chances.total()
            result = [now + share * more for now, more in zip(result, then, strict=True)]
        return tuple(result)

    def best(self, total: int, card: str, before: Notes) -> Ends:
        if total > 21:
            return (0.0, 0.0, 1.0)
        key = (before.shown | {card}, before.discards, before.left)
        if key not in self.found:
            notes = before.saw(card)
            stay, hit = self.stay(total, notes), self.hit(total, notes)
            self.found[key] = hit if ev(hit) > ev(stay) + 1e-12 else stay
        return self.found[key]


def ev(ends: Ends) -> float:
    return ends[0] - ends[2]


Hide = Callable[[Notes], float]
"""How often the player goes on hitting, by which a hole card is often not shown."""


def played(table: Table, notes: Notes, rng: random.Random, hide: Hide) -> Iterator[Step]:
    """Yield each decision of a game, as long as the worlds can be counted."""
    new_salt = salts(rng.getrandbits(32))
    while len(notes.worlds) * notes.left < MAX_WORLDS:
        table = table.play("deal", new_salt=new_salt).table
        if table.result:  # there are so few cards that the deal has used them up
            return
        (first, second), upcard = table.state.player, table.state.dealer[0]
        notes = notes.saw(first).saw(upcard).saw(second).hid()
        while table.phase is Phase.PLAYING:
            low = points(table.state.player) < 9
            move = "hit" if low or rng.random() < hide(notes) else "stay"
            after = table.play(move, new_salt=new_salt).table
            yield Step(table, notes, move, after)
            if move == "stay" and not after.state.hole_down:
                notes = notes.turned(after.state.dealer[1])
            drawn = (after.state.player[len(table.state.player) :], after.state.dealer[2:])
            for card in chain.from_iterable(drawn):
                notes = notes.saw(card)
            table = after
        notes = notes.swept()


def few_cards(rng: random.Random) -> Iterator[Step]:
    """A game with so few cards that they come back in every other round."""
    cards = rng.sample(FULL_DECK, rng.randint(11, 15))
    table = Table(GAME, round=1, carried=Piles(tuple(cards[4:]), tuple(cards[:4]), ()))
    notes = Notes(frozenset(cards), len(cards) - 4, frozenset(cards[:4]))
    return played(table, notes, rng, lambda _: 0.6)


def whole_deck(rng: random.Random) -> Iterator[Step]:
    """A game whose player shows the hole card, but where the deck ends."""
    notes = Notes(frozenset(FULL_DECK), len(FULL_DECK), frozenset())
    return played(Table(GAME), notes, rng, lambda notes: 0.85 if notes.left < 7 else 0.1)


def buried_past(step: Step) -> bool:
    """Say whether the player knows more of a buried card than that it is unseen."""
    return step.notes.past and bool(step.table.state.unseen_discards)


def check(step: Step) -> None:
    """Compare both decisions, and what each costs in the ledger."""
    state = step.table.state
    answer, total = GAME.advisor.odds(state), points(state.player)
    worlds = Enumeration(state.dealer[0])
    stay, hit = worlds.stay(total, step.notes), worlds.hit(total, step.notes)
    for ours, theirs in ((answer.stay, stay), (answer.hit, hit)):
        assert (ours.win, ours.tie, ours.lose) == pytest.approx(theirs, abs=ACCURACY)
    for move, worth in (("stay", ev(stay)), ("hit", ev(hit))):
        ledger = after_decision(EMPTY_LEDGER, GAME.advisor, step.table, move)
        assert ledger.cost == pytest.approx(max(ev(stay), ev(hit)) - worth, abs=ACCURACY)


def matters(step: Step) -> bool:
    """Say whether the odds would be others if nothing were known of the buried card."""
    state = step.table.state
    return GAME.advisor.odds(replace(state, ways=())) != GAME.advisor.odds(state)


def checked(
    games: Callable[[random.Random], Iterator[Step]], number: int, lowest: int
) -> tuple[int, int]:
    """Check decisions with a buried card of which something is known.

    Returns:
        At how many it matters, and at how many some cards are likelier than others.
    """
    found = likelier = mattering = 0
    for seed in count():
        for step in games(random.Random(seed)):
            if buried_past(step) and points(step.table.state.player) >= lowest:
                check(step)
                found += 1
                mattering += matters(step)
                likelier += len(step.table.state.ways) > 1
            if found == number:
                return mattering, likelier
    raise AssertionError


@few_or_all("number", 40, 300)
def test_few_cards_with_a_buried_card_of_which_something_is_known(number: int) -> None:
    """Refill after refill, so that one card is as likely as another in other proportions too."""
    mattering, likelier = checked(few_cards, number, lowest=11)
    assert mattering > number / 3
    assert likelier > number / 100


@few_or_all("number", 2, 60)
def test_a_whole_deck_with_a_buried_card_of_which_something_is_known(number: int) -> None:
    assert checked(whole_deck, number, lowest=16)[0] > number / 3


def test_what_is_known_is_in_the_record_of_a_round() -> None:
    """So decisions cost the same in it: with all cards shown, and without those never seen."""
    carried = 0
    for step in chain.from_iterable(whole_deck(random.Random(seed)) for seed in count()):
        if carried == 6:
            break
        if not step.after.result or not buried_past(step):
            continue
        whole = with_shuffle_orders(step.after.record)
        moves = [action.name for action in whole.single_actions()]
        masked = redacted(whole, GAME.seen(step.after.state))
        hidden = set(map(str, GAME.hidden(step.after.state))) - set(map(str, whole.carry.seen))
        assert not hidden & {*re.findall("[A2-9TJQK][CDHS]", readable_line(masked))}
        costs = [
            review_round(GAME.advisor, replay(parse(text)).tables, moves).current_decisions
            for text in (line(step.after.record), readable_line(whole), readable_line(masked))
        ]
        assert costs[0] == costs[1]
        assert [one.cost for one in costs[2]] == pytest.approx([one.cost for one in costs[0]])
        carried += bool(whole.carry.ways)
