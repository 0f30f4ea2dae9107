"""One-deck Blackjack: the program at play with a deck that is arranged."""

import re
from typing import NamedTuple

from course.grading.checks.tools import play_all
from course.grading.checks.words import DEALER, NOBODY, PLAYER, busted, winners
from course.grading.sandbox.terminal import Transcript
from course.grading.trial import KIT, Trial, Unclear

PROGRAM = "proj09.py"
CODE = re.compile(r"\b([A2-9TJQK][cdhs])\b")
ORDER = [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"]


class Game(NamedTuple):
    """A game that was played, and what became of its deck."""

    transcript: Transcript
    codes: list[str]
    decks: list[int]
    """How many cards are left in each deck that the program made."""
    shuffles: list[int]
    """How many cards each shuffled deck had."""

    @property
    def parts(self) -> list[str]:
        """What was shown before each answer, and after the last one."""
        return self.transcript.parts

    def cards(self, text: str) -> list[str]:
        """Return the cards that a text shows."""
        return [code for code in CODE.findall(text) if code in self.codes]


def game(trial: Trial, codes: str, *typed: str, only: bool = False, exact: bool = False) -> Game:
    """Play with a deck that has these cards on top, or these only.

    Args:
        trial: the student's files.
        codes: the cards, the first one on top.
        typed: the answers.
        only: whether the deck has no other card.
        exact: whether the program must ask for these answers and be over then.

    """
    top = codes.split()
    order = top if only else [*top, *(code for code in ORDER if code not in top)]
    trial.probe("arrange_decks", repr(order))
    begins = "is only" if only else "begins"
    trial.called.append(f"# cards.Deck() {begins} {codes}, shuffled or not")
    transcript = play_all(trial, PROGRAM, *typed, of="answers")
    if exact:
        trial.ended(transcript)
    if transcript.stopped:
        return Game(transcript, order, [], [])
    decks = trial.look(f"[len(deck) for deck in {KIT}.DECKS]")
    return Game(transcript, order, decks, trial.look(f"{KIT}.SHUFFLES"))


def numbers(text: str) -> list[int]:
    """Return the numbers of a text, without those of the cards."""
    return [int(number) for number in re.findall(r"\d+", CODE.sub(" ", text))]


def total(trial: Trial, codes: str, wanted: int) -> None:
    """Fail unless the total shown of the user's hand is this, after they hit to have it."""
    first, second, *hits = codes.split()
    bust = wanted > 21
    answers = ["h"] * len(hits) + ([] if bust else ["s"]) + ["n"]
    played = game(trial, " ".join([first, "9h", second, "9d", *hits]), *answers)
    step = played.parts[max(1, len(hits))]
    shown = played.cards(step)[: len(codes.split())]
    trial.expect(wanted in numbers(step), f"a total of {wanted} for {codes}", step)
    trial.expect(sorted(shown) == sorted(codes.split()), f"the cards {codes}", step)


def result(trial: Trial, codes: str, *typed: str, only: bool = False) -> tuple[set[str], Game]:
    """Return who won a round that is the last one, and the game."""
    played = game(trial, codes, *typed, only=only)
    said = played.parts[-1] if only else played.parts[-2]
    return winners(CODE.sub(" ", said)), played


def expect_winner(trial: Trial, codes: str, winner: str, *typed: str) -> None:
    """Fail unless a round ends with this winner: by its words, or else by what is counted."""
    named, played = result(trial, codes, *typed)
    said = played.parts[-2]
    over = busted(CODE.sub("\n", said))
    if len(named) != 1 and len(over) == 1:
        named = {PLAYER, DEALER} - over
    if len(named) != 1:
        named = counted_for(trial, final_counts(played.parts[-1]))
    if not named:
        raise Unclear(f"whether this says that {winner} wins: {said}")
    trial.expect(named == {winner}, f"{winner} wins", said)


def counted_for(trial: Trial, counts: list[int] | None) -> set[str]:
    """Return for whom a game of one round was counted, as three games show whose count is whose."""
    known = {}
    rounds = {"Kc Th 9c 8d": PLAYER, "Kc 9h 8c Td": DEALER, "Tc Th 8c 8d": NOBODY}
    for codes, winner in rounds.items():
        found = final_counts(game(trial, codes, "s", "n").parts[-1])
        if found and sorted(found) == [0, 0, 1]:
            known[found.index(1)] = winner
    if len(known) == 3 and counts and sorted(counts) == [0, 0, 1]:
        return {known[counts.index(1)]}
    return set()


def dealer(trial: Trial, codes: str, wanted: str) -> None:
    """Fail unless the dealer ends with these cards when the user stands with 20."""
    drawn = codes.split()
    played = game(trial, " ".join(["Kc", drawn[0], "Qc", *drawn[1:]]), "s", "n")
    mine = [code for code in played.cards(played.parts[1]) if code not in ("Kc", "Qc")]
    last = mine[-len(wanted.split()) :]
    held = sorted({*mine}) == sorted(wanted.split()) and sorted(last) == sorted(wanted.split())
    trial.expect(held, f"the dealer ends with {wanted}", played.parts[1])


def final_counts(text: str) -> list[int] | None:
    """Return the last three numbers of a text, which are the counts of rounds."""
    found = numbers(text)
    return found[-3:] if len(found) >= 3 else None


def long_game(trial: Trial) -> Game:
    """Play 13 rounds in which nobody hits; the dealer never has 17, which is another's matter."""
    tens = [rank + suit for rank in "TJQK" for suit in "cdhs"]
    others = [rank + suit for rank in "89" for suit in "cdhs"]
    theirs = [*zip(tens[:8], others, strict=True), *zip(tens[8::2], tens[9::2], strict=True)]
    theirs.append(("As", "7s"))
    rest = [code for code in ORDER if code not in (*tens, *others, "As", "7s")]
    mine = list(zip(rest[::2], rest[1::2], strict=True))
    rounds = [f"{u} {d} {w} {e}" for (u, w), (d, e) in zip(mine, theirs, strict=True)]
    answers = (["s", "y"] * 13)[:-1]
    return game(trial, " ".join(rounds), *answers)
