"""Two tests for leaks: exchanging the hidden cards, and searching responses for a card's name.

The hidden cards of each table are listed in this module, one line per game, and never read from the
view.
"""

import html
import random
import re
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

from cardgames.cards import Cards, shuffled
from cardgames.game import AnyGame
from cardgames.moves import Action
from cardgames.table import Phase, Table
from tests.support.play import reshuffled

if TYPE_CHECKING:
    from werkzeug.test import TestResponse

# ---- Hidden cards ------------------------------------------------------------------------------

HOLE: Final = {"simple-21": 1, "blackjack": 0, "one-deck": 1}
"""Index of the hole card among the dealer's first two cards, as specified in the contract."""

Resample = Callable[[Any, random.Random], Any]
"""A function that exchanges the hidden cards of a round, in any order that the player cannot
exclude.
"""


def hidden_at_twenty_one(state: Any, hole: int) -> Cards:
    """Return the cards that the player has not seen: hole cards and the deck."""
    down = state.dealer[hole:][:1] if state.hole_down else ()
    return (*down, *state.deck, *state.unseen_discards)


def at_twenty_one(hole: int) -> Resample:
    """Return a function that exchanges the hidden cards of a twenty-one table.

    The player does not know the position of any hidden card, except a card that was face down when
    the deck was refilled during the player's turn. This card is the hole card, or the first card
    that has been buried since then.
    """

    def resampled(state: Any, rng: random.Random) -> Any:
        old = hidden_at_twenty_one(state, hole)
        new = list(shuffled(old, rng))
        dealer = list(state.dealer)
        can_be = {card for _, cards in state.ways for card in cards}
        if can_be and (state.hole_down or state.unseen_discards):
            known = old.index((*state.unseen_discards, state.dealer[hole])[0])
            place = next(n for n, card in enumerate(new) if card in can_be)
            new[known], new[place] = new[place], new[known]
        swap = dict(zip(old, new, strict=True))
        if state.hole_down:
            dealer[hole] = swap[dealer[hole]]
        return replace(
            state,
            dealer=tuple(dealer),
            deck=tuple(swap[card] for card in state.deck),
            unseen_discards=tuple(swap[card] for card in state.unseen_discards),
            discards=shuffled(state.discards, rng),
        )

    return resampled


def at_war(state: Any, rng: random.Random) -> Any:
    """Return a table whose hands contain other cards.

    The last battle's cards do not change.
    """
    cards = iter(shuffled([card for hand in state.hands for card in hand], rng))
    return replace(state, hands=tuple(tuple(next(cards) for _ in hand) for hand in state.hands))


def at_bingo(state: Any, rng: random.Random) -> Any:
    """Return a table with other centres, other undealt cards and other future calls."""
    places, deck = (24, 25, 50, 51), list(state.bingo_deck)
    for place, card in zip(places, shuffled([deck[place] for place in places], rng), strict=True):
        deck[place] = card
    left = shuffled(state.calling_deck[state.calls :], rng)
    return replace(state, bingo_deck=tuple(deck), calling_deck=state.called + left)


RESAMPLE: Final[dict[str, Resample]] = {
    "simple-21": at_twenty_one(HOLE["simple-21"]),
    "blackjack": at_twenty_one(HOLE["blackjack"]),
    "one-deck": at_twenty_one(HOLE["one-deck"]),
    "war": at_war,
    "bingo": at_bingo,
}
"""For each game, a function that exchanges the hidden cards of a round."""


def resampled(game: AnyGame, state: Any, rng: random.Random) -> Any:
    """Return a round with its hidden cards exchanged.

    The hidden cards of the five games are listed above, separately from the games' own lists. For
    any other game, the game's own list (``seen``) is used. The checks of registered games verify
    this list.
    """
    if game.info.slug in RESAMPLE:
        return RESAMPLE[game.info.slug](state, rng)
    return reshuffled(game, state, rng)


def other_table(table: Table, rng: random.Random) -> Table:
    """Return another table that the player cannot distinguish from the given table.

    The hidden cards are in a different order and have a different origin: the salt, the player's
    own deck and the cards from the previous round differ. The moves are unchanged. War's record is
    also unchanged. War's page uses the record to compute the sizes of the hands after each turn,
    and every player has seen these sizes.
    """
    if table.state is None:
        return table
    record = table.record
    if not table.game.info.reshuffles:
        record = replace(
            record,
            salt=record.salt and rng.randbytes(len(record.salt) // 2).hex(),
            carry=_other_carry(record.carry, rng),
            actions=(_other_decks(record.actions[0], table.game, rng), *record.actions[1:]),
        )
    return replace(
        table,
        state=resampled(table.game, table.state, rng),
        shuffled=shuffled(table.shuffled, rng),
        record=record,
    )


def _other_carry(carry: Any, rng: random.Random) -> Any:
    """Return the previous round's cards with the unseen piles in another order."""
    if carry is None:
        return None
    unknown = [pile.name for pile in fields(carry) if not pile.metadata.get("known")]
    return replace(carry, **{name: shuffled(getattr(carry, name), rng) for name in unknown})


def _other_decks(deal: Action, game: AnyGame, rng: random.Random) -> Action:
    """Return a deal whose uploaded decks are in another order."""
    choices = (
        (name, "".join(shuffled(deal.deck(name) or (), rng)) if name in game.deals.decks else value)
        for name, value in deal.choices
    )
    return replace(deal, choices=tuple(choices))


# ---- Answers -----------------------------------------------------------------------------------


def whole(answer: "TestResponse") -> tuple[Any, ...]:
    """Return a response without the ID of its request."""
    headers = [header for header in answer.headers if header[0] != "X-Request-Id"]
    return answer.status_code, headers, answer.get_data()


def secrets_of(table: Table, earlier: Iterable[Table] = ()) -> set[str]:
    """Return the prefixes of the salts that no page may show yet.

    Args:
        table: The current table.
        earlier: The table before the move.
    """
    salts = {
        one.finished + (one.phase is Phase.PLAYING): one.record.salt for one in (*earlier, table)
    }
    return {salt[:12] for number, salt in salts.items() if salt and number > table.shown_to}


_NAMES: Final = "ace two three four five six seven eight nine ten jack queen king"
RANK_NAMES: Final = dict(zip("A23456789TJQK", _NAMES.split(), strict=True))
SUIT_NAMES: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
SYMBOLS: Final = {"C": "♣♧", "D": "♦♢", "H": "♥♡", "S": "♠♤"}
ONE_CHARACTER: Final = {
    chr(row + place): rank + suit
    for suit, row in {"S": 0x1F0A0, "H": 0x1F0B0, "D": 0x1F0C0, "C": 0x1F0D0}.items()
    for rank, place in zip("A23456789TJQK", (*range(1, 12), 13, 14), strict=True)
}
"""Unicode's playing cards without the knights, because a deck of 52 cards has no knights."""

_RANK_OF: Final = {name: rank for rank, name in RANK_NAMES.items()} | {
    **{rank.lower(): rank for rank in RANK_NAMES},
    "10": "T",
}
_SUIT_OF: Final = {name: suit for suit, name in SUIT_NAMES.items()} | {
    symbol: suit for suit, symbols in SYMBOLS.items() for symbol in symbols
}
_ANY_RANK: Final = "|".join(RANK_NAMES.values()) + "|10|[2-9atjqk]"
_ANY_SYMBOL: Final = "".join(SYMBOLS.values())
_CODE: Final = re.compile(r"(?=([A2-9TJQK][CDHS]))")
_WORDS: Final = re.compile(
    rf"\b({_ANY_RANK})[\W_]{{0,3}}of[\W_]{{0,3}}(clubs|diamonds|hearts|spades)"
)
_SYMBOL: Final = re.compile(rf"(?=({_ANY_RANK})\s*([{_ANY_SYMBOL}]))")
_SYMBOL_FIRST: Final = re.compile(rf"([{_ANY_SYMBOL}])\s*(?=({_ANY_RANK}))")


def cards_named(text: str) -> set[str]:
    """Return the codes of all cards in a string.

    The string may contain codes, words or symbols.
    """
    named: set[str] = set()
    plain = html.unescape(text)
    for form in {text, plain, re.sub(r"<[^>]*>", "", plain)}:
        named.update(_CODE.findall(form))
        named.update(card for sign, card in ONE_CHARACTER.items() if sign in form)
        low = re.sub("[\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}]", "", form.lower())
        for rank, suit in (*_WORDS.findall(low), *_SYMBOL.findall(low)):
            named.add(_RANK_OF[rank] + _SUIT_OF[suit])
        named.update(_RANK_OF[rank] + _SUIT_OF[suit] for suit, rank in _SYMBOL_FIRST.findall(low))
    return named


def said_by(answer: "TestResponse") -> str:
    """Return all text of a response: its URL, its headers and its body."""
    head = "\n".join(f"{name}: {value}" for name, value in answer.headers)
    return f"{answer.request.path}\n{head}\n{answer.text}"
