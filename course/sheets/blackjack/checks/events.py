"""Blackjack: the events in recordings, each with the requirements that it tests.

This module does not run the program.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from course.grading.checks.words import BUST, DEALER, PLAYER, busted, winners
from course.grading.recordings import Event, NotStarted, Recording, Recordings, recorded
from course.sheets.blackjack.checks.canvas import (
    BACK,
    Changes,
    changes,
    normal,
    numbers_in,
)
from course.sheets.blackjack.checks.scenarios import (
    PLANS,
    Hand,
    Layout,
    Moment,
    hand_value,
    play_all,
)

TARGET: Final = 21
STANDS: Final = 17

NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "S1-2": ("the winner/win", "the winner/loss"),
    "S1-3": ("two cards each", "the hole card is hidden"),
    "S1-4": ("a card for a hit/hits",),
    "S1-5": ("a bust ends the round", "21 is no bust", "the score/bust"),
    "S1-6": ("the dealer stands", "the dealer draws", "the dealer stands on soft 17"),
    "S1-7": ("the dealer's ace", "the dealer stands on soft 17"),
    "S1-8": ("the winner/bust of the dealer",),
    "S1-9": ("the winner/win", "the winner/loss", "the winner/tie"),
    "S1-18": (
        "two cards each",
        "whose cards they are",
        "two cards each/again",
        "the deck is shuffled",
    ),
    "S1-20": ("a card for a hit/bust", "21 is no bust", "a bust is told"),
    "S1-21": ("a reminder",),
    "S1-22": ("the dealer draws", "the dealer stands on soft 17"),
    "S1-23": ("the dealer's bust is told",),
    "S1-24": ("the winner/win", "the winner/loss", "the winner/tie"),
    "S1-25": ("dealt at the start",),
    "S1-26": ("the first drawing",),
    "S1-27": ("five cards are drawn",),
    "S1-28": ("a prompt in play", "a prompt afterwards"),
    "S1-29": ("the title",),
    "S1-30": ("the hole card is hidden", "the hole card is shown", "the hole card is shown/bust"),
    "S1-31": ("the score/win and loss", "the score/bust"),
    "S1-32": ("other cards at each deal",),
    "S1-33": ("a round that is left is told", "the score/left"),
    "S1-34": ("the buttons",),
    "S1-35": ("the score/bust of the dealer", "the score/tie", "the score/bust"),
    "S1-36": (
        "nothing moves afterwards",
        "nothing moves afterwards/bust",
    ),
    "S1-37": ("no other buttons", "the score/natural", "the score/two naturals"),
    "S1-39": ("52 cards in all",),
    "S1-40": ("cards are moved/hit", "52 cards in all"),
}
"""The events that must be observed, keyed by requirement."""

WRONG: Final = False
VALUES: Final = ("S1-1", "S1-19")
"""The requirements on the values of hands. These requirements have separate checks."""

BUTTON: Final = {
    name: re.compile(rf"\W*(?:\w\W+)?{name}(?:\W+\w)?\W*", re.IGNORECASE)
    for name in ("deal", "hit", "stand")
}
"""Matches the text of a button, with an optional key: ``Deal``, ``Deal (D)``."""

OTHER_BUTTONS: Final = re.compile(
    r"\b(split|double|double down|surrender|insurance|push)\b(?! ?bet)", re.IGNORECASE
)
"""Matches the text of a button that the sheet's game does not have."""

ASKS_FOR_A_MOVE: Final = re.compile(r"\b(hit|stand|stay|card|move|turn)\b|\?")
ASKS_FOR_A_DEAL: Final = re.compile(
    r"\b(deal|again|another|next|new|once more|more|continue|restart)\b|\?"
)
GIVEN_UP: Final = re.compile(
    r"\b(lo+se?s?|lost|forfeit\w*|g[ai]ve up|given up|giving up|surrender\w*|conceded?|quits?)\b"
)
"""Matches a message that the player loses a round by abandoning it."""

WHOSE: Final = re.compile(
    r"dealers?|house|computer|cpu|bank|casino|croupier|players?|you|yours?|user|me|my|mine",
    re.IGNORECASE,
)
"""Matches the name of the owner in the label of a hand."""

ABOUT_HANDS: Final = re.compile(
    "hands?|cards?|values?|totals?|scores?|points|sum|is|has|have|contains?|shows?|showing|now|of|"
    "the|and|with|vs?|versus|in|a|for|at|to|s|up|down|above|below|left|right|hole|hidden"
)
"""Matches the other words of a label."""

ERRORS: Final = {
    "start": ("S1-25",),
    "deal": ("S1-18",),
    "hit": ("S1-20",),
    "stand": ("S1-22",),
}
"""The requirement that is not met if a handler raises an exception, keyed by handler."""


class Round(NamedTuple):
    """A round of a recording: the observations from its deal to the next deal."""

    name: str
    layout: Layout
    dealt: Moment
    moves: list[Moment]
    """The observations after each click of Hit and Stand."""
    after: Moment | None
    """The observations after the next deal."""
    called: tuple[str, ...]
    surprise: Moment | None = None
    """The hit that wrongly ended the round at 21, or that did not end the round above 21."""

    def player(self, moment: Moment) -> Hand:
        """Return the player's hand."""
        return moment.hands.get(self.layout.player, NO_HAND)

    def dealer(self, moment: Moment) -> Hand:
        """Return the dealer's hand."""
        return moment.hands.get(self.layout.dealer, NO_HAND)

    def hidden(self, moment: Moment) -> bool | None:
        """Return whether a dealer's card is hidden, or None if no card is visible."""
        codes = {*self.dealer(moment).codes}
        if not codes or not moment.screen.faces & (codes | {*self.player(moment).codes}):
            return None
        return len(codes - find_faces(moment, codes)) == 1

    @property
    def end(self) -> Moment | None:
        """The observations at the end of the round, or None without a proper end."""
        for moment in () if self.surprise else self.moves:
            if moment.step == "stand" or hand_value(self.player(moment).codes) > TARGET:
                return moment
        return None

    @property
    def behind(self) -> list[Moment]:
        """The observations after the end of the round, before the next deal."""
        end = self.end
        return self.moves[self.moves.index(end) + 1 :] if end else []

    @property
    def is_valued_right(self) -> bool:
        """Whether the program itself computes the correct values of these hands."""
        hands = [hand for m in (self.dealt, *self.moves) for hand in m.hands.values()]
        return all(hand.value in (None, hand_value(hand.codes)) for hand in hands)


def find_faces(moment: Moment, codes: set[str]) -> set[str]:
    """Return the visible cards of a hand.

    If the row of the hand has a face-down card, only that row counts. In other rows, a program may
    draw cards as decoration.
    """
    for row in moment.screen.rows.values():
        if BACK in row and codes & {*row}:
            return {*row}
    return moment.screen.faces


NO_HAND: Final = Hand((), None)


def split_rounds(name: str, recording: Recording, layout: Layout) -> list[Round]:
    """Return the rounds of a recording that were played without an exception."""
    rounds: list[Round] = []
    dealt: Moment | None = None
    moves: list[Moment] = []
    for moment in recording.moments:
        if moment.error:
            break
        if moment.step in ("start", "deal"):
            if dealt:
                rounds.append(Round(name, layout, dealt, moves, moment, ()))
            dealt, moves = (moment if moment.cards else None), []
        elif dealt and moment.step != "left":
            moves.append(moment)
    if dealt:
        rounds.append(Round(name, layout, dealt, moves, None, ()))
    called = recording.outcome.called
    return [up_to_surprise(finished._replace(called=called)) for finished in rounds]


def up_to_surprise(played: Round) -> Round:
    """Return a round up to a hit after which the round wrongly ended or continued."""
    before = played.dealt
    for number, moment in enumerate(played.moves):
        value = hand_value(played.player(moment).codes)
        hit = moment.step == "hit" and value > hand_value(played.player(before).codes)
        if hit and value >= TARGET and has_ended(played, before, moment) != (value > TARGET):
            return played._replace(moves=played.moves[: number + 1], surprise=moment, after=None)
        if value > TARGET:
            break
        before = moment
    return played


def has_ended(played: Round, before: Moment, moment: Moment) -> bool:
    """Return whether a hit ended a round, as a message, card or number shows."""
    texts = told(before, moment)
    value = hand_value(played.player(moment).codes)
    if any(BUST.search(text.lower()) for text in texts):
        return True
    if played.hidden(before) is True and played.hidden(moment) is False:
        return True
    return value > TARGET and (bool(texts) or bool(number_changes(before, moment)))


def number_changes(before: Moment, after: Moment) -> Changes:
    """Return the changes of all numbers that are not values of hands."""
    results = []
    for moment in (before, after):
        values = {hand.value for hand in moment.hands.values()}
        values |= {hand_value(hand.codes) for hand in moment.hands.values()}
        numbers = numbers_in(moment.texts)
        results.append({place: n for place, n in numbers.items() if n not in values})
    return changes(*results)


# ---- Texts ---------------------------------------------------------------------------------------


def is_label(text: str) -> bool:
    """Return whether a text contains only the name of a hand's owner.

    >>> is_label("Player 19"), is_label("Dealer's hand: SA C2"), is_label("You win!")
    (True, True, False)
    """
    without = re.sub(r"\b[CSHD][A2-9TJQK]\b|['\u2019]s?\b", " ", text).lower()
    words = re.findall(r"[^\W\d_]+", without)
    return bool(WHOSE.search(text)) and all(
        WHOSE.fullmatch(w) or ABOUT_HANDS.fullmatch(w) for w in words
    )


def told(before: Moment, after: Moment) -> list[str]:
    """Return the messages after a click: new texts on the canvas and printed lines."""
    old = {normal(text) for text in before.texts}
    new = [text for text in after.texts if normal(text) not in old]
    new += [line for line in after.printed.splitlines() if line.strip()]
    return [text for text in new if normal(text).strip(" #@:.-") and not is_label(text)]


def normals(texts: Iterable[str]) -> set[str]:
    """Return texts without their numbers and cards."""
    return {normal(text) for text in texts}


def said_winner(texts: Iterable[str]) -> str:
    """Return the winner that messages name in known words, or an empty string."""
    text = "\n".join(texts)
    named, over = winners(text), busted(text)
    if len(named) != 1 and len(over) == 1:
        named = {PLAYER, DEALER} - over
    return next(iter(named)) if len(named) == 1 else ""


def said_all(texts: Iterable[str]) -> str:
    """Return messages as one string, for a report."""
    return " . ".join(" ".join(text.split()) for text in texts) or "nothing new"


# ---- All events ----------------------------------------------------------------------------------


def find_events(recordings: Recordings) -> Iterator[Event]:
    """Yield the events in all recordings of a program."""
    layout, recorded_games = play_all(recordings)
    yield from events_in(layout, recorded_games)


def events_in(layout: Layout, recordings: Mapping[str, Recording]) -> Iterator[Event]:
    """Yield the events in recordings, given the program's dealing order."""
    first = recordings["first"]
    if not first.moments:
        raise NotStarted(first.outcome)
    yield from errors(recordings)
    yield from standing(first)
    yield from start(first, layout)
    if not layout.player:
        yield from hands_unknown(first)
    else:
        rounds = {name: split_rounds(name, each, layout) for name, each in recordings.items()}
        yield from hands(rounds)
        yield from endings(rounds)
        yield from scores(rounds)
        yield from leaving(rounds, recordings)
    if "deals" in recordings:
        yield from many(recordings["deals"])


def errors(recordings: Mapping[str, Recording]) -> Iterator[Event]:
    """Yield events for errors, and for programs that did not end."""
    for name, recording in recordings.items():
        called = recording.outcome.called
        last = recording.moments[-1] if recording.moments else None
        if recording.outcome.problem:
            step = called[-1].removeprefix("press ").lower() if called else "start"
            blames: tuple[str, ...] = ERRORS.get(step, ("S1-26",))
            yield Event("no error", blames, WRONG, "it ends", recording.outcome.problem, called)
        elif last and last.error:
            blames = ("S1-26",) if last.is_drawing else ERRORS[last.step]
            if name == "deals" and not last.is_drawing:
                blames = ("S1-32", "S1-18")
            if name == "left" and last.step == "deal":
                blames = ("S1-33", *blames)
            if "there is no button" in last.error:
                blames = ("S1-34", *blames)
            yield Event("no error", blames, WRONG, "no error", last.error, called, last.error)


def standing(first: Recording) -> Iterator[Event]:
    """Yield events about the first drawing, the title and the buttons."""
    moment = first.moments[0]
    if moment.is_drawing:
        return
    yield Event("the first drawing", ("S1-26",), bool(moment.texts), "texts on the canvas")
    texts = said_all(text.text for text in moment.screen.texts)
    has_title = "blackjack" in re.sub(r"\W", "", texts.lower())
    yield Event("the title", ("S1-29",), has_title, "the title Blackjack", texts)
    buttons = ", ".join(moment.buttons) or "there are no buttons"
    missing = [n for n, label in BUTTON.items() if not any(map(label.fullmatch, moment.buttons))]
    wanted = "buttons Deal, Hit and Stand"
    yield Event("the buttons", ("S1-34",), not missing, wanted, buttons)
    more = [text for text in moment.buttons if OTHER_BUTTONS.search(text)]
    yield Event("no other buttons", ("S1-37",), not more, "no other buttons", ", ".join(more))


def start(first: Recording, layout: Layout) -> Iterator[Event]:
    """Yield an event that states whether a hand is dealt when the program starts."""
    moment = first.moments[0]
    if moment.error:
        return
    dealt = sum(bool(hand.codes) for hand in moment.hands.values()) > 1
    later = any(later_moment.cards for later_moment in first.moments)
    if not dealt and not later and moment.screen.faces:
        got = f"whether these are hands: {' '.join(sorted(moment.screen.faces))}"
        yield Event("dealt at the start", (), None, got=got)
        return
    blames = ("S1-25",) if layout.player else ("S1-18", "S1-25")
    got = " ".join(sorted(moment.cards)) or "no card"
    yield Event("dealt at the start", blames, dealt, "two hands of cards", got)


def hands_unknown(first: Recording) -> Iterator[Event]:
    """Yield an event if the hands could not be observed, or if no cards are dealt."""
    called = first.outcome.called
    moved = any(moment.calls.get("deal_card") for moment in first.moments)
    drawn = any(moment.screen.faces for moment in first.moments)
    cards = any(moment.cards for moment in first.moments)
    if not moved and not drawn and not cards and not any(moment.error for moment in first.moments):
        got = "deal_card() is not called, no hand has a card, and none is drawn"
        yield Event("two cards each", ("S1-18",), WRONG, "Deal deals two cards each", got, called)
        wrong: tuple[str, ...] = ("S1-18",)
    else:
        wrong = ()
    for name in {name for names in NEEDS.values() for name in names}:
        if name not in SEEN_WITHOUT_HANDS:
            yield Event(name, wrong, None, got="I could not see the hands", called=called)


SEEN_WITHOUT_HANDS: Final = {
    "dealt at the start",
    "the first drawing",
    "the title",
    "the buttons",
    "no other buttons",
    "other cards at each deal",
}


# ---- The hands -----------------------------------------------------------------------------------


def hands(rounds: Mapping[str, list[Round]]) -> Iterator[Event]:
    """Yield events about deals, hidden cards, hits and the dealer's cards."""
    for played in rounds.values():
        for number, each in enumerate(played):
            yield from _dealt(each, is_again=number > 0)
            yield from _hit(each)
            yield from _limits(each)
            yield from _drawn_by_dealer(each)
            yield from _afterwards(each)


def _dealt(played: Round, *, is_again: bool) -> Iterator[Event]:
    moment = played.dealt
    players, dealers = played.player(moment).codes, played.dealer(moment).codes
    got = f"you have {' '.join(players) or 'no card'}, the dealer {' '.join(dealers) or 'no card'}"
    two = len(players) == len(dealers) == 2
    name = "two cards each" + "/again" * is_again
    yield Event(name, ("S1-18", "S1-3"), two, "two cards each", got, played.called)
    hidden = played.hidden(moment)
    seen = " ".join(sorted(moment.screen.faces))
    is_twice = len({*players, *dealers}) < len(players) + len(dealers)
    if not two or is_twice or (hand_value(players) == TARGET and hidden is False):
        pass  # another event covers a round that ends immediately
    elif hidden is None:
        if not moment.screen.has_unknown:
            yield Event("five cards are drawn", ("S1-27",), WRONG, "the cards are drawn", "no card")
        why = "no card of the hands can be seen on the canvas"
        yield Event("the hole card is hidden", ("S1-27",), None, got=why, called=played.called)
    else:
        got = f"these can be seen: {seen}"
        wanted = "one of the dealer's two cards is hidden"
        yield Event(
            "the hole card is hidden", ("S1-30", "S1-3"), hidden, wanted, got, played.called
        )
        if not {*players} <= moment.screen.faces:
            yield Event(
                "five cards are drawn", ("S1-27",), WRONG, f"{' '.join(players)} drawn", got
            )
    if is_again:
        return
    texts = [*moment.texts, *moment.printed.splitlines()]
    named = [text for text in texts if WHOSE.search(text)]
    is_named = any(map(is_label, named)) or (None if named else False)
    got = said_all(named) if named else said_all(texts)
    if is_named is None:
        got = f"whether this says whose the hands are: {got}"
    wanted = "a text that says whose the hands are"
    yield Event("whose cards they are", ("S1-18",), is_named, wanted, got, played.called)


def _hit(played: Round) -> Iterator[Event]:
    before, end = played.dealt, played.end
    for moment in played.moves:
        if moment.step == "hit" and before is not end:
            yield from _card_for_a_hit(played, before, moment)
        before = moment
        if moment is end:
            return


def _card_for_a_hit(played: Round, before: Moment, moment: Moment) -> Iterator[Event]:
    old, new = {*played.player(before).codes}, {*played.player(moment).codes}
    blames = ("S1-4", "S1-20")
    if len(new) > len(old) or hand_value(old) == TARGET:
        blames = ("S1-20", "S1-4")
    right = old < new and len(new) == len(old) + 1
    got = f"{' '.join(sorted(old))}, then {' '.join(sorted(new))}"
    event = Event("", blames, right, "one more card for the player", got, played.called)
    for name in ("bust", "hits"):
        if played.name.startswith(name) or played.name == "luck":
            yield event._replace(name=f"a card for a hit/{name}")
    if not right:
        yield event._replace(name="a card for a hit/any")
        return
    yield _moved("hit", moment, 1, played)
    if len(new) >= 5 and moment.screen.faces:
        drawn = new <= moment.screen.faces
        got = f"these can be seen: {' '.join(sorted(moment.screen.faces))}"
        yield Event("five cards are drawn", ("S1-27",), drawn, f"{' '.join(sorted(new))}", got)


def _moved(how: str, moment: Moment, cards: int, played: Round) -> Event:
    """Return whether cards were dealt by ``deal_card`` and added by ``add_card``."""
    counts = {name: moment.calls.get(name, 0) for name in ("deal_card", "add_card")}
    got = ", ".join(f"{name}() was called {n} times" for name, n in counts.items())
    right = min(counts.values()) >= cards
    wanted = f"deal_card() and add_card() for {cards} card{'s' * (cards > 1)}"
    return Event(f"cards are moved/{how}", ("S1-40",), right, wanted, got, played.called)


def dealer_should_have(dealt: Iterable[str], drawn: Iterable[str]) -> list[str]:
    """Return the cards that the dealer must have after drawing to 17 or more.

    >>> dealer_should_have(["ST", "D6"], ["HA", "C9"])
    ['ST', 'D6', 'HA']
    """
    hand, left = [*dealt], [*drawn]
    while hand_value(hand) < STANDS and left:
        hand.append(left.pop(0))
    return hand


def _drawn_by_dealer(played: Round) -> Iterator[Event]:
    """Yield events about the dealer's cards after the player stood."""
    end = played.end
    if not end or end.step != "stand" or not played.dealer(played.dealt).codes:
        return
    dealt, hand = played.dealer(played.dealt).codes, played.dealer(end)
    more = [code for code in hand.codes if code not in dealt]
    following = PLANS[played.name].then.split() if played.name in PLANS else more
    following = [code for code in following if code not in played.player(end).codes]
    if {*more} - {*following}:
        following = more  # the deck was not arranged as requested
    wanted = dealer_should_have(dealt, following)
    right = {*wanted} == {*hand.codes} and hand_value(hand.codes) >= STANDS
    blames: tuple[str, ...] = ("S1-6", "S1-22")
    name = "the dealer draws" if hand_value(dealt) < STANDS else "the dealer stands"
    if hand_value(dealt) == STANDS and any(code[1] == "A" for code in dealt):
        name, blames = "the dealer stands on soft 17", ("S1-6", "S1-7", "S1-22")
    elif any(code[1] == "A" for code in (*wanted, *hand.codes)):
        name, blames = "the dealer's ace", ("S1-7", "S1-6")
    if not right and not played.is_valued_right:
        blames = (*VALUES, *blames)
    expected = f"the dealer has {' '.join(wanted)}"
    yield Event(name, blames, right, expected, f"{' '.join(hand.codes)}", played.called)
    if right and more:
        yield _moved("dealer", end, len(more), played)


def _afterwards(played: Round) -> Iterator[Event]:
    """Yield events about the end of a round, such as clicks without effect."""
    end = played.end
    if not end:
        return
    is_bust = hand_value(played.player(end).codes) > TARGET
    suffix = "/bust" if is_bust else ""
    codes = {*played.dealer(end).codes}
    if played.hidden(played.dealt) is not None:
        hole = {*played.dealer(played.dealt).codes}
        is_shown = hole <= end.screen.faces
        got = f"these can be seen: {' '.join(sorted(end.screen.faces))}"
        wanted = f"{' '.join(sorted(hole))} are shown after the round"
        yield Event(
            f"the hole card is shown{suffix}", ("S1-30",), is_shown, wanted, got, played.called
        )
    for moment in played.behind:
        players, dealers = played.player(moment).codes, played.dealer(moment).codes
        right = ({*dealers}, {*players}) == (codes, {*played.player(end).codes})
        got = f"after {moment.step.title()}: {' '.join(players)} and {' '.join(dealers)}"
        wanted = "the hands stay as they are after the round"
        blames = ("S1-36",) if played.is_valued_right else (*VALUES, "S1-36")
        yield Event(f"nothing moves afterwards{suffix}", blames, right, wanted, got, played.called)
        if not right:
            return


# ---- How rounds end ------------------------------------------------------------------------------


def expected_winner(player: int, dealer: int) -> str:
    """Return the winner for these values of the hands. The dealer wins ties."""
    return PLAYER if player <= TARGET and (dealer > TARGET or player > dealer) else DEALER


def situation(played: Round) -> str:
    """Return the kind of a round's end, determined from its cards, or an empty string."""
    end = played.end
    if not end or not played.dealer(end).codes:
        return ""
    player_value, dealer_value = (
        hand_value(played.player(end).codes),
        hand_value(played.dealer(end).codes),
    )
    if player_value > TARGET:
        return "bust"
    if dealer_value > TARGET:
        return "bust of the dealer"
    return (
        "tie" if player_value == dealer_value else "win" if player_value > dealer_value else "loss"
    )


def endings(rounds: Mapping[str, list[Round]]) -> Iterator[Event]:
    """Yield events about the messages at the ends of rounds, comparing different ends."""
    ended: dict[str, tuple[Round, list[str]]] = {}
    for played in (each for found in rounds.values() for each in found):
        kind, end = situation(played), played.end
        if kind and end and kind not in ended:
            before = (
                played.moves[played.moves.index(end) - 1]
                if end is not played.moves[0]
                else played.dealt
            )
            ended[kind] = played, told(before, end)
    changed = {name: score_change(played) for name, (played, _) in ended.items()}
    for kind, (played, texts) in ended.items():
        if kind != "bust":
            yield _winner(kind, played, texts, ended, changed)
    yield from _busts(ended)
    yield from _prompts([played for played, _ in ended.values()])


Ended = Mapping[str, tuple[Round, list[str]]]


def _winner(
    kind: str, played: Round, texts: list[str], ended: Ended, changed: Mapping[str, Changes | None]
) -> Event:
    end = played.end or played.dealt
    player, dealer = played.player(end), played.dealer(end)
    wanted = expected_winner(hand_value(player.codes), hand_value(dealer.codes))
    right_winner = expected_winner(
        player.value if player.value is not None else hand_value(player.codes),
        dealer.value if dealer.value is not None else hand_value(dealer.codes),
    )
    winner = said_winner(texts) or _counted_for(kind, texts, ended, changed)
    name = f"the winner/{kind}"
    first = {"bust of the dealer": "S1-8", "win": "S1-2", "loss": "S1-2"}.get(kind, "S1-9")
    blames = tuple(dict.fromkeys((first, "S1-9", "S1-24")))
    expected = f"a message that the {wanted} wins"
    got = said_all(texts)
    if not winner:
        if not texts and changed.get(kind) == {}:
            return Event(name, blames, WRONG, expected, got, played.called)
        return Event(
            name, blames, None, expected, f"whether this says who has won: {got}", played.called
        )
    if wanted not in (winner, right_winner):
        blames = (*VALUES, *blames)
    return Event(name, blames, winner == wanted, expected, got, played.called)


def _counted_for(
    kind: str, texts: list[str], ended: Ended, changed: Mapping[str, Changes | None]
) -> str:
    """Return the winner, determined from the score or from a similar message.

    This is needed if the wording is not known.
    """
    won, lost, counted = changed.get("win"), changed.get("loss"), changed.get(kind)
    if won and lost and won != lost and _is_sensible(won, lost):
        if counted and counted == won:
            return PLAYER
        if counted and counted == lost:
            return DEALER
    if "win" in ended and "loss" in ended and kind not in ("win", "loss"):
        winning, losing = normals(ended["win"][1]), normals(ended["loss"][1])
        if normals(texts) & (winning - losing):
            return PLAYER
        if normals(texts) & (losing - winning):
            return DEALER
    return ""


def _busts(ended: Ended) -> Iterator[Event]:
    """Yield events about the messages for a bust of the player or the dealer."""
    for kind, other, name, number in (
        ("bust", "loss", "a bust is told", "S1-20"),
        ("bust of the dealer", "win", "the dealer's bust is told", "S1-23"),
    ):
        if kind in ended:
            played, texts = ended[kind]
            known = any(BUST.search(text.lower()) for text in texts)
            others = normals(ended[other][1]) if other in ended else set()
            right = known or bool(normals(texts) - others)
            wanted = f"a message about the {'bust' if kind == 'bust' else 'bust of the dealer'}"
            yield Event(name, (number,), right, wanted, said_all(texts), played.called)
    if "bust" not in ended:
        return
    played, texts = ended["bust"]
    yield from _reminder(played, texts)


def _limits(played: Round) -> Iterator[Event]:
    """Yield events that state whether the round continues at 21 and ends above 21."""
    before = played.dealt
    for moment in played.moves:
        hand = played.player(moment)
        value = hand_value(hand.codes)
        if moment.step == "hit" and value >= TARGET and before is not played.end:
            got = said_all(told(before, moment))
            right = moment is not played.surprise
            name = "21 is no bust"
            blames: tuple[str, ...] = ("S1-20", "S1-5")
            wanted = "the round goes on at 21"
            if value > TARGET:
                name, blames, wanted = (
                    "a bust ends the round",
                    ("S1-5", "S1-20"),
                    "the round is lost",
                )
            if not right and hand.value not in (None, value):
                blames = (*VALUES, *blames)
            yield Event(name, blames, right, wanted, got, played.called)
        before = moment


def _reminder(played: Round, texts: list[str]) -> Iterator[Event]:
    end = played.end
    for before, moment in zip([end, *played.behind], played.behind, strict=False):
        if moment.step == "stand" and before:
            lines = [*moment.texts, *moment.printed.splitlines()]
            known = any(BUST.search(text.lower()) for text in lines)
            again = normals(texts) & normals(lines)
            wanted = "a reminder that the player has busted"
            got = said_all([*told(before, moment)]) if told(before, moment) else said_all(lines)
            right: bool | None = known or bool(again)
            if not right and not texts:
                right = None
            yield Event("a reminder", ("S1-21",), right, wanted, got, played.called)
            return


def _prompts(played: list[Round]) -> Iterator[Event]:
    """Yield events that state whether texts prompt for a move, and later for a deal."""
    played = [played_round for played_round in played if played_round.end]
    if not played:
        return
    in_play, over = [], []
    for played_round in played:
        during, end = played_round.dealt.texts, (played_round.end or played_round.dealt).texts
        in_play.append([t for t in during if normal(t) not in normals(end) and not is_label(t)])
        over.append([t for t in end if normal(t) not in normals(during) and not is_label(t)])
        if played_round.after and played_round.after.cards:
            again = played_round.after.texts
            in_play.append([t for t in again if normal(t) not in normals(end) and not is_label(t)])
    called = played[0].called
    for name, groups, known, like in (
        ("a prompt in play", in_play, ASKS_FOR_A_MOVE, "Hit or stand?"),
        ("a prompt afterwards", over, ASKS_FOR_A_DEAL, "New deal?"),
    ):
        asked = [[text for text in texts if known.search(text.lower())] for texts in groups]
        common = set.intersection(*(normals(texts) for texts in groups)) - {""}
        right: bool | None = all(asked) or (None if common else False)
        got = said_all(dict.fromkeys(text for texts in groups for text in texts))
        if right is None:
            got = f"whether this asks for it: {got}"
        yield Event(name, ("S1-28",), right, f"a text like {like}", got, called)


# ---- The score -----------------------------------------------------------------------------------


def score_change(played: Round) -> Changes | None:
    """Return the changes of numbers from one deal to the next, if there is one.

    The values of hands are not part of the score.
    """
    if played.after is None or not played.after.cards:
        return None
    if played.dealt.cards == played.after.cards:
        return changes(numbers_in(played.dealt.texts), numbers_in(played.after.texts))
    return number_changes(played.dealt, played.after)


def _is_sensible(won: Changes, lost: Changes) -> bool:
    """Return whether a win never changes a number by less than a loss does."""
    both = won.keys() & lost.keys()
    return all(won[key] >= lost[key] for key in both)


def _same_way(change: Changes, other: Changes) -> bool:
    """Return whether the same numbers change in the same direction.

    The amounts may differ.
    """
    return change.keys() <= other.keys() and all(change[key] * other[key] > 0 for key in change)


NATURALS: Final = ("natural", "two naturals")


def first_of_each_kind(rounds: Mapping[str, list[Round]]) -> dict[str, tuple[Round, Changes]]:
    """Return the first round of each kind with a known change of the score."""
    first: dict[str, tuple[Round, Changes]] = {}
    for played in (each for found in rounds.values() for each in found):
        kind = situation(played)
        if played.name == "left" or (played.name in NATURALS and len(played.dealt.cards) == 4):
            kind = played.name
        change = score_change(played)
        is_left = kind == "left" and played.moves
        if kind and change is not None and not is_left:
            first.setdefault(kind, (played, change))
    return first


def scores(rounds: Mapping[str, list[Round]]) -> Iterator[Event]:
    """Yield events that state whether rounds are counted correctly."""
    first = first_of_each_kind(rounds)
    if "win" not in first or "loss" not in first:
        return
    (_, won), (played, lost) = first["win"], first["loss"]
    fair = bool(won) and bool(lost) and won != lost and _is_sensible(won, lost)
    got = f"a win changes {_as_text(won)}, and a loss {_as_text(lost)}"
    wanted = "a score that a win raises and a loss lowers, or that counts both"
    yield Event("the score/win and loss", ("S1-31",), fair, wanted, got, played.called)
    for kind, blames, expected in (
        ("bust", ("S1-5", "S1-35"), (lost,)),
        ("bust of the dealer", ("S1-35", "S1-8"), (won,)),
        ("tie", ("S1-35", "S1-9"), (won, lost)),
        ("natural", ("S1-37",), (won,)),
        ("two naturals", ("S1-37", "S1-9"), (lost,)),
        ("left", ("S1-33",), (lost,)),
    ):
        if kind not in first:
            continue
        first_round, change = first[kind]
        blamed: tuple[str, ...] = blames
        name, text = f"the score/{kind}", f"{_as_text(change)}"
        if not fair:
            seen = _lost_or_won_by_words(kind, first_round) or None
            yield Event(name, ("S1-31",), seen, got="there is no score to see it by")
            continue
        right: bool | None = change in expected
        wanted = f"this round counts once: {' or '.join(map(_as_text, expected))}"
        if kind == "tie" and not change:
            right = None  # another event covers the winner of a tie
        if kind == "left":
            right = right or (
                bool(change) and _same_way(change, lost) and not _same_way(change, won)
            )
            wanted = f"the round that is left counts as lost: {_as_text(lost)}"
        if kind == "bust" and change and change != lost:
            blamed = ("S1-35", "S1-5")
        if kind in ("natural", "two naturals") and right:
            right = _natural_goes_on(first_round)
            text = "the round was over at once" if right is None else text
        if right is False and not first_round.is_valued_right:
            blamed = (*VALUES, *blamed)
        yield Event(name, blamed, right, wanted, text, first_round.called)
        if right is False and first_round.behind:
            moves = "nothing moves afterwards"
            yield Event(moves, (*blamed, "S1-36"), WRONG, wanted, text, first_round.called)


def _lost_or_won_by_words(kind: str, played: Round) -> bool:
    """Return whether messages name the winner after a bust or a natural.

    These messages are needed only without a score.
    """
    wanted = {"natural": PLAYER, "two naturals": DEALER, "bust": DEALER}.get(kind, "")
    before = played.dealt
    for moment in played.moves:
        if moment is played.end:
            return bool(wanted) and said_winner(told(before, moment)) == wanted
        before = moment
    return False


def _natural_goes_on(played: Round) -> bool | None:
    """Return whether a round continues after a two-card 21.

    Return None if such a round ends immediately.
    """
    return True if played.hidden(played.dealt) is not False else None


def _as_text(change: Changes) -> str:
    parts = (f"{label or 'a number'} by {n:+}" for (label, _), n in change.items())
    return ", ".join(parts) or "no number"


def leaving(
    rounds: Mapping[str, list[Round]], recordings: Mapping[str, Recording]
) -> Iterator[Event]:
    """Yield events that state whether clicking Deal in a round has its own message."""
    if "left" not in recordings:
        return
    moments = [seen for seen in recordings["left"].moments if not seen.error]
    ordinary = [
        r
        for name, played in rounds.items()
        if name != "left"
        for r in played
        if r.end and r.after and r.is_valued_right
    ]
    place = next((n for n, each in enumerate(moments[:-1]) if each.cards), None)
    if place is None or len(moments) < place + 2 or not ordinary:
        return
    usual = {
        text
        for r in ordinary
        if r.after
        for text in normals([*r.after.texts, *r.after.printed.splitlines()])
    }
    usual |= normals(moments[place].texts)
    new_texts = []
    for moment in moments[place + 1 :]:
        if moment.step not in ("deal", "left"):
            break
        new_texts += [
            t for t in (*moment.texts, *moment.printed.splitlines()) if normal(t) not in usual
        ]
    new_texts = [text for text in new_texts if normal(text).strip(" #@:.-") and not is_label(text)]
    text = "\n".join(new_texts).lower()
    played = rounds["left"][0] if rounds["left"] else None
    change = score_change(played) if played and not played.moves else None
    right: bool | None = bool(GIVEN_UP.search(text)) or winners(text) == {DEALER}
    if not right and new_texts:
        right = True if change else None
    got = said_all(new_texts)
    if right is None:
        got = f"whether this says that the round is lost: {got}"
    wanted = "a message that the round is lost"
    called = recordings["left"].outcome.called
    yield Event("a round that is left is told", ("S1-33",), right, wanted, got, called)


# ---- Many deals ----------------------------------------------------------------------------------


def many(recording: Recording) -> Iterator[Event]:
    """Yield events about the deck: different cards in each deal, and no lost cards."""
    moments = [moment for moment in recording.moments if moment.step == "deal" and not moment.error]
    if any(moment.calls.get("deal_card") for moment in moments):  # bets may use up the money
        moments = [moment for moment in moments if moment.calls.get("deal_card")]
    cards = [" ".join(sorted(moment.cards)) for moment in moments]
    dealt = [card for card in cards if card]
    name, called = (
        "other cards at each deal",
        (*recording.outcome.called[:1], "press Deal  # 20 times"),
    )
    last = recording.moments[-1] if recording.moments else None
    if last and last.error:
        yield Event(name, ("S1-32", "S1-18"), None, got=last.error, called=called, cause=last.error)
    elif not dealt:
        drawn = any(moment.screen.faces for moment in moments)
        why = "I could not see the hands" if drawn else "no cards are dealt"
        yield Event(name, ("S1-18",), None, got=why, called=called)
    elif len(moments) > 1:
        got = f"{len({*dealt})} different hands in {len(dealt)} deals"
        right = 1 < len(dealt) < 2 * len({*dealt})
        yield Event(name, ("S1-32", "S1-18"), right, "other cards at each deal", got, called)
        moved = any({*moment.calls} & {"shuffle", "sample", "choice"} for moment in moments)
        yield Event(
            "the deck is shuffled", ("S1-18", "S1-32"), right or moved, "Deal shuffles", got, called
        )
    if last and last.left is not None and last.cards:
        yield _whole(last, called)


def _whole(moment: Moment, called: tuple[str, ...]) -> Event:
    cards = moment.cards
    decks = [codes for codes in moment.left or () if codes]
    right: bool | None = any(
        len(codes) + len(cards) == 52 and not {*codes} & cards and len({*codes}) == len(codes)
        for codes in decks
    )
    got = f"{len(cards)} in the hands and {len(decks[0]) if decks else 0} in the deck"
    if not decks:
        right, got = None, "I could not see the deck"
    blames = ("S1-39",) if len(cards) == 4 else ("S1-18", "S1-39")
    return Event("52 cards in all", blames, right, "4 in the hands and 48 in the deck", got, called)


EXAMPLES: Final = recorded(NEEDS, find_events)
"""The checks for these requirements."""
