"""Checks requirements with recorded scenarios of a program.

A scenario plays a program once, in its own process, and records everything that can be observed.
Events are computed from the recordings, without running a student's code. An event states that an
observation is correct, that it is wrong, or that nothing could be observed.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from course.grading.trial import OWN_FAULT, PLACE, Outcome, Trial

LOG: Final = logging.getLogger(__name__)

MAX_UNFINISHED: Final = 3
"""Maximum number of unfinished scenarios of a program, after which no more are recorded."""


class Event(NamedTuple):
    """An event derived from the observations in a recording."""

    name: str
    blames: tuple[str, ...]
    """The requirements that may not be met if the observation is wrong, likeliest first."""
    is_right: bool | None
    """Whether the observation is correct, or None if no observation was possible."""
    expected: str = ""
    got: str = ""
    """The observation, or the reason why nothing was observed."""
    called: tuple[str, ...] = ()
    """The player's actions up to this event."""
    cause: str = ""
    """The error of the student's code that caused the event, including the line."""
    note: str = ""
    """A note about accepted differences from our solution."""


class Recording(NamedTuple):
    """The recording of one scenario."""

    moments: list[Any]
    """The observations after each step, in the sheet's own format."""
    outcome: Outcome
    """The outcome. A program that did not start or did not end has not passed."""


class NotStarted(Exception):
    """An error raised when a program did not start and nothing could be observed."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.got or outcome.problem)
        self.outcome = outcome


Scenario = Callable[[Trial, list[Any]], None]
"""A function that plays a program, and appends each observation to the list."""


class Recordings:
    """The recordings of one program. Each recording is made when it is first needed."""

    def __init__(self, run: Callable[[Callable[[Trial], None]], Outcome]) -> None:
        """Create an empty store. ``run`` calls a function in a new student process."""
        self._run = run
        self._found: dict[str, Recording] = {}
        self._unfinished = 0
        self.verdicts: dict[str, Outcome] = {}
        """The verdicts, keyed by requirement. The dictionary is empty until they are computed."""

    def record(self, name: str, scenario: Scenario) -> Recording:
        """Return the recording of a scenario. Each scenario is played only once."""
        if name not in self._found:
            moments: list[Any] = []
            if self._unfinished == MAX_UNFINISHED:
                outcome = Outcome(f"not run: {MAX_UNFINISHED} others did not end")
            else:
                outcome = self._run(lambda trial: scenario(trial, moments))
            self._unfinished += bool(outcome.problem)
            self._found[name] = Recording(moments, outcome)
        return self._found[name]


class Recorded(NamedTuple):
    """A check of one requirement that is based on recordings."""

    number: str
    judge: Callable[[Recordings], Mapping[str, Outcome]]
    """A function that returns the verdict on each requirement, keyed by requirement."""

    def outcome(self, recordings: Recordings) -> Outcome:
        """Return the verdict on the requirement."""
        if not recordings.verdicts:
            recordings.verdicts = dict(self.judge(recordings))
        return recordings.verdicts[self.number]


def recorded(
    needs: Mapping[str, Iterable[str]], events: Callable[[Recordings], Iterable[Event]]
) -> dict[str, Recorded]:
    """Return the checks of the requirements that are tested with recordings.

    Args:
        needs: The names of the events that must be observed, keyed by requirement.
        events: Function that yields the events in the recordings.
    """

    def judge(recordings: Recordings) -> Mapping[str, Outcome]:
        try:
            return verdicts(needs, events(recordings))
        except NotStarted as nothing:
            return dict.fromkeys(needs, nothing.outcome)
        except Exception:
            LOG.exception("The grader failed at the events of %s", ", ".join(needs))
            return dict.fromkeys(needs, Outcome(unseen=OWN_FAULT))

    return {number: Recorded(number, judge) for number in needs}


def verdicts(needs: Mapping[str, Iterable[str]], events: Iterable[Event]) -> dict[str, Outcome]:
    """Return the verdict on each requirement.

    One fault must fail only one requirement, so the smallest set of requirements that explains all
    wrong events is blamed. A requirement that is not blamed counts as not observed if its events
    were wrong or missing.
    """
    remaining = [*events]
    charged: dict[str, Event] = {}
    for event in sorted((event for event in remaining if event.is_right is False), key=_order):
        if not _base(event, charged):
            charged[event.blames[0]] = event
    return {
        number: _charge(charged[number])
        if number in charged
        else _seen([*names], remaining, charged)
        for number, names in needs.items()
    }


def _order(event: Event) -> tuple[bool, int]:
    """Return the sort key of an event.

    Errors come first, then the events with the fewest blamed requirements.
    """
    return not event.cause, len(event.blames)


def _base(event: Event, charged: Mapping[str, Event]) -> str:
    """Return the blamed requirement that explains an event, or an empty string.

    Errors at the same line of the student's code are the same fault.
    """
    place = PLACE.search(event.cause)
    for number, other in charged.items():
        same = place and (match := PLACE.search(other.cause)) and match[0] == place[0]
        if number in event.blames or same:
            return number
    return ""


def _charge(event: Event) -> Outcome:
    return Outcome(
        expected=event.expected, got=event.got or "nothing", called=event.called, cause=event.cause
    )


def _seen(names: list[str], events: list[Event], charged: Mapping[str, Event]) -> Outcome:
    """Return the outcome of a requirement that was not blamed.

    The requirement is met if all its events were correct.
    """
    notes: list[str] = []
    for name in names:
        named = [event for event in events if event.name == name]
        wrong = next((event for event in named if event.is_right is False), None)
        if wrong:
            message = f"expected {wrong.expected}, got {wrong.got}"
            return Outcome(unseen=message, because=_base(wrong, charged), called=wrong.called)
        if not any(event.is_right for event in named):
            hidden = next(iter(named), Event(name, (), None))
            stopped = next((number for number, outcome in charged.items() if outcome.cause), "")
            why = hidden.got or f"this did not happen: {name}"
            return Outcome(
                unseen=why, because=_base(hidden, charged) or stopped, called=hidden.called
            )
        notes += [event.note for event in named if event.note]
    return Outcome(notes=tuple(dict.fromkeys(notes)))
