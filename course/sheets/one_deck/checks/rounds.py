"""One-deck Blackjack: the program's form, and its rounds by what it shows for what is typed."""

import ast
import re

from course.grading.checks import check
from course.grading.checks.tools import globals_used, tree_of
from course.grading.checks.words import BUST, NOBODY, plain, winners
from course.grading.trial import Failed, Trial, Unclear
from course.sheets.one_deck.checks.game import (
    CODE,
    PROGRAM,
    counted_for,
    dealer,
    expect_winner,
    final_counts,
    game,
    long_game,
    numbers,
    result,
    total,
)

_STANDS = r"(?:stand|stay|hold|stop|keep|pass|done)"
_DEALER = r"(?:dealer|house|computer)"
STANDS = re.compile(rf"\b{_STANDS}")
DEALER_STANDS = re.compile(
    rf"\b{_DEALER}\b[^.!?]{{0,60}}?\b{_STANDS}|{_STANDS}\w*\W+(?:by )?(?:the )?{_DEALER}"
)


@check("S2-17")
def s2_17(trial: Trial) -> None:
    """It imports cards, and defines none of its classes."""
    tree = tree_of(trial, PROGRAM)
    others = [path for path in sorted(trial.folder.glob("*.py")) if path.name != PROGRAM]
    same = [
        path.name for path in others if path.read_bytes() == (trial.folder / PROGRAM).read_bytes()
    ]
    trial.expect(not same, f"a file {PROGRAM}", f"it is called {', '.join(same)}")
    trial.called.append(f"the statements of {PROGRAM}")
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    imported = [alias.name for node in imports for alias in node.names]
    trial.expect("cards" in imported, "the statement import cards", f"it imports {imported}")
    for node in ast.walk(tree):
        copied = isinstance(node, ast.ClassDef) and node.name in ("Card", "Deck")
        trial.expect(not copied, "nothing copied from cards.py", "a class Card or Deck of its own")


@check("S2-18")
def s2_18(trial: Trial) -> None:
    """No function uses a variable that it has not made."""
    tree_of(trial, PROGRAM)
    trial.called.append(f"the names in the functions of {PROGRAM}")
    for line, text in globals_used(trial.source(PROGRAM)):
        raise Failed("no global variables", f"line {line}: {text}")


@check("S2-19")
def s2_19(trial: Trial) -> None:
    """Three functions besides main."""
    body = tree_of(trial, PROGRAM).body
    functions = [node.name for node in body if isinstance(node, ast.FunctionDef)]
    others = [name for name in functions if name != "main"]
    trial.called.append(f"the functions of {PROGRAM}: {' '.join(functions)}")
    trial.expect(len(others) >= 3, "three functions besides main", f"{len(others)}")


@check("S2-1")
def s2_1(trial: Trial) -> None:
    """Points, whatever the suits."""
    total(trial, "2c 3d 4h", 9)
    total(trial, "5s 6c 7d", 18)
    total(trial, "8s 2c 7h", 17)
    for face in "JQK":
        total(trial, f"{face}c 2d 3h", 15)
        total(trial, f"{face}s 2d 3h", 15)
    total(trial, "Tc 2d 3h", 15)


@check("S2-2")
def s2_2(trial: Trial) -> None:
    """As many rounds as are wanted."""
    played = game(trial, "Kc Th 9c 8d Kd Ts 9d 8s Kh 9s 8h Td", "s", "y", "s", "y", "s", "n")
    trial.expect("Kd" in played.parts[2], "a second round with Kd", played.parts[2])
    trial.expect("Kh" in played.parts[4], "a third round with Kh", played.parts[4])


@check("S2-3")
def s2_3(trial: Trial) -> None:
    """One deck, shuffled while it is whole."""
    played = game(trial, "Kc Th 9c 8d", "s", "n")
    trial.expect(played.decks, "a deck of the course's cards", "none was made")
    trial.expect(52 in played.shuffles, "the whole deck is shuffled", "it is not")


@check("S2-4")
def s2_4(trial: Trial) -> None:
    """User, dealer, user, dealer."""
    played = game(trial, "Kc 9h 7c 8d", "s", "n")
    shown = played.cards(played.parts[0])
    trial.expect({"Kc", "7c"} <= {*shown}, "the user has Kc and 7c", played.parts[0])
    trial.expect("9h" in shown, "the dealer's first card is 9h", played.parts[0])


@check("S2-5")
def s2_5(trial: Trial) -> None:
    """The second card stays hidden until the dealer plays."""
    played = game(trial, "2c 9h 3c 8d 4c 5c", "h", "h", "s", "n")
    before = "".join(played.parts[:3])
    trial.expect("8d" not in before, "8d is not shown before the user stands", before)


@check("S2-6")
def s2_6(trial: Trial) -> None:
    """Hit and hit again, then stand."""
    played = game(trial, "2c 9h 3c 8d 4c 5c 2d", "h", "h", "h", "s", "n")
    for code, part in zip(("4c", "5c", "2d"), played.parts[1:4], strict=True):
        trial.expect(code in part, f"the user gets {code}", part)


@check("S2-7")
def s2_7(trial: Trial) -> None:
    """Over 21 the round is lost without another question."""
    expect_winner(trial, "Kc Th 9c 8d 5c", "dealer", "h", "n")


@check("S2-8")
def s2_8(trial: Trial) -> None:
    """A busted user leaves the dealer's cards in the deck."""
    played = game(trial, "Kc 2h 9c 3d 5c 4d 9d 8h 7h 6h", "h", "y", "s", "n")
    shown = played.parts[2]
    trial.expect({"4d", "8h"} <= {*played.cards(shown)}, "the next round begins with 4d", shown)
    played = game(trial, "Kc 2h 9c 3d 6d 7d Qh 9h 8h 4h 5h Th", "s", "y", "s", "n")
    shown = played.parts[2]
    trial.expect("Qh" in shown, "after hits to 18 the next round begins with Qh", shown)


@check("S2-9")
def s2_9(trial: Trial) -> None:
    """Stands on 17, hits up to it."""
    dealer(trial, "9h 8d 2h", "9h 8d")
    dealer(trial, "9h 7d 2h", "9h 7d 2h")
    dealer(trial, "2h 3d 4h 5h 2d 3h", "2h 3d 4h 5h 2d 3h")


@check("S2-10")
def s2_10(trial: Trial) -> None:
    """Soft 17 stands, soft 16 hits, and an ace may become 1."""
    dealer(trial, "Ah 6d 4h", "Ah 6d")
    dealer(trial, "9h Ad 4h", "9h Ad")
    dealer(trial, "Ah 5d 4h", "Ah 5d 4h")
    dealer(trial, "Ah 5d Th 3d", "Ah 5d Th 3d")


@check("S2-11")
def s2_11(trial: Trial) -> None:
    """The dealer wins against a busted user."""
    expect_winner(trial, "Kc 2h 9c 3d 5c", "dealer", "h", "n")


@check("S2-12")
def s2_12(trial: Trial) -> None:
    """The user wins against a busted dealer."""
    expect_winner(trial, "2c 9h 3c 7d Th", "player", "s", "n")


@check("S2-13")
def s2_13(trial: Trial) -> None:
    """Higher wins, equal is a draw."""
    expect_winner(trial, "Kc Th 9c 8d", "player", "s", "n")
    expect_winner(trial, "Kc 9h 8c Td", "dealer", "s", "n")
    expect_winner(trial, "Tc Th 8c 8d", "nobody", "s", "n")


@check("S2-14")
def s2_14(trial: Trial) -> None:
    """Too few cards: for the deal, for the user, for the dealer."""
    for codes, typed in (("Kc 9h", ""), ("Kc Th 9c 8d", "h"), ("Kc 2h 9c 3d 4d", "s")):
        played = game(trial, codes, *typed, only=True)
        said = played.parts[-1]
        named = winners(CODE.sub(" ", said)) or counted_for(trial, final_counts(said))
        if not named:
            raise Unclear(f"whether this says that the round is a draw: {said}")
        trial.expect(named == {NOBODY}, "the round is a draw", said)


@check("S2-15")
def s2_15(trial: Trial) -> None:
    """The next round has the next cards."""
    played = game(trial, "Kc Th 9c 8d 2d 7h 3d 9h", "s", "y", "s", "n")
    shown = played.cards(played.parts[2])
    new = {"2d", "3d", "7h"} <= {*shown}
    trial.expect(new, "the user has 2d 3d, the dealer 7h", played.parts[2])


@check("S2-16")
def s2_16(trial: Trial) -> None:
    """Over when the user stops, or the deck is empty; then nothing is asked."""
    game(trial, "Kc Th 9c 8d", "s", "n", exact=True)
    game(trial, "Kc Th 9c 8d", "s", only=True, exact=True)
    game(trial, "Kc Th 9c 8d 5c", "h", only=True, exact=True)
    game(trial, "Kc Th 9c 8d Kd Ts 9d 8s", "s", "y", "s", only=True, exact=True)


@check("S2-20")
def s2_20(trial: Trial) -> None:
    """How many rounds each has won, and how many were draws."""
    rounds = "Kc 9h 9c 9d Kd 8h 9s Tc Kh 8c Th Td Ks Jd 7h 8s Ts Jh Qc Js Qd Jc Qh Qs"
    said = game(trial, rounds, *["s", "y"] * 5, "s", "n").parts[-1]
    trial.expect(sorted(final_counts(said) or []) == [1, 2, 3], "3 won, 1 lost, 2 draws", said)
    for line in re.split(r"[\n,;]", said):
        named = {who for word, who in COUNTED.items() if word in plain(line)}
        if len(numbers(line)) == len(named) == 1:
            (who,) = named
            if LOST.search(plain(line)):  # what one has lost the other has won
                who = {"user": "dealer", "dealer": "user"}.get(who, who)
            count = {"user": 3, "dealer": 1, "nobody": 2}[who]
            trial.expect(numbers(line) == [count], f"{count} for the {who}", line)


COUNTED = {"user": "user", "you": "user", "player": "user", "dealer": "dealer", "house": "dealer",
           "draw": "nobody", "tie": "nobody"}  # fmt: skip
"""Words that say whose rounds are counted."""

LOST = re.compile(r"\b(lost|loss|losses|lose|loses)\b")
"""What says that the rounds are not those won."""


@check("S2-21")
def s2_21(trial: Trial) -> None:
    """Y, y and the empty answer go on, any other stops."""
    for answer in ("Y", "y", ""):
        game(trial, "Kc Th 9c 8d Kd Ts 9d 8s", "s", answer, "s", "n", exact=True)
    for answer in ("n", "N", "no", "x", "yes", "q"):
        game(trial, "Kc Th 9c 8d", "s", answer, exact=True)


@check("S2-22")
def s2_22(trial: Trial) -> None:
    """Three of the four cards."""
    played = game(trial, "Kc 9h 7c 8d", "s", "n")
    shown = played.cards(played.parts[0])
    trial.expect({"7c", "9h", "Kc"} <= {*shown}, "Kc 7c and 9h are shown", played.parts[0])


@check("S2-23")
def s2_23(trial: Trial) -> None:
    """Y, y, H, h and the empty answer hit, any other stands."""
    for answer in ("Y", "y", "H", "h", ""):
        part = game(trial, "2c Th 3c 8d 4c", answer, "s", "n").parts[1]
        trial.expect("4c" in part, f"{answer!r} hits", part)
    for answer in ("n", "N", "s", "stand", "x", "hit", "yes"):
        part = game(trial, "2c Th 3c 8d 4c", answer, "n").parts[1]
        trial.expect("4c" not in part, f"{answer!r} stands", part)


@check("S2-24")
def s2_24(trial: Trial) -> None:
    """Cards and total after each step."""
    played = game(trial, "2c 9h 3c 8d 4c 5c", "h", "h", "s", "n")
    for part, codes, points in zip(
        played.parts[1:3], ("2c 3c 4c", "2c 3c 4c 5c"), (9, 14), strict=True
    ):
        trial.expect({*codes.split()} <= {*played.cards(part)}, f"the cards {codes}", part)
        trial.expect(points in numbers(part), f"the total {points}", part)
    if "2c" not in played.cards(played.parts[3]):
        trial.accept("the user's cards are not displayed again after a stand (A2-10)")


@check("S2-25")
def s2_25(trial: Trial) -> None:
    """Bust."""
    part = game(trial, "Kc Th 9c 8d 5c", "h", "n").parts[1]
    trial.expect(BUST.search(plain(part)), "the user is busted", part)


@check("S2-26")
def s2_26(trial: Trial) -> None:
    """Hits or stands, the cards, and the total, step by step."""
    played = game(trial, "Kc 2h Qc 9d 4h 5h", "s", "n")
    part = played.parts[1]
    steps = re.split(r"(?i)\bhits?\b", part)
    trial.expect(len(steps) == 3, "the dealer hits twice", part)
    for step, code, points in zip(steps[1:], ("4h", "5h"), (15, 20), strict=True):
        shown = {"2h", "9d", code} <= {*played.cards(step)} and points in numbers(step)
        trial.expect(shown, f"the dealer's cards with {code}, and {points}", step)
    trial.expect(STANDS.search(plain(steps[-1])), "the dealer stands", part)
    played = game(trial, "Kc Th Qc 8d", "s", "n")
    part = played.parts[1]
    stands = {"Th", "8d"} <= {*played.cards(part)} and 18 in numbers(part)
    trial.expect(stands, "the dealer's cards Th 8d, and 18", part)
    trial.expect(DEALER_STANDS.search(plain(part)), "the dealer stands", part)


@check("S2-27")
def s2_27(trial: Trial) -> None:
    """The dealer is busted."""
    part = game(trial, "2c 9h 3c 7d Th", "s", "n").parts[1]
    trial.expect(BUST.search(plain(part)), "the dealer is busted", part)


@check("S2-28")
def s2_28(trial: Trial) -> None:
    """Who won, or a draw."""
    unread = []
    for codes, typed in (("Kc Th 9c 8d", "s"), ("Kc 9h 8c Td", "s"), ("Tc Th 8c 8d", "s"),
                         ("2c 9h 3c 7d Th", "s"), ("Kc Th 9c 8d 5c", "h")):  # fmt: skip
        named, played = result(trial, codes, typed, "n")
        if len(named) != 1:
            unread.append(re.sub(r"[\W\d_]+", " ", CODE.sub(" ", played.parts[1])))
    if not unread:
        return
    says = len({*unread}) == len(unread) > 1
    trial.expect(says, "who won the round", played.parts[1])
    raise Unclear(f"whether this says who won each round: {' / '.join(unread)}")


@check("S2-29")
def s2_29(trial: Trial) -> None:
    """One deck for all rounds."""
    played = game(trial, "Kc Th 9c 8d Kd Ts 9d 8s", "s", "y", "s", "n")
    trial.expect(len(played.decks) == 1, "one deck", f"{len(played.decks)} were made")


@check("S2-30")
def s2_30(trial: Trial) -> None:
    """As close to 21 as can be."""
    for codes, wanted in (
        ("Ac As", 12), ("Ac As 9c", 21), ("Ac 6c Tc", 17), ("Ac Ad Ah As", 14), ("Ac 5c 5d", 21),
        ("Ac 9c Ad", 21), ("Kc Qc 2c", 22), ("Ac Ad Kc Qc", 22),
    ):  # fmt: skip
        if len(codes.split()) > 2:
            total(trial, codes, wanted)
        else:
            part = game(trial, "Ac 9h As 9d 2c", "h", "s", "n").parts[1]
            trial.expect(14 in numbers(part), "a total of 14 for Ac As 2c", part)


@check("S2-31")
def s2_31(trial: Trial) -> None:
    """The dealer's own total decides."""
    dealer(trial, "Ah 2d 4h 5h", "Ah 2d 4h")
    dealer(trial, "Ah Ad 5h 3h", "Ah Ad 5h")
    dealer(trial, "2h Ad 9h 8h", "2h Ad 9h 8h")


@check("S2-32")
def s2_32(trial: Trial) -> None:
    """Every round is counted once, and no card comes twice."""
    played = long_game(trial)
    asked = played.parts[:-1:2]
    firsts = [code for part in asked for code in played.cards(part)[-3:]]
    twice = sorted({code for code in firsts if firsts.count(code) > 1})
    trial.expect(not twice, "no card twice", f"twice: {' '.join(twice)}")
    counts = final_counts(played.parts[-1])
    trial.expect(counts and sum(counts) == len(asked), f"{len(asked)} rounds counted", counts)


@check("S2-34")
def s2_34(trial: Trial) -> None:
    """The hidden card is shown."""
    part = game(trial, "Kc Th 9c 8d", "s", "n").parts[1]
    trial.expect("8d" in part, "the dealer's second card 8d", part)


@check("S2-35")
def s2_35(trial: Trial) -> None:
    """13 rounds empty the deck."""
    played = long_game(trial)
    left = played.decks[0] if played.decks else 0
    if left:
        raise Failed("an empty deck after 13 rounds", f"{left} cards are left")
