"""One-deck Blackjack: the events in recorded games. This module does not run the program."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from course.grading.checks.words import BUST, DEALER, NOBODY, PLAYER, busted, plain, winners
from course.grading.recordings import Event, NotStarted, Recording, Recordings, recorded
from course.grading.trial import ANOTHER_LINE
from course.sheets.one_deck.checks.game import (
    ACES,
    AGAIN,
    CLOSEST,
    CODE,
    DRAWING,
    FULL,
    HITS,
    NO_HITS,
    NOT_AGAIN,
    POINTS,
    SEATS,
    STANDING,
    TOTALS,
    Played,
    cards_in,
    final_counts,
    games_in,
    numbers,
    play_all,
    seats_in,
)

NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "S2-1": ("the points",),
    "S2-2": ("another round",),
    "S2-3": ("the deck is shuffled",),
    "S2-4": ("the order of dealing",),
    "S2-5": ("the second card is hidden",),
    "S2-6": ("hits",),
    "S2-7": ("a bust ends the round", "the winner/bust"),
    "S2-8": ("a bust leaves the dealer's cards",),
    "S2-9": ("the dealer stands", "the dealer draws", "the dealer's ace"),
    "S2-10": ("the dealer's ace",),
    "S2-11": ("the winner/bust",),
    "S2-12": ("the winner/bust of the dealer",),
    "S2-13": ("the winner/win", "the winner/loss", "the winner/tie"),
    "S2-14": ("a draw/for the deal", "a draw/for the user", "a draw/for the dealer"),
    "S2-15": ("the next cards",),
    "S2-16": ("the game ends", "an empty deck ends the game"),
    "S2-20": ("the counts",),
    "S2-21": ("going on", "stopping"),
    "S2-22": ("three cards are shown",),
    "S2-23": ("hitting", "standing"),
    "S2-24": ("the user's cards and total",),
    "S2-25": ("a bust is told",),
    "S2-26": ("the dealer's steps", "the dealer's hits are told", "the dealer's stand is told"),
    "S2-27": ("the dealer's bust is told",),
    "S2-28": ("the winner is told", "the winner is told/bust"),
    "S2-29": ("one deck",),
    "S2-30": ("the closest total",),
    "S2-31": ("the dealer's total",),
    "S2-32": ("every round is counted", "no card twice"),
    "S2-34": ("the second card is shown",),
    "S2-35": ("an empty deck after 13 rounds",),
}
"""The events that must be observed, keyed by requirement."""

STAND_WORDS: Final = r"(?:stand|stay|hold|stop|keep|pass|done)"
STANDS: Final = re.compile(rf"\b{STAND_WORDS}")
HIT: Final = re.compile(r"\b(?:hits?|hitting|draws?|drew|takes?|gets?|another card)\b")

COUNTED_FOR: Final = {
    "user": PLAYER, "you": PLAYER, "player": PLAYER, "dealer": DEALER, "house": DEALER,
    "draw": NOBODY, "tie": NOBODY,
}  # fmt: skip
"""The words in a line of counts that name the winner of the counted rounds."""

LOST: Final = re.compile(r"\b(lost|loss|losses|lose|loses)\b")
"""Matches a word for lost rounds."""

WRONG: Final = False
RIGHT_COUNTS: Final = {PLAYER: 3, DEALER: 1, NOBODY: 2}
OTHER: Final = {PLAYER: DEALER, DEALER: PLAYER, NOBODY: NOBODY}
ENDS: Final = {"win": PLAYER, "loss": DEALER, "tie": NOBODY, "bust of the dealer": PLAYER,
               "bust": DEALER}  # fmt: skip
"""The expected winner of each game that consists of one round."""

FIRST: Final = {
    "bust": ("S2-11", "S2-7"), "bust of the dealer": ("S2-12",), "win": ("S2-13",),
    "loss": ("S2-13",), "tie": ("S2-13",),
}  # fmt: skip


def find_events(recordings: Recordings) -> Iterator[Event]:
    """Yield the events in all games of a program.

    Raises:
        NotStarted: If the program does not start.
    """
    recorded_games = play_all(recordings)
    for recording in recorded_games.values():
        if not recording.moments:
            raise NotStarted(recording.outcome)
    yield from not_ended(recorded_games)
    yield from events_in(games_in(recorded_games))


def not_ended(recordings: Mapping[str, Recording]) -> Iterator[Event]:
    """Yield an event for each game that did not end."""
    for name, recording in recordings.items():
        problem = recording.outcome.problem
        last = recording.moments[-1][1] if recording.moments else None
        problem = problem or (last.fault if last and last.decks is None else "")
        if problem:
            blames = BLAMED.get(name, ("S2-16", "S2-21", "S2-14"))
            called = last.called if last else ()
            yield Event("it ends", blames, WRONG, "the program ends by itself", problem, called)


BLAMED: Final = {"dealer": ("S2-9",), "points": ("S2-6",), "closest": ("S2-6",), "long": ("S2-35",)}
"""The requirement that an endless program fails, keyed by scenario."""


def events_in(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield the events in recorded games."""
    yield from errors(games)
    yield from decks(games)
    yield from dealing(games)
    yield from user(games)
    yield from totals(games)
    yield from dealer(games)
    yield from answers(games)
    yield from winner_events(games)
    yield from messages(games)
    yield from ending(games)
    yield from counts(games)


def event(
    played: Played,
    name: str,
    blames: tuple[str, ...],
    right: object,
    expected: str,
    got: object = "",
) -> Event:
    """Return an event of a game. ``right`` is None if the event could not be observed."""
    is_right = None if right is None else bool(right)
    text = got if isinstance(got, str) else f"{got}"
    return Event(name, blames, is_right, expected, text, played.called)


def errors(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events for errors, one per line of the student's code."""
    for played in games.values():
        if played.error:
            answer = played.game.typed[played.asked - 1] if played.asked else ""
            by_answer = {"h": ("S2-6",), "s": ("S2-9",)}
            blames: tuple[str, ...] = by_answer.get(answer, ("S2-2",))
            if played.asked == len(played.game.typed):
                blames = ("S2-14", "S2-16") if played.game.only else ("S2-16", "S2-21")
            yield Event(
                "no error", blames, WRONG, "no error", played.error, played.called, played.error
            )


def decks(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events about the creation and the shuffling of the deck."""
    if (played := games.get("win")) and played.decks is not None:
        got = f"shuffled with {' '.join(map(str, played.shuffles)) or 'no'} cards"
        right = bool(played.decks) and FULL in played.shuffles
        yield event(
            played, "the deck is shuffled", ("S2-3",), right, "a deck of 52 cards is shuffled", got
        )
    if (played := games.get("rounds")) and played.decks is not None and played.part(2) is not None:
        got = f"{len(played.decks)} decks were made"
        yield event(played, "one deck", ("S2-29",), len(played.decks) == 1, "one deck", got)


def dealing(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events about the cards that are shown at first and in later rounds."""
    if (played := games.get("first")) and (text := played.part(0)) is not None:
        cards = {*cards_in(text)}
        wrong = cards - {"Kc", "9c", "Th"} - {"8d"}
        right = {"Kc", "9c", "Th"} <= cards and seats_in(played) == SEATS
        got = "".join(played.parts[:2]).strip()
        blames = ("S2-22", "S2-4")
        if wrong or {"8d"} & cards or seats_in(played) != SEATS:
            blames = ("S2-4", "S2-22")
        expected = "the user's Kc and 9c, and the dealer's Th"
        yield event(played, "the order of dealing", blames, right, expected, got)
        yield event(played, "three cards are shown", blames, right, expected, got)
        if "8d" in cards and right:
            expected = "8d, the dealer's second card, is not shown"
            yield event(
                played, "three cards are shown", ("S2-5", "S2-22"), WRONG, expected, got
            )  # fmt: skip
    if (played := games.get("hits")) and played.part(3) is not None:
        before = "".join(played.parts[:4])
        expected = "8d is not shown before the user stands"
        right = "8d" not in cards_in(before)
        yield event(
            played, "the second card is hidden", ("S2-5", "S2-22"), right, expected, before.strip()
        )
    yield from later_rounds(games)


def later_rounds(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events about the first cards of later rounds."""
    if played := games.get("rounds"):
        for number, code, other in ((2, "Kd", "9d"), (4, "Kh", "8h")):
            text = played.part(number)
            cards = {*cards_in(text or "")}
            right: bool | None = None if text is None else {code, other} <= cards
            got = "the program asked for fewer answers" if text is None else text.strip()
            expected = f"another round, with {code} and {other}"
            blames: tuple[str, ...] = ("S2-15", "S2-29", "S2-2")
            if text is None:
                blames = ("S2-2", "S2-15")
            yield event(played, "another round", blames, right, expected, got)
            yield event(played, "the next cards", blames, right, expected, got)
    played = games.get("after draws")
    if played and (text := played.part(2)) is not None:
        expected = "after the dealer has drawn the next round has Qh"
        blames = ("S2-15", "S2-9", "S2-29")
        right = "Qh" in cards_in(text)
        yield event(played, "the next cards", blames, right, expected, text.strip())
    played = games.get("bust")
    if played and played.decks and played.part(1) is not None:
        drawn = FULL - min(played.decks) - 5
        got = f"{drawn} cards were drawn after the bust"
        expected = "the dealer draws no card after a bust"
        yield event(
            played, "a bust leaves the dealer's cards", ("S2-8", "S2-7"), not drawn, expected, got
        )


def user(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events about the card that each hit adds to the user's hand."""
    played = games.get("hits")
    if not played:
        return
    hands = {1: ("2c 3c 4c", 9), 2: ("2c 3c 4c 5c", 14), 3: ("2c 3c 4c 5c 2d", 16)}
    for number, (codes, value) in hands.items():
        text = played.part(number)
        if text is None:
            got = f"the program asked for {played.asked} answers only"
            yield event(played, "hits", ("S2-6", "S2-23"), None, f"a hit gives {codes[-2:]}", got)
            continue
        cards = {*cards_in(text)}
        got = text.strip()
        yield event(
            played, "hits", ("S2-6", "S2-24"), codes[-2:] in cards, f"a hit gives {codes[-2:]}", got
        )
        right = {*codes.split()} <= cards and value in numbers(text)
        blames = (
            ("S2-24",) if value not in numbers(text) and not numbers(text) else ("S2-24", "S2-1")
        )
        yield event(
            played, "the user's cards and total", blames, right, f"{codes}, total {value}", got
        )


def totals(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events that state whether the totals of the user's hands are correct."""
    for name, blames, hands in (
        ("the points", ("S2-1", "S2-30"), POINTS),
        ("the closest total", ("S2-30", "S2-1"), CLOSEST),
    ):
        for codes, value in hands.items():
            played = games.get(codes)
            text = played.part(len(codes.split()) - 2) if played else None
            if played and text is not None:
                right: bool | None = value in numbers(text)
                if not numbers(text):
                    right = None  # another event covers a missing total
                expected = f"a total of {value} for {codes}"
                yield event(played, name, blames, right, expected, text.strip())


def dealer(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events about the number of cards that the dealer draws."""
    for name, blames, all_codes in (
        ("the dealer stands", ("S2-9",), STANDING),
        ("the dealer draws", ("S2-9",), DRAWING),
        ("the dealer's ace", ("S2-10", "S2-9", "S2-31"), ACES),
        ("the dealer's total", ("S2-31", "S2-10", "S2-9"), TOTALS),
    ):
        for codes in all_codes:
            played = games.get(codes)
            if not played or not played.decks or played.part(1) is None:
                continue
            wanted = _drawn(codes.split())
            drawn = FULL - min(played.decks) - 4
            right = drawn == wanted
            hand = " ".join(codes.split()[: 2 + wanted])
            got = f"they have {' '.join(codes.split()[: 2 + max(drawn, 0)])}"
            if drawn > len(codes.split()) - 2:
                got = f"they have drawn {drawn} cards"
            expected = f"the dealer ends with {hand}"
            yield event(played, name, blames, right, expected, got)


def hand_value(codes: list[str]) -> int:
    """Return the total closest to 21 without a bust, or the smallest total.

    >>> hand_value(["Ac", "As"]), hand_value(["Ac", "6c", "Tc"])
    (12, 17)
    """
    value = sum(min("A23456789TJQK".index(code[0]) + 1, 10) for code in codes)
    has_ace = any(code[0] == "A" for code in codes)
    return value + 10 if has_ace and value + 10 <= 21 else value


def _drawn(codes: list[str]) -> int:
    """Return the number of the given cards that a dealer draws after the first two."""
    number = 2
    while hand_value(codes[:number]) < 17 and number < len(codes):
        number += 1
    return number - 2


def answers(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events that state whether answers have the correct effect."""
    for hit in HITS:
        if (played := games.get(f"hit {hit}")) and (text := played.part(1)) is not None:
            right = "4c" in cards_in(text)
            yield event(played, "hitting", ("S2-23", "S2-6"), right, f"{hit!r} hits", text.strip())
    for no_hit in NO_HITS:
        if (played := games.get(f"stand {no_hit}")) and (text := played.part(1)) is not None:
            right = "4c" not in cards_in(text)
            yield event(played, "standing", ("S2-23",), right, f"{no_hit!r} stands", text.strip())
    for answer in AGAIN:
        if (played := games.get(f"go on {answer}")) and played.part(1) is not None:
            right = played.asked == len(played.game.typed)
            got = f"it asked for {played.asked} answers"
            expected = f"{answer!r} goes on, and the next round asks again"
            yield event(played, "going on", ("S2-21", "S2-2"), right, expected, got)
    for answer in NOT_AGAIN:
        if (played := games.get(f"stop {answer}")) and played.part(1) is not None:
            if played.error:
                continue
            right = played.asked == 2 and not played.fault
            got = played.fault or f"it asked for {played.asked} answers"
            blames = (
                ("S2-21", "S2-16") if played.fault in ("", ANOTHER_LINE) else ("S2-16", "S2-21")
            )
            yield event(played, "stopping", blames, right, f"{answer!r} stops", got)


# ---- Words ---------------------------------------------------------------------------------------


def message_lines(text: str | None) -> set[str]:
    r"""Return the lines of a text that contain words, without cards and numbers.

    >>> sorted(message_lines("Your cards: Kc 9c, total 19\nYou win!"))
    ['you win!', 'your cards: @ @, total #']
    """
    lines = (re.sub(r"\d+", "#", plain(CODE.sub("@", line))) for line in (text or "").splitlines())
    return {line for line in lines if re.search(r"[^\W\d_]{2}", line)}


def hit_lines(games: Mapping[str, Played]) -> set[str]:
    """Return the lines that the program prints in the game in which the user hits."""
    parts = games["hits"].parts[:4] if "hits" in games else []
    return {line for part in parts for line in message_lines(part)}


def said(text: str) -> str:
    """Return the winner if a text names a winner in known words, or an empty string."""
    named, over = winners(CODE.sub(" ", text)), busted(CODE.sub("\n", text))
    if len(named) != 1 and len(over) == 1:
        named = {PLAYER, DEALER} - over
    return next(iter(named)) if len(named) == 1 else ""


def counted(text: str, games: Mapping[str, Played]) -> str:
    """Return the winner of a game with one round, determined from the game's counts.

    The order of the counts is known from other games.
    """
    known = {}
    for name in ("win", "loss", "tie"):
        usual = final_counts(games[name].parts[-1]) if name in games else None
        if usual and sorted(usual) == [0, 0, 1]:
            known[usual.index(1)] = ENDS[name]
    own_counts = final_counts(text)
    if len(known) == 3 and own_counts and sorted(own_counts) == [0, 0, 1]:
        return known[own_counts.index(1)]
    return ""


def winner_events(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events about the winner of each game with one round."""
    for name, wanted in ENDS.items():
        played = games.get(name)
        text = played.part(1) if played else None
        if not played or text is None:
            continue
        if name == "bust":
            got = f"it asked for {played.asked} answers: {text.strip()}"
            is_over = played.asked <= 2 and played.fault != ANOTHER_LINE
            if not played.error:
                yield event(
                    played, "a bust ends the round", ("S2-7", "S2-16"), is_over,
                    "over 21 the round is lost without another question", got,
                )  # fmt: skip
        winner = said(text) or counted(played.parts[-1], games)
        right: bool | None = winner == wanted if winner else None
        got = text.strip() if winner else f"whether this says who has won: {text.strip()}"
        blames = FIRST[name]
        yield event(played, f"the winner/{name}", blames, right, f"{wanted} wins", got)
    for name in ("for the deal", "for the user", "for the dealer"):
        played = games.get(name)
        if not played or played.error or played.asked < len(played.game.typed):
            continue
        text = played.parts[-1]
        winner = said(text) if len(winners(CODE.sub(" ", text))) == 1 else ""
        winner = winner or counted(text, games)
        if not winner and final_counts(text) == [0, 0, 0]:
            yield event(played, f"a draw/{name}", ("S2-14", "S2-20"), WRONG, "a draw", text.strip())
            continue
        right = winner == NOBODY if winner else None
        got = text.strip() if winner else f"whether this says that it is a draw: {text.strip()}"
        yield event(played, f"a draw/{name}", ("S2-14", "S2-28"), right, "the round is a draw", got)


def messages(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events about messages, by comparing games that end differently."""
    texts = {name: games[name].part(1) for name in (*ENDS, "draws") if name in games}
    lines = {name: message_lines(text) for name, text in texts.items() if text is not None}
    for name, others, number, subject in (
        ("bust", ("loss", "win"), "S2-25", "a bust is told"),
        ("bust of the dealer", ("win", "draws", "loss"), "S2-27", "the dealer's bust is told"),
    ):
        if name in lines and {*others} <= lines.keys():
            text = texts[name] or ""
            hits = hit_lines(games)
            known = set.union(hits, *(lines[other] for other in others))
            right = lines[name] - known
            yield event(games[name], subject, (number,), right, "a message about it", text.strip())
    if {"win", "loss", "tie"} <= lines.keys():
        kinds = [lines[name] for name in ("win", "loss", "tie")]
        different = all(kind - other for kind in kinds for other in kinds if kind is not other)
        is_known = all(said(texts[name] or "") for name in ("win", "loss", "tie"))
        got = " / ".join(" ".join((texts[n] or "").split()) for n in ("win", "loss", "tie"))
        yield event(
            games["win"], "the winner is told", ("S2-28",), is_known or different,
            "a message that differs by who has won", got,
        )  # fmt: skip
    if "bust" in lines and {"win", "loss", "tie"} <= lines.keys() and "hits" in games:
        text = texts["bust"] or ""
        usual = lines["win"] & lines["loss"] & lines["tie"]
        new = lines["bust"] - hit_lines(games) - usual
        losing = lines["loss"] - lines["win"] - lines["tie"]
        is_told: bool | None = bool(winners(CODE.sub(" ", text)) or new & losing)
        if not is_told and not (len(new) < 2 and BUST.search(plain(text))):
            is_told = None
        yield event(
            games["bust"], "the winner is told/bust", ("S2-28",), is_told,
            "a message about who has won", text.strip(),
        )  # fmt: skip
    yield from _steps(games, texts, lines)


def _steps(
    games: Mapping[str, Played], texts: Mapping[str, str | None], lines: Mapping[str, set[str]]
) -> Iterator[Event]:
    """Yield events about the dealer's cards, totals and actions."""
    if "win" in lines:
        text = texts["win"] or ""
        yield event(
            games["win"], "the second card is shown", ("S2-34", "S2-26"), "8d" in cards_in(text),
            "the dealer's second card, 8d", text.strip(),
        )  # fmt: skip
        right = {"Th", "8d"} <= {*cards_in(text)} and 18 in numbers(text)
        blames = ("S2-26",) if "8d" in cards_in(text) else ("S2-34", "S2-26")
        yield event(
            games["win"], "the dealer's steps", blames, right, "Th 8d, and 18", text.strip()
        )
    if not {"win", "draws", "bust of the dealer", "bust"} <= lines.keys():
        return
    played, text = games["draws"], texts["draws"] or ""
    if played.decks and FULL - min(played.decks) - 4 != 2:
        for name in ("the dealer's steps", "the dealer's hits are told"):
            yield event(played, name, ("S2-9",), None, "the dealer hits twice", text.strip())
    else:
        place = [text.find(code) for code in ("4h", "5h")]
        first, second = text[: max(place[1], 0)], text[max(place[1], 0) :]
        right = min(place) >= 0 and 15 in numbers(first) and 20 in numbers(second)
        expected = "after each hit the dealer's cards and their total, 15 and 20"
        yield event(played, "the dealer's steps", ("S2-26",), right, expected, text.strip())
        told = (
            HIT.search(plain(CODE.sub(" ", text))) or lines["draws"] - lines["win"] - lines["tie"]
        )
        yield event(
            played, "the dealer's hits are told", ("S2-26",), told, "a message about the hits",
            text.strip(),
        )  # fmt: skip
    played, text = games["win"], texts["win"] or ""
    only = (lines["win"] & lines["draws"]) - lines["bust of the dealer"] - lines["bust"]
    known = any(map(STANDS.search, lines["win"] - lines["bust of the dealer"]))
    yield event(
        played, "the dealer's stand is told", ("S2-26",), known or only,
        "a message that the dealer stands", text.strip(),
    )  # fmt: skip


# ---- The end of the game -------------------------------------------------------------------------


def ending(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events that state whether the game ends at the right time."""
    if (played := games.get("win")) and played.part(1) is not None and not played.error:
        right = played.asked == 2 and not played.fault
        got = played.fault or f"it asked for {played.asked} answers"
        expected = "the game ends when the user stops"
        yield event(played, "the game ends", ("S2-16", "S2-21"), right, expected, got)
    for name in ("empty 1", "empty 2", "empty 3"):
        played = games.get(name)
        if played and not played.error:
            right = played.asked == len(played.game.typed) and not played.fault
            got = played.fault or f"it asked for {played.asked} answers"
            expected = "an empty deck ends the game without a question"
            yield event(
                played, "an empty deck ends the game", ("S2-16", "S2-14"), right, expected, got
            )


def counts(games: Mapping[str, Played]) -> Iterator[Event]:
    """Yield events that state whether the counts at the end of a game are correct."""
    played = games.get("counted")
    if played and played.part(12) is not None:
        text = played.parts[-1]
        wrong = _wrong_count(text)
        right = sorted(final_counts(text) or []) == [1, 2, 3] and not wrong
        expected = wrong or "3 won, 1 lost, 2 draws"
        yield event(
            played, "the counts", ("S2-20", "S2-32", "S2-29"), right, expected, text.strip()
        )
    played = games.get("long")
    if not played or played.asked < 3:
        return
    asked = played.parts[:-1:2]
    firsts = [code for part in asked for code in cards_in(part)[-3:]]
    twice = sorted({code for code in firsts if firsts.count(code) > 1})
    yield event(
        played, "no card twice", ("S2-29", "S2-15", "S2-32"), not twice, "no card twice",
        f"twice: {' '.join(twice)}",
    )  # fmt: skip
    if played.part(len(played.game.typed)) is not None:
        final = final_counts(played.parts[-1])
        right = final is not None and sum(final) == len(asked)
        yield event(
            played, "every round is counted", ("S2-20", "S2-32", "S2-29"), right,
            f"{len(asked)} rounds counted", f"{final}",
        )  # fmt: skip
    if played.decks:
        left = played.decks[0]
        yield event(
            played, "an empty deck after 13 rounds", ("S2-35", "S2-29"), not left,
            "no card is left after 13 rounds", f"{left} cards are left",
        )  # fmt: skip


def _wrong_count(text: str) -> str:
    """Return the correct count for a line with a wrong count, or an empty string."""
    for line in re.split(r"[\n,;]", text):
        named = {player for word, player in COUNTED_FOR.items() if word in plain(line)}
        if len(numbers(line)) == len(named) == 1:
            (player,) = named
            if LOST.search(plain(line)):  # a round lost by one side is won by the other
                player = OTHER[player]
            if numbers(line) != [RIGHT_COUNTS[player]]:
                return f"{RIGHT_COUNTS[player]} for the {player}"
    return ""


EXAMPLES: Final = recorded(NEEDS, find_events)
"""The checks for these requirements."""
