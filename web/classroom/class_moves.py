"""What an instructor can do about a class and its students, and all moves that are possible now."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import Final

from cardgames.text import Text, plural
from web.classroom import words
from web.classroom.answers import NotAllowed, require, time_text
from web.classroom.joining import came_since, forget, taken_keys, with_state
from web.classroom.model import LIVES, MAX_DASHBOARDS, Change, Classroom, Dashboard
from web.classroom.moves import MAX_REASON, ClassMove, MoveRequest, Options, ended, round_moves
from web.classroom.nicknames import checked_nickname, is_offered, name_key, offers
from web.classroom.state import ClassState

MAX_ARRIVALS: Final = 30
"""Maximum number of minutes that are offered to take back who came since."""

MAX_ROSTER: Final = 1_000
"""Maximum number of names in a pasted list."""

MAX_ROSTER_TEXT: Final = MAX_ROSTER * (MAX_REASON + 2)
"""Maximum number of characters of such a list, a name a line."""

SHOWN: Final[Mapping[str, Text]] = {
    "join": Text("Join"),
    "round": Text("Round"),
    "standings": Text("Results"),
    "insight": Text("Insight"),
    "nothing": Text("Nothing"),
}
"""What the big screen can show, as its buttons say it."""

_DAY: Final = 86_400
_MAX_MINUTE: Final = 10**9 - 1


def available_moves(state: ClassState) -> Iterator[ClassMove]:
    """Yield all moves that are possible now."""
    yield from round_moves(state)
    classroom = state.classroom
    yield ClassMove("show", Text("Show on the big screen"), {"show": SHOWN}, show)
    if not classroom.closed:
        if classroom.locked:
            yield ClassMove("unlock", Text("Unlock"), {}, partial(set_locked, locked=False))
        else:
            yield ClassMove("lock", Text("Lock"), {}, partial(set_locked, locked=True))
        yield ClassMove("roster", Text("Save this list"), {"names": None}, save_roster)
        yield ClassMove("close", Text("Close the class"), {}, close)
    yield ClassMove("hand-on", Text("Hand on"))
    if numbers := [str(dashboard.number) for dashboard in classroom.dashboards]:
        own: Options = dict(zip(numbers, numbers, strict=True))
        yield ClassMove("take-back", Text("Take it back"), {"dashboard": own}, take_back)
    lives: Options = {str(days): plural("{number} day", "{number} days", days) for days in LIVES}
    yield ClassMove("prolong", Text("Keep it longer"), {"days": lives}, prolong)
    yield ClassMove("forget-names", Text("Forget real names"), {}, forget_names)
    yield ClassMove("forget", Text("Forget the class"))
    if state.members:
        one = {"student": None}
        since: Options = arrivals(state)
        yield ClassMove("rename", Text("Rename"), {**one, "name": None}, rename)
        yield ClassMove("rejoin-code", Text("New rejoin code"), one, new_rejoin_code)
        yield ClassMove("remove", Text("Remove"), one, remove)
        yield ClassMove("remove-since", Text("Remove"), {"since": since}, remove_since)
        yield ClassMove("ban", Text("Ban"), one, ban)
        yield ClassMove("unban", Text("Unban"), one, unban)


# ---- The class ----------------------------------------------------------------------------------


def show(request: MoveRequest) -> Change:
    """Choose what the big screen shows."""
    return request.with_classroom(Change(), show=request.choice("show", tuple(SHOWN)))


def set_locked(request: MoveRequest, *, locked: bool) -> Change:
    """Let nobody new in, or let newcomers in again."""
    return request.with_classroom(Change(), locked=locked)


def save_roster(request: MoveRequest) -> Change:
    """Keep the list of those who should come, a name a line."""
    lines = request.fields.get("names", "").splitlines()
    names = tuple(name for line in lines if (name := " ".join(line.split())[:MAX_REASON]))
    require(all(name.isprintable() for name in names) and len(names) <= MAX_ROSTER)
    return request.with_classroom(Change(roster=names))


def close(request: MoveRequest) -> Change:
    """End the class: nobody joins any more, and nothing is dealt."""
    change, data = Change(), request.state.classroom.round
    if request.state.open_round:
        change, data = ended(request, void=True)
    return request.with_classroom(change, round=data, closed=True, locked=True, show="nothing")


def prolong(request: MoveRequest) -> Change:
    """Choose anew how long the class lives."""
    days = int(request.choice("days", LIVES))
    return request.with_classroom(Change(expires=int(request.now) + days * _DAY), days=days)


def forget_names(request: MoveRequest) -> Change:
    """Forget all real names; the results stay, under nicknames."""
    return request.with_classroom(Change(forget_names=True))


def hand_on(request: MoveRequest, link: str) -> Change:
    """List a dashboard that is handed on by a link, with the hash of that."""
    classroom = request.state.classroom
    kept = classroom.handed_on(request.now)
    require(len(kept) < MAX_DASHBOARDS, words.TOO_MANY_DASHBOARDS)
    made = Dashboard(next_dashboard(classroom), request.now, link)
    return request.with_classroom(Change(), dashboards=(*kept, made))


def take_back(request: MoveRequest) -> Change:
    """Take a dashboard back that was handed on, or its link before anybody has used it."""
    classroom = request.state.classroom
    number = request.number("dashboard", 1, next_dashboard(classroom))
    kept = tuple(dashboard for dashboard in classroom.dashboards if dashboard.number != number)
    require(len(kept) < len(classroom.dashboards))
    return request.with_classroom(Change(), dashboards=kept)


def next_dashboard(classroom: Classroom) -> int:
    """Return the number of the next dashboard of a class that is handed on."""
    return 1 + max((dashboard.number for dashboard in classroom.dashboards), default=0)


# ---- Students ------------------------------------------------------------------------------------


def arrivals(state: ClassState) -> dict[str, Text]:
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


def new_nickname(state: ClassState, language: str) -> str:
    """Return a nickname by chance that nobody has."""
    return offers(language, taken_keys(state))[0]


def rename(request: MoveRequest) -> Change:
    """Give a student another nickname; without one, a nickname that is offered."""
    member = request.member
    others = taken_keys(request.state) - {name_key(member.student.name)}
    sent = request.fields.get("name", "").strip()
    name = checked_nickname(sent or new_nickname(request.state, request.language))
    if name_key(name) in others:
        raise NotAllowed(words.TAKEN_NAME.fill(name=name))
    renamed = member.changed(name=name, offered=is_offered(name), renamed=request.now)
    return request.with_classroom(Change(students=(renamed,)))


def new_rejoin_code(request: MoveRequest) -> Change:
    """Give a student a new rejoin code; the old one is no longer good."""
    member = request.member
    generation = member.student.generation + 1
    after = member.changed(generation=generation, wrong_codes=())
    return request.with_classroom(Change(students=(after,)))


def remove(request: MoveRequest) -> Change:
    """Take a student out of the class; they may sit down again."""
    return request.with_classroom(forget(request.state, request.member))


def remove_since(request: MoveRequest) -> Change:
    """Take everybody out of the class who came since a minute; they may sit down again."""
    gone = came_since(request.state, request.number("since", 0, _MAX_MINUTE))
    require(bool(gone))
    return request.with_classroom(forget(request.state, *gone))


def ban(request: MoveRequest) -> Change:
    """Take a student out of the class, whose browsers may not join again."""
    member = request.member
    require(member.student.state != "banned")
    return request.with_classroom(with_state(request.state, member, "banned"))


def unban(request: MoveRequest) -> Change:
    """Let a banned student back to their place; they step in themselves."""
    member = request.member
    require(member.student.state == "banned")
    return request.with_classroom(with_state(request.state, member, "out"))
