"""Blackjack: plays a program in scenarios, and records the canvas and the hands after each click.

The program needs only the names in the sheet's template: the classes ``Card``, ``Hand`` and
``Deck``, three buttons, and a draw handler. The player's hand is the hand to which Hit adds a card.
"""

import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from course.grading.programs import program_in
from course.grading.recordings import Recording, Recordings, Scenario
from course.grading.trial import KIT, Failed, Trial
from course.sheets.blackjack.checks.canvas import Screen, read

CODES: Final = [suit + rank for suit in "CSHD" for rank in "A23456789TJQK"]

LOW: Final = ["C2", "S3", "H4", "D5", "C3", "S2", "H3", "D4", "C5", "S4"]
ALSO_LOW: Final = ["H2", "D3", "S5", "C4", "D2", "H5", "CA", "SA", "HA", "DA"]
FIRST_ORDER: Final = [
    *LOW, *(code for code in CODES if code not in (*LOW, *ALSO_LOW)), *ALSO_LOW[::-1],
]  # fmt: skip
"""The order of the deck in the first scenario. Low cards at both ends of the deck show which end is
dealt first.
"""

DEALERS: Final = re.compile(r"deal|house|comp|bank|cpu", re.IGNORECASE)
"""Matches part of the name of a dealer's hand."""

ROUNDS: Final = 17
"""Number of consecutive deals after the first deal. No common way of refilling the deck repeats the
cards after exactly these 18 deals.
"""
MAX_HITS: Final = 15
"""Highest value at which the player hits in rounds with random cards."""


class Plan(NamedTuple):
    """A round with known cards and its clicks.

    In each card's code, the suit comes first. The dealer's first card is the hole card.
    """

    player: str
    dealer: str
    then: str
    presses: str


PLANS: Final[Mapping[str, Plan]] = {
    "win": Plan("CT H9", "ST D8", "", "stand deal"),
    "loss": Plan("CT H8", "ST D9", "", "stand deal"),
    "tie": Plan("CT H9", "ST D9", "S5", "stand hit stand deal"),
    "bust of the dealer": Plan("C2 H3", "ST D6", "HK S5 C4", "stand stand hit stand deal"),
    "bust": Plan("CT H9", "ST D6", "S2 S5 C4 C3", "hit hit stand hit stand deal"),
    "bust at once": Plan("CT H8", "ST D6", "S5 C4 C3", "hit stand hit deal"),
    "hits": Plan("C2 H3", "ST D8", "S4 C5 D2", "hit hit hit stand deal"),
    "17": Plan("CT HK", "ST D7", "H2", "stand deal"),
    "low cards": Plan("CT HK", "S2 D3", "H4 C5 S4 D2", "stand deal"),
    "16": Plan("CT HK", "ST D6", "H2 C9", "stand deal"),
    "ahead": Plan("C2 H3", "ST D2", "H4 C3 D9", "stand deal"),
    "soft 17": Plan("CT HK", "SA D6", "H4", "stand deal"),
    "soft 16": Plan("CT HK", "SA D5", "H9 C3 D2", "stand deal"),
    "late ace": Plan("CT HK", "S5 DA", "H5 C2", "stand deal"),
    "natural": Plan("CA HK", "ST D8", "", "stand deal"),
    "two naturals": Plan("CA HK", "SA DK", "", "stand deal"),
    "left": Plan("CT H9", "ST D6", "", "deal stand deal"),
}
"""The rounds to play, each in its own process. If the buttons include a second deal, it deals the
same cards again.
"""


class Hand(NamedTuple):
    """A hand of the program."""

    codes: tuple[str, ...]
    value: int | None
    """The value that the hand returns."""


class Moment(NamedTuple):
    """The observations after a click."""

    step: str
    """``start``, or the label of the button."""
    screen: Screen
    labels: tuple[str, ...] = ()
    """The texts next to the canvas."""
    printed: str = ""
    hands: Mapping[str, Hand] = {}
    """The hands, keyed by their names in the program."""
    calls: Mapping[str, int] = {}
    """Number of shuffles and card movements since the previous click."""
    buttons: tuple[str, ...] = ()
    error: str = ""
    """The error that was raised, including the student's line."""
    is_drawing: bool = False
    """Whether the error was raised while drawing."""
    left: tuple[tuple[str, ...], ...] | None = None
    """The rest of the deck, determined from its attributes and from the cards that it deals."""

    @property
    def texts(self) -> list[str]:
        """The texts on and next to the canvas."""
        return [*(text.text for text in self.screen.texts), *self.labels]

    @property
    def cards(self) -> set[str]:
        """The cards in all hands."""
        return {code for hand in self.hands.values() for code in hand.codes}


class Layout(NamedTuple):
    """The order in which a program deals."""

    player: str = ""
    """The name of the player's hand, or an empty string if the hands could not be observed."""
    dealer: str = ""
    seats: Mapping[int, tuple[str, int]] | None = None
    """For each position in the deck, the owner of the card and its index in the hand, or None if
    unknown.
    """
    from_front: bool = False
    when_made: bool = False
    """Whether decks must be arranged when they are created, because the program never shuffles."""


NOTHING: Final = Screen([], [])


# ---- Playing -------------------------------------------------------------------------------------


def first_scenario(trial: Trial, moments: list[Any], *, when_made: bool = False) -> None:
    """Start, deal if needed, hit, stand, and deal again, with a known order."""
    _begin(trial, moments, FIRST_ORDER, Layout(when_made=when_made))
    _press_all(trial, moments, ["hit", "stand", "deal"])


def planned(plan: Plan, layout: Layout) -> Scenario:
    """Return a scenario that follows a plan."""

    def play(trial: Trial, moments: list[Any]) -> None:
        order = plan_order(plan, layout)
        trial.called.append(f"# the deck deals you {plan.player}, the dealer {plan.dealer}")
        if plan.then:
            trial.called[-1] += f", then {plan.then}"
        _begin(trial, moments, order, layout)
        _press_all(trial, moments, plan.presses.split())

    return play


def many_deals(trial: Trial, moments: list[Any]) -> None:
    """Click Deal repeatedly with random cards, and then deal the rest of the deck."""
    _begin(trial, moments, [])
    _press_all(trial, moments, ["deal"] * ROUNDS)
    if moments and not moments[-1].error:
        number = 52 - len(moments[-1].cards)
        left = tuple(map(tuple, trial.probe("left_in_deck", "globals()", f"{number}")))
        moments[-1] = moments[-1]._replace(left=left)


def lucky(layout: Layout) -> Scenario:
    """Return a scenario of many rounds with random cards."""

    def play(trial: Trial, moments: list[Any]) -> None:
        _begin(trial, moments, [])
        for _ in range(ROUNDS):
            for _ in range(4):
                hand = moments[-1].hands.get(layout.player)
                if not hand or hand_value(hand.codes) > MAX_HITS:
                    break
                if not _press_all(trial, moments, ["hit"]):
                    return
            if not _press_all(trial, moments, ["stand", "deal"]):
                return

    return play


def begin(trial: Trial) -> None:
    """Start the program. Afterwards the check can use the names of the program."""
    program = program_in(trial.sheet, trial.folder)
    if not program:
        raise Failed("a program in Python", "no program was found", stuck="no program")
    trial.start(program.name)
    seen = trial.seen
    if not trial.look(f"len({KIT}.FRAMES)"):
        raise Failed("the program starts a frame", "it does not", stuck="no frame")
    trial.seen = seen


def _begin(
    trial: Trial,
    moments: list[Any],
    order: list[str],
    layout: Layout = Layout(),  # noqa: B008
) -> None:
    """Start the program with a deck in this order, and deal if no cards were dealt."""
    how = f"front={layout.from_front}, when_made={layout.when_made}"
    trial.look(f"{KIT}.arrange({order!r}, {how})")
    begin(trial)
    text = trial.seen.shown
    _bet(trial)
    moments.append(_seen(trial, "start", text))
    if not moments[-1].error and not moments[-1].cards:
        _press_all(trial, moments, ["deal"])


def _press_all(trial: Trial, moments: list[Any], steps: Iterable[str]) -> bool:
    """Click buttons, and record the observations after each click.

    Return whether all buttons could be clicked.
    """
    for step in steps:
        before = moments[-1]
        if before.error:
            return False
        moments.append(_pressed(trial, step))
        if step == "deal" and _deals_nothing(
            before, moments[-1]
        ):  # the first click may only have ended a round
            moments[-1] = moments[-1]._replace(step="left")
            moments.append(_pressed(trial, step))
            if _deals_nothing(before, moments[-1]):
                moments[-1] = moments[-1]._replace(step="left")
    return not moments[-1].error


def _deals_nothing(before: Moment, now: Moment) -> bool:
    calls = {*now.calls} & {"deal_card", "shuffle"}
    return not now.error and now.cards == before.cards and not calls


BET: Final = re.compile(r"\b(?:bet|wager|stake)", re.IGNORECASE)


def _pressed(trial: Trial, step: str) -> Moment:
    labels = trial.probe("labels")
    label = next(
        (candidate for candidate in labels if step in re.findall(r"\w+", candidate.lower())), None
    )
    if label is None:
        got = ", ".join(labels) or "there are no buttons"
        return Moment(step, NOTHING, error=f"there is no button {step.title()!r}: {got}")
    trial.called.append(f"press {step.title()}")
    try:
        _press(trial, label)
        text = trial.seen.shown
        if step == "deal":
            _bet(trial)
    except Failed as failure:
        return Moment(step, NOTHING, printed=trial.seen.shown, error=failure.got)
    return _seen(trial, step, text)


def _bet(trial: Trial) -> None:
    """Place a bet, if the program has a button or a field for bets."""
    if bet := next(filter(BET.search, trial.probe("labels")), None):
        trial.called.append(f"press {bet}")
        _press(trial, bet)


def _press(trial: Trial, label: str) -> None:
    number = trial.probe("labels").index(label)
    trial.probe("press", f"{number}", "globals()")


def _seen(trial: Trial, step: str, printed: str) -> Moment:
    """Return the current observations of the program."""
    try:
        seen = trial.probe("looked", "globals()")
    except Failed as failure:
        return Moment(step, NOTHING, printed=printed, error=failure.got, is_drawing=True)
    hands = {str(name): Hand(tuple(codes), value) for name, codes, value in seen["hands"]}
    buttons = tuple(trial.probe("labels"))
    return Moment(step, read(seen), tuple(seen["labels"]), printed, hands, seen["calls"], buttons)


# ---- The order of dealing ------------------------------------------------------------------------


def hand_value(codes: Iterable[str]) -> int:
    """Return the value of a hand by the sheet's rules.

    >>> hand_value(["SA", "DA", "SK", "C7"]), hand_value(["SA", "DT"])
    (19, 21)
    """
    ranks = [code[1] for code in codes]
    value = sum(min("A23456789TJQK".index(rank) + 1, 10) for rank in ranks)
    return value + 10 if "A" in ranks and value + 10 <= 21 else value


def find_layout(moments: list[Moment]) -> Layout:
    """Return the order in which a program deals, determined from the first scenario."""
    place = next((n for n, each in enumerate(moments) if each.cards), None)
    if place is None:
        return Layout()
    dealt = moments[place].hands
    after = moments[place + 1].hands if place + 1 < len(moments) else {}
    whole = [name for name, hand in dealt.items() if hand.codes]
    grown = [n for n in whole if n in after and len(after[n].codes) > len(dealt[n].codes)]
    players = grown or [name for name in whole if not DEALERS.search(name)] or whole
    player = players[0]
    others = [n for n in whole if n != player and not {*dealt[n].codes} & {*dealt[player].codes}]
    others.sort(key=lambda name: len(dealt[name].codes), reverse=True)
    if not others:
        return Layout()
    return Layout(player, others[0], *_seats(moments[place], player, others[0]))


def _seats(
    moment: Moment, player: str, dealer: str
) -> tuple[Mapping[int, tuple[str, int]] | None, bool]:
    """Return the owners of the dealt cards, and the end from which the deck is dealt."""
    hands = {"player": moment.hands[player].codes, "dealer": moment.hands[dealer].codes}
    hidden = [code for code in hands["dealer"] if code not in moment.screen.faces]
    if len(hidden) == 1:  # the hole card is dealt first, regardless of its index in the hand
        hands["dealer"] = (*hidden, *(code for code in hands["dealer"] if code not in hidden))
    every = [code for codes in hands.values() for code in codes]
    for front, order in ((False, FIRST_ORDER), (True, FIRST_ORDER[::-1])):
        places = [order.index(code) for code in every]
        if len({*every}) == len(every) and max(places) < len(LOW):
            seats = {
                order.index(code): (seat, number)
                for seat, codes in hands.items()
                for number, code in enumerate(codes)
            }
            return seats, front
    return None, False


def plan_order(plan: Plan, layout: Layout) -> list[str]:
    """Return the order of a deck that deals the cards of a plan.

    The result is empty if the order is unknown.
    """
    if layout.seats is None:
        return []
    wanted = {"player": plan.player.split(), "dealer": plan.dealer.split()}
    known = (*wanted["player"], *wanted["dealer"], *plan.then.split())
    others = iter(code for code in CODES if code not in known)
    order = []
    for place in range(max(layout.seats) + 1):
        seat, number = layout.seats.get(place, ("", 0))
        cards = wanted.get(seat, [])
        order.append(cards[number] if number < len(cards) else next(others))
    return [*order, *plan.then.split()]


def play_all(recordings: Recordings) -> tuple[Layout, dict[str, Recording]]:
    """Return the order in which a program deals, and the recordings of all scenarios."""
    by_name = {"first": recordings.record("first", first_scenario)}
    layout = find_layout(by_name["first"].moments)
    if layout.player and layout.seats is None:
        when_made = partial(first_scenario, when_made=True)
        again = find_layout(recordings.record("first again", when_made).moments)
        layout = again._replace(when_made=True) if again.seats is not None else layout
    if by_name["first"].moments:
        by_name["deals"] = recordings.record("deals", many_deals)
        names = [*PLANS] if layout.seats is not None else ["left"] if layout.player else []
        for name in names:
            by_name[name] = recordings.record(name, planned(PLANS[name], layout))
        if layout.player and layout.seats is None:
            by_name["luck"] = recordings.record("luck", lucky(layout))
    return layout, by_name
