"""A record as one line of text, whose words are separated by spaces.

    >>> record = parse("blackjack 1 shuffle=9STHQDJC+48 deal stay result=dealer")
    >>> record.actions
    (Action(name='deal', choices=(), times=1), Action(name='stay', choices=(), times=1))
    >>> readable_line(record)
    'blackjack 1 shuffle=9STHQDJC+48 deal stay result=dealer'

The words have this order (docs/records.md has examples):

``GAME VERSION``
    The slug of the table, and the version: 1 if the cards are written out, 2 if they are derived
    from a salt.
``round=N``, ``stacked=yes``, ``deck=…`` and other piles
    The data that the round takes over from earlier rounds, if any: the number of those rounds,
    whether their deck was the player's own, and the cards of each pile, with the top card first.
``ways=…``
    The player's knowledge of the first card of the last pile: its possible identities, with the
    prefix ``N*`` for those with N times as many ways. A card that is still hidden is written as
    its rank and ``x``.
``salt=…``
    The salt from which all shuffles of the round are derived (:mod:`cardgames.shuffling`). In
    version 1 only a game that shuffles repeatedly has a salt.
``shuffle=…``
    In version 1, the order that each shuffle of the round produced, with the top card first. If
    there is also a salt, only the shuffles of the deal are written.
``MOVE``, ``MOVE:FIELD=VALUE,…``, ``MOVE*TIMES``
    An action, with its choices (percent-encoded, in alphabetical order of the fields), and the
    number of repetitions. The first action is ``deal``, because a record contains one round.
``forfeit`` The player conceded the round by dealing the next round, if the table allows that.
``result=WHO``
    The winner's name in the tally. A record of an open round has no result.

A card is its two-character code, without separators between cards. ``xx`` is a card whose face was
never shown, and ``+N`` at the end means N further such cards, so a record never discloses a hidden
card. A record has exactly one spelling in each version. A line that differs in one character is a
different record or is invalid.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from itertools import pairwise
from typing import Any, Final
from urllib.parse import quote, unquote

from cardgames import GAMES
from cardgames.cards import Card, CardGameError, MaskedCards, Rank
from cardgames.game import AnyGame
from cardgames.moves import Action
from cardgames.records.record import Record
from cardgames.text import Text
from cardgames.ways import MaskedWays

EXPLICIT: Final = "1"
"""The version with readable cards."""

SALTED: Final = "2"
"""The version with a salt instead of cards. This version is short enough for URLs."""

MAX_LENGTH: Final = 4_000
"""Maximum number of characters of a record."""

MAX_STEPS: Final = 25_000
"""Maximum number of steps. The longest of 64 million games of War took 8,461 turns."""

_HIDDEN: Final = "xx"
_pile: Final = re.compile(r"((?:[A2-9TJQK][CDHS]|xx)*)(?:\+([1-9][0-9]?))?").fullmatch
_group: Final = re.compile(r"(?:([1-9][0-9]{0,15})\*)?((?:[A2-9TJQK][CDHSx])+)").fullmatch
_move: Final = re.compile(r"([a-z]{1,20})(?::([^*]+))?(?:\*([1-9][0-9]{0,4}))?").fullmatch
_number: Final = re.compile(r"0|[1-9][0-9]{0,5}").fullmatch
_salt: Final = re.compile(r"[0-9a-f]{1,64}").fullmatch


class InvalidRecord(CardGameError):
    """An error raised when a record cannot be read, or breaks the rules of its game."""


# ---- Writing -------------------------------------------------------------------------------------


def readable_line(record: Record) -> str:
    """Return a record in the version with readable cards."""
    return " ".join(_words(record, EXPLICIT if _fits(record, EXPLICIT) else SALTED))


def line(record: Record) -> str:
    """Return a record in its shortest form.

    This is version 2 if the record's shuffles are derived from a salt.
    """
    salted = record.salt and not record.shuffles
    return " ".join(_words(record, SALTED if salted else EXPLICIT))


def _words(record: Record, version: str) -> Iterator[str]:
    game = GAMES[record.game]
    yield f"{record.game} {version}"
    if record.round:
        yield f"round={record.round}"
    if record.stacked:
        yield "stacked=yes"
    for name in pile_names(game):
        if pile := getattr(record.carry, name, ()):
            yield f"{name}={format_cards(pile)}"
    if ways := getattr(record.carry, "ways", ()):
        yield f"ways={format_ways(ways)}"
    if record.salt:
        yield f"salt={record.salt}"
    for order in record.shuffles:
        yield f"shuffle={format_cards(order)}"
    for action in record.actions:
        yield action_word(action)
    if record.result:
        yield f"result={_quoted(record.result)}"


def action_word(action: Action) -> str:
    """Return an action as a word of a record.

    >>> action_word(Action("turn", times=3))
    'turn*3'
    """
    times = f"*{action.times}" if action.times > 1 else ""
    if not action.choices:
        return f"{action.name}{times}"
    chosen = ",".join(f"{field}={_quoted(value)}" for field, value in sorted(action.choices))
    return f"{action.name}:{chosen}{times}"


def action_words(record: Record) -> str:
    """Return the actions of a round as words of a record, separated by spaces."""
    return " ".join(map(action_word, record.actions))


def format_cards(pile: MaskedCards) -> str:
    """Return the codes of cards. Hidden cards at the end are written as a number.

    >>> format_cards((Card("TH"), None, Card("AC"), None, None))
    'THxxAC+2'
    """
    length = len(pile)
    while length and pile[length - 1] is None:
        length -= 1
    hidden = len(pile) - length
    return "".join(card or _HIDDEN for card in pile[:length]) + (f"+{hidden}" if hidden else "")


def format_ways(ways: MaskedWays) -> str:
    """Return the possible identities of a card as a word of a record.

    Hidden cards are represented by their ranks.

    >>> format_ways(((1, (Card("TH"), Rank.KING)), (3, (Card("AC"),))))
    'THKx,3*AC'
    """
    return ",".join(
        ("" if number == 1 else f"{number}*") + "".join(f"{card}x"[:2] for card in cards)
        for number, cards in ways
    )


def pile_names(game: AnyGame) -> tuple[str, ...]:
    """Return the names of the piles that a round of this game can take over."""
    return tuple(name for name in _carried(game) if name != "ways")


def _carried(game: AnyGame) -> tuple[str, ...]:
    carried: Any = game.carry_type
    return tuple(field.name for field in fields(carried)) if carried else ()


def _quoted(text: str) -> str:
    """Return a string percent-encoded, without spaces and separators."""
    return quote(text, safe="+").replace("_", "%5F").replace("~", "%7E")


# ---- Reading -------------------------------------------------------------------------------------


def parse(text: str) -> Record:
    """Return the record that a line contains.

    The rules are not checked until the record is replayed.

    Args:
        text: A line as written by :func:`readable_line` or :func:`line`.

    Raises:
        InvalidRecord: If the line is not a record, or has an unknown version.
    """
    slug, _, rest = text.partition(" ")
    version, _, rest = rest.partition(" ")
    if len(text) > MAX_LENGTH or slug not in GAMES:
        raise InvalidRecord(Text("This is not the record of a round at one of the tables here."))
    if version not in (EXPLICIT, SALTED):
        raise InvalidRecord(Text("This record's version is not supported here."))
    record = _parsed(GAMES[slug], rest.split(" ") if rest else [])
    # Parsing and writing a record must produce the same line, because each record has a single
    # spelling and URL.
    if (
        not _fits(record, version)
        or " ".join(_words(record, version)) != text
        or any(one.once == other.once for one, other in pairwise(record.actions))
    ):
        raise InvalidRecord(Text("This is not a valid record: its words are not in order."))
    if record.steps > MAX_STEPS:
        raise InvalidRecord(Text("This record is longer than any round."))
    return record


def _fits(record: Record, version: str) -> bool:
    """Return whether a record can be written in a version.

    A record with only a salt has version 2. In a game that shuffles repeatedly, version 1 is also
    possible if the round has no shuffled order: before the deal, or with the player's own decks.
    """
    if not record.salt or record.shuffles:
        return version == EXPLICIT
    game = GAMES[record.game]
    has_no_order = not record.actions or any(record.actions[0][name] for name in game.deals.decks)
    return version == SALTED or (game.info.reshuffles and has_no_order)


def parse_actions(words: Iterable[str], game: AnyGame) -> tuple[Action, ...]:
    """Return the actions of a record.

    Raises:
        InvalidRecord: If a word is not an action of this game.
    """
    return tuple(_parse_action(word, game) for word in words)


def parse_cards(text: str) -> MaskedCards:
    """Return the cards in a string that :func:`format_cards` wrote.

    Raises:
        InvalidRecord: If the string is not a list of cards.
    """
    matched = _pile(text)
    if not matched:
        raise InvalidRecord(
            Text("This is not a valid record: it contains cards that do not exist.")
        )
    codes, more = matched.groups()
    pile = tuple(None if code == _HIDDEN else Card(code) for code in _codes(codes))
    return pile + (None,) * int(more or "0")


def parse_ways(text: str) -> MaskedWays:
    """Return the ways of a card from a string that :func:`format_ways` wrote.

    Raises:
        InvalidRecord: If the string does not have this format.
    """
    return tuple(map(_parse_group, text.split(","))) if text else ()


def _parse_group(text: str) -> tuple[int, tuple[Card | Rank, ...]]:
    group = _group(text)
    if not group:
        raise InvalidRecord(
            Text("This is not a valid record: it contains cards that do not exist.")
        )
    return int(group[1] or "1"), tuple(map(_card_or_rank, _codes(group[2])))


def _codes(text: str) -> list[str]:
    return [text[place : place + 2] for place in range(0, len(text), 2)]


def _card_or_rank(code: str) -> Card | Rank:
    return Rank(code[0]) if code[1] == "x" else Card(code)


def _parsed(game: AnyGame, words: Sequence[str]) -> Record:
    names = ("round", "stacked", *_carried(game), "salt", "shuffle", "result")
    values: dict[str, list[str]] = {}
    actions: list[str] = []
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name in names:
            values.setdefault(name, []).append(value)
        else:
            actions.append(word)
    single = {name: texts[0] for name, texts in values.items()}
    count, salt = single.get("round", "0"), single.get("salt", "")
    if not _number(count) or (salt and not _salt(salt)):
        raise InvalidRecord(Text("This is not a valid record: it contains an invalid number."))
    return Record(
        game=game.info.slug,
        round=int(count),
        stacked="stacked" in single,
        carry=_carry(game, single),
        salt=salt,
        shuffles=tuple(map(parse_cards, values.get("shuffle", ()))),
        actions=parse_actions(actions, game),
        result=unquote(single.get("result", "")),
    )


def _carry(game: AnyGame, values: Mapping[str, str]) -> Any:
    """Return the piles of a record in the game's own type, or None."""
    names = _carried(game)
    if game.carry_type is None or not any(name in values for name in names):
        return None
    return game.carry_type(
        **{
            name: (parse_ways if name == "ways" else parse_cards)(values.get(name, ""))
            for name in names
        }
    )


def _parse_action(word: str, game: AnyGame) -> Action:
    move = _move(word)
    if not move:
        raise InvalidRecord(Text("This is not a valid record: it contains an unknown word."))
    name, chosen, times = move.groups()
    parts = [part.partition("=") for part in chosen.split(",")] if chosen else []
    pairs = [(field, unquote(value)) for field, _, value in parts]
    names = [field for field, _ in pairs]
    if names != sorted(set(names)) or not all(value for _, value in pairs):
        raise InvalidRecord(
            Text("This is not a valid record: the fields of a move are not in order.")
        )
    for field, value in pairs:
        if field in game.deals.decks:
            parse_cards(value)
    return Action(name, tuple(pairs), int(times or "1"))
