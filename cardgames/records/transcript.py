"""Transcripts: the game so far in the output format of the sheet's program.

Students can compare a transcript with the output of their own program. The transcript is derived
from the records of the rounds. The transcript shows the terminal's text, including the player's
decisions after the prompts. The site does not know the names of a player's files, so it prints
``deck.txt``, or ``bingoDeck.txt`` and ``callingDeck.txt``. Face-down cards stay ``[ xx ]`` or ``[
]``, even in finished rounds.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from cardgames.cards import Cards
from cardgames.games import bingo, twentyone
from cardgames.games.bingo.rules import face_down_positions, is_bingo
from cardgames.games.bingo.words import BEGINNING, CALLING, WHO_WON
from cardgames.games.twentyone.rules import SIMPLE_21, total
from cardgames.games.twentyone.words import DealerMessage
from cardgames.records.record import Record
from cardgames.records.replay import replay
from cardgames.table import Table

MAX_ROUNDS: Final = 50
"""Maximum number of rounds in a transcript before the current round."""

_RULE: Final = "=" * 23
_FILE_21: Final = "Name of file that should be used to populate the deck of cards: "
_HIT_OR_STAY: Final = "Would you like to HIT (H/h) or STAY (S/s)? >> "
_ANOTHER_21: Final = "\nWould you like to play another round (Y/N)? >> "


def simple_21(records: Sequence[Record]) -> str:
    """Return the transcript of a Simple 21 table.

    Args:
        records: Rounds of the table, oldest first; the last one may be open.

    Raises:
        InvalidRecord: If one of the records breaks the rules.
    """
    text = [f"{_RULE}\nWelcome to CARD GAME 21\n{_RULE}\n", _FILE_21]
    for number, record in enumerate(records):
        answers = {"deal": "y" if number else "deck.txt", "hit": "h", "stay": "s"}
        played = zip(record.single_actions(), replay(record).tables[1:], strict=True)
        for action, table in played:
            text.append(f"{answers.get(action.name, '')}\n")
            text += _move_of_21(table.state, table.round)
    if records and records[-1].result:
        text.append("n\n\nThank you for playing. Goodbye...\n")
    return "".join(text)


def _move_of_21(state: twentyone.State, number: int) -> Iterator[str]:
    """Yield the output after a move, up to the next prompt."""
    messages = [event.message for event in state.events]
    dealer = state.dealer[:2] if DealerMessage.REVEAL in messages else state.dealer
    for text in messages:
        if text in (DealerMessage.REVEAL, DealerMessage.DEALER_TAKES):
            dealer = state.dealer[: len(dealer) + (text is DealerMessage.DEALER_TAKES)]
            yield _table_of_21(state, dealer)
        elif text is DealerMessage.PLAYER_TAKES:
            yield _table_of_21(state, dealer)
        else:
            yield _SAID.get(text, "").format(round=number)
    if DealerMessage.DEALING in messages:
        yield _table_of_21(state, dealer)
    yield _ANOTHER_21 if state.winner else _HIT_OR_STAY


_SAID: Final = {
    DealerMessage.DEALING: "\nDealing cards to player and dealer...\n",
    DealerMessage.REFILL: "Repopulating deck with cards...\n",
    DealerMessage.MUST_TAKE: "Dealer must take a card...\n",
    DealerMessage.DEALER_BUST: "Dealer went bust. ",
    DealerMessage.DEALER_21: "Dealer has a natural 21! ",
    DealerMessage.PLAYER_BUST: "Player went bust. Dealer wins round {round}!\n",
    DealerMessage.PLAYER_21: "Player wins round {round} with a NATURAL 21!\n",
    DealerMessage.PLAYER_WINS: "Player wins round {round}!\n",
    DealerMessage.DEALER_WINS: "Dealer wins round {round}!\n",
    DealerMessage.TIE: "Tie! No one wins round {round}!\n",
}
"""The output lines of the program, keyed by the dealer's message. Other messages are not printed.
"""


def _table_of_21(state: twentyone.State, dealer: Cards) -> str:
    dealer_cards = [f"[ {card} ]" for card in dealer]
    if state.hole_down:
        dealer_cards[SIMPLE_21.hole] = "[ xx ]"
    value = "" if state.hole_down else f", value = {total(dealer, SIMPLE_21)}"
    yours = "".join(f"[ {card} ]" for card in state.player)
    return (
        f"Player's hand:{yours}, value = {total(state.player, SIMPLE_21)}\n"
        f"Dealer's hand:{''.join(dealer_cards)}{value}\n"
    )


_STARS: Final = "*" * 30
_FILE_BINGO: Final = "Please enter filename to initialize deck: "
_MODE: Final = "Please select playing mode for this round: (L)ine, (C)orners, (F)ull > "
_SPEED: Final = "Play speed round (i.e. compare card ranks only) (Y/N)? "
_ANOTHER_BINGO: Final = "Play another round (Y/N)? "


def playing_card_bingo(records: Sequence[Record]) -> str:
    """Return the transcript of a Bingo table.

    Args:
        records: Rounds of the table, oldest first; the last one may be open.

    Raises:
        InvalidRecord: If one of the records breaks the rules.
    """
    text = [
        f"{_STARS}\nWelcome to Playing Card Bingo!\n{_STARS}\n",
        f"Creating bingo deck...\n{_FILE_BINGO}",
    ]
    for number, record in enumerate(records):
        text.append("y\n" if number else _BINGO_FILES)
        text += _round_of_bingo(replay(record).last)
    if records and records[-1].result:
        text.append("n\nThank you for playing. Goodbye.\n")
    return "".join(text)


_BINGO_FILES: Final = f"bingoDeck.txt\nCreating calling deck...\n{_FILE_BINGO}callingDeck.txt\n"
"""The player's input for the first deck, and the prompt for the second deck."""


def _round_of_bingo(table: Table) -> Iterator[str]:
    """Yield the output of a round, up to the last call."""
    state: bingo.State = table.state
    yield f"{_MODE}{state.mode}\n{_SPEED}{'Y' if state.speed else 'N'}\n"
    yield f"\n{BEGINNING.format(round=table.round)}\n"
    # The positions are computed once instead of at every call.
    turned = [face_down_positions(grid, state.called, speed=state.speed) for grid in state.grids]
    yield _table_of_bingo(state, turned, 0)
    for calls, card in enumerate(state.called, start=1):
        yield f"{'-' * 24}\n{CALLING.format(card=card)}\n"
        yield _table_of_bingo(state, turned, calls)
    if won := state.winner():
        yield f"{WHO_WON[won].format(round=table.round)}\n{_ANOTHER_BINGO}"


def _table_of_bingo(state: bingo.State, turned: Sequence[Mapping[int, int]], calls: int) -> str:
    """Return both grids after the given number of calls."""
    down = [{place for place, call in grid.items() if call <= calls} for grid in turned]
    return "".join(
        f"Player {player}:\n{_grid(grid, places, state)}"
        for player, grid, places in zip("AB", state.grids, down, strict=True)
    )


def _grid(grid: Cards, down: AbstractSet[int], state: bingo.State) -> str:
    """Return five rows of five six-character fields, and the line below (S4-34)."""
    fields = [" [ ]  " if place in down else f"[ {card} ]" for place, card in enumerate(grid)]
    rows = ["".join(fields[start : start + 5]) for start in range(0, len(fields), 5)]
    shout = "BINGO!".center(30) if is_bingo(down, state.mode) else ""
    return "\n".join((*rows, shout, ""))


TRANSCRIPTS: Final[dict[str, Callable[[Sequence[Record]], str]]] = {
    "simple-21": simple_21,
    "bingo": playing_card_bingo,
}
"""The transcript functions, keyed by the table's slug."""
