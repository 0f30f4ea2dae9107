"""One-deck Blackjack: the course's cards, the program proj09, and the table it is.

Each test names the requirements it covers first.
"""

import ast
import builtins
import itertools
import random
import re
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from cardgames.twentyone import ONE_DECK, PIPS, Phase, Winner

from cardgames import GAMES
from tests.sheets import (
    ASSIGNMENTS,
    EOF,
    INTERRUPT,
    ROOT,
    Luck,
    Transcript,
    command,
    in_terminal,
    piped,
    public_names,
    sheet,
    undocumented,
)

FOLDER = ASSIGNMENTS / "one_deck"
SOURCE = (FOLDER / "proj09.py").read_text()
ORDER = [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"]
ASKS_HIT = "Another card (Y/y/H/h or Enter)? "
ASKS_AGAIN = "Another round (Y/y or Enter)? "


@pytest.fixture
def load() -> Iterator[Callable[[str], ModuleType]]:
    with sheet("one_deck") as load:
        yield load


@pytest.fixture
def cards(load: Callable[[str], ModuleType]) -> ModuleType:
    return load("cards")


@pytest.fixture
def played(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., str]:
    """Play a whole game with these cards on top, or only with these, and these answers.

    Returns what was shown, the answers included.
    """

    def play(codes: str, *answers: str, only: bool = False) -> str:
        proj09, cards = load("proj09"), load("cards")
        order = [] if only else [code for code in reversed(ORDER) if code not in codes.split()]
        order += codes.split()[::-1]

        def arrange(held: list[Any]) -> None:
            held[:] = sorted(
                (card for card in held if str(card) in order), key=lambda c: order.index(str(c))
            )

        left = list(answers)

        def typed(prompt: str = "") -> str:
            answer = left.pop(0)
            sys.stdout.write(f"{prompt}{answer}\n")
            return answer

        monkeypatch.setattr(random, "shuffle", arrange)
        monkeypatch.setattr(builtins, "input", typed)
        assert proj09.cards is cards
        capsys.readouterr()
        proj09.main()
        assert left == []
        return capsys.readouterr().out

    return play


def totals(user: int, dealer: int, draws: int) -> str:
    """The end of a game."""
    return (
        f"\nGame over.\nRounds won by you: {user}\nRounds won by the dealer: {dealer}\n"
        f"Rounds which were draws: {draws}\n"
    )


# The course's cards


def test_the_interface_of_the_cards(cards: ModuleType) -> None:
    """S2-17: the course's methods, and the names that its later editions have."""
    assert public_names(cards.Card) == {
        "get_rank", "get_suit", "get_value", "rank", "suit", "value",
    }  # fmt: skip
    assert public_names(cards.Deck) == {"shuffle", "deal", "cards_count", "is_empty", "display"}
    for thing in (cards.Card(1, 1), cards.Deck()):
        assert all(name.startswith(f"_{type(thing).__name__}__") for name in vars(thing))
    assert undocumented("one_deck") == []


def test_cards(cards: ModuleType) -> None:
    """S2-1, S2-17: rank, suit, value and text; the value is the project's, with the ace as 1."""
    points = list(PIPS.values())
    for (suit, letter), (rank, char) in itertools.product(
        enumerate("cdhs", 1), enumerate("A23456789TJQK", 1)
    ):
        card = cards.Card(rank, suit)
        assert (card.get_rank(), card.get_suit()) == (card.rank(), card.suit()) == (rank, suit)
        assert card.get_value() == card.value() == points[rank - 1]
        assert str(card) == repr(card) == char + letter


@pytest.mark.parametrize(
    "arguments",
    [(), (0, 0), (0, 1), (1, 0), (14, 1), (1, 5), (-1, 1), ("A", "c"), (1.0, 1), (None, 1)],
)
def test_the_blank_card(cards: ModuleType, arguments: tuple[Any, ...]) -> None:
    """S2-17: anything that is no card is blank, without an exception."""
    card = cards.Card(*arguments)
    assert (card.get_rank(), card.get_suit(), card.get_value(), str(card)) == (0, 0, 0, "xx")


def test_cards_compare_by_rank(cards: ModuleType) -> None:
    """S2-1, S2-17: suits are not important."""
    low, other, high = cards.Card(2, 1), cards.Card(2, 4), cards.Card(13, 1)
    assert low == other
    assert not low != other  # noqa: SIM202 - each operator is meant
    assert (low != high, low < high, low <= other, high > low, high >= low) == (True,) * 5
    assert (low > high, low < other, low == "2c") == (False,) * 3
    with pytest.raises(TypeError):
        low < 3  # noqa: B015


def test_decks(cards: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """S2-3, S2-17: 52 cards, suit by suit, the last one on top; None when there is none."""
    deck = cards.Deck()
    assert str(deck) == repr(deck) == ", ".join(ORDER)
    assert (len(deck), deck.cards_count(), deck.is_empty()) == (52, 52, False)
    assert [str(deck.deal()) for _ in range(52)] == ORDER[::-1]
    assert (len(deck), deck.cards_count(), deck.is_empty()) == (0, 0, True)
    assert (deck.deal(), deck.deal()) == (None, None)
    deck = cards.Deck()
    assert deck.shuffle() is None
    assert str(deck) != ", ".join(ORDER)
    assert sorted(str(deck).split(", ")) == sorted(ORDER)
    monkeypatch.setattr(random, "shuffle", list.reverse)
    deck = cards.Deck()
    deck.shuffle()
    assert str(deck.deal()) == "Ac"


def test_displaying_a_deck(cards: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """S2-17: so many a row, a line break before each and a blank line at the end."""
    deck = cards.Deck()
    deck.display()
    rows = [" ".join(ORDER[start : start + 13]) for start in (0, 13, 26, 39)]
    assert capsys.readouterr().out == "\n" + "\n".join(rows) + "\n\n"
    deck.display(cols=26)
    rows = [" ".join(ORDER[start : start + 26]) for start in (0, 26)]
    assert capsys.readouterr().out == "\n" + "\n".join(rows) + "\n\n"
    assert len(deck) == 52


# The form of the program


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


# Rounds


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


VALUES = {
    "Ac": 11, "Ac Ad": 12, "Ac Ad 9h": 21, "Ac Kd": 21, "Ac 6d Th": 17, "Ac Ad Ah As": 14,
    "Ac 5d 5h": 21, "Ac 9d Ah": 21, "Kc Qd 2h": 22, "Ac Ad Kh Qs": 22, "Tc Jd": 20, "2c 3d": 5,
    "Kc Qd Ah": 21, "Kc 5d 7h": 22, "Ac 6d": 17,
}  # fmt: skip


@pytest.mark.parametrize(("codes", "total"), VALUES.items())
def test_totals(load: Callable[[str], ModuleType], codes: str, total: int) -> None:
    """S2-1, S2-10, S2-30, S2-31: as close to 21 as can be without going over, else the smallest."""
    made = [
        load("cards").Card("A23456789TJQK".index(rank) + 1, "cdhs".index(suit) + 1)
        for rank, suit in codes.split()
    ]
    assert load("proj09").worth(made) == total
    points = {0}
    for card in made:
        choices = (1, 11) if card.get_rank() == 1 else (card.get_value(),)
        points = {sofar + choice for sofar in points for choice in choices}
    assert total == max((p for p in points if p <= 21), default=min(points))


@pytest.mark.parametrize("answer", ["Y", "y", "H", "h", ""])
def test_answers_that_hit(played: Callable[..., str], answer: str) -> None:
    """S2-6, S2-23, S2-24: one card, and the hand with its total."""
    shown = played("2s 9h 3d 8c 4h", answer, "n", "n")
    assert f"{ASKS_HIT}{answer}\nYour cards: 2s 3d 4h, total 9\n{ASKS_HIT}n\n" in shown


@pytest.mark.parametrize("answer", ["n", "N", "yes", "hit", " y", "y ", "H h", "s", "0", "-", " "])
def test_answers_that_stand(played: Callable[..., str], answer: str) -> None:
    """S2-6, S2-23, S2-24: any other one, to the letter; the hand is shown once more."""
    shown = played("2s 9h 3d 8c 4h", answer, "n")
    assert f"{ASKS_HIT}{answer}\nYour cards: 2s 3d, total 5\nThe dealer turns over 8c.\n" in shown


@pytest.mark.parametrize("answer", ["Y", "y", ""])
def test_answers_that_go_on(played: Callable[..., str], answer: str) -> None:
    """S2-16, S2-21: another round with the same deck."""
    shown = played("Ks 9h Qd 8c 2s 3s 4s Th 5c", "n", answer, "n", "n")
    assert f"{ASKS_AGAIN}{answer}\n\nYour cards: 2s 4s\nDealer's cards: 3s X\n" in shown
    assert shown.endswith(f"{ASKS_AGAIN}n\n{totals(1, 1, 0)}")


@pytest.mark.parametrize("answer", ["n", "N", "yes", "h", "H", " ", "y ", "no"])
def test_answers_that_stop(played: Callable[..., str], answer: str) -> None:
    """S2-16, S2-20, S2-21: any other one, to the letter; H is none here. Then the totals."""
    shown = played("Ks 9h Qd 8c", "n", answer)
    assert shown.endswith(f"You win the round.\n{ASKS_AGAIN}{answer}\n{totals(1, 0, 0)}")


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
    """S2-8, S2-9, S2-10, S2-12, S2-13, S2-26, S2-27, S2-28, S2-31, S2-34: what he shows."""
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


# When the deck runs out


@pytest.mark.parametrize("left", [1, 2, 3])
def test_running_out_in_the_deal(played: Callable[..., str], left: int) -> None:
    """S2-14, S2-16, S2-20, S2-32: a draw, which counts, and the game is over without a question."""
    shown = played(f"Ks 9h Qd 8c {' '.join(['2s', '3s', '4s'][:left])}", "n", "y", only=True)
    assert shown.endswith(
        f"{ASKS_AGAIN}y\n\nThere are not enough cards to complete the round.\n"
        f"The round is a draw.\nThe deck is empty.\n{totals(1, 0, 1)}"
    )


def test_running_out_for_the_user(played: Callable[..., str]) -> None:
    """S2-14, S2-16: a draw at once, whatever the totals."""
    shown = played("Ks 9h Qd 8c", "h", only=True)
    assert shown.endswith(
        f"{ASKS_HIT}h\nThere are not enough cards to complete the round.\n"
        "Your cards: Ks Qd, total 20\nThe round is a draw.\nThe deck is empty.\n"
        f"{totals(0, 0, 1)}"
    )


def test_running_out_for_the_dealer(played: Callable[..., str]) -> None:
    """S2-14, S2-16, S2-26: a draw although the user is ahead."""
    shown = played("Ks 2h Qd 3c 4d", "n", only=True)
    assert shown.endswith(
        "The dealer hits.\nDealer's cards: 2h 3c 4d, total 9\nThe dealer hits.\n"
        "There are not enough cards to complete the round.\n"
        "Dealer's cards: 2h 3c 4d, total 9\nThe round is a draw.\nThe deck is empty.\n"
        f"{totals(0, 0, 1)}"
    )


def test_busting_with_the_last_card(played: Callable[..., str]) -> None:
    """S2-11, S2-16: nothing more is needed, so the dealer wins."""
    shown = played("Ks 9h Qd 8c 2s", "h", only=True)
    assert shown.endswith(
        "total 22\nYou have busted.\nThe dealer wins the round.\nThe deck is empty.\n"
        f"{totals(0, 1, 0)}"
    )


def test_completing_a_round_with_an_empty_deck(played: Callable[..., str]) -> None:
    """S2-13, S2-16: a dealer who need not draw finishes the round."""
    shown = played("Ks 9h Qd 8c", "n", only=True)
    assert shown.endswith(
        "The dealer stands.\nDealer's cards: 9h 8c, total 17\nYou win the round.\n"
        f"The deck is empty.\n{totals(1, 0, 0)}"
    )


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


# Any module of the same interface

STUB = """
class Card:
    def __init__(self, text):
        self.text = text
    def get_rank(self):
        return "?A23456789TJQK".index(self.text[0])
    def get_suit(self):
        return "?cdhs".index(self.text[1])
    def get_value(self):
        return 99
    def __str__(self):
        return "<" + self.text + ">"

class Deck:
    def __init__(self):
        self.cards = "Ks 9h Qd 7c As 2c".split()
    def shuffle(self):
        pass
    def deal(self):
        return Card(self.cards.pop(0)) if self.cards else None
    def is_empty(self):
        return not self.cards
    def cards_count(self):
        return len(self.cards)
"""
WITH_STUB = (
    "Blackjack with one deck\n\nYour cards: <Ks> <Qd>\nDealer's cards: <9h> X\n"
    f"{ASKS_HIT}Your cards: <Ks> <Qd> <As>, total 21\n"
    f"{ASKS_HIT}Your cards: <Ks> <Qd> <As>, total 21\n"
    "The dealer turns over <7c>.\nThe dealer hits.\n"
    "Dealer's cards: <9h> <7c> <2c>, total 18\nThe dealer stands.\n"
    "Dealer's cards: <9h> <7c> <2c>, total 18\nYou win the round.\nThe deck is empty.\n"
    f"{totals(1, 0, 0)}"
)


def test_another_cards_module_in_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """S2-17: the program asks for nothing but the interface."""
    stub = ModuleType("cards")
    exec(STUB, vars(stub))
    answers = ["h", "n"] * 2

    def typed(prompt: str) -> str:
        sys.stdout.write(prompt)
        return answers.pop(0)

    monkeypatch.setattr(builtins, "input", typed)
    for name in ("proj09", "cardgames.assignments.one_deck.proj09"):
        with sheet("one_deck", cards=stub) as load:
            load(name).main()
        assert capsys.readouterr().out == WITH_STUB


def test_another_cards_module_on_the_path(tmp_path: Any) -> None:
    """S2-17: also in a file, for the program as a module and for a copy beside that file."""
    (tmp_path / "cards.py").write_text(STUB)
    arguments, _ = command("one_deck", "proj09", "module")
    paths = f"{tmp_path}:{ROOT}"
    assert piped(arguments, ROOT, "h\nn\n", PYTHONPATH=paths) == WITH_STUB
    copy = tmp_path / "proj09.py"
    copy.write_text(SOURCE)
    arguments = [*arguments[:-2], str(copy)]
    assert piped(arguments, tmp_path, "h\nn\n", PYTHONPATH=str(ROOT)) == WITH_STUB


# The program

ARRANGED = """
import random, runpy, sys
order = "2d 3c Qd 8c 5h 4d 7d Kc 9s 8h Th 6s Jh".split()[::-1]
place = lambda card: order.index(str(card)) if str(card) in order else -1
random.shuffle = lambda cards: cards.sort(key=place)
"""
GAME = Transcript(
    """\
Blackjack with one deck

Your cards: 2d Qd
Dealer's cards: 3c X
Another card (Y/y/H/h or Enter)? «»
Your cards: 2d Qd 5h, total 17
Another card (Y/y/H/h or Enter)? «no»
Your cards: 2d Qd 5h, total 17
The dealer turns over 8c.
The dealer hits.
Dealer's cards: 3c 8c 4d, total 15
The dealer hits.
Dealer's cards: 3c 8c 4d 7d, total 22
The dealer has busted.
You win the round.
Another round (Y/y or Enter)? «y»

Your cards: Kc 8h
Dealer's cards: 9s X
Another card (Y/y/H/h or Enter)? «yes»
Your cards: Kc 8h, total 18
The dealer turns over Th.
The dealer stands.
Dealer's cards: 9s Th, total 19
The dealer wins the round.
Another round (Y/y or Enter)? «yes»

Game over.
Rounds won by you: 1
Rounds won by the dealer: 1
Rounds which were draws: 0
"""
)
"""Written by hand."""


def arranged(how: str) -> list[str]:
    run = {
        "file": f"sys.path.insert(0, {str(FOLDER)!r});"
        f"runpy.run_path({str(FOLDER / 'proj09.py')!r}, run_name='__main__')",
        "module": f"sys.path.insert(0, {str(ROOT)!r});"
        "runpy.run_module('cardgames.assignments.one_deck.proj09', run_name='__main__')",
    }
    return [sys.executable, "-W", "error", "-c", ARRANGED + run[how]]


@pytest.mark.parametrize("how", ["file", "module"])
def test_a_game_with_piped_input(how: str, tmp_path: Any) -> None:
    """S2-2, S2-6, S2-20, S2-21, S2-22, S2-23, S2-24, S2-26, S2-27, S2-28: a game by hand."""
    assert piped(arranged(how), tmp_path, GAME.stdin) == GAME.piped
    windows = GAME.stdin.replace("\n", "\r\n")
    assert piped(arranged(how), tmp_path, windows) == GAME.piped


@pytest.mark.parametrize("how", ["file", "module"])
def test_a_game_in_a_terminal(how: str, tmp_path: Any) -> None:
    """S2-2, S2-6, S2-20, S2-21, S2-23: the same game at a real terminal."""
    assert in_terminal(arranged(how), tmp_path, GAME.answers) == GAME.shown


@pytest.mark.parametrize("how", ["file", "module"])
def test_the_end_of_the_input_means_stop(how: str) -> None:
    """S2-16, S2-20, S2-21, S2-23: it stands, ends the game, and shows the totals."""
    printed = piped(*command("one_deck", "proj09", how), "")
    assert printed.count(f"{ASKS_HIT}\nYour cards: ") == 1
    assert printed.count(f"{ASKS_AGAIN}\n\nGame over.\n") == 1
    counts = [int(number) for number in re.findall(r": (\d+)$", printed, re.MULTILINE)]
    assert sum(counts) == 1


@pytest.mark.parametrize("key", [EOF, INTERRUPT], ids=["ctrl-d", "ctrl-c"])
def test_keys_that_end_the_game(key: str) -> None:
    """S2-16, S2-20: at a real terminal; Ctrl-D at each question, Ctrl-C once."""
    answers = [(ASKS_HIT, key), (ASKS_AGAIN, key)][: 2 if key == EOF else 1]
    shown = in_terminal(*command("one_deck", "proj09", "file"), answers)
    assert re.search(r"\n\nGame over\.\n(Rounds .*: \d\n){3}$", shown), shown


# Against the web table, and against published numbers


def test_the_program_and_the_web_table_agree(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """S2-3, S2-4, S2-7, S2-8, S2-9, S2-11, S2-12, S2-13, S2-14: in 500 whole games.

    S2-15, S2-16, S2-29, S2-32, S2-35 too: the deck shrinks, and none has more than 13 rounds.
    """
    proj09, table = load("proj09"), GAMES["one-deck"]
    words = {
        Winner.PLAYER: "You win the round.",
        Winner.DEALER: "The dealer wins the round.",
        Winner.TIE: "The round is a draw.",
    }

    def listed(hand: tuple[Any, ...]) -> str:
        return " ".join(card.rank + card.suit.lower() for card in hand)

    ran_out = 0
    for seed in range(500):
        player = random.Random(seed)
        rng = Luck(seed)
        state = table.start()
        expected: list[str] = []
        answers: list[str] = []
        while state.phase is not Phase.GAME_OVER:
            state = table.play(state, "deal", {}, rng)
            if state.phase is Phase.PLAYING:
                first = [listed(state.player), listed(state.dealer[:1])]
                expected += [f"Your cards: {first[0]}", f"Dealer's cards: {first[1]} X"]
            while state.phase is Phase.PLAYING:
                move = "hit" if player.random() < 0.4 else "stay"
                state = table.play(state, move, {}, rng)
                answers.append("h" if move == "hit" else "s")
                total = table.view(state).player.total
                expected.append(f"Your cards: {listed(state.player)}, total {total}")
            if answers and answers[-1] == "s" and len(state.dealer) > 1:
                total = table.view(state).dealer.total
                expected.append(f"Dealer's cards: {listed(state.dealer)}, total {total}")
            expected.append(words[state.winner])
            answers.append("y")
        answers.pop()
        luck = Luck(seed, code=lambda card: str(card).upper(), top=-1)
        monkeypatch.setattr(random, "shuffle", luck.shuffle)
        monkeypatch.setattr(builtins, "input", lambda _, answers=answers: answers.pop(0))
        proj09.main()
        shown = capsys.readouterr().out
        assert answers == []
        assert luck.count == rng.count == 1
        tally = state.tally
        assert shown.endswith(totals(tally.player, tally.dealer, tally.tie))
        assert tally.player + tally.dealer + tally.tie == state.round <= 13
        lines = iter(shown.splitlines())
        for line in expected:
            assert line in lines, (seed, line)
        ran_out += "not enough cards" in shown
    assert ran_out > 300


PUBLISHED = {
    17: 0.14583, 18: 0.138063, 19: 0.13482, 20: 0.175806, 21: 0.0736296 + 0.0482655, 22: 0.283585,
}  # fmt: skip
"""One deck, the dealer stands on soft 17 (Wizard of Odds, appendix 2B); 22 stands for bust."""


def test_how_the_dealer_ends(
    load: Callable[[str], ModuleType],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """S2-9, S2-10, S2-31, S2-33: as published, over 4,000 first rounds where the user stands."""
    proj09, cards = load("proj09"), load("cards")
    monkeypatch.setattr(random, "shuffle", random.Random(33).shuffle)
    monkeypatch.setattr(builtins, "input", lambda _: "n")
    rounds = 4000
    ends = dict.fromkeys(PUBLISHED, 0)
    for _ in range(rounds):
        deck = cards.Deck()
        deck.shuffle()
        proj09.play_round(deck)
        last = capsys.readouterr().out.rpartition("Dealer's cards: ")[2]
        total = int(re.search(r", total (\d+)\n", last)[1])
        ends[min(total, 22)] += 1
    for end, probability in PUBLISHED.items():
        deviation = (probability * (1 - probability) / rounds) ** 0.5
        assert abs(ends[end] / rounds - probability) < 4 * deviation, end


def test_the_rules_are_the_projects(load: Callable[[str], ModuleType]) -> None:
    """S2-31: the program has no number of its own for 21, 17, 11 or 10."""
    numbers = {node.value for node in ast.walk(ast.parse(SOURCE)) if isinstance(node, ast.Constant)}
    assert not {21, 17, 16, 11, 10} & numbers
    assert load("proj09").twentyone.ONE_DECK is ONE_DECK
