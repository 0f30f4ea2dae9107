"""The record of a round: the cards in the order they were dealt and the decisions, in one line.

A game is a pure function of its state, so a record is all that replaying takes. As text, words with
blanks between, it can be kept, read by a person, sent on and read in again::

    >>> record = parse("blackjack 1 shuffle=9STHQDJC+48 deal stay result=dealer")
    >>> [state.phase.value for state in replayed(record)]
    ['ready', 'playing', 'round over']
    >>> record.text
    'blackjack 1 shuffle=9STHQDJC+48 deal stay result=dealer'

The words, in this order (version 1):

``GAME 1``
    the table's slug, and the version of the form.
``round=N``, ``stacked=yes``, ``deck=…``, ``seen=…``, ``buried=…``
    what the round takes over from the rounds before it, where it takes over anything: how many
    they were, whether their deck was the player's own, and the cards as they lay, the top first.
``salt=…``
    at a table that shuffles all the time, what all its shuffles follow from (``cardgames.luck``).
``shuffle=…``
    the order that each shuffle of the round gave, the top first; with a salt, of the first alone.
``MOVE``, ``MOVE:FIELD=VALUE,…``, ``MOVE*TIMES``
    the decisions, with what was chosen (in percent code, the fields in the order of the alphabet),
    and how often it was done in a row. The first is ``deal``; a record is of one round.
``forfeit``
    the round was given up by dealing the next one, where a table allows it.
``result=WHO``
    who won the round, as its tally names him; a round that is not finished has none.

Cards are their two characters, one after the other. ``xx`` is a card whose face was never shown
and ``+N`` at the end are N more of those, so that a record tells no card that lies hidden still.
A record has one spelling only: what differs in a character is another record, or none.
"""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final
from urllib.parse import quote, unquote

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, CardGameError, Cards, parse_deck
from cardgames.game import PILES, AnyGame, Before, Choices, IllegalMove, Pile, told
from cardgames.luck import Luck
from cardgames.words import Text

VERSION: Final = "1"

LONGEST: Final = 4_000
"""No record of this version is longer than this, in characters."""

MOST_STEPS: Final = 25_000
"""Nor has it more steps: the longest of 64 million games of War took 8,461 turns."""

_HIDDEN: Final = "xx"
_pile: Final = re.compile(r"((?:[A2-9TJQK][CDHS]|xx)*)(?:\+([1-9][0-9]?))?").fullmatch
_move: Final = re.compile(r"([a-z]{1,20})(?::([^*]+))?(?:\*([1-9][0-9]{0,4}))?").fullmatch
_number: Final = re.compile(r"0|[1-9][0-9]{0,5}").fullmatch
_salt: Final = re.compile(r"[0-9a-f]{1,64}").fullmatch


class InvalidRecord(CardGameError):
    """A record that cannot be read, or that breaks the rules of its game."""


@dataclass(frozen=True, slots=True)
class Played:
    """A move as it was made, and how often in a row."""

    name: str
    choices: tuple[tuple[str, str], ...] = ()
    """What was chosen, by field; a deck as the codes of its cards."""

    times: int = 1

    @property
    def text(self) -> str:
        """The move as a word of a record."""
        chosen = ",".join(f"{field}={_quoted(value)}" for field, value in self.choices)
        return counted_word(f"{self.name}{':' * bool(chosen)}{chosen}", self.times)


def counted_word(move: str, times: int) -> str:
    """Return a move that was made some times in a row as a word of a record.

    >>> counted_word("hit", 1), counted_word("hit", 2)
    ('hit', 'hit*2')
    """
    return f"{move}*{times}" if times > 1 else move


@dataclass(frozen=True, slots=True)
class Record:
    """One round of a game: how the table stood, how it was shuffled, and what was decided."""

    game: str
    before: Before
    salt: str
    shuffles: tuple[Pile, ...]
    moves: tuple[Played, ...]
    result: str

    @property
    def text(self) -> str:
        """The record in one line; :func:`parse` reads it."""
        return " ".join(self._words())

    def _words(self) -> Iterator[str]:
        yield f"{self.game} {VERSION}"
        if self.before.round:
            yield f"round={self.before.round}"
        if self.before.stacked:
            yield "stacked=yes"
        for name in PILES:
            if name in self.before.piles:
                yield f"{name}={_written(self.before.piles[name])}"
        if self.salt:
            yield f"salt={self.salt}"
        for order in self.shuffles:
            yield f"shuffle={_written(order)}"
        for move in self.moves:
            yield move.text
        if self.result:
            yield f"result={_quoted(self.result)}"

    @property
    def steps(self) -> int:
        """How many single moves it has."""
        return sum(move.times for move in self.moves)

    @property
    def sealed_orders(self) -> tuple[Cards, ...]:
        """What was sealed with a salt, of a whole record: the order of each shuffle.

        Where the player's own deck is shuffled during the game only, the salt is sealed by itself.
        """
        if self.salt and not self.shuffles:
            return ((),)
        return tuple(map(told, self.shuffles))

    @property
    def is_whole(self) -> bool:
        """Whether no card in it is hidden."""
        return not any(None in pile for pile in self._piles())

    def _piles(self) -> Iterator[Pile]:
        yield from self.before.piles.values()
        yield from self.shuffles
        for move in self.moves:
            yield from (_read(value) for field, value in move.choices if _is_deck(field))

    def named(self) -> frozenset[Card]:
        """Return every card whose face it tells."""
        return frozenset(card for pile in self._piles() for card in pile if card)

    def masked(self, shown: Iterable[Card]) -> "Record":
        """Return what the player knows of it: the discards he had seen, and what he was dealt.

        Args:
            shown: the cards that lie face up at the end of the round. Where two decks are on the
                table, or cards go back among others, a face does not tell its place: at Bingo and
                War no card of the deal is left, and the record cannot be replayed.
        """
        game = GAMES[self.game]
        faces = frozenset(() if game.reshuffles or game.decks > 1 else shown)
        piles = {
            name: pile
            if name == "seen"
            else _masked(pile, frozenset() if name == "buried" else faces)
            for name, pile in self.before.piles.items()
        }
        return replace(
            self,
            before=replace(self.before, piles=piles),
            salt="",
            shuffles=tuple(_masked(order, faces) for order in self.shuffles),
            moves=tuple(_masked_move(move, faces) for move in self.moves),
        )

    def up_to(self, steps: int) -> "Record":
        """Return the record of the round as it stood after some single moves."""
        moves: list[Played] = []
        for move in self.moves:
            if steps <= 0:
                break
            moves.append(replace(move, times=min(move.times, steps)))
            steps -= move.times
        return replace(self, moves=tuple(moves), result="")

    def followed_by(self, move: str) -> "Record":
        """Return the record with one more decision, and nothing of how the round ended."""
        return replace(self, moves=added(self.moves, Played(move)), result="")


FORFEIT: Final = Played("forfeit")
"""What ends a round that the player has given up by dealing the next one (S1)."""


def added(moves: Sequence[Played], move: Played) -> tuple[Played, ...]:
    """Return moves with one more; the same move again is counted, not written twice.

    >>> [move.text for move in added((Played("deal"), Played("hit")), Played("hit"))]
    ['deal', 'hit*2']
    """
    if moves and replace(moves[-1], times=1) == replace(move, times=1):
        return (*moves[:-1], replace(move, times=moves[-1].times + move.times))
    return (*moves, move)


def as_played(name: str, choices: Choices, times: int = 1) -> Played:
    """Return a legal move as it is recorded: a deck as codes, and no field that was left empty."""
    chosen = (
        (field, "".join(parse_deck(value)) if _is_deck(field) else str(value))
        for field, value in choices.items()
        if value != ""
    )
    return Played(name, tuple(sorted(chosen)), times)


def recorded(
    slug: str, before: Before, salts: Iterable[str], moves: tuple[Played, ...]
) -> tuple[Record, Any]:
    """Return the record of a round that was played with luck from salts, and the table after it.

    Args:
        slug: the game.
        before: what the round has taken over.
        salts: one for each move that has shuffled; at a table that shuffles all the time, one.
        moves: the decisions.

    Raises:
        InvalidRecord: the moves are not legal with these cards.
    """
    game = GAMES[slug]
    drawn = iter(salts)
    state, orders = game.resumed(before), []
    luck = Luck(drawn.__next__)
    for step, (name, choices) in enumerate(single_moves(moves), start=1):
        if not game.reshuffles:
            luck = Luck(drawn.__next__)
        state = _stepped(game, state, step, name, choices, luck)
        orders += luck.orders if not game.reshuffles else []
    if game.reshuffles:
        orders = [] if _has_own_deck(moves) else luck.orders[:1]
    salt = luck.salt if game.reshuffles else ""
    result = game.won(state) or ""
    return Record(slug, before, salt, tuple(orders), moves, result), state


def _has_own_deck(moves: Sequence[Played]) -> bool:
    """Say whether the round was dealt from a deck that the player has sent."""
    return any(_is_deck(field) for move in moves[:1] for field, _ in move.choices)


def _is_deck(field: str) -> bool:
    return field.endswith("deck")


def parse(text: str) -> Record:
    """Read a record. Whether it keeps the rules of its game shows when it is replayed.

    Args:
        text: as :attr:`Record.text` writes it; a record has one spelling only.

    Raises:
        InvalidRecord: it is not one, or is of a version that is not known here.
    """
    game, _, rest = text.partition(" ")
    version, _, rest = rest.partition(" ")
    if len(text) > LONGEST or game not in GAMES:
        raise InvalidRecord(Text("This is not the record of a round at one of the tables here."))
    if version != VERSION:
        raise InvalidRecord(Text("This record is of a version that is not known here."))
    values: dict[str, list[str]] = {}
    moves: list[str] = []
    for word in rest.split(" ") if rest else ():
        name, equals, value = word.partition("=")
        if equals and name in _VALUES:
            values.setdefault(name, []).append(value)
        else:
            moves.append(word)
    record = _put_together(game, values, parsed_moves(moves))
    if record.text != text or _repeats(record.moves):
        raise InvalidRecord(Text("This is not a record: its words are not in order."))
    if record.steps > MOST_STEPS:
        raise InvalidRecord(Text("This record is longer than any round."))
    return record


def _repeats(moves: Sequence[Played]) -> bool:
    """Say whether a move stands twice in a row instead of being counted."""
    singles = [replace(move, times=1) for move in moves]
    return any(one == other for one, other in pairwise(singles))


def parsed_moves(words: Iterable[str]) -> tuple[Played, ...]:
    """Read the moves of a record.

    Raises:
        InvalidRecord: a word is none.
    """
    return tuple(map(_read_move, words))


def replayed(record: Record, further: random.Random | None = None) -> tuple[Any, ...]:
    """Return the table as it stood before the round, and after every single move of it.

    Cards that the record does not tell are put in for the hidden ones; a view cannot show them.

    Args:
        record: what was played.
        further: luck for shuffles that the record does not have, when a round is played on.

    Raises:
        InvalidRecord: a move breaks the rules, needs a card that the record does not tell, or the
            round did not end as the record says; the sentence names the step.
    """
    game = GAMES[record.game]
    _check_luck(game, record)
    luck = _Told(record, further)
    state = _table_before(game, record)
    states = [state]
    named = None if record.is_whole else record.named()
    for step, (name, choices) in enumerate(single_moves(record.moves), start=1):
        state = _stepped(game, state, step, name, choices, luck)
        if named is not None and not named.issuperset(game.shown(state)):
            raise InvalidRecord(
                Text("Step {step} needs a card that this record does not tell.", step=step)
            )
        states.append(state)
    if record.result and (game.won(state) or "") != record.result:
        raise InvalidRecord(
            Text("Step {step}: the round did not end as this record says.", step=record.steps)
        )
    if record.result and luck.left:
        raise InvalidRecord(Text("This record has a shuffle that never happened."))
    return tuple(states)


def _check_luck(game: AnyGame, record: Record) -> None:
    """Refuse a salt where there is none, and with a salt any shuffle but that of the deal."""
    first_alone = 0 if _has_own_deck(record.moves) else 1
    dealt = len(record.shuffles) == first_alone or not record.moves
    if record.salt and not (game.reshuffles and dealt):
        raise InvalidRecord(Text("This record has a salt or a shuffle that its round cannot have."))


class _Told(random.Random):
    """Luck as a record tells it: the next shuffle gives the order that comes next."""

    def __init__(self, record: Record, further: random.Random | None) -> None:
        super().__init__(0)
        self.left = list(record.shuffles)
        self._salted = Luck(lambda: record.salt) if record.salt else None
        self._further = further

    def shuffle(self, x: Any) -> None:
        told = self.left.pop(0) if self.left else None
        if self._salted:
            self._salted.shuffle(x)
            if told not in (None, tuple(x)):
                raise InvalidRecord(Text("the salt gives another order of the cards"))
        elif told is not None:
            x[:] = _filled(told, x)
        elif self._further:
            self._further.shuffle(x)
        else:
            raise InvalidRecord(Text("the record does not tell how the cards were shuffled"))


def _filled(order: Pile, cards: Iterable[Card]) -> Cards:
    """Put cards in for those that are not told.

    Raises:
        InvalidRecord: the order is not one of these cards.
    """
    all_of_them = set(cards)
    faces = set(order)
    rest = iter(card for card in FULL_DECK if card in all_of_them and card not in faces)
    filled = tuple(card or next(rest, None) for card in order)
    if set(filled) != all_of_them or len(filled) != len(all_of_them):
        raise InvalidRecord(Text("these are not the cards that were shuffled"))
    return tuple(card for card in filled if card)


def _table_before(game: AnyGame, record: Record) -> Any:
    """Return the table as the round has taken it over, whole decks on it.

    Raises:
        InvalidRecord: the piles are not those of a table.
    """
    before = replace(record.before, piles=_filled_piles(record))
    try:
        state = game.resumed(before)
    except IllegalMove as error:
        raise InvalidRecord(error.text) from None
    if Counter(game.cards(state)) != Counter(FULL_DECK * game.decks):
        raise InvalidRecord(Text("The cards of this record are not a whole deck."))
    if game.before(state) != before:
        raise InvalidRecord(Text("No round at this table can take over what this record says."))
    return state


def _filled_piles(record: Record) -> dict[str, Pile]:
    """Return the piles that a round takes over, with cards put in for those that are not told."""
    piles = record.before.piles
    # Buried cards come back with a shuffle: what a shuffle tells lay there before.
    shuffled_in = [card for order in record.shuffles for card in order if card]
    told = {card for pile in piles.values() for card in pile if card}
    rest = iter(dict.fromkeys(card for card in (*shuffled_in, *FULL_DECK) if card not in told))
    return {
        name: tuple(card or next(rest, None) for card in piles[name])
        for name in reversed(PILES)
        if name in piles
    }


def _stepped(
    game: AnyGame,
    state: Any,
    step: int,
    name: str,
    choices: Mapping[str, str],
    luck: random.Random,
) -> Any:
    """Play one move of a record."""
    try:
        if (name == "deal") != (step == 1) or name == "new":
            raise IllegalMove(Text("a record is of one round"))
        if name == FORFEIT.name and not choices:
            return game.given_up(state)
        chosen = _whole_decks(choices)
        after = game.play(state, name, chosen, luck)
        if game.singly(state, chosen, after) != (chosen, 1):
            raise IllegalMove(Text("it can be written more simply"))
    except (CardGameError, StopIteration) as error:
        why = error.args[0] if error.args else Text("a shuffle is missing")
        sentence = Text(
            "Step {step} ({move}) breaks the rules: {why}", step=step, move=name, why=why
        )
        raise InvalidRecord(sentence) from None
    return after


def _whole_decks(choices: Mapping[str, str]) -> dict[str, str]:
    """Return the fields of a recorded move as they are filled in.

    Raises:
        InvalidRecord: a deck is not 52 different cards.
    """
    return {
        field: "\n".join(_filled(_read(value), FULL_DECK)) if _is_deck(field) else value
        for field, value in choices.items()
    }


def single_moves(moves: Iterable[Played]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield every single move, and what was chosen; a deck as it stands in the record."""
    for move in moves:
        choices = dict(move.choices)
        for _ in range(move.times):
            yield move.name, choices


_VALUES: Final = ("round", "stacked", *PILES, "salt", "shuffle", "result")


def _put_together(game: str, values: Mapping[str, list[str]], moves: tuple[Played, ...]) -> Record:
    single = {name: texts[0] for name, texts in values.items()}
    count, salt = single.get("round", "0"), single.get("salt", "")
    if not _number(count) or (salt and not _salt(salt)):
        raise InvalidRecord(Text("This is not a record: it has a number that is none."))
    return Record(
        game=game,
        before=Before(
            round=int(count),
            stacked="stacked" in single,
            piles={name: _read(single[name]) for name in PILES if name in single},
        ),
        salt=salt,
        shuffles=tuple(map(_read, values.get("shuffle", ()))),
        moves=moves,
        result=unquote(single.get("result", "")),
    )


def _read_move(word: str) -> Played:
    """Read a move.

    Raises:
        InvalidRecord: the word is none.
    """
    found = _move(word)
    if not found:
        raise InvalidRecord(Text("This is not a record: it has a word that means nothing."))
    name, chosen, times = found.groups()
    choices = [one.partition("=") for one in chosen.split(",")] if chosen else []
    for field, _, value in choices:
        if _is_deck(field):
            _read(value)
    pairs = tuple((field, unquote(value)) for field, _, value in choices)
    fields = [field for field, _ in pairs]
    if fields != sorted(set(fields)) or not all(value for _, value in pairs):
        raise InvalidRecord(Text("This is not a record: the fields of a move are not in order."))
    return Played(name, pairs, int(times or "1"))


def _read(text: str) -> Pile:
    """Read a pile of cards.

    Raises:
        InvalidRecord: it is none.
    """
    found = _pile(text)
    if not found:
        raise InvalidRecord(Text("This is not a record: it has cards that are none."))
    codes, more = found.groups()
    pairs = (codes[place : place + 2] for place in range(0, len(codes), 2))
    pile = tuple(None if code == _HIDDEN else Card(code) for code in pairs)
    return pile + (None,) * int(more or "0")


def _written(pile: Pile) -> str:
    """Write a pile of cards, the hidden ones at its end as a number."""
    told = len(pile)
    while told and pile[told - 1] is None:
        told -= 1
    hidden = len(pile) - told
    return "".join(card or _HIDDEN for card in pile[:told]) + (f"+{hidden}" if hidden else "")


def _masked(pile: Pile, faces: frozenset[Card]) -> Pile:
    return tuple(card if card in faces else None for card in pile)


def _masked_move(move: Played, faces: frozenset[Card]) -> Played:
    choices = tuple(
        (field, _written(_masked(_read(value), faces)) if _is_deck(field) else value)
        for field, value in move.choices
    )
    return replace(move, choices=choices)


def _quoted(text: str) -> str:
    """Return a text in percent code, without blanks and without what separates words."""
    return quote(text, safe="+").replace("_", "%5F").replace("~", "%7E")
