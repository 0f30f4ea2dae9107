"""One-deck Blackjack: plays the program with arranged decks, and records the games."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from course.grading.recordings import Recording, Recordings, Scenario
from course.grading.sandbox.terminal import Transcript
from course.grading.trial import ENDED, KIT, Failed, Trial

PROGRAM: Final = "proj09.py"
CODE: Final = re.compile(r"\b([A2-9TJQK][cdhs])\b")

SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
NAMES: Final = {
    "ace": "A", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "T", "jack": "J", "queen": "Q", "king": "K", "10": "T",
}  # fmt: skip
WRITTEN: Final = re.compile(
    rf"\b(?P<rank>{'|'.join(NAMES)}|[A2-9TJQK1])\s*(?:of\s+)?"
    r"(?P<suit>clubs?|diamonds?|hearts?|spades?|[♣♦♥♠]|(?<=[A2-9TJQK0])[CDHScdhs](?=\b))",
    re.IGNORECASE,
)
"""Matches a card in the notation of programs: ``King of Clubs``, ``10♥``, ``KC``."""


def coded(text: str) -> str:
    """Return a text with each card as its code.

    >>> coded("King of Clubs, 10 of hearts, As, 9♦, QH"), coded("As the dealer")
    ('Kc, Th, As, 9d, Qh', 'As the dealer')
    """

    def code(match: re.Match[str]) -> str:
        rank, suit = match["rank"], match["suit"]
        if len(suit) == 1 and suit.isalpha() and rank.islower() and not rank.isdigit():
            return match[0]  # a word, such as "as"
        short = next((key for key, sign in SUITS.items() if sign == suit), suit[0].lower())
        return f"{NAMES.get(rank.lower(), rank.upper())}{short}"

    return WRITTEN.sub(code, text)


ORDER: Final = [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"]
FULL: Final = 52


class Game(NamedTuple):
    """A game to be played: the top cards of the deck, and the user's answers."""

    codes: str
    """The answers, with ``|`` between rounds."""
    typed: tuple[str, ...]
    only: bool = False

    def order(self, seats: tuple[int, ...]) -> list[str]:
        """Return the cards of the deck, top card first, for the given order of dealing."""
        top = []
        for cards in map(str.split, self.codes.split("|")):
            first = [cards[seat] for seat in seats] if len(cards) > 3 else cards
            top += [*first, *cards[len(first) :]]
        return top if self.only else [*top, *(code for code in ORDER if code not in top)]


class Played(NamedTuple):
    """The recording of a game."""

    game: Game
    parts: list[str]
    """The output before each answer, and after the last answer."""
    asked: int
    """Number of answers that the program read."""
    fault: str = ""
    """The fault after the last answer."""
    error: str = ""
    """The error that the program raised, including the student's line."""
    decks: tuple[int, ...] | None = None
    """Number of cards left in each deck that the program created, or None if unknown."""
    shuffles: tuple[int, ...] = ()
    """Number of cards in each shuffled deck."""

    def part(self, number: int) -> str | None:
        """Return the output after this many answers, or None if the program ended earlier."""
        is_there = number < len(self.parts) and self.asked >= number
        return self.parts[number] if is_there and not self.stopped_in(number) else None

    def stopped_in(self, number: int) -> bool:
        """Return whether an error stopped the program during this part of the output."""
        return bool(self.error) and number == len(self.parts) - 1

    @property
    def called(self) -> tuple[str, ...]:
        """The actions of the game, in the format for reports."""
        begins = "is only" if self.game.only else "begins"
        typed = (f"typed: {line}" for line in self.game.typed)
        return (f"# cards.Deck() {begins} {self.game.codes}", f"python {PROGRAM}", *typed)


def stands(dealer: str) -> Game:
    """Return a game in which the user stands with 20.

    The first two cards are the dealer's.
    """
    first, second, *more = dealer.split()
    return Game(" ".join(["Kc", first, "Qc", second, *more]), ("s", "n"))


def total(codes: str, *, bust: bool = False) -> Game:
    """Return a game in which the user hits until the hand consists of these cards."""
    first, second, *hits = codes.split()
    answers = [*(["h"] * len(hits)), *([] if bust else ["s"]), "n"]
    return Game(" ".join([first, "9h", second, "9d", *hits]), tuple(answers))


POINTS: Final[Mapping[str, int]] = {
    "2c 3d 4h": 9, "5s 6c 7d": 18, "8s 2c 7h": 17, "Jc 2d 3h": 15, "Qc 2d 3h": 15, "Ks 2d 3h": 15,
    "Tc 2d 3h": 15,
}  # fmt: skip
CLOSEST: Final[Mapping[str, int]] = {
    "Ac As 2c": 14, "Ac As 9c": 21, "Ac 6c Tc": 17, "Ac Ad Ah As": 14, "Ac 5c 5d": 21,
    "Ac 9c Ad": 21, "Kc Qc 2c": 22, "Ac Ad Kc Qc": 22,
}  # fmt: skip
"""Hands of the user, with the total of each hand. The user hits until the hand is complete."""

STANDING: Final = ("9h 8d 2h",)
DRAWING: Final = ("9h 7d 2h", "2h 3d 4h 5h 2d 3h")
ACES: Final = ("Ah 6d 4h", "9h Ad 4h", "Ah 5d 4h", "Ah 5d Th 3d")
TOTALS: Final = ("Ah 2d 4h 5h", "Ah Ad 5h 3h", "2h Ad 9h 8h")
"""Strings of the dealer's cards, each followed by the next cards of the deck."""

HITS: Final = ("Y", "y", "H", "h", "")
NO_HITS: Final = ("n", "N", "s", "stand", "x", "hit", "yes")
AGAIN: Final = ("Y", "y", "")
NOT_AGAIN: Final = ("n", "N", "no", "x", "yes", "q")

SEATS: Final = (0, 1, 2, 3)
"""The usual order of dealing: the user, the dealer, the user, the dealer."""

OTHER_SEATS: Final = (0, 2, 1, 3)
"""The order in which the user gets two cards before the dealer gets two cards."""

TWO_ROUNDS: Final = "Kc Th 9c 8d | Kd Ts 9d 8s"
COUNTED: Final = "Kc 9h 9c 9d | Kd 8h 9s Tc | Kh 8c Th Td | Ks Jd 7h 8s | Ts Jh Qc Js | Qd Jc Qh Qs"
"""Six rounds, of which the user wins three, loses one and draws two."""


def long_game() -> Game:
    """Return 13 rounds without hits.

    The dealer never has 17, because another scenario tests that total.
    """
    tens = [rank + suit for rank in "TJQK" for suit in "cdhs"]
    others = [rank + suit for rank in "89" for suit in "cdhs"]
    dealers = [*zip(tens[:8], others, strict=True), *zip(tens[8::2], tens[9::2], strict=True)]
    dealers.append(("As", "7s"))
    rest = [code for code in ORDER if code not in (*tens, *others, "As", "7s")]
    players = list(zip(rest[::2], rest[1::2], strict=True))
    rounds = [f"{u} {d} {w} {e}" for (u, w), (d, e) in zip(players, dealers, strict=True)]
    return Game(" | ".join(rounds), tuple((["s", "y"] * 13)[:-1]))


SCENARIOS: Final[Mapping[str, Mapping[str, Game]]] = {
    "first": {"first": Game("Kc Th 9c 8d", ("s", "n"))},
    "ends": {
        "win": Game("Kc Th 9c 8d", ("s", "n")),
        "loss": Game("Kc 9h 8c Td", ("s", "n")),
        "tie": Game("Tc Th 8c 8d", ("s", "n")),
        "bust of the dealer": Game("2c 9h 3c 7d Th", ("s", "n")),
        "bust": Game("Kc Th 9c 8d 5c", ("h", "n")),
        "draws": Game("Kc 2h Qc 9d 4h 5h", ("s", "n")),
    },
    "hits": {"hits": Game("2c 9h 3c 8d 4c 5c 2d", ("h", "h", "h", "s", "n"))},
    "rounds": {
        "rounds": Game(f"{TWO_ROUNDS} | Kh 9s 8h Td", ("s", "y", "s", "y", "s", "n")),
        "after draws": Game("Kc 2h 9c 3d 6d 7d | Qh 9h 8h 4h 5h Th", ("s", "y", "s", "n")),
        "counted": Game(COUNTED, (*(["s", "y"] * 5), "s", "n")),
    },
    "long": {"long": long_game()},
    "points": {codes: total(codes, bust=value > 21) for codes, value in POINTS.items()},
    "closest": {codes: total(codes, bust=value > 21) for codes, value in CLOSEST.items()},
    "dealer": {codes: stands(codes) for codes in (*STANDING, *DRAWING, *ACES, *TOTALS)},
    "hit or stand": {
        **{f"hit {hit}": Game("2c Th 3c 8d 4c", (hit, "s", "n")) for hit in HITS},
        **{f"stand {no_hit}": Game("2c Th 3c 8d 4c", (no_hit, "n")) for no_hit in NO_HITS},
    },
    "go on": {f"go on {answer}": Game(TWO_ROUNDS, ("s", answer, "s", "n")) for answer in AGAIN},
    "stop": {f"stop {answer}": Game("Kc Th 9c 8d", ("s", answer)) for answer in NOT_AGAIN},
    "too few": {
        "for the deal": Game("Kc 9h", (), only=True),
        "for the user": Game("Kc Th 9c 8d", ("h",), only=True),
        "for the dealer": Game("Kc 2h 9c 3d 4d", ("s",), only=True),
    },
    "empty": {
        "empty 1": Game("Kc Th 9c 8d", ("s",), only=True),
        "empty 2": Game("Kc Th 9c 8d 5c", ("h",), only=True),
        "empty 3": Game(TWO_ROUNDS, ("s", "y", "s"), only=True),
    },
}
"""The games, keyed by name and grouped by the process that plays them."""


def planned(games: Mapping[str, Game], seats: tuple[int, ...]) -> Scenario:
    """Return a scenario that plays several games in succession."""

    def play(trial: Trial, moments: list[Any]) -> None:
        for name, game in games.items():
            trial.probe("arrange_decks", repr(game.order(seats)))
            trial.transcript = None
            error = _play(trial, name, game, moments)
            played = moments[-1][1]
            if trial.gone:
                return
            decks = tuple(trial.look(f"[len(deck) for deck in {KIT}.DECKS]"))
            shuffles = tuple(trial.look(f"{KIT}.SHUFFLES"))
            error = error or _error_in(played.fault)
            moments[-1] = name, played._replace(error=error, decks=decks, shuffles=shuffles)

    return play


def _play(trial: Trial, name: str, game: Game, moments: list[Any]) -> str:
    """Play a game and record it.

    Return the error that ended the game before its last answer, or an empty string.
    """
    error, stuck = "", False
    try:
        trial.play(PROGRAM, *game.typed)
    except Failed as failure:
        error, stuck = failure.cause, bool(failure.stuck) or not trial.transcript
        if stuck:
            raise
    finally:
        if not stuck:
            moments.append((name, played_by(trial.transcript, game)))
    return error


def played_by(transcript: Transcript | None, game: Game) -> Played:
    """Return the recording of a game, given the transcript."""
    if transcript is None:
        return Played(game, [""], 0)  # the process was terminated, so the program's output is lost
    parts, fault = [*map(coded, transcript.parts)], transcript.fault
    if fault:  # the message of an error is not output of the program
        parts = [*parts[:-1], parts[-1].removesuffix(coded(f"\n{fault.removeprefix(ENDED)}\n"))]
    return Played(game, parts, len(transcript.typed), fault)


def _error_in(fault: str) -> str:
    return fault.removeprefix(ENDED) if fault.startswith(ENDED) else ""


def play_all(recordings: Recordings) -> dict[str, Recording]:
    """Return the recordings of all games.

    If the program does not start, this is only one recording.
    """
    by_name: dict[str, Recording] = {}
    seats: tuple[int, ...] = SEATS
    for name, games in SCENARIOS.items():
        by_name[name] = recordings.record(name, planned(games, seats))
        if not by_name[name].moments:
            return by_name
        if name == "first":
            seats = seats_in(games_in(by_name)["first"])
    return by_name


def seats_in(first: Played) -> tuple[int, ...]:
    """Return a program's dealing order, found by the totals of its first game."""
    cards = {*numbers("".join(first.parts[:2]))}
    return OTHER_SEATS if {20, 17} <= cards and not {19, 18} & cards else SEATS


def games_in(recordings: Mapping[str, Recording]) -> dict[str, Played]:
    """Return the recorded games, keyed by name."""
    return {name: played for recording in recordings.values() for name, played in recording.moments}


def numbers(text: str) -> list[int]:
    """Return the numbers in a text, except the numbers of cards."""
    return [int(number) for number in re.findall(r"\d+", CODE.sub(" ", text))]


def cards_in(text: str, among: Iterable[str] = ORDER) -> list[str]:
    """Return the cards in a text."""
    known = {*among}
    return [code for code in CODE.findall(text) if code in known]


def final_counts(text: str) -> list[int] | None:
    """Return the last three numbers in a text, which are the counts of rounds."""
    counts = numbers(text)
    return counts[-3:] if len(counts) >= 3 else None
