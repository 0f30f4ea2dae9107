"""The five sheets, as far as a grader must know them: files, programs, and what they forbid."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

SOLUTIONS: Final = Path(__file__).parents[1] / "sheets"
"""The sheets, a folder each. The folder may be deleted; then nothing can be graded."""


class Sheet(NamedTuple):
    """One assignment sheet."""

    slug: str
    title: str
    folder: str
    """Where all of it lies, below ``SOLUTIONS``."""
    files: tuple[str, ...]
    """What is handed in; empty where the sheet names no file, and there is one program."""
    given: tuple[str, ...] = ()
    """What the course gives and nobody hands in, below ``SOLUTIONS``, in order of importing."""
    interfaces: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    """The public names of each class, by file and class, with blanks between them."""
    imports: tuple[str, ...] | None = None
    """The modules that may be imported; None where the sheet says nothing about it."""
    private: bool = False
    """Whether attributes must be private."""
    program: str = ""
    """The file that is played, if the sheet has one and names it, or ours."""
    tests: str = ""
    """The file that is handed in and only tests the others."""
    forbids_globals: bool = False
    forbids_jumps: bool = False
    """Whether the sheet forbids ``break`` and ``continue``."""

    @property
    def solution_files(self) -> tuple[str, ...]:
        """The files of our solution, of a name of ours where the sheet names none."""
        return self.files or ("blackjack.py",)

    @property
    def solution(self) -> Path:
        """The folder of our solution."""
        return SOLUTIONS / self.folder / "solution"

    @property
    def own_probes(self) -> str:
        """What its checks use in the student's process, beside what all sheets' checks do."""
        file = SOLUTIONS / self.folder / "probes.py"
        return file.read_text(encoding="utf-8") if file.is_file() else ""


SHEETS: Final = {
    sheet.slug: sheet
    for sheet in (
        Sheet(
            "simple-21",
            "Simple 21",
            "simple21",
            ("playingCards.py", "simple21.py", "assignment2.py"),
            given=("simple21/solution/queues.py",),
            program="assignment2.py",
            interfaces={
                "playingCards.py": {
                    "Card": "getRank getSuit getValue isFaceUp turnOver",
                    "Deck": "deal repopulate",
                    "EmptyDeckException": "",
                },
                "simple21.py": {
                    "Player": "addToHand clearHand getHandValue revealAllCards",
                    "Table": "dealHands playerHit dealerHit playerNatural whoWon clearTable",
                },
            },
            private=True,
        ),
        Sheet(
            "blackjack",
            "Blackjack, the mini-project",
            "blackjack",
            (),
            given=(
                "blackjack/solution/python2.py",
                "blackjack/solution/simplegui_canvas.py",
                "blackjack/solution/simplegui.py",
                "blackjack/solution/codeskulptor.py",
            ),
            interfaces={
                "": {
                    "Card": "get_suit get_rank draw",
                    "Hand": "add_card get_value draw",
                    "Deck": "shuffle deal_card",
                }
            },
        ),
        Sheet(
            "one-deck",
            "One-deck Blackjack",
            "one_deck",
            ("proj09.py",),
            given=("one_deck/solution/cards.py",),
            program="proj09.py",
            forbids_globals=True,
        ),
        Sheet(
            "war",
            "War",
            "war",
            ("war.py",),
            interfaces={
                "war.py": {
                    "Card": "rank suit suit_str rank_str",
                    "Hand": "receive_cards receive_card shuffle give_card give_cards num_cards",
                    "Deck": "build_deck",
                    "Player": "",
                    "Game": "deal turn play play_n_times",
                }
            },
        ),
        Sheet(
            "bingo",
            "Playing-card Bingo",
            "bingo",
            ("playingCards.py", "bingo.py", "bingoTests.py"),
            given=("simple21/solution/queues.py",),
            interfaces={
                "playingCards.py": {
                    "Card": "getRank getSuit isFaceUp turnOver",
                    "Deck": "addCard dealCard deckSize isComplete",
                },
                "bingo.py": {
                    "Bingo": "populate search isBingo clear",
                    "Table": "populateDeck dealBingo displayTable callCard updateTable clearTable "
                    "resetDecks isWinner whoWon",
                },
            },
            program="bingo.py",
            tests="bingoTests.py",
            imports=("random", "queues", "playingCards", "bingo"),
            private=True,
            forbids_jumps=True,
        ),
    )
}
"""The sheets, by the slugs of their games."""
