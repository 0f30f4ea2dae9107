"""One-deck Blackjack: the form of the program, its rounds, and the end of the deck."""

import ast
import itertools
import re
from collections.abc import Callable

import pytest

from tests.sheets.one_deck.support import ASKS_AGAIN, ASKS_HIT, FOLDER, ORDER, SOURCE, totals


def test_the_statement_import_cards() -> None:
    """S2-17: is there, word for word, and nothing of cards.py is copied."""
    tree = ast.parse(SOURCE)
    imports = [node for node in tree.body if isinstance(node, ast.Import)]
    assert "import cards" in [ast.unparse(node) for node in imports]
    assert not any(isinstance(node, ast.ClassDef) for node in ast.walk(tree))
    ours = {line.strip() for line in SOURCE.splitlines() if len(line.strip()) > 12}
    theirs = {line.strip() for line in (FOLDER / "cards.py").read_text().splitlines()}
    assert ours & theirs == set()


def test_no_global_variables() -> None:
    """S2-18: nothing is assigned outside a function, and no function says global."""
    tree = ast.parse(SOURCE)
    allowed = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.Expr, ast.If)
    assert all(isinstance(node, allowed) for node in tree.body)
    outside = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
    for node in itertools.chain.from_iterable(map(ast.walk, outside)):
        assert not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.NamedExpr))
    assert not any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in ast.walk(tree))


def test_functions() -> None:
    """S2-19: three at least, beside main; the program starts only when it is run."""
    names = {node.name for node in ast.parse(SOURCE).body if isinstance(node, ast.FunctionDef)}
    assert "main" in names
    assert len(names - {"main"}) >= 3
    assert SOURCE.endswith('\n\nif __name__ == "__main__":\n    main()\n')


def test_the_beginning_of_a_round(played: Callable[..., str]) -> None:
    """S2-2, S2-4, S2-5, S2-22: user, dealer, user, dealer; the dealer's second is an X."""
    shown = played("Ks 9h Qd 8c", "n", "n")
    assert shown.startswith(
        "Blackjack with one deck\n\nYour cards: Ks Qd\nDealer's cards: 9h X\n"
        f"{ASKS_HIT}n\nYour cards: Ks Qd, total 20\n"
    )
    before, _, after = shown.partition(f"{ASKS_HIT}n\n")
    assert "8c" not in before
    assert "Dealer's cards: 9h 8c, total 17\n" in after


@pytest.mark.parametrize("answer", ["Y", "y", "H", "h", ""])
def test_answers_that_hit(played: Callable[..., str], answer: str) -> None:
    """S2-6, S2-23, S2-24: one card, and the hand with its total."""
    shown = played("2s 9h 3d 8c 4h", answer, "n", "n")
    assert f"{ASKS_HIT}{answer}\nYour cards: 2s 3d 4h, total 9\n{ASKS_HIT}n\n" in shown


@pytest.mark.parametrize("answer", ["n", "yes", " y", "y ", "H h", "0", " "])
def test_answers_that_stand(played: Callable[..., str], answer: str) -> None:
    """S2-6, S2-16, S2-20, S2-21, S2-23, S2-24: any other one, to the letter, to both questions."""
    shown = played("2s 9h 3d 8c 4h", answer, answer)
    assert f"{ASKS_HIT}{answer}\nYour cards: 2s 3d, total 5\nThe dealer turns over 8c.\n" in shown
    assert shown.endswith(f"The dealer wins the round.\n{ASKS_AGAIN}{answer}\n{totals(0, 1, 0)}")


@pytest.mark.parametrize("answer", ["Y", "y", ""])
def test_answers_that_go_on(played: Callable[..., str], answer: str) -> None:
    """S2-16, S2-21: another round with the same deck; H is none of them."""
    shown = played("Ks 9h Qd 8c 2s 3s 4s Th 5c", "n", answer, "n", "h")
    assert f"{ASKS_AGAIN}{answer}\n\nYour cards: 2s 4s\nDealer's cards: 3s X\n" in shown
    assert shown.endswith(f"{ASKS_AGAIN}h\n{totals(1, 1, 0)}")


def test_a_bust(played: Callable[..., str]) -> None:
    """S2-7, S2-8, S2-11, S2-24, S2-25, S2-28: a message, no dealer's turn, and a lost round."""
    shown = played("Ks 9h Qd 8c 2s", "h", "n")
    assert shown == (
        "Blackjack with one deck\n\nYour cards: Ks Qd\nDealer's cards: 9h X\n"
        f"{ASKS_HIT}h\nYour cards: Ks Qd 2s, total 22\nYou have busted.\n"
        f"The dealer wins the round.\n{ASKS_AGAIN}n\n{totals(0, 1, 0)}"
    )


def test_21_is_asked_as_well(played: Callable[..., str]) -> None:
    """S2-6, S2-23: no automatic stand on 21."""
    shown = played("Ks 9h Ad 8c 2s", "h", "n", "n")
    assert f"{ASKS_HIT}h\nYour cards: Ks Ad 2s, total 13\n{ASKS_HIT}n\n" in shown


DEALERS = {
    "stands on 17": ("9h 8c", ["stands 9h 8c 17"], "You win the round."),
    "stands on soft 17": ("Ah 6c", ["stands Ah 6c 17"], "You win the round."),
    "stands on 21": ("Ah Kc", ["stands Ah Kc 21"], "The dealer wins the round."),
    "hits on 16": ("9h 7c 2d", ["hits 9h 7c 2d 18", "stands 9h 7c 2d 18"], "You win the round."),
    "hits on soft 16": (
        "Ah 5c 5d", ["hits Ah 5c 5d 21", "stands Ah 5c 5d 21"], "The dealer wins the round.",
    ),
    "hard ace": (
        "Ah 5c Jd 4d",
        ["hits Ah 5c Jd 16", "hits Ah 5c Jd 4d 20", "stands Ah 5c Jd 4d 20"],
        "The round is a draw.",
    ),
    "busts": ("9h 7c Td", ["hits 9h 7c Td 26"], "You win the round."),
    "hits often": (
        "2c 2d 2h 3c 3d 3h 4c",
        ["hits 2c 2d 2h 6", "hits 2c 2d 2h 3c 9", "hits 2c 2d 2h 3c 3d 12",
         "hits 2c 2d 2h 3c 3d 3h 15", "hits 2c 2d 2h 3c 3d 3h 4c 19",
         "stands 2c 2d 2h 3c 3d 3h 4c 19"],
        "You win the round.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("codes", "steps", "end"), DEALERS.values(), ids=DEALERS)
def test_the_dealers_turn(
    played: Callable[..., str], codes: str, steps: list[str], end: str
) -> None:
    """S2-8, S2-9, S2-10, S2-12, S2-13, S2-26, S2-27, S2-28, S2-31, S2-34: what they show."""
    first, second, *drawn = codes.split()
    shown = played(" ".join(("Ks", first, "Qs", second, *drawn)), "n", "n")
    expected = f"The dealer turns over {second}.\n"
    for step in steps:
        verb, *held, total = step.split()
        expected += f"The dealer {verb}.\nDealer's cards: {' '.join(held)}, total {total}\n"
    expected += "The dealer has busted.\n" * (int(total) > 21) + f"{end}\n{ASKS_AGAIN}n\n"
    assert shown.partition("Your cards: Ks Qs, total 20\n")[2].startswith(expected)


def test_four_rounds_and_their_totals(played: Callable[..., str]) -> None:
    """S2-2, S2-13, S2-15, S2-20, S2-29, S2-32: one deck, and each result is counted once."""
    rounds = "Ks 9h Qd 8c", "Kh 9s 9d Tc", "Kc 8d Jh Js", "Qs 9c Qh Jc Ts"
    shown = played(" ".join(rounds), "n", "", "n", "y", "n", "Y", "h", "n")
    assert re.findall(r".* (?:round|draw)\.$", shown, re.MULTILINE) == [
        "You win the round.",
        "The round is a draw.",
        "You win the round.",
        "The dealer wins the round.",
    ]
    assert shown.endswith(f"{ASKS_AGAIN}n\n{totals(2, 1, 1)}")


@pytest.mark.parametrize("left", [1, 2, 3])
def test_running_out_in_the_deal(played: Callable[..., str], left: int) -> None:
    """S2-14, S2-16, S2-20, S2-32: a draw, which counts, and the game is over without a question."""
    shown = played(f"Ks 9h Qd 8c {' '.join(['2s', '3s', '4s'][:left])}", "n", "y", only=True)
    assert shown.endswith(
        f"{ASKS_AGAIN}y\n\nThere are not enough cards to complete the round.\n"
        f"The round is a draw.\nThe deck is empty.\n{totals(1, 0, 1)}"
    )


NOT_ENOUGH = "There are not enough cards to complete the round.\n"
HELD = "Dealer's cards: 2h 3c 4d, total 9\n"
LAST_CARDS = {
    "the user has none": (
        ("Ks 9h Qd 8c", "h"),
        f"{ASKS_HIT}h\n{NOT_ENOUGH}Your cards: Ks Qd, total 20\nThe round is a draw.\n",
        (0, 0, 1),
    ),
    "the dealer has none": (
        ("Ks 2h Qd 3c 4d", "n"),
        f"The dealer hits.\n{HELD}The dealer hits.\n{NOT_ENOUGH}{HELD}The round is a draw.\n",
        (0, 0, 1),
    ),
    "the user busts with the last": (
        ("Ks 9h Qd 8c 2s", "h"),
        "total 22\nYou have busted.\nThe dealer wins the round.\n",
        (0, 1, 0),
    ),
    "the dealer needs none": (
        ("Ks 9h Qd 8c", "n"),
        "The dealer stands.\nDealer's cards: 9h 8c, total 17\nYou win the round.\n",
        (1, 0, 0),
    ),
}


@pytest.mark.parametrize(("typed", "end", "counts"), LAST_CARDS.values(), ids=LAST_CARDS)
def test_the_last_cards(
    played: Callable[..., str], typed: tuple[str, str], end: str, counts: tuple[int, int, int]
) -> None:
    """S2-11, S2-13, S2-14, S2-16, S2-26: a draw if a card is missing; the game is over."""
    shown = played(*typed, only=True)
    assert shown.endswith(f"{end}The deck is empty.\n{totals(*counts)}")


def test_the_longest_game(played: Callable[..., str]) -> None:
    """S2-15, S2-16, S2-29, S2-32, S2-35: 13 rounds of four cards, when nobody ever hits."""
    tens = [code for code in ORDER if code[0] in "TJQK"]
    others = [code for code in ORDER if code[0] in "789"] + ["Ac"]
    dealers = list(zip(tens, others, strict=False))  # each worth 17 or more
    rest = [code for code in ORDER if code not in itertools.chain(*dealers)]
    users = list(zip(rest[::2], rest[1::2], strict=True))
    rounds = [(u, d, w, e) for (u, w), (d, e) in zip(users, dealers, strict=True)]
    answers = [answer for _ in rounds for answer in ("n", "y")][:-1]
    shown = played(" ".join(itertools.chain(*rounds)), *answers)
    assert len(re.findall(r" (?:round|draw)\.$", shown, re.MULTILINE)) == 13
    assert "The dealer hits." not in shown
    assert (shown.count(ASKS_AGAIN), shown.count("The deck is empty.\n")) == (12, 1)
