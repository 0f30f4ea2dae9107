"""Simple 21: the program's output for typed input."""

import re
from typing import NamedTuple

from course.grading.checks import check
from course.grading.checks.tools import CODES, arranged, expect_goodbye, play_all
from course.grading.checks.words import (
    BUST,
    DEALER,
    NOBODY,
    PLAYER,
    busted,
    plain,
    round_numbers,
    winners,
)
from course.grading.sandbox.terminal import Transcript
from course.grading.trial import Trial, Unclear

PROGRAM = "assignment2.py"
HAND = re.compile(r"hand:((?:\s*\[\s?\w\w\s?\])*)(?:,?\s*value\s*=\s*(\d+))?")
HIDDEN = "xx"


class Hand(NamedTuple):
    """A hand in the program's output."""

    cards: list[str]
    value: str


def game(trial: Trial, codes: str, *typed: str) -> Transcript:
    """Run the program with these cards on top of the deck.

    The name of the deck file is typed first.
    """
    trial.file("deck.txt", arranged(*codes.split()))
    trial.called.append(f"# deck.txt begins with {codes}")
    return play_all(trial, PROGRAM, "deck.txt", *typed)


def hands(text: str) -> list[Hand]:
    """Return the hands in a text."""
    return [Hand(re.findall(r"\w\w", cards), value) for cards, value in HAND.findall(text)]


def words(text: str) -> str:
    """Return a text without the hands in it."""
    return plain(HAND.sub(" ", text))


def expect_winner(trial: Trial, text: str, winner: str) -> None:
    """Fail unless a text names this winner."""
    ending = HAND.sub("\n", text)
    named, over = winners(ending), busted(ending)
    if len(named) != 1 and len(over) == 1:
        named = {PLAYER, DEALER} - over
    if len(named) != 1:
        raise Unclear(f"whether this says that {winner} wins: {plain(ending)}")
    trial.expect(named == {winner}, f"{winner} wins", plain(ending))


def rounds_named(text: str) -> list[int]:
    """Return the round numbers that a text contains outside the hands."""
    return round_numbers(HAND.sub(" ", text))


@check("S0-1")
def s0_1(trial: Trial) -> None:
    """One person plays, and two hands are shown."""
    parts = game(trial, "9S 9H 8C 8D", "s", "n").parts
    dealt = hands(parts[1])
    trial.expect(len(dealt) == 2, "two hands before the first question", parts[1])
    both = "player" in parts[1].lower() and "dealer" in parts[1].lower()
    trial.expect(both, "the player's and the dealer's", parts[1])


@check("S0-10")
def s0_10(trial: Trial) -> None:
    """Each hit deals one card."""
    parts = game(trial, "2S 9H 3C 8D 4S 5S 2D", "h", "h", "h", "s", "n").parts
    for number, part in enumerate(parts[2:5], start=3):
        players = [hand.cards for hand in hands(part) if "2S" in hand.cards]
        got = players[-1] if players else part
        trial.expect(players and len(players[-1]) == number, f"the player has {number} cards", got)


@check("S0-11")
def s0_11(trial: Trial) -> None:
    """The player's cards are never hidden, and the value of the hand is shown."""
    transcript = game(trial, "2S 9H 3C 8D 4S 5S", "h", "h", "s", "n")
    players = [hand for hand in hands(transcript.shown) if "2S" in hand.cards]
    trial.expect(players, "the player's hand", transcript.shown)
    for hand in players:
        trial.expect(HIDDEN not in hand.cards, "all cards face up", " ".join(hand.cards))
        trial.expect(hand.value, "the value of the hand", "none is shown")


@check("S0-12")
def s0_12(trial: Trial) -> None:
    """A bust player loses, and the hidden card stays hidden."""
    transcript = game(trial, "9S 9H 8C 7D 6S", "h", "n")
    expect_winner(trial, transcript.parts[2], DEALER)
    trial.expect("7D" not in transcript.shown, "the hidden card 7D is not shown", "it is")


def dealer_ends(trial: Trial, codes: str, wanted: str) -> None:
    """Fail unless the dealer's hand is shown in this format after a stay."""
    part = game(trial, codes, "s", "n").parts[2]
    dealers = [" ".join(hand.cards) for hand in hands(part) if wanted[:2] in hand.cards]
    trial.expect(dealers and dealers[-1] == wanted, f"the dealer ends with {wanted}", part)


@check("S0-13")
def s0_13(trial: Trial) -> None:
    """The dealer turns over the hidden card, and draws until the total is at least 17."""
    dealer_ends(trial, "9S 9H 8C 8D", "9H 8D")
    dealer_ends(trial, "9S 9H 8C 7D 3S", "9H 7D 3S")
    dealer_ends(trial, "9S 2H 8C 3D 4S 5S 2D 3S", "2H 3D 4S 5S 2D 3S")


@check("S0-14")
def s0_14(trial: Trial) -> None:
    """The player wins against a bust dealer."""
    part = game(trial, "2S 9H 3C 7D 8S", "s", "n").parts[2]
    trial.expect(BUST.search(words(part)), "the dealer is bust", words(part))
    expect_winner(trial, part, PLAYER)


@check("S0-15")
def s0_15(trial: Trial) -> None:
    """The hand closer to 21 wins, and equal values tie."""
    for codes, winner in (
        ("9S 9H 9C 8D", PLAYER),
        ("9S 9H 8C 9D", DEALER),
        ("9S 9H 8C 8D", NOBODY),
    ):
        expect_winner(trial, game(trial, codes, "s", "n").parts[2], winner)


@check("S0-64")
def s0_64(trial: Trial) -> None:
    """An invalid file ends the game with a reason."""
    trial.file("bad.txt", CODES[:-1])
    trial.called.append("# bad.txt has 51 cards")
    transcript = trial.play(PROGRAM, "bad.txt")
    text = plain(transcript.parts[1])
    trial.expect("bad.txt" in text or "invalid" in text, "a message that says why", text)
    # A program that never ends, even after a valid game, fails S0-73 instead of this requirement.
    if transcript.fault and game(trial, "9S 9H 8C 8D", "s", "n").fault != transcript.fault:
        trial.ended(transcript)


@check("S0-65")
def s0_65(trial: Trial) -> None:
    """The table is shown before the first question."""
    parts = game(trial, "9S 9H 8C 8D", "s", "n").parts
    dealt = [hand.cards for hand in hands(parts[1])]
    wanted = [["9S", "8C"], ["9H", HIDDEN]]
    trial.expect(dealt == wanted, "hands of 9S 8C and 9H xx before the question", parts[1])


@check("S0-66")
def s0_66(trial: Trial) -> None:
    """H and h mean a hit, and any other answer means a stay."""
    for answer in ("H", "h", "hit", "Hello"):
        part = game(trial, "2S 9H 3C 8D 4S", answer, "s", "n").parts[2]
        trial.expect("4S" in part, f"{answer!r} hits", part)
    for answer in ("s", "S", "stay", "x", "no", "y", ""):
        part = game(trial, "2S 9H 3C 8D 4S", answer, "n").parts[2]
        trial.expect("4S" not in part, f"{answer!r} stays", part)


@check("S0-67")
def s0_67(trial: Trial) -> None:
    """The program shows the updated table, followed by the question."""
    parts = game(trial, "2S 9H 3C 8D 4S 5S", "h", "h", "s", "n").parts
    for part, wanted in zip(
        parts[2:4], (["2S", "3C", "4S"], ["2S", "3C", "4S", "5S"]), strict=True
    ):
        dealt = [hand.cards for hand in hands(part)]
        trial.expect(wanted in dealt, f"a hand of {' '.join(wanted)}", part)
        trial.expect(["9H", HIDDEN] in dealt, "the dealer's hand, still hidden", part)


@check("S0-68")
def s0_68(trial: Trial) -> None:
    """A bust and a total of 21 are announced, and end the round."""
    text = words(game(trial, "9S 9H 8C 7D 6S", "h", "n").parts[2])
    trial.expect(BUST.search(text), "a message that the player is bust", text)
    text = words(at_21(trial).shown.rpartition("7D")[2])
    trial.expect("21" in text or "natural" in text, "a message that the player has 21", text)


def at_21(trial: Trial) -> Transcript:
    """Play a round that ends with exactly 21, whether or not the program asks again."""
    trial.file("deck.txt", arranged("9S", "9H", "5C", "8D", "7D"))
    transcript = trial.play(PROGRAM, "deck.txt", "h", "s", "n")
    if re.search("another|again", plain(transcript.parts[2])):
        trial.accept("the round ends at 21 without another question (A0-13)")
    return transcript


@check("S0-69")
def s0_69(trial: Trial) -> None:
    """After a stay, the dealer's hidden card is shown."""
    part = game(trial, "9S 9H 8C 8D", "s", "n").parts[2]
    matching = [hand for hand in hands(part) if hand.cards == ["9H", "8D"]]
    trial.expect(matching, "the dealer's hand 9H 8D", part)
    trial.expect(matching[-1].value == "17", "its value 17", part)


@check("S0-70")
def s0_70(trial: Trial) -> None:
    """The winner and the number of the round are shown."""
    for codes in ("9S 9H 9C 8D", "9S 9H 8C 9D", "9S 9H 8C 8D"):
        transcript = game(trial, codes, "s", "n")
        text = HAND.sub("\n", transcript.parts[2])
        trial.expect(winners(text), "who won, or that it is a tie", plain(text))
        trial.expect(rounds_named(transcript.shown), "the number of the round", transcript.shown)


@check("S0-71")
def s0_71(trial: Trial) -> None:
    """Only Y, y, N and n are accepted as answers."""
    for answer in ("Y", "y", "yes", "Yoyo"):
        parts = game(trial, "9S 9H 8C 8D 9C 9D 8S 8H", "s", answer, "s", "n").parts
        trial.expect(hands(parts[3]), f"another round after {answer!r}", parts[3])
    for answer in ("N", "n", "no", "Never"):
        parts = game(trial, "9S 9H 8C 8D", "s", answer).parts
        trial.expect(not hands(parts[3]), f"no other round after {answer!r}", parts[3])
    parts = game(trial, "9S 9H 8C 8D", "s", "maybe", "", "1", "h", " y", "n").parts
    again = next((part for part in parts[3:] if hands(part)), "")
    trial.expect(not again, "no other round after answers that are neither", again)


@check("S0-72")
def s0_72(trial: Trial) -> None:
    """The next round has the next number, and uses the next cards of the same deck."""
    parts = game(trial, "9S 9H 8C 8D 9C 9D 8S 8H", "s", "y", "s", "n").parts
    first = [hand.cards for hand in hands(parts[3])]
    trial.expect(["9C", "8S"] in first, "the second round goes on with 9C and 8S", parts[3])
    before, after = rounds_named(parts[1] + parts[2]), rounds_named(parts[3] + parts[4])
    counted = before and after and max(after) == max(before) + 1
    trial.expect(counted, "a number that is one more", f"{before}, then {after}")


@check("S0-73")
def s0_73(trial: Trial) -> None:
    """The program says goodbye."""
    expect_goodbye(trial, trial.ended(game(trial, "9S 9H 8C 8D", "s", "n")).parts[3])


@check("S0-74")
def s0_74(trial: Trial) -> None:
    """The first round is number 1."""
    transcript = game(trial, "9S 9H 8C 8D", "s", "n")
    numbers = rounds_named(transcript.shown)
    trial.expect(set(numbers) <= {1}, "round 1", f"round {numbers[0] if numbers else ''}")


@check("S0-80")
def s0_80(trial: Trial) -> None:
    """If the player has 21, the dealer neither shows the hidden card nor draws."""
    text = at_21(trial).shown
    trial.expect("8D" not in text, "the hidden card 8D is not shown", "it is")
    expect_winner(trial, text.rpartition("7D")[2], PLAYER)
