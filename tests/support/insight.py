"""Students of a class at the tables, who make the best play except for one habit."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import count
from typing import Final

from cardgames import GAMES
from cardgames.advice import Advisor, Situation
from cardgames.cards import FULL_DECK
from cardgames.game import AnyGame
from cardgames.games.twentyone import BLACKJACK
from cardgames.odds import odds
from cardgames.records.record import Record
from cardgames.table import Phase, Table
from tests.support.classroom import Room
from web import db
from web.classroom.insight.queries import note_round

STRONG: Final = "789TJQKA"
"""The ranks of upcards against which a student hits a stiff hand."""

Habit = Callable[[Situation], str]
"""The student's move in a situation, or None for the best play."""


def advisor(game: AnyGame) -> Advisor:
    assert game.advisor
    return game.advisor


def best_play(_: Situation) -> str:
    """Make no mistake."""
    return ""


def is_stiff(one: Situation) -> bool:
    return not one.soft and 12 <= one.total <= 16


HABITS: Final[dict[str, Habit]] = {
    "hits-hard-17": lambda one: "hit" if one.total >= 17 and not one.soft else "",
    "stops-strong": lambda one: "stay" if is_stiff(one) and one.upcard[0] in STRONG else "",
    "never-hits-soft-17": lambda one: "stay" if one.soft and one.total <= 17 else "",
    "stops-safe": lambda one: "stay" if not one.soft and one.total < 12 else "",
    "everything": lambda one: "stay" if is_stiff(one) else "",
}


class Student:
    """A player with at most one habit at Blackjack.

    The habit's cost is computed from the odds.
    """

    def __init__(self, habit: str = "") -> None:
        self.habit, self.lost, self.times, self.decisions = habit, 0.0, 0, 0
        self.against: set[bool] = set()
        """The kinds of upcards against which the habit cost points: True for strong upcards."""

    def __call__(self, situation: Situation) -> str:
        self.decisions += 1
        chosen = HABITS[self.habit](situation) if self.habit else ""
        if chosen:
            hand, upcard = situation.hand, situation.upcard
            # At Blackjack every round has a new deck.
            found = odds(BLACKJACK, hand, upcard, {*FULL_DECK} - {*hand, upcard})
            price = max(found.hit.ev, found.stay.ev) - getattr(found, chosen).ev
            if price > 1e-12:
                self.lost += price
                self.times += 1
                self.against.add(situation.upcard[0] in STRONG)
        return chosen


def points(hand: Iterable[str]) -> str:
    """Return the values of a hand's cards as a string, aces first: "A7", "6T"."""
    counted = ("T" if card[0] in "TJQK" else card[0] for card in hand)
    return "".join(sorted(counted, key="A23456789T".index))


def salts_for(slug: str, hand: str, upcard: str) -> Iterator[str]:
    """Yield salts for which the first deal is the given hand against the given upcard."""
    game = GAMES[slug]
    for number in count():
        salt = f"{number:032x}"
        table = Table(game).play("deal", {}, partial(str, salt)).table
        if table.phase is not Phase.PLAYING:
            continue
        dealt = advisor(game).situation(table.state)
        if points(dealt.hand) == hand and points([dealt.upcard]) == upcard:
            yield salt


@cache
def played(slug: str, salt: str, habit: Habit = best_play) -> Record:
    """Return a student's round at a new table.

    A habit that is a function always makes the same moves, so its rounds are played only once.
    """
    game = GAMES[slug]
    table, records = Table(game).play("deal", {}, lambda: salt)
    while not records:
        chosen = habit(advisor(game).situation(table.state))
        move = chosen or advisor(game).odds(table.state).best
        table, records = table.play(move, {}, lambda: salt)
    return records[0]


def put_by(room: Room, student: int, *records: Record, at: float = 0) -> None:
    """Record rounds of a student, as the site does when a move ends a round.

    Args:
        room: The class.
        student: Number of the student.
        *records: The rounds.
        at: Time at which the rounds ended, by default the current time.
    """
    with room.app.app_context():
        note(room.code, student, records, at)


def note(code: str, student: int, records: Iterable[Record], at: float = 0) -> None:
    """Record rounds of a student in the current app's database."""
    for record in records:
        note_round([(code, student)], record, at or db.now())
    db.commit()
