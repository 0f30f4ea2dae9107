"""The game so far as the sheet's terminal program prints it, to hold one's own program against.

It is what that program prints when its answers come from a file: the prompts stand without the
answers and without the line ends that a player types. Cards face down stay ``[ xx ]`` or ``[ ]``,
also in rounds that are over.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from cardgames import bingo, twentyone
from cardgames.cards import Card, Cards, unpacked
from cardgames.game import Phase
from cardgames.twentyone import SIMPLE_21, TARGET, Mark, compared, dealer_draws, total

_RULE: Final = "=" * 23
_HIT_OR_STAY: Final = "Would you like to HIT (H/h) or STAY (S/s)? >> "
_ANOTHER_21: Final = "\nWould you like to play another round (Y/N)? >> "
_DEALT: Final = 4
"""How many cards are dealt before the first question."""

_WINS: Final = {
    twentyone.Winner.PLAYER: "Player wins",
    twentyone.Winner.DEALER: "Dealer wins",
    twentyone.Winner.TIE: "Tie! No one wins",
}


def simple_21(state: twentyone.State) -> str:
    """Return the transcript of a Simple 21 table, the last 50 rounds before this one at most."""
    text = [
        f"{_RULE}\nWelcome to CARD GAME 21\n{_RULE}\n",
        "Name of file that should be used to populate the deck of cards: ",
    ]
    if state.record:
        rounds = (*state.played, state.record)
        for number, record in enumerate(rounds, start=state.round - len(state.played)):
            text += _round_of_21(record, number)
    if state.phase is Phase.ROUND_OVER:
        text.append("\nThank you for playing. Goodbye...\n")
    return "".join(text)


def _round_of_21(record: str, number: int) -> Iterator[str]:
    """Yield what is printed in a round, up to the question that is open."""
    marks = iter(record)
    yield "\nDealing cards to player and dealer...\n"
    dealt: list[Card] = []
    while len(dealt) < _DEALT:
        yield from _drawn(marks, dealt)
    player, dealer = dealt[::2], dealt[1::2]
    yield _table_of_21(player, dealer, hidden=True)
    yield _HIT_OR_STAY
    for mark in marks:
        if mark == Mark.STAY:
            break
        yield from _drawn(marks, player)
        yield _table_of_21(player, dealer, hidden=True)
        if total(player, SIMPLE_21) > TARGET:
            yield f"Player went bust. Dealer wins round {number}!\n{_ANOTHER_21}"
            return
        yield _HIT_OR_STAY
    else:
        return
    if total(player, SIMPLE_21) == TARGET:
        yield f"Player wins round {number} with a NATURAL 21!\n{_ANOTHER_21}"
        return
    yield _table_of_21(player, dealer, hidden=False)
    while dealer_draws(dealer, SIMPLE_21):
        yield "Dealer must take a card...\n"
        yield from _drawn(marks, dealer)
        yield _table_of_21(player, dealer, hidden=False)
    theirs = total(dealer, SIMPLE_21)
    if theirs > TARGET:
        yield "Dealer went bust. "
    elif theirs == TARGET:
        yield "Dealer has a natural 21! "
    yield f"{_WINS[compared(player, dealer, SIMPLE_21)]} round {number}!\n{_ANOTHER_21}"


def _drawn(marks: Iterator[str], hand: list[Card]) -> Iterator[str]:
    """Add the next card to a hand, and yield what is said if the deck is refilled for it."""
    mark = next(marks)
    if mark == Mark.REFILL:
        yield "Repopulating deck with cards...\n"
        mark = next(marks)
    hand += unpacked(mark)


def _table_of_21(player: list[Card], dealer: list[Card], *, hidden: bool) -> str:
    theirs = [f"[ {card} ]" for card in dealer]
    if hidden:
        theirs[SIMPLE_21.hole] = "[ xx ]"
    value = "" if hidden else f", value = {total(dealer, SIMPLE_21)}"
    yours = "".join(f"[ {card} ]" for card in player)
    return (
        f"Player's hand:{yours}, value = {total(player, SIMPLE_21)}\n"
        f"Dealer's hand:{''.join(theirs)}{value}\n"
    )


_STARS: Final = "*" * 30
_ANOTHER_BINGO: Final = "Play another round (Y/N)? "


def playing_card_bingo(state: bingo.State) -> str:
    """Return the transcript of a Bingo table, the last 50 rounds before this one at most."""
    file = "Please enter filename to initialize deck: "
    text = [
        f"{_STARS}\nWelcome to Playing Card Bingo!\n{_STARS}\n",
        f"Creating bingo deck...\n{file}Creating calling deck...\n{file}",
    ]
    if state.round:
        first = state.round - len(state.played)
        for number, record in enumerate(state.played, start=first):
            text += _round_of_bingo(bingo.replayed(record, number))
        text += _round_of_bingo(state)
    if bingo.winner(state):
        text.append("Thank you for playing. Goodbye.\n")
    return "".join(text)


def _round_of_bingo(state: bingo.State) -> Iterator[str]:
    """Yield what is printed in a round, up to the last call."""
    yield "Please select playing mode for this round: (L)ine, (C)orners, (F)ull > "
    yield "Play speed round (i.e. compare card ranks only) (Y/N)? "
    yield f"\n{bingo.BEGINNING.format(round=state.round)}\n"
    yield _table_of_bingo(state, ())
    for calls, card in enumerate(state.called, start=1):
        yield f"{'-' * 24}\n{bingo.CALLING.format(card=card)}\n"
        yield _table_of_bingo(state, state.called[:calls])
    if won := bingo.winner(state):
        yield f"{bingo.RESULTS[won].format(round=state.round)}\n{_ANOTHER_BINGO}"


def _table_of_bingo(state: bingo.State, called: Cards) -> str:
    grids = bingo.dealt(state.bingo_deck)[:2]
    return "".join(
        f"Player {player}:\n{_grid(state, grid, called)}"
        for player, grid in zip("AB", grids, strict=True)
    )


def _grid(state: bingo.State, grid: Cards, called: Cards) -> str:
    """Return five rows of five fields, six wide, and the line under them (S4-34)."""
    down = bingo.covered(grid, called, speed=state.speed)
    fields = [
        ("[ ]" if place in down else f"[ {card} ]").center(6) for place, card in enumerate(grid)
    ]
    rows = ["".join(fields[start : start + 5]) for start in range(0, len(fields), 5)]
    shout = "BINGO!".center(30) if bingo.is_bingo(down, state.mode) else ""
    return "\n".join((*rows, shout, ""))


TRANSCRIPTS: Final[dict[str, Callable[[Any], str]]] = {
    "simple-21": simple_21,
    "bingo": playing_card_bingo,
}
"""The tables whose sheet has a transcript, by slug."""
