"""The lab: thousands of games at once, and what they say about chance.

An :data:`Experiment` says what to play, how often, and from which seed. It is played in small
steps that know nothing of each other, each with its own random numbers, so the same experiment
gives the same result in one go, in pieces, in any order or on several machines; a result is made
of whole counts, so adding up the pieces is exact. ``run`` does it in one go::

    >>> *_, (_, result) = run(WarGames(games=200, seed=1, players=2))
    >>> sum(result.wins), round(result.turns.mean)
    (200, 553)

In a terminal: ``python -m cardgames.lab war --games 10000 --seed 1``.

War takes about 574 turns a game, so its games are played by a kernel that does little for each.
Two facts make it quick. Whoever takes a pile shuffles the whole hand, and a first hand is shuffled
too: so the top card of a hand is a card drawn from it at random, and a hand needs no order
(:func:`_duel`). And what is drawn for a turn can be looked up: a random number of 11 bits is one of
2,048 places of a table in which every pair of cards stands equally often; where the pairs do not
divide 2,048 evenly, the places left over mean "draw again", so nothing is biased. The kernel is
written with numbers and loops only, so that numba, where it is installed, compiles the same source;
the random numbers are the same too, and so are the results.
"""

import argparse
import contextlib
import math
import random
import struct
import sys
import time
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import import_module
from importlib.util import find_spec
from itertools import accumulate, product
from operator import add
from pathlib import Path
from typing import Any, Final, NamedTuple, Self, TextIO

from cardgames import GAMES
from cardgames.advice import Chances, Odds
from cardgames.cards import DECK_SIZE, FULL_DECK, CardGameError, Rank, Suit
from cardgames.games.bingo.rules import CENTRE, GRID_SIZE, PATTERNS, Mode
from cardgames.games.twentyone.rules import (
    ACE_BONUS,
    BLACKJACK,
    DEALER_STANDS,
    ONE_DECK,
    POINTS,
    SIMPLE_21,
    TARGET,
    Rules,
)
from cardgames.odds import odds
from cardgames.text import Text, format_number, plural

MOST_GAMES: Final = 1_000_000
"""The most games of one experiment."""

MOST_SEED: Final = 2**53 - 1
"""The largest seed: every program that reads JSON can hold it."""

CHUNK: Final = 1_000
"""How many games a step plays at most: a fraction of a second, so that cancelling is quick."""


class LabError(CardGameError):
    """An experiment that the lab does not do, in one sentence."""


# What is found.


@dataclass(frozen=True, slots=True)
class Distribution:
    """How often each whole number came up: pairs of value and count, values ascending.

    >>> Distribution.of([3, 1, 3]) + Distribution.of([2])
    Distribution(counts=((1, 1), (2, 1), (3, 2)))
    """

    counts: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, values: Iterable[int]) -> Self:
        """Count values."""
        return cls(tuple(sorted(Counter(values).items())))

    def __add__(self, other: Self) -> Self:
        both = dict(self.counts)
        for value, count in other.counts:
            both[value] = both.get(value, 0) + count
        return type(self)(tuple(sorted(both.items())))

    @property
    def size(self) -> int:
        """How many values there are in all."""
        return sum(count for _, count in self.counts)

    @property
    def total(self) -> int:
        """The sum of all values."""
        return sum(value * count for value, count in self.counts)

    @property
    def mean(self) -> float:
        """The mean; 0 where nothing was counted."""
        return self.total / self.size if self.size else 0.0

    @property
    def sd(self) -> float:
        """The standard deviation of the values seen (with n - 1); 0 for fewer than two."""
        n, total = self.size, self.total
        if n < 2:  # noqa: PLR2004
            return 0.0
        squares = sum(value * value * count for value, count in self.counts)
        return math.sqrt((n * squares - total * total) / (n * (n - 1)))

    @property
    def standard_error(self) -> float:
        """How far the mean is likely to be from the true one: sd over the root of the size."""
        return self.sd / math.sqrt(self.size) if self.size else 0.0

    def quantile(self, share: float) -> int:
        """Return the smallest value that at least this share of the values do not exceed.

        >>> Distribution.of(range(1, 101)).quantile(0.05)
        5
        """
        sums = list(accumulate(count for _, count in self.counts))
        place = bisect_left(sums, share * self.size)
        value, _ = self.counts[min(place, len(sums) - 1)]
        return value

    def histogram(self, most: int) -> tuple[tuple[int, int, int], ...]:
        """Return about so many classes of equal width at most: first value, last value, count.

        >>> Distribution.of([3, 4, 4, 9]).histogram(5)
        ((3, 4, 3), (5, 6, 0), (7, 8, 0), (9, 10, 1))
        """
        if not self.counts:
            return ()
        lowest, highest = self.counts[0][0], self.counts[-1][0]
        width = _round_width((highest - lowest) // most + 1)
        classes: Counter[int] = Counter()
        for value, count in self.counts:
            classes[(value - 1) // width] += count
        return tuple(
            (width * place + 1, width * (place + 1), classes[place])
            for place in range(min(classes), max(classes) + 1)
        )


def _round_width(least: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50 … that is not less."""
    scale: int = 10 ** (len(str(least)) - 1)
    return min(step * scale for step in (1, 2, 5, 10) if step * scale >= least)


def wilson(hits: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a probability, after Wilson (1927).

    It stays within 0 to 1 and is good for few trials too, where plus or minus two standard errors
    is not.

    Args:
        hits: how often it happened.
        trials: how often it could have.

    Returns:
        The lower and the upper end.

    >>> [round(end, 4) for end in wilson(0, 10)]
    [0.0, 0.2775]
    """
    if not trials:
        return 0.0, 1.0
    z = 1.959963984540054
    share, spread = hits / trials, z * z / trials
    middle = (share + spread / 2) / (1 + spread)
    reach = math.sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
    return max(0.0, middle - reach), min(1.0, middle + reach)


# What is asked.


@dataclass(frozen=True, slots=True)
class WarGames:
    """Games of War for so many players, with a deck of so many ranks in so many suits."""

    games: int
    seed: int
    players: int
    ranks: int = len(Rank)
    suits: int = len(Suit)

    def __post_init__(self) -> None:
        """Refuse what the lab does not play."""
        _check_size(self.games, self.seed)
        _check(Text("The number of players"), self.players, 2, 6)
        _check(Text("The number of ranks"), self.ranks, 2, len(Rank))
        _check(Text("The number of suits"), self.suits, 1, len(Suit))


@dataclass(frozen=True, slots=True)
class BingoRounds:
    """Rounds of Bingo in one mode; in speed rounds ranks alone are compared."""

    games: int
    seed: int
    mode: Mode
    speed: bool

    def __post_init__(self) -> None:
        """Refuse what the lab does not play."""
        _check_size(self.games, self.seed)


@dataclass(frozen=True, slots=True)
class TwentyOneRounds:
    """Rounds at a twenty-one table, each from a fresh deck, by a strategy (:func:`decision`)."""

    games: int
    seed: int
    table: str
    strategy: str

    def __post_init__(self) -> None:
        """Refuse what the lab does not play."""
        _check_size(self.games, self.seed)
        if self.table not in TABLES:
            no_such = Text("There is no such table: it is one of {tables}.")
            raise LabError(no_such.fill(tables=", ".join(TABLES)))
        decision(self.strategy, TABLES[self.table])


Experiment = WarGames | BingoRounds | TwentyOneRounds

TABLES: Final = {"simple-21": SIMPLE_21, "blackjack": BLACKJACK, "one-deck": ONE_DECK}
"""The rules of the twenty-one tables, by slug."""


def _check_size(games: int, seed: int) -> None:
    _check(Text("The number of games"), games, 1, MOST_GAMES)
    _check(Text("The seed"), seed, 0, MOST_SEED)


def _check(what: Text, number: int, lowest: int, highest: int) -> None:
    if not lowest <= number <= highest:
        refusal = Text("{what} must be a whole number from {lowest} to {highest}.")
        ends = {"lowest": format_number(lowest, ","), "highest": format_number(highest, ",")}
        raise LabError(refusal.fill(what=what, **ends))


# What comes out.


@dataclass(frozen=True, slots=True)
class WarResult:
    """What happened in games of War."""

    games: int
    wins: tuple[int, ...]
    """Games won, in players' order."""

    turns: Distribution
    """Turns a game."""

    ties: Distribution
    """Ties for the highest card a game, each further one of the same war counted too."""

    ran_out: int
    """Games whose last pile was taken because somebody had no card left for a tie."""

    def __add__(self, other: "WarResult") -> "WarResult":
        return WarResult(
            self.games + other.games,
            tuple(map(sum, zip(self.wins, other.wins, strict=True))),
            self.turns + other.turns,
            self.ties + other.ties,
            self.ran_out + other.ran_out,
        )


@dataclass(frozen=True, slots=True)
class BingoResult:
    """What happened in rounds of Bingo."""

    games: int
    a: int
    b: int
    tie: int
    calls: Distribution
    """Calls until somebody had BINGO!, that call included."""

    def __add__(self, other: "BingoResult") -> "BingoResult":
        return BingoResult(
            self.games + other.games,
            self.a + other.a,
            self.b + other.b,
            self.tie + other.tie,
            self.calls + other.calls,
        )


class Share(NamedTuple):
    """The exact chance that the upcard has a value and that the round then ends so."""

    upcard: int
    win: float
    tie: float
    lose: float


@dataclass(frozen=True, slots=True)
class TwentyOneResult:
    """What happened in rounds of twenty-one, and what was to be expected."""

    games: int
    win: int
    tie: int
    lose: int
    shares: tuple[Share, ...]
    """The exact chances as far as they are worked out, by upcard."""

    def __add__(self, other: "TwentyOneResult") -> "TwentyOneResult":
        return TwentyOneResult(
            self.games + other.games,
            self.win + other.win,
            self.tie + other.tie,
            self.lose + other.lose,
            tuple(sorted((*self.shares, *other.shares))),
        )

    @property
    def expected(self) -> Chances | None:
        """The exact chances of a round, once those of every upcard are there."""
        if len(self.shares) < len(_VALUES):
            return None
        _, *ends = zip(*self.shares, strict=True)
        win, tie, lose = map(math.fsum, ends)
        return Chances(win, tie, lose, win - lose)


Result = WarResult | BingoResult | TwentyOneResult


# Steps.


def steps(experiment: Experiment) -> int:
    """Return how many steps there are.

    A step plays up to ``CHUNK`` games; at twenty-one the first ten work out the exact chances.
    """
    exact = len(_VALUES) if isinstance(experiment, TwentyOneRounds) else 0
    return exact + math.ceil(experiment.games / CHUNK)


def play_step(experiment: Experiment, step: int) -> Result:
    """Do one step of an experiment: a function of the two and of nothing else.

    Args:
        experiment: what to play.
        step: which step, from 0.

    Returns:
        What came out; the sum over all steps is the result of the experiment.
    """
    match experiment:
        case WarGames():
            return _war_step(experiment, step)
        case BingoRounds():
            return _bingo_step(experiment, step)
        case TwentyOneRounds():
            return _twentyone_step(experiment, step)


def run(experiment: Experiment) -> Iterator[tuple[int, Result]]:
    """Do an experiment step by step; leave off between two steps to cancel it.

    Yields:
        After each step, how many are done, and the result so far. The last is the whole result.
    """
    result: Any = play_step(experiment, 0)
    yield 1, result
    for step in range(1, steps(experiment)):
        result += play_step(experiment, step)
        yield step + 1, result


def _luck(experiment: Experiment, chunk: int | str) -> random.Random:
    """Return the random numbers of a chunk of games; every chunk has its own."""
    return random.Random(f"{experiment.seed}/{chunk}")


def _size(experiment: Experiment, chunk: int) -> int:
    """Return how many games a chunk has."""
    return min(CHUNK, experiment.games - chunk * CHUNK)


# War: tables for drawing.

_BITS: Final = 11
_WORDS: Final = 2**_BITS
"""How many random numbers there are: 0 to 2,047, called words from here on."""

_AGAIN: Final = -1
_NOBODY: Final = (0, 0)
"""What the places left over of a table mean: a word that decides nothing."""

_ROW: Final = 64
_SINGLE: Final = 16
_RESERVE: Final = 512
"""Words come in rows of 64 for the turns of two players, and singly for everything else: 16 for
each row are about enough. Before a row is begun, and before a turn of more players, so many single
words must be left; that one needs more than these has a chance of less than 1 in 10 to the 200."""

_Ints = Any
"""Whole numbers by place: lists and tuples, or arrays when compiled."""


@cache
def _pairs(size: int) -> list[list[tuple[int, int]]]:
    """Return, by how many cards the first hand has, what each word draws.

    That is a place of the first hand and one of the second, in a deck that is laid out with the
    first hand in front. A word left over is no pair, and neither is any when a hand is empty.
    """
    rows = []
    # The same few tuples again and again: they stay in the processor's cache.
    same = {(left, right): (left, right) for left, right in product(range(size), repeat=2)}
    for border in range(size + 1):
        every = [same[pair] for pair in product(range(border), range(border, size))]
        times = _WORDS // len(every) if every else 0
        rows.append(every * times + [_NOBODY] * (_WORDS - times * len(every)))
    return rows


@cache
def _places(size: int) -> list[list[int]]:
    """Return, by how many cards there are, which of them each word draws."""
    drawn = [
        list(range(cards)) * (_WORDS // cards) + [_AGAIN] * (_WORDS % cards)
        for cards in range(1, size + 1)
    ]
    return [[_AGAIN] * _WORDS, *drawn]


# War: the kernel. From here to _wars, only what numba compiles too.


def _draw(extra: _Ints, at: int, cards: int, places: _Ints) -> tuple[int, int]:
    """Draw one of so many cards; return its place, and where the next word is."""
    row = places[cards]
    place = row[extra[at]]
    at += 1
    while place < 0:
        place = row[extra[at]]
        at += 1
    return place, at


def _tie(  # noqa: PLR0913, PLR0917
    extra: _Ints, at: int, cards: _Ints, border: int, left: int, right: int, places: _Ints
) -> tuple[int, int, int, int]:
    """Fight out a tie of two players.

    What they show lies around the border, so that the pile is between the hands; whoever takes it
    moves the border to its other side.

    Returns:
        Where the next word is, the border, how many ties there were, and whether a player had no
        card left.
    """
    size = len(cards)
    shown = 0
    while True:
        mine, theirs = cards[left], cards[right]
        cards[left] = cards[border - 1 - shown]
        cards[border - 1 - shown] = mine
        cards[right] = cards[border + shown]
        cards[border + shown] = theirs
        shown += 1
        if mine > theirs:
            return at, border + shown, shown - 1, 0
        if mine < theirs:
            return at, border - shown, shown - 1, 0
        if border == shown:  # the first has no card left, and perhaps the second has none either
            return at, 0, shown, 1
        if border + shown == size:
            return at, size, shown, 1
        left, at = _draw(extra, at, border - shown, places)
        place, at = _draw(extra, at, size - border - shown, places)
        right = border + shown + place


def _duel(  # noqa: PLR0913, PLR0917
    rows: _Ints,
    row: int,
    extra: _Ints,
    at: int,
    cards: _Ints,
    border: int,
    pairs: _Ints,
    places: _Ints,
) -> tuple[int, int, int, int, int, int]:
    """Let two players fight until one has all cards, or the words run out.

    The first player's hand is the cards before the border, the second's those behind it. A turn
    draws one of each at random; the loser's card changes places with the one at the border, and
    the border moves over it.

    Returns:
        Where the next row is and the next word, the border, how many turns and ties there were,
        and whether the last turn ended for lack of a card.
    """
    size = len(cards)
    turns = ties = out = 0
    while 0 < border < size and row < len(rows) and at < len(extra) - _RESERVE:
        for word in rows[row]:
            pair = pairs[border][word]
            left = pair[0]
            right = pair[1]
            mine = cards[left]
            theirs = cards[right]
            if mine > theirs:
                cards[right] = cards[border]
                cards[border] = theirs
                border += 1
            elif mine < theirs:
                border -= 1
                cards[left] = cards[border]
                cards[border] = mine
            elif left != right:
                at, border, more, out = _tie(extra, at, cards, border, left, right, places)
                ties += more
            else:  # nobody has drawn
                turns -= 1
        turns += _ROW
        row += 1
    return row, at, border, turns, ties, out


def _turn(  # noqa: PLR0913, PLR0917
    extra: _Ints, at: int, hands: _Ints, left: _Ints, shown: _Ints, pile: _Ints, places: _Ints
) -> tuple[int, int, int]:
    """Let everybody who has cards fight one turn, and give the pile to who takes it.

    Args:
        extra: the words.
        at: where the next one is.
        hands: every player's cards.
        left: how many of them each player has.
        shown: room for the card that each player shows; 0 is none.
        pile: room for the cards shown.
        places: what each word draws.

    Returns:
        Where the next word is, how many ties there were, and whether the pile was taken because
        somebody had no card left.
    """
    players = len(left)
    for seat in range(players):
        shown[seat] = min(1, left[seat])
    height = ties = 0
    while True:
        best = 0
        for seat in range(players):
            if shown[seat] > 0:
                place, at = _draw(extra, at, left[seat], places)
                left[seat] -= 1
                shown[seat] = hands[seat][place]
                hands[seat][place] = hands[seat][left[seat]]
                pile[height] = shown[seat]
                height += 1
                best = max(best, shown[seat])
        tied = able = taker = last_able = 0
        for seat in range(players):
            if shown[seat] < best:
                shown[seat] = 0
                continue
            tied += 1
            taker = seat
            if left[seat] > 0:
                able += 1
                last_able = seat
            else:
                shown[seat] = 0
        if tied > 1:
            ties += 1
            if able == 1:
                taker = last_able
        if tied == 1 or able <= 1:
            for place in range(height):
                hands[taker][left[taker] + place] = pile[place]
            left[taker] += height
            return at, ties, min(1, tied - 1)


def _melee(  # noqa: PLR0913, PLR0917
    extra: _Ints, at: int, hands: _Ints, left: _Ints, shown: _Ints, pile: _Ints, places: _Ints
) -> tuple[int, int, int, int, int]:
    """Let more than two players fight until at most two have cards, or the words run out.

    Returns:
        Where the next word is, how many players have cards, how many turns and ties there were,
        and whether the last turn ended for lack of a card.
    """
    turns = ties = out = 0
    alive = len(left)
    while alive > 2 and at < len(extra) - _RESERVE:  # noqa: PLR2004
        at, more, out = _turn(extra, at, hands, left, shown, pile, places)
        turns += 1
        ties += more
        alive = 0
        for cards in left:
            alive += min(1, cards)
    return at, alive, turns, ties, out


def _wars(  # noqa: PLR0913, PLR0917
    games: int,
    rows: _Ints,
    extra: _Ints,
    deck: _Ints,
    cards: _Ints,
    hands: _Ints,
    left: _Ints,
    shown: _Ints,
    pairs: _Ints,
    places: _Ints,
    results: _Ints,
) -> tuple[int, int, int]:
    """Play games until the words run out; a game that was cut off does not count.

    ``results`` takes a line a game: its turns, its ties, who won, and whether the last turn ended
    for lack of a card. ``cards``, ``hands``, ``left`` and ``shown`` are room to work in.

    Returns:
        How many games were played to their end, and the row and the word after the last of them.
    """
    size = len(deck)
    players = len(left)
    row = at = 0
    for game in range(games):
        row_before, at_before = row, at
        if at >= len(extra) - _RESERVE:
            return game, row_before, at_before
        cards[:] = deck
        for place in range(size - size // players):  # what the last hand gets is then random too
            other, at = _draw(extra, at, size - place, places)
            card = cards[place]
            cards[place] = cards[place + other]
            cards[place + other] = card
        turns = ties = out = first = 0
        second = 1
        border = size - size // players
        if players > 2:  # noqa: PLR2004
            begin = 0
            for seat in range(players):
                left[seat] = (size - seat + players - 1) // players
                hands[seat][: left[seat]] = cards[begin : begin + left[seat]]
                begin += left[seat]
            at, alive, turns, ties, out = _melee(extra, at, hands, left, shown, cards, places)
            if alive > 2:  # noqa: PLR2004
                return game, row_before, at_before
            first = second = -1
            border = 0
            for seat in range(players):
                if left[seat] > 0:
                    if first < 0:
                        first = seat
                        border = left[seat]
                    second = seat
                    cards[size - left[seat] :] = hands[seat][: left[seat]]
            cards[:border] = hands[first][:border]
        row, at, border, more, more_ties, last_out = _duel(
            rows, row, extra, at, cards, border, pairs, places
        )
        if 0 < border < size:
            return game, row_before, at_before
        line = results[game]
        line[0] = turns + more
        line[1] = ties + more_ties
        line[2] = first if border else second
        line[3] = last_out if more else out
    return games, row, at


# War: around the kernel.

_COMPILE_FROM: Final = 50_000
"""Compiling takes seconds, so it is done for experiments of at least so many games."""


class _Kernel(NamedTuple):
    """The kernel in plain Python or compiled, and what it takes and gives."""

    wars: Callable[..., tuple[int, int, int]]
    array: Callable[[Any], _Ints]
    """Makes what the kernel works in and reads from lists of small numbers."""

    results: Callable[[int], _Ints]
    """Makes room for so many lines of results."""

    lines: Callable[[_Ints], list[Sequence[int]]]
    """Makes plain numbers of them."""

    source: Callable[[random.Random], Callable[[int], _Ints]]
    """Makes what gives so many words at a time, an even number; both kernels get the same."""

    rows: Callable[[_Ints], _Ints]
    """Lays words out in rows."""

    join: Callable[[_Ints, _Ints], _Ints]
    """Puts words, or rows of them, one after the other."""

    block: int
    """How many rows are made at a time. It is chosen for speed, and nothing else depends on it."""


def compiles() -> bool:
    """Say whether large experiments are compiled: numba is installed (requirements-fast.txt)."""
    return find_spec("numba") is not None


def _war_step(experiment: WarGames, step: int) -> WarResult:
    large = experiment.games >= _COMPILE_FROM
    kernel = _compiled_kernel() if large and compiles() else _PLAIN
    turns, ties, winners, outs = zip(*_lines(kernel, experiment, step), strict=True)
    return WarResult(
        games=len(winners),
        wins=tuple(map(winners.count, range(experiment.players))),
        turns=Distribution.of(turns),
        ties=Distribution.of(ties),
        ran_out=sum(outs),
    )


def _lines(kernel: _Kernel, experiment: WarGames, step: int) -> list[Sequence[int]]:
    """Play a chunk of games, and return a line for each as the kernel writes it."""
    deck = [rank for rank in range(1, experiment.ranks + 1) for _ in range(experiment.suits)]
    size, players = len(deck), experiment.players
    hands = [[0] * size for _ in range(players)]
    room = [deck, deck, hands, [0] * players, [0] * players]
    fixed = (*map(kernel.array, room), *_tables(kernel, size))
    paired, single = (
        kernel.source(_luck(experiment, f"{step}/{use}")) for use in ("rows", "extra")
    )
    rows, extra = kernel.rows(paired(kernel.block * _ROW)), single(kernel.block * _SINGLE)
    lines: list[Sequence[int]] = []
    while True:
        results = kernel.results(_size(experiment, step) - len(lines))
        done, row, at = kernel.wars(len(results), rows, extra, *fixed, results)
        lines += kernel.lines(results[:done])
        if done == len(results):
            return lines
        # What was not used comes first again; a game longer than all there is gets as much again.
        row_count, count = (row, at + at % 2) if done else (kernel.block, kernel.block * _SINGLE)
        rows = kernel.join(rows[row:], kernel.rows(paired(row_count * _ROW)))
        extra = kernel.join(extra[at:], single(count))


@lru_cache(maxsize=8)
def _tables(kernel: _Kernel, size: int) -> tuple[_Ints, _Ints]:
    return kernel.array(_pairs(size)), kernel.array(_places(size))


def _plain_source(luck: random.Random) -> Callable[[int], tuple[int, ...]]:
    def words(count: int) -> tuple[int, ...]:
        kept = int.from_bytes((_WORDS - 1).to_bytes(2, "little") * count, "little")
        drawn = luck.getrandbits(16 * count) & kept if count else 0
        return struct.unpack(f"<{count}H", drawn.to_bytes(2 * count, "little"))

    return words


def _plain_rows(words: Sequence[int]) -> list[Sequence[int]]:
    return [words[start : start + _ROW] for start in range(0, len(words), _ROW)]


_PLAIN: Final = _Kernel(
    wars=_wars,
    array=copy,
    results=lambda count: [[0] * 4 for _ in range(count)],
    lines=copy,
    source=_plain_source,
    rows=_plain_rows,
    join=add,
    block=128,
)


@cache
def _compiled_kernel() -> _Kernel:
    """Compile the kernel. Numpy comes with numba, and draws the same numbers as ``random``."""
    numba, numpy = import_module("numba"), import_module("numpy")
    for function in (_draw, _tie, _duel, _turn, _melee):
        import_module("numba.extending").register_jitable(function)

    def source(luck: random.Random) -> Callable[[int], _Ints]:
        _, (*key, place), _ = luck.getstate()
        twister = numpy.random.RandomState()
        twister.set_state(("MT19937", key, place))

        def words(count: int) -> _Ints:
            return numpy.frombuffer(twister.bytes(2 * count), "<u2") & (_WORDS - 1)

        return words

    return _Kernel(
        wars=numba.njit(_wars),
        array=lambda values: numpy.array(values, numpy.int8),
        results=lambda count: numpy.zeros((count, 4), numpy.int64),
        lines=lambda results: results.tolist(),
        source=source,
        rows=lambda words: words.reshape(-1, _ROW),
        join=lambda before, after: numpy.concatenate((before, after)),
        block=1024,
    )


# Bingo.


def _bingo_step(experiment: BingoRounds, step: int) -> BingoResult:
    """Play rounds: when is each card called first, and so when is the first pattern complete?"""
    luck = _luck(experiment, step)
    patterns = [tuple(pattern - {CENTRE}) for pattern in PATTERNS[experiment.mode]]
    suits = len(Suit) if experiment.speed else 1
    deck, calling = [[card // suits for card in range(DECK_SIZE)] for _ in range(2)]
    wins, calls = [0, 0, 0], []
    for _ in range(_size(experiment, step)):
        luck.shuffle(deck)
        luck.shuffle(calling)
        called = dict(zip(reversed(calling), range(DECK_SIZE, 0, -1), strict=True))
        whens = [[called[card] for card in grid] for grid in (deck[:GRID_SIZE], deck[-GRID_SIZE:])]
        a, b = (
            min(max([when[place] for place in pattern]) for pattern in patterns) for when in whens
        )
        wins[(a > b) + 2 * (a == b)] += 1
        calls.append(min(a, b))
    a_wins, b_wins, tied = wins
    return BingoResult(len(calls), a_wins, b_wins, tied, Distribution.of(calls))


# Twenty-one: strategies.

_VALUES: Final = range(1, 11)
_OF_VALUE: Final = {
    value: tuple(card for card in FULL_DECK if POINTS[card.rank] == value) for value in _VALUES
}
_DECK_VALUES: Final = tuple(POINTS[card.rank] for card in FULL_DECK)

LONGEST_STRATEGY: Final = 2_000
"""A strategy has at most this many characters."""

Decision = Callable[[int, bool, int, Sequence[int]], bool]
"""Says whether to hit: of a total, whether an ace counts 11 in it, the upcard, and the hand; cards
by their values, the ace as 1."""

EXAMPLE: Final = """\
# upcard  A23456789T
hard 12   HHHSSSHHHH
hard 13   HSSSSSHHHH
hard 14   HSSSSSHHHH
hard 15   HSSSSSHHHH
hard 16   HSSSSSHHHH
soft 17   HHHHHHHHHH
soft 18   HSSSSSSSHH
"""
"""A table of decisions, as :func:`decision` reads it."""


def decision(strategy: str, rules: Rules) -> Decision:
    """Read a strategy.

    ``below N`` hits below a total of N (``below 2`` never does), ``dealer`` plays as the dealer
    must, ``best`` plays what :mod:`cardgames.odds` finds best. Anything else is a table: a line for
    a total, as ``hard 16 HSSSSSHHHH`` or ``soft 18 HSSSSSSSHH``, which says for the upcards A, 2 to
    9 and T whether to hit or to stay. A total that has no line is played as the dealer would; ``#``
    begins a remark.

    Raises:
        LabError: it is none of these.

    >>> decision("below 12", BLACKJACK)(12, False, 10, (2, 10))
    False
    """
    match strategy.split():
        case ["dealer"]:
            return _below(DEALER_STANDS)
        case ["best"]:
            return lambda _total, _soft, upcard, hand: _best_hits(
                rules, tuple(sorted(hand)), upcard
            )
        case ["below", number] if number.isascii() and number.isdigit():
            _check(Text("The total below which to hit"), int(number[:9]), 2, TARGET + 1)
            return _below(int(number))
    rows = _rows(strategy)

    def look_up(total: int, soft: bool, upcard: int, _hand: Sequence[int]) -> bool:  # noqa: FBT001
        row = rows.get((soft, total))
        return total < DEALER_STANDS if row is None else row[upcard - 1] == "H"

    return look_up


def _below(limit: int) -> Decision:
    return lambda total, _soft, _upcard, _hand: total < limit


def _rows(strategy: str) -> dict[tuple[bool, int], str]:
    """Read a table: for each soft or hard total, a letter for each upcard."""
    if len(strategy) > LONGEST_STRATEGY:
        refusal = Text("A strategy has at most {most} characters.")
        raise LabError(refusal.fill(most=format_number(LONGEST_STRATEGY, ",")))
    rows: dict[tuple[bool, int], str] = {}
    for number, line in enumerate(strategy.splitlines(), start=1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        match words:
            case [("hard" | "soft") as kind, total, letters] if (
                total in _TOTALS and len(letters) == len(_VALUES) and set(letters) <= {"H", "S"}
            ):
                rows[kind == "soft", int(total)] = letters
            case _:
                refusal = Text(
                    "Line {number} of the strategy is not hard or soft, a total from 2 to 21, and "
                    "ten letters H or S for the upcards A, 2 to 9 and T."
                )
                raise LabError(refusal.fill(number=number))
    if not rows:
        raise LabError(Text("A strategy is below N, dealer, best, or the lines of a table."))
    return rows


_TOTALS: Final = frozenset(map(str, range(2, TARGET + 1)))


@lru_cache(maxsize=100_000)
def _best_hits(rules: Rules, hand: tuple[int, ...], upcard: int) -> bool:
    return _odds(rules, hand, upcard).best == "hit"


def _odds(rules: Rules, hand: Iterable[int], upcard: int) -> Odds:
    """Return the odds in the first round of a fresh deck; of cards of a value, any will do."""
    held = [card for value, count in Counter(hand).items() for card in _OF_VALUE[value][:count]]
    up = _OF_VALUE[upcard][-1]
    return odds(rules, held, up, set(FULL_DECK).difference(held, (up,)))


# Twenty-one: rounds.


def _twentyone_step(experiment: TwentyOneRounds, step: int) -> TwentyOneResult:
    """Work out the exact chances for an upcard, or play a chunk of rounds."""
    rules = TABLES[experiment.table]
    chunk = step - len(_VALUES)
    if chunk < 0:
        share = _share(rules, experiment.strategy, _VALUES[step])
        return TwentyOneResult(0, 0, 0, 0, (share,))
    luck, decide = _luck(experiment, chunk), decision(experiment.strategy, rules)
    ends = Counter(_round(rules, decide, luck) for _ in range(_size(experiment, chunk)))
    return TwentyOneResult(ends.total(), ends["win"], ends["tie"], ends["lose"], ())


def _round(rules: Rules, decide: Decision, luck: random.Random) -> str:
    """Play a round from a fresh deck: ``win``, ``tie`` or ``lose``."""
    deck = list(_DECK_VALUES)
    hand = [_drawn(deck, luck), _drawn(deck, luck)]
    dealer = [_drawn(deck, luck)]
    total, soft = _total(hand, rules)
    while total <= TARGET and decide(total, soft, dealer[0], hand):
        hand.append(_drawn(deck, luck))
        total, soft = _total(hand, rules)
    if total > TARGET:
        return "lose"
    if total == TARGET and rules.stay_on_21_wins:
        return "win"
    theirs = 0
    while theirs < DEALER_STANDS:  # the hole card is drawn like any other
        dealer.append(_drawn(deck, luck))
        theirs, _ = _total(dealer, rules)
    if theirs > TARGET or total > theirs:
        return "win"
    return "lose" if theirs > total or rules.dealer_wins_ties else "tie"


def _drawn(deck: list[int], luck: random.Random) -> int:
    """Take a card from anywhere in the deck."""
    place = int(luck.random() * len(deck))
    deck[place], deck[-1] = deck[-1], deck[place]
    return deck.pop()


def _total(hand: Sequence[int], rules: Rules) -> tuple[int, bool]:
    """Return what a hand is worth, and whether an ace counts 11 in it."""
    hard = sum(hand)
    soft = rules.ace_may_be_eleven and 1 in hand and hard + ACE_BONUS <= TARGET
    return hard + ACE_BONUS * soft, soft


# Twenty-one: the exact chances.


def _share(rules: Rules, strategy: str, upcard: int) -> Share:
    """Work out the chances of a round with this upcard, times the chance of the upcard."""
    best = strategy.split() == ["best"]
    ends = _best_ends(rules, upcard) if best else _ends(rules, decision(strategy, rules), upcard)
    weighed = list(ends)
    return Share(
        upcard,
        *(
            math.fsum(chance * getattr(end, name) for chance, end in weighed)
            for name in ("win", "tie", "lose")
        ),
    )


_BUST: Final = Chances(win=0.0, tie=0.0, lose=1.0, ev=-1.0)


def _ends(rules: Rules, decide: Decision, upcard: int) -> Iterator[tuple[float, Chances]]:
    """Follow a strategy card by card: the hands it ends with, their chances, what they are worth.

    A hand is a set of cards: it is reached in as many orders as the sets it comes from.
    """
    hands: dict[tuple[int, ...], float] = {(): len(_OF_VALUE[upcard]) / DECK_SIZE}
    for size in range(DECK_SIZE):
        larger: defaultdict[tuple[int, ...], float] = defaultdict(float)
        for hand, chance in hands.items():
            total, soft = _total(hand, rules)
            if total > TARGET:
                yield chance, _BUST
            elif size >= 2 and not decide(total, soft, upcard, hand):  # noqa: PLR2004
                yield chance, _odds(rules, hand, upcard).stay
            else:
                for value, share in _next_cards(hand, upcard):
                    larger[tuple(sorted((*hand, value)))] += chance * share
        if not larger:
            return
        hands = larger


def _best_ends(rules: Rules, upcard: int) -> Iterator[tuple[float, Chances]]:
    """Yield the first two cards, their chance, and what the best play from there is worth."""
    for first, chance in _next_cards((), upcard):
        for second, share in _next_cards((first,), upcard):
            if first <= second:
                found = _odds(rules, (first, second), upcard)
                orders = 1 if first == second else 2
                weight = orders * chance * share * len(_OF_VALUE[upcard]) / DECK_SIZE
                yield weight, found.hit if found.best == "hit" else found.stay


def _next_cards(hand: Sequence[int], upcard: int) -> Iterator[tuple[int, float]]:
    """Yield the values that may come next from the deck, and their chances."""
    seen = Counter((*hand, upcard))
    for value in _VALUES:
        left = len(_OF_VALUE[value]) - seen[value]
        if left:
            yield value, left / (DECK_SIZE - seen.total())


# Reports.


@dataclass(frozen=True, slots=True)
class Series:
    """What a picture shows of a table: a number for each of its lines."""

    label: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table of text: its name in addresses, a title, the heads of the columns, and the lines.

    Where there are ``series`` it can be drawn, over its first column.
    """

    name: str
    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    series: tuple[Series, ...] = ()


_INTERVAL: Final = (Text("from"), Text("to (95 %)"))
_MOMENTS: Final = (
    Text("of"),
    Text("mean"),
    Text("standard error"),
    Text("sd"),
    Text("least"),
    Text("5 %"),
    Text("median"),
    Text("95 %"),
    Text("most"),
)
_CLASSES: Final = 60
"""The most bars of a histogram."""


def title(experiment: Experiment) -> Text:
    """Say in a line what an experiment plays.

    >>> title(BingoRounds(games=1000, seed=1, mode=Mode.LINE, speed=True))
    'Bingo, mode L, speed: 1,000 rounds'
    """
    number, many = experiment.games, format_number(experiment.games, ",")
    match experiment:
        case WarGames(players=players):
            return plural(
                "War, {players} players: {many} game",
                "War, {players} players: {many} games",
                number,
                players=players,
                many=many,
            )
        case BingoRounds(mode=mode, speed=True):
            what = Text("Bingo, mode {mode}, speed", mode=mode)
        case BingoRounds(mode=mode):
            what = Text("Bingo, mode {mode}", mode=mode)
        case TwentyOneRounds(table=table, strategy=strategy):
            what = _with_strategy(GAMES[table].info.title, strategy.split())
    return plural("{what}: {many} round", "{what}: {many} rounds", number, what=what, many=many)


def _with_strategy(table: str, words: list[str]) -> Text:
    match words:
        case ["dealer"]:
            return Text("{table}, strategy dealer", table=table)
        case ["best"]:
            return Text("{table}, strategy best", table=table)
        case ["below", limit]:
            return Text("{table}, strategy below {limit}", table=table, limit=limit)
        case _:
            return Text("{table}, a table of decisions", table=table)


def tables(result: Result) -> tuple[Table, ...]:
    """Put a result into tables of text, for a terminal or a page."""
    match result:
        case WarResult():
            return _war_tables(result)
        case BingoResult():
            return _bingo_tables(result)
        case TwentyOneResult():
            return _twentyone_tables(result)


def _war_tables(result: WarResult) -> tuple[Table, ...]:
    players: dict[str, int] = {
        Text("Player {number}", number=number): wins
        for number, wins in enumerate(result.wins, start=1)
    }
    ends: dict[str, int] = {Text("Ended for lack of a card in a tie"): result.ran_out}
    heads = (Text("turns"), Text("games"), Text("share of games"))
    return (
        _shares("wins", Text("Who won"), (Text("player"), Text("wins")), players, result.games),
        _moments("turns", Text("Turns a game"), Text("turns"), result.turns),
        _moments("ties", Text("Ties a game"), Text("ties"), result.ties),
        _shares("ends", Text("The last turn"), (Text("how"), Text("games")), ends, result.games),
        _histogram("length", Text("How long games last"), heads, result.turns),
    )


def _bingo_tables(result: BingoResult) -> tuple[Table, ...]:
    winners = {"A": result.a, "B": result.b, Text("Tie"): result.tie}
    heads = (Text("calls"), Text("rounds"), Text("share of rounds"))
    return (
        _shares("wins", Text("Who won"), (Text("winner"), Text("rounds")), winners, result.games),
        _moments("calls", Text("Calls until BINGO!"), Text("calls"), result.calls),
        _histogram("length", Text("How many calls"), heads, result.calls),
    )


def _twentyone_tables(result: TwentyOneResult) -> tuple[Table, ...]:
    counts: dict[str, int] = {
        Text("Win"): result.win,
        Text("Tie"): result.tie,
        Text("Lose"): result.lose,
    }
    head = (Text("end"), Text("rounds"))
    plain = _shares("ends", Text("How rounds end"), head, counts, result.games)
    expected = result.expected
    if expected is None:
        return (plain,)
    exact = (expected.win, expected.tie, expected.lose)
    ends = Table(
        plain.name,
        plain.title,
        (*plain.head, Text("exact")),
        tuple(
            (*row, format_number(share, ".6%"))
            for row, share in zip(plain.rows, exact, strict=True)
        ),
        (*plain.series, Series(Text("exact"), exact)),
    )
    mean = (result.win - result.lose) / max(1, result.games)
    spread = (result.win + result.lose) / max(1, result.games) - mean * mean
    error = math.sqrt(spread / max(1, result.games))
    value = Table(
        "value",
        Text("What a round is worth (win 1, tie 0, lose -1)"),
        (Text("worth of"), Text("measured"), Text("standard error"), Text("exact")),
        (
            (
                Text("a round"),
                format_number(mean, "+.5f"),
                format_number(error, ".5f"),
                format_number(expected.ev, "+.10f"),
            ),
        ),
    )
    return ends, value


def _shares(
    name: str, title: Text, head: tuple[Text, Text], counts: dict[str, int], total: int
) -> Table:
    """Return how often each thing happened, as shares with their intervals."""
    rows = []
    for label, count in counts.items():
        low, high = wilson(count, total)
        share = count / total if total else 0.0
        shares = (format_number(part, ".2%") for part in (share, low, high))
        rows.append((label, format_number(count, ","), *shares))
    measured = tuple(count / total if total else 0.0 for count in counts.values())
    series = (Series(Text("measured"), measured),) * (len(counts) > 1)
    return Table(name, title, (*head, Text("share"), *_INTERVAL), tuple(rows), series)


def _moments(name: str, title: Text, what: Text, found: Distribution) -> Table:
    """Return the mean, the spread and the quantiles of what was counted."""
    means = (
        format_number(found.mean, ".3f"),
        format_number(found.standard_error, ".3f"),
        format_number(found.sd, ".2f"),
    )
    quantiles = (format_number(found.quantile(share), ",") for share in (0, 0.05, 0.5, 0.95, 1))
    return Table(name, title, _MOMENTS, ((what, *means, *quantiles),))


def _histogram(
    name: str, title: Text, heads: tuple[Text, Text, Text], found: Distribution
) -> Table:
    """Return a histogram: a line for each class; ``heads`` are the classes, counts and shares."""
    what, unit, share_of = heads
    classes = found.histogram(_CLASSES)
    shares = tuple(count / found.size for _, _, count in classes)
    rows = tuple(
        (_class(first, last), format_number(count, ","), format_number(share, ".2%"))
        for (first, last, count), share in zip(classes, shares, strict=True)
    )
    return Table(name, title, (what, unit, Text("share")), rows, (Series(share_of, shares),))


def _class(first: int, last: int) -> Text:
    if first == last:
        return format_number(first, ",")
    return Text("{first}-{last}", first=format_number(first, ","), last=format_number(last, ","))


# The terminal.

_BAR: Final = 40


def as_text(table: Table) -> str:
    """Return a table as lines of text, its columns lined up."""
    lines = [table.head, *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    laid_out = (
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    return "\n".join((table.title, *("  " + line.rstrip() for line in laid_out)))


def main(arguments: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Do the experiment that the command line asks for, and print what came out.

    Args:
        arguments: the command line's, by default.
        out: where the tables go, standard output by default. Progress goes to standard error.

    Returns:
        0; 2 where the lab does not do what was asked, 130 where it was interrupted.
    """
    out = out or sys.stdout
    try:
        experiment = _asked(_parser().parse_args(arguments))
    except LabError as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 2
    print(f"{title(experiment)}, from seed {experiment.seed}", file=out, flush=True)
    began, status = time.perf_counter(), 130
    results: deque[Result] = deque(maxlen=1)
    with contextlib.suppress(KeyboardInterrupt):
        for done, so_far in run(experiment):
            results.append(so_far)
            _show_progress(done, steps(experiment))
        status = 0
    if not results:
        return status
    result, seconds = results[0], time.perf_counter() - began
    rate = f"{result.games:,} played in {seconds:.1f} s, {result.games / seconds:,.0f} a second."
    print(f"\n{rate}", file=sys.stderr)  # noqa: T201
    for table in tables(result):
        print(f"\n{as_text(table)}", file=out)
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cardgames.lab",
        description="Thousands of games at once. The same seed gives the same result.",
    )
    games = parser.add_subparsers(dest="game", required=True)
    for name in ("war", "bingo", "twentyone"):
        game = games.add_parser(name)
        game.add_argument("--games", type=int, default=10_000, help="how many (%(default)s)")
        game.add_argument("--seed", type=int, help="where luck begins (anywhere)")
    games.choices["war"].add_argument("--players", type=int, default=2, help="2 to 6 (%(default)s)")
    games.choices["bingo"].add_argument(
        "--mode", choices=[*Mode], default="L", help="line, corners or full (%(default)s)"
    )
    games.choices["bingo"].add_argument("--speed", action="store_true", help="compare ranks alone")
    games.choices["twentyone"].add_argument(
        "--table", choices=[*TABLES], default="simple-21", help="whose rules (%(default)s)"
    )
    games.choices["twentyone"].add_argument(
        "--strategy",
        nargs="+",
        default=["dealer"],
        help="below N, dealer, best, or a file with a table of decisions (%(default)s)",
    )
    return parser


def _asked(arguments: argparse.Namespace) -> Experiment:
    games, seed = arguments.games, arguments.seed
    if seed is None:
        seed = random.SystemRandom().randrange(1_000_000)
    match arguments.game:
        case "war":
            return WarGames(games, seed, arguments.players)
        case "bingo":
            return BingoRounds(games, seed, Mode(arguments.mode), arguments.speed)
        case _:
            strategy = " ".join(arguments.strategy)
            if Path(strategy).is_file():
                strategy = Path(strategy).read_text(encoding="utf-8", errors="replace")
            return TwentyOneRounds(games, seed, arguments.table, strategy)


def _show_progress(done: int, total: int) -> None:
    """Draw the progress bar, where somebody looks."""
    if sys.stderr.isatty():
        full = _BAR * done // total
        bar = "#" * full + "." * (_BAR - full)
        print(f"\r[{bar}] {done / total:4.0%}", end="", file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
