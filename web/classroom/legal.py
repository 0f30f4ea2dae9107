"""Which moves an instructor has now, by their names: as forms, programs and the views know them."""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import accumulate
from typing import Final

from cardgames.cards import DECK_SIZE
from cardgames.class_bingo.clock import INTERVALS
from cardgames.text import Text, plural
from web.classroom import moves, student_moves, words
from web.classroom.model import LIVES
from web.classroom.moves import ClassMove, MakeMove, Options
from web.classroom.state import ClassState, LiveRound
from web.classroom.times import time_text

MOVES: Final[Mapping[str, MakeMove]] = {
    "deal": moves.deal,
    "call": moves.call,
    "auto": moves.auto,
    "pause": moves.pause,
    "go-on": moves.go_on,
    "end": moves.end,
    "void": moves.void,
    "paper": moves.paper,
    "show": moves.show,
    "lock": moves.lock,
    "unlock": moves.unlock,
    "roster": moves.roster,
    "take-back": moves.take_back,
    "prolong": moves.prolong,
    "close": moves.close,
    "forget-names": moves.forget_names,
    "rename": student_moves.rename,
    "remove": student_moves.remove,
    "remove-since": student_moves.remove_since,
    "ban": student_moves.ban,
    "unban": student_moves.unban,
    "rejoin-code": student_moves.new_rejoin_code,
}
"""Every move that writes the class, by its name."""

HAND_ON: Final = "hand-on"
FORGET: Final = "forget"
"""The two that do more than write the class: one makes a link, and one leaves nothing."""

MAX_ARRIVALS: Final = 30
"""Maximum number of minutes that are offered to take back who came since."""

YES_NO: Final[Mapping[str, Text]] = {"N": Text("No"), "Y": Text("Yes")}
SHOWN: Final[Mapping[str, Text]] = {
    "join": Text("Join"),
    "round": Text("Round"),
    "standings": Text("Results"),
    "insight": Text("Insight"),
    "nothing": Text("Nothing"),
}
"""What the big screen can show, as its buttons say it."""


def seconds_text(every: int) -> Text:
    """Say who calls, and how often.

    >>> seconds_text(8), seconds_text(0)
    ('every 8 s', 'I do')
    """
    return Text("every {seconds} s", seconds=every) if every else Text("I do")


def days_text(days: int) -> Text:
    """Say how long a class lives."""
    return plural("{number} day", "{number} days", days)


def available_moves(state: ClassState) -> dict[str, ClassMove]:
    """Return the moves that are possible now, by their names."""
    live = state.open_round
    found: list[ClassMove] = []

    def add(name: str, label: Text, /, **fields: Options) -> None:
        found.append(ClassMove(name, label, fields))

    if live:
        _add_round(live, add)
    elif not state.classroom.closed:
        add(
            "deal",
            Text("Deal"),
            mode={mode.value: label for mode, label in words.MODES.items()},
            speed=YES_NO,
            by_hand=YES_NO,
            every={str(every): seconds_text(every) for every in (0, *INTERVALS)},
        )
    add("show", Text("Show on the big screen"), show=SHOWN)
    if not state.classroom.closed:
        locked = state.classroom.locked
        add("unlock" if locked else "lock", Text("Unlock") if locked else Text("Lock"))
        add("roster", Text("Keep this list"), names=None)
        add("close", Text("Close the class"))
    if state.members:
        add("rename", Text("Rename"), student=None, name=None)
        add("rejoin-code", Text("New rejoin code"), student=None)
        add("remove", Text("Remove"), student=None)
        add("remove-since", Text("Remove"), since=_arrivals(state))
        add("ban", Text("Ban"), student=None)
        add("unban", Text("Unban"), student=None)
    add(HAND_ON, Text("Hand on"))
    if numbers := [str(one.number) for one in state.classroom.dashboards]:
        add("take-back", Text("Take it back"), dashboard={one: one for one in numbers})
    add("prolong", Text("Keep it longer"), days={str(days): days_text(days) for days in LIVES})
    add("forget-names", Text("Forget real names"))
    add(FORGET, Text("Forget the class"))
    return {move.name: move for move in found}


def _arrivals(state: ClassState) -> dict[str, Text]:
    """Return the newest minutes in which students came, with how many came since."""
    counts = Counter(int(member.student.joined) // 60 for member in state.students)
    minutes = sorted(counts, reverse=True)[:MAX_ARRIVALS]
    totals = accumulate(counts[minute] for minute in minutes)
    return {
        str(minute): plural(
            "{time}: one student",
            "{time}: {number} students",
            total,
            time=time_text(minute * 60, state.counters.now),
        )
        for minute, total in zip(minutes, totals, strict=True)
    }


def _add_round(live: LiveRound, add: Callable[..., None]) -> None:
    """Add the moves of a round that is on."""
    if live.phase == "bingo":
        if live.calls < DECK_SIZE:
            add("go-on", Text("Go on"))
        add("end", Text("End the round"))
    else:
        if live.calls < DECK_SIZE:
            number = str(live.calls + 1)
            add("call", Text("Call"), call={number: number})
            add("auto", Text("Let the clock call"), every={str(one): str(one) for one in INTERVALS})
        else:
            add("end", Text("End the round"))
        if live.every:
            add("pause", Text("Pause"))
        add("paper", Text("Bring paper cards into play"), cards=None)
    add("void", Text("Void this round"), reason=None)
