"""Replays a record, and returns the tables before the round and after every single action.

A complete record has a salt or the order of every shuffle. A record with hidden cards can also be
replayed. The replay then contains placeholders, which a view cannot show.

    >>> from cardgames.records.line import parse
    >>> round_ = replay(parse("blackjack 1 shuffle=9STHQDJC+48 deal stay result=dealer"))
    >>> [table.phase.value for table in round_.tables]
    ['ready', 'playing', 'round over']
"""

import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields, replace
from itertools import chain
from typing import Any, Final, NamedTuple

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, CardGameError, Cards, MaskedCards, face_up, split_codes
from cardgames.game import AnyGame
from cardgames.moves import CONCEDE, Action, IllegalMove, Move
from cardgames.records.line import InvalidRecord, format_cards, parse_cards, pile_names
from cardgames.records.record import Record
from cardgames.shuffling import SaltedRandom
from cardgames.table import NEW, RngFactory, Table, not_allowed
from cardgames.text import Text
from cardgames.ways import possible_cards, unmasked

_NOT_WHOLE: Final = Text("The cards of this record are not a whole deck.")


class Replay(NamedTuple):
    """A replayed round."""

    tables: tuple[Table, ...]
    """The tables before the round and after every single action."""

    shuffles: tuple[tuple[Cards, ...], ...]
    """The shuffled cards of each action."""

    @property
    def last(self) -> Table:
        """The table after the end of the round."""
        return self.tables[-1]


def replay(record: Record, further: random.Random | None = None) -> Replay:
    """Replay a record.

    Args:
        record: Record of the round.
        further: The random number generator for shuffles that the record does not contain, needed
            if the round is continued with other actions.

    Raises:
        InvalidRecord: If an action breaks the rules or needs a hidden card, or if the round did not
            end as recorded. The message names the step.
    """
    game = GAMES[record.game]
    _check_start(game, record)
    recorded = list(record.shuffles)
    carried = _filled_carry(record)
    tables = [Table(game, round=record.round, stacked=record.stacked, carried=carried)]
    shuffles: list[tuple[Cards, ...]] = []
    known = None if is_complete(record) else known_cards(record)

    def make_rng(salt: str, draw_count: int) -> SaltedRandom:
        if record.salt:
            return SaltedRandom(lambda: record.salt, salt, draw_count)
        return _RecordedShuffles(recorded, further, draw_count)

    for action in record.actions:
        once = _whole_decks(action.once, game, len(tables))
        for repeated in range(action.times):
            table, drawn = _step(tables[-1], once, len(tables), make_rng, spelt=repeated > 0)
            # A placeholder for a hidden card was never dealt, so it must not be shown.
            if known is not None and not known.issuperset(game.seen(table.state)):
                sentence = Text("Step {step} needs a card that is missing from this record.")
                raise InvalidRecord(sentence.fill(step=len(tables)))
            tables.append(table)
            shuffles.append(drawn)
    replayed = Replay(tuple(tables), tuple(shuffles))
    _check_end(record, replayed, recorded)
    return replayed


def with_shuffle_orders(record: Record, replayed: Replay | None = None) -> Record:
    """Return a complete record that contains the shuffled orders, for people to read.

    For a game that shuffles repeatedly, the result contains the order of the deal and the salt. For
    a game that uses random numbers for more than shuffles, the result contains only the salt.

    Args:
        record: A complete record.
        replayed: The result of replaying the record, if available.

    Raises:
        InvalidRecord: If the record cannot be replayed.
    """
    if record.shuffles or not record.salt:
        return record
    if GAMES[record.game].info.reshuffles:
        deal = replay(record.truncated(1)).shuffles[:1]
        return replace(record, shuffles=tuple(chain.from_iterable(deal)))
    replayed = replayed or replay(record)
    shuffles = tuple(chain.from_iterable(replayed.shuffles))
    if replayed.last.draw_count != len(shuffles):
        return record
    return replace(record, salt="", shuffles=shuffles)


def redacted(record: Record, seen: Iterable[Card]) -> Record:
    """Return a complete record after removing the cards that the player does not know.

    Args:
        record: Complete record with the orders of its shuffles.
        seen: Cards whose positions the player knows at the end. With two decks, or if cards return
            to the deck, a card can occur at several positions. Therefore all cards of the deal are
            removed from records of Bingo and War, so these records cannot be replayed.
    """
    game = GAMES[record.game]
    faces = frozenset(() if game.info.reshuffles or game.info.decks > 1 else seen)
    decks = game.deals.decks
    shuffled = frozenset(chain.from_iterable(record.shuffles))

    def in_action(action: Action) -> Action:
        choices = (
            (name, format_cards(_masked(parse_cards(value), faces)) if name in decks else value)
            for name, value in action.choices
        )
        return replace(action, choices=tuple(choices))

    return replace(
        record,
        carry=_redacted_carry(game, record.carry, faces, faces - shuffled),
        salt="",
        shuffles=tuple(_masked(order, faces) for order in record.shuffles),
        actions=tuple(map(in_action, record.actions)),
    )


def is_complete(record: Record) -> bool:
    """Return whether no card of a record is hidden."""
    return not any(None in pile for pile in _piles(record))


def known_cards(record: Record) -> frozenset[Card]:
    """Return every card that a record discloses."""
    return frozenset(card for pile in _piles(record) for card in pile if card)


def _piles(record: Record) -> Iterator[MaskedCards]:
    game = GAMES[record.game]
    decks = game.deals.decks
    yield from (getattr(record.carry, name, ()) for name in pile_names(game))
    yield from record.shuffles
    for action in record.actions:
        yield from (parse_cards(value) for name, value in action.choices if name in decks)


def _masked(pile: MaskedCards, faces: Collection[Card | None]) -> MaskedCards:
    return tuple(card if card in faces else None for card in pile)


def _redacted_carry(
    game: AnyGame, carry: Any, faces: Collection[Card], dealt: Collection[Card | None]
) -> Any:
    """Return a carry with only the piles that the player knows.

    Only the ``dealt`` cards remain visible in the other piles. In the ways of an unseen card, the
    cards in ``faces`` stay cards, and all others become ranks.
    """
    if carry is None:
        return None
    known = {pile.name for pile in fields(carry) if pile.metadata.get("known")}
    unknown = (name for name in pile_names(game) if name not in known)
    masked: dict[str, Any] = {name: _masked(getattr(carry, name), dealt) for name in unknown}
    if getattr(carry, "ways", ()):
        masked["ways"] = tuple(
            (number, tuple(sorted(card if card in faces else card.rank for card in cards)))
            for number, cards in carry.ways
        )
    return replace(carry, **masked)


# ---- The beginning of the round ------------------------------------------------------------------


def _check_start(game: AnyGame, record: Record) -> None:
    """Raise if no round at this table can take over these piles."""
    goes_on, numbered = record.round > 0, game.info.numbered
    takes_over = record.carry is not None
    may_take_over = game.carry_type is not None and (goes_on or not numbered)
    if (
        (goes_on and not numbered)
        or (takes_over and not may_take_over)
        or (record.stacked and not takes_over)
    ):
        raise InvalidRecord(Text("No round at this table can start with the cards in this record."))
    own_deck = any(action[name] for action in record.actions[:1] for name in game.deals.decks)
    of_deal = len(record.shuffles) == (0 if own_deck else 1) or not record.actions
    if record.salt and record.shuffles and not (game.info.reshuffles and of_deal):
        raise InvalidRecord(Text("This record has a salt or a shuffle that its round cannot have."))


def _filled_carry(record: Record) -> Any:
    """Return the piles that a round takes over, with placeholders for hidden cards."""
    if record.carry is None:
        return None
    piles = {name: getattr(record.carry, name) for name in pile_names(GAMES[record.game])}
    # A shuffle returns the hidden cards of a pile to the deck, so these cards are taken from the
    # recorded orders.
    shuffled_in = [card for order in record.shuffles for card in order if card]
    known = {card for pile in piles.values() for card in pile if card}
    others = dict.fromkeys(card for card in (*shuffled_in, *FULL_DECK) if card not in known)
    if sum(pile.count(None) for pile in piles.values()) > len(others):
        raise InvalidRecord(_NOT_WHOLE)
    try:
        ways = unmasked(getattr(record.carry, "ways", ()), known_cards(record))
    except ValueError:
        raise InvalidRecord(_NOT_WHOLE) from None
    if ways and (known_of := next((card for card in others if card in possible_cards(ways)), None)):
        others = {known_of: None} | others  # placed first, for the first card of the last pile
    rest = iter(others)
    filled: dict[str, Any] = {
        name: face_up(tuple(card or next(rest) for card in pile))
        for name, pile in reversed(piles.items())
    }
    return replace(record.carry, **filled, **({"ways": ways} if ways else {}))


def _whole_decks(action: Action, game: AnyGame, step: int) -> Action:
    """Return an action with placeholders for the hidden cards of its decks."""
    decks = game.deals.decks
    try:
        choices = tuple(
            (name, "".join(_filled(parse_cards(value), FULL_DECK)) if name in decks else value)
            for name, value in action.choices
        )
    except InvalidRecord as error:
        raise _broken(step, action.name, error.text) from None
    return replace(action, choices=choices)


def _filled(order: MaskedCards, cards: Iterable[Card]) -> Cards:
    """Return an order of these cards, with placeholders for hidden cards."""
    all_of_them, faces = set(cards), set(order)
    rest = iter(card for card in FULL_DECK if card in all_of_them and card not in faces)
    filled = face_up(tuple(card or next(rest, None) for card in order))
    if set(filled) != all_of_them or len(order) != len(all_of_them):
        raise InvalidRecord(Text("these are not the cards that were shuffled"))
    return filled


# ---- The actions of the round --------------------------------------------------------------------


class _RecordedShuffles(SaltedRandom):
    """A random number generator that reproduces the recorded orders, one per shuffle."""

    def __init__(
        self, left: list[MaskedCards], further: random.Random | None, draw_count: int
    ) -> None:
        super().__init__(str, "", draw_count)
        self._left = left
        self._further = further

    def shuffle(self, x: Any) -> None:
        if self._left:
            x[:] = _filled(self._left.pop(0), x)
        elif self._further:
            self._further.shuffle(x)
        else:
            raise InvalidRecord(Text("the record does not say how the cards were shuffled"))
        self.draw_count += 1
        self.shuffles.append(tuple(x))


def _step(
    table: Table, action: Action, step: int, make_rng: RngFactory, *, spelt: bool
) -> tuple[Table, tuple[Cards, ...]]:
    """Play one action of a record.

    Return the table after the action, and the shuffled cards.

    ``spelt`` is true if the spelling of the same action has already been checked.
    """
    used: list[SaltedRandom] = []

    def new_rng(salt: str, draw_count: int) -> SaltedRandom:
        used.append(make_rng(salt, draw_count))
        return used[-1]

    try:
        move = _legal_move(table, action, step)
        if move and not spelt:
            _check_spelling(move, action)
        after = table.after(action, new_rng).table
        if step == 1:
            _check_deck(after)
    except CardGameError as error:
        raise _broken(step, action.name, error.text) from None
    return after, tuple(order for rng in used for order in rng.shuffles)


def _broken(step: int, move: str, why: str) -> InvalidRecord:
    """Return the error for an action that breaks the rules."""
    sentence = Text("Step {step} ({move}) breaks the rules: {why}")
    return InvalidRecord(sentence.fill(step=step, move=move, why=why))


def _legal_move(table: Table, action: Action, step: int) -> Move | None:
    """Return the legal move for an action, or None if the action concedes the round."""
    if (action.name == table.game.deals.name) != (step == 1) or action.name == NEW.name:
        raise IllegalMove(Text("a record contains exactly one round"))
    if action == CONCEDE:
        return None
    moves = table.moves()
    for move in moves:
        if move.name == action.name:
            return move
    raise not_allowed(moves)


def _check_spelling(move: Move, action: Action) -> None:
    """Raise if an action is not in its normalized spelling."""
    sent = {
        name: "\n".join(split_codes(value)) if name in move.decks else value
        for name, value in action.choices
    }
    # the number of repetitions is a suffix of the word, not a field
    if replace(move, repeat=None).read(sent) != action:
        raise IllegalMove(Text("the record is not in its shortest form"))


def _check_deck(table: Table) -> None:
    """Raise if a deal does not use complete decks."""
    decks = Counter(FULL_DECK * table.game.info.decks)
    if Counter(table.game.cards(table.state)) != decks:
        raise InvalidRecord(_NOT_WHOLE)


def _check_end(record: Record, replayed: Replay, left: list[MaskedCards]) -> None:
    """Raise if the result or the shuffles of a record differ from those of its round."""
    if record.salt and record.shuffles:
        first = tuple(chain.from_iterable(replayed.shuffles[:1]))
        if record.actions and record.shuffles != first:
            raise _broken(1, "deal", Text("the salt gives another order of the cards"))
    if not record.result:
        return
    ended = replayed.last.result
    if ended is None or ended.winner != record.result:
        wrong = Text("Step {step}: the round did not end as this record says.", step=record.steps)
        raise InvalidRecord(wrong)
    if left and not record.salt:
        raise InvalidRecord(Text("This record has a shuffle that never happened."))
