"""Texts of a class that are chosen in code, not in templates."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from cardgames.cards import Card
from cardgames.class_bingo.card import BingoCard, Kind
from cardgames.class_bingo.results import Claim
from cardgames.games.bingo.rules import LINES, SIDE, Mode, Pattern
from cardgames.text import Text, comma_join

STALE: Final = Text("That page was out of date. This is the class now.")
NOT_NOW: Final = Text("That move is not possible now.")
BAD_FIELD: Final = Text("{name} must be one of {values}.")
BAD_NUMBER: Final = Text("The field {name} takes a number from {least} to {most}.")
NO_CALLING: Final = Text("BINGO! No cards are called now.")
ALL_CALLED: Final = Text("All 52 cards have been called.")
PAPER_TOO_LATE: Final = Text(
    "Card {number} already has BINGO! Bring paper cards into play before the first call."
)
ROUND_IS_ON: Final = Text("A round of Bingo is in progress. End that round first.")
FULL: Final = Text("This class is full. Ask your instructor to make room for you.")
NOT_YOURS: Final = Text(
    "This browser cannot open the dashboard of this class. Ask someone with access to share the "
    "dashboard with you."
)
NO_COOKIES: Final = Text(
    "Your browser stores no cookies, so it cannot join a class. Allow cookies for this site, open "
    "this page again, and join then."
)
JOIN_FIRST: Final = Text("Join this class first.")
BANNED: Final = Text("You cannot join this class.")
TAKEN: Final = Text("{name} was just taken. Here are six others.")
TOO_MANY_DASHBOARDS: Final = Text(
    "This class has {most} shared dashboards. Revoke all shares first."
)
NO_TITLE: Final = Text("A class has a title of 1 to {most} characters, all of them visible.")
REAL_NEEDED: Final = Text("Your instructor asks for your real name.")
SIGN_ON_FIRST: Final = Text(
    "This class is only for students who have signed on, and this browser has not. Ask your "
    "instructor for the link to the sign-on."
)
SIGNS_ON: Final = Text("This class has no rejoin codes. Join with your sign-on.")
NO_REJOIN: Final = Text(
    "That nickname and that rejoin code do not belong together. Your instructor can give you a "
    "new code."
)
CODE_BLOCKED: Final = Text(
    "Too many wrong rejoin codes were sent for {name}. Your instructor can give you a new code."
)
TOO_MANY_BROWSERS: Final = Text("You are already in this class with {most} browsers.")
NO_SUCH_CODE: Final = Text("No class has the code {code}. Check the code on the big screen.")
NO_ROUND: Final = Text("No round is in progress yet.")
NO_PLACE: Final = Text("A card has the positions 0 to 24, and the centre is free.")
NOT_YET: Final = Text("Not yet. Your nearest line still needs {cards}.")
NOT_YET_CORNERS: Final = Text("Not yet. Your corners still need {cards}.")
NOT_YET_FULL: Final = Text("Not yet. Your card still needs {cards}.")
RIGHT: Final = Text("BINGO!")
HAD_IT_SINCE: Final = Text("BINGO! You have had it since call {call}.")

MODES: Final = {
    Mode.LINE: Text("Line"),
    Mode.CORNERS: Text("Four corners"),
    Mode.FULL: Text("Full card"),
}
"""The BINGO! modes, as choices in a form."""

PATTERNS: Final = {
    Mode.LINE: Text("a line"),
    Mode.CORNERS: Text("four corners"),
    Mode.FULL: Text("a full card"),
}
"""The patterns of a BINGO!, as parts of a sentence."""

_STRAIGHT: Final = (
    (Text("row {number}"), Text("Row {number}")),
    (Text("column {number}"), Text("Column {number}")),
)
_DIAGONALS: Final = (
    (Text("the falling diagonal"), Text("The falling diagonal")),
    (Text("the rising diagonal"), Text("The rising diagonal")),
)
"""The names of the diagonals within a sentence, and at the beginning of a sentence."""

_NAMED: Final = 3
"""Maximum number of cards that a message lists."""


_DAYS: Final = (
    *(Text("Mon {time}"), Text("Tue {time}"), Text("Wed {time}"), Text("Thu {time}")),
    *(Text("Fri {time}"), Text("Sat {time}"), Text("Sun {time}")),
)
_NEAR: Final = 6 * 86_400
"""Maximum distance from now, in seconds, of times that are shown without their date."""

_WEEKDAYS: Final = (
    *(Text("Monday"), Text("Tuesday"), Text("Wednesday"), Text("Thursday")),
    *(Text("Friday"), Text("Saturday"), Text("Sunday")),
)
_MONTHS: Final = (
    *(Text("January"), Text("February"), Text("March"), Text("April")),
    *(Text("May"), Text("June"), Text("July"), Text("August")),
    *(Text("September"), Text("October"), Text("November"), Text("December")),
)


def listed(texts: Sequence[str], most: int | None = None) -> str:
    """Return texts as a list with "and".

    If there are too many texts, the list ends with the number of omitted texts.

    >>> listed(["a", "b", "c"]), listed(["a"]), listed(["a", "b", "c"], 2)
    ('a, b and c', 'a', 'a, b and 1 more')
    """
    if most and len(texts) > most:
        first, number = comma_join(texts[:most]), len(texts) - most
        return Text("{first} and {number} more", first=first, number=number)
    if len(texts) == 1:
        return texts[0]
    return Text("{before} and {last}", before=comma_join(texts[:-1]), last=texts[-1])


def the_card(card: Card, kind: Kind) -> Text:
    """Return a card's name for a sentence.

    In a speed round the name stands for all cards of its rank.

    >>> the_card(Card("9C"), Kind()), the_card(Card("8C"), Kind(speed=True))
    ('the nine of clubs', 'any eight')
    """
    if kind.speed:
        return Text("any {rank}", rank=card.rank.text)
    return Text("the {card}", card=card.full_name)


def kind_text(kind: Kind, modes: Mapping[Mode, Text] = MODES) -> Text:
    """Return the text for a kind of round.

    >>> kind_text(Kind(Mode.FULL, speed=True)), kind_text(Kind(), PATTERNS)
    ('Full card, speed', 'a line')
    """
    mode = modes[kind.mode]
    return Text("{mode}, speed", mode=mode) if kind.speed else mode


def position_text(position: int) -> Text:
    """Return the text for a position.

    >>> position_text(22)
    'row 5, column 3'
    """
    row, column = divmod(position, SIDE)
    return Text("row {row}, column {column}", row=row + 1, column=column + 1)


def pattern_text(pattern: Pattern, mode: Mode, *, first: bool = False) -> Text:
    """Return the name of a pattern.

    >>> pattern_text(LINES[4], Mode.LINE), pattern_text(LINES[11], Mode.LINE, first=True)
    ('row 5', 'The rising diagonal')
    """
    if mode is not Mode.LINE:
        return PATTERNS[mode]
    direction, index = divmod(LINES.index(pattern), SIDE)
    if direction < len(_STRAIGHT):
        return _STRAIGHT[direction][first].fill(number=index + 1)
    return _DIAGONALS[index][first]


def lacking_text(card: BingoCard, lacks: Sequence[int]) -> str:
    """Return the text for the missing cards of the most complete pattern.

    The text contains the names of the first missing cards and the number of the others.
    """
    named = list(dict.fromkeys(the_card(card.grid[position], card.kind) for position in lacks))
    return listed(named, _NAMED if len(named) > _NAMED + 1 else None)


def claim_text(card: BingoCard, claim: Claim) -> Text:
    """Return the message in response to a claim."""
    if not claim.right:
        sentence = {Mode.LINE: NOT_YET, Mode.CORNERS: NOT_YET_CORNERS, Mode.FULL: NOT_YET_FULL}
        cards = lacking_text(card, card.nearest(claim.call)[1])
        return sentence[card.kind.mode].fill(cards=cards)
    return HAD_IT_SINCE.fill(call=claim.since) if claim.since < claim.call else RIGHT


def win_text(card: BingoCard, calls: int) -> Text:
    """Return the text for the complete pattern of a card with BINGO!

    >>> from cardgames.class_bingo.card import salted_card
    >>> card = salted_card("00ff", 1, Kind())
    >>> win_text(card, card.bingo_call)
    'Row 1 is full at call 36.'
    """
    match card.kind.mode:
        case Mode.CORNERS:
            return Text("All four corners are covered at call {call}.", call=calls)
        case Mode.FULL:
            return Text("The whole card is covered at call {call}.", call=calls)
    full = [line for line in LINES if all(card.covered_by[position] <= calls for position in line)]
    names = [pattern_text(line, Mode.LINE, first=index == 0) for index, line in enumerate(full)]
    if len(names) == 1:
        return Text("{line} is full at call {call}.", line=names[0], call=calls)
    return Text("{lines} are full at call {call}.", lines=listed(names), call=calls)


def local_time(seconds: float) -> datetime:
    """Return a time in the server's time zone."""
    return datetime.fromtimestamp(seconds).astimezone()


def time_text(seconds: float, now: float) -> str:
    """Return the text for a time with its weekday, and its date if it is not near."""
    when = local_time(seconds)
    if when.date() == local_time(now).date():
        return f"{when:%H:%M}"
    if abs(seconds - now) < _NEAR:
        return _DAYS[when.weekday()].fill(time=f"{when:%H:%M}")
    return f"{when:%Y-%m-%d %H:%M}"


def day_text(seconds: float, now: float) -> Text:
    """Return the text for a day and a time, without abbreviations."""
    when = local_time(seconds)
    if when.date() == local_time(now).date():
        return Text("today, {time}", time=f"{when:%H:%M}")
    return Text(
        "{weekday} {day} {month}, {time}",
        weekday=_WEEKDAYS[when.weekday()],
        day=when.day,
        month=_MONTHS[when.month - 1],
        time=f"{when:%H:%M}",
    )


def duration_text(seconds: float) -> Text:
    """Return the text for an approximate duration."""
    if seconds < 90:  # noqa: PLR2004 - a duration of about two minutes is given in minutes
        return Text("{number} s", number=max(10, round(seconds / 10) * 10))
    return Text("{number} min", number=round(seconds / 60))


def iso_time(seconds: float) -> str:
    """Return a time in the format of exports and JSON."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
