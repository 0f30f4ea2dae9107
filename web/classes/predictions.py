"""What a class predicts: how many turns a game of War takes, or calls a BINGO!

A prediction is a vote whose answer is a number.
"""

from functools import lru_cache, partial
from typing import Any, ClassVar, Final

import msgspec

from cardgames import GAMES
from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.card import Kind
from cardgames.games.bingo.rules import Mode
from cardgames.games.war import View
from cardgames.games.war.rules import MAX_TURNS
from cardgames.moves import Action
from cardgames.shuffling import SaltedRandom
from cardgames.table import Table
from cardgames.text import Text, plural
from web.classes import words

TICK_TURNS: Final = 5
"""Number of turns at each tick of the clock, one in a second: half of the games take 87 seconds."""

_STRIDE: Final = 100


class BingoCalls(msgspec.Struct, frozen=True, array_like=True, tag="bingo"):
    """How many calls does the next round of a kind take to its first BINGO!?"""

    kind: ClassVar[str] = "bingo"
    numbers: ClassVar[range] = range(1, DECK_SIZE + 1)
    choices: ClassVar[dict[str, str]] = {}
    mode: Mode
    speed: bool
    cards: int
    """How many cards are expected in play."""

    round: int
    """The number from which on a round of this kind is the one that is meant."""

    number: int = 0
    """How many calls it took, once that is shown."""

    @property
    def asked(self) -> Kind:
        """What kind of round is meant."""
        return Kind(self.mode, self.speed)

    @property
    def right(self) -> str:
        """What came out."""
        return str(self.number)

    @property
    def title(self) -> str:
        """Where it comes from: the game."""
        return GAMES[self.kind].info.title

    @property
    def text(self) -> Text:
        """The question in short."""
        return Text("How many calls until the first BINGO!?")

    @property
    def round_text(self) -> Text:
        """Which round is meant."""
        return plural(
            "The next round: {kind}, with {number} card in play.",
            "The next round: {kind}, with {number} cards in play.",
            self.cards,
            kind=words.kind_text(self.asked, words.PATTERNS),
        )

    @property
    def why(self) -> Text:
        """What came out, in a sentence."""
        return Text("The first BINGO! came with call {number}.", number=self.number)

    def document(self) -> dict[str, Any]:
        """Return it as JSON, without what comes out."""
        return {"game": self.kind, "mode": self.mode, "speed": self.speed, "cards": self.cards}

    def solution(self) -> dict[str, Any]:
        """Return what came out as JSON."""
        return {"number": self.number}


class WarGame(msgspec.Struct, frozen=True, array_like=True, tag="war"):
    """Who wins a game of War, and after how many turns? Nobody is shown more than was turned."""

    kind: ClassVar[str] = "war"
    numbers: ClassVar[range] = range(1, MAX_TURNS + 1)
    choices: ClassVar[dict[str, str]] = {"a": "Mona", "b": "Otto"}
    salt: str
    """What the deck and all shuffles follow from."""

    number: int
    """How many turns it takes."""

    right: str
    """Who wins: one of the choices."""

    run: int
    """The number of the lab's run beside which the guesses are drawn."""

    turned: int = 0
    """How many turns were shown when the clock was last set."""

    @classmethod
    def dealt(cls, salt: str, run: int) -> "WarGame":
        """Return the game that follows from a salt."""
        over = played_on(war_table(salt, 0), salt, MAX_TURNS)
        winner = over.result.winner if over.result else ""
        right = next(name for name, player in cls.choices.items() if player == winner)
        return cls(salt, over.shown().turn, right, run)

    def after(self, turns: int) -> "WarGame":
        """Return it with more turns shown, up to its end."""
        return msgspec.structs.replace(self, turned=min(self.number, self.turned + turns))

    @property
    def view(self) -> View:
        """What everybody may see of it: the last turn that is shown, and the sizes of hands."""
        shown: View = war_table(self.salt, self.turned).shown()
        return shown

    @property
    def title(self) -> str:
        """Where it comes from: the game."""
        return GAMES[self.kind].info.title

    @property
    def text(self) -> Text:
        """The question in short."""
        return Text("Who wins, and after how many turns?")

    @property
    def why(self) -> Text:
        """What came out, after who has won."""
        return plural("wins after {number} turn.", "wins after {number} turns.", self.number)

    def document(self) -> dict[str, Any]:
        """Return it as JSON, without what comes out."""
        return {"game": self.kind}

    def solution(self) -> dict[str, Any]:
        """Return what came out as JSON."""
        return {"number": self.number}


Prediction = BingoCalls | WarGame


@lru_cache(64)  # a turn takes 50 µs, and a class asks for the same one again and again
def war_table(salt: str, turns: int) -> Table:
    """Return a game of War after a number of turns, which it has.

    It is played on from the last hundred: the turns of a whole game would take 30 ms each second.
    """
    if not turns:
        names = {"players": "2", "names": ",".join(WarGame.choices.values())}
        return Table(GAMES[WarGame.kind]).play("deal", names, lambda: salt).table
    start = (turns - 1) // _STRIDE * _STRIDE
    return played_on(war_table(salt, start), salt, turns - start)


def played_on(table: Table, salt: str, turns: int) -> Table:
    """Return a game of War some turns later, or when it is over."""
    return table.after(Action("turn", times=turns), partial(SaltedRandom, lambda: salt)).table
