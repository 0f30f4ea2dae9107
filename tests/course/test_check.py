"""``python -m course.check``: the form of a file, and private dependencies between files."""

import re
from pathlib import Path

import pytest

from course.grading.form import findings
from course.grading.sheets import SHEETS
from tests.course.support import ROOT, SOLUTIONS, command, copy_of

SLOW = pytest.mark.slow
CLEAN = ["one-deck/fay/proj09.py"]
MORE = [
    "blackjack/ivy/week6.py",
    "bingo/dev/playingCards.py",
    "simple-21/ben/playingCards.py",
    "bingo/dev/bingo.py",
]
"""Those that the slow run looks over too."""

HANDS = ["blackjack/ivy/week6.py"]
"""Their hands have no attribute ``cards``: the sheets name none."""


@pytest.mark.parametrize(
    "file", [*CLEAN, *(pytest.param(file, marks=pytest.mark.slow) for file in MORE)]
)
def test_files_that_are_as_the_sheet_asks(file: str) -> None:
    """They work among our own files, whatever their private names: a hand without ``cards`` too."""
    done = command("course.check", file.partition("/")[0], SOLUTIONS / file)
    assert (done.returncode, done.stderr) == (0, "")
    assert "In these nothing was found that" in done.stdout
    assert "does not work" not in done.stdout
    if file in HANDS:
        assert "self.cards" not in (SOLUTIONS / file).read_text()
        assert "the class Hand works with the solution's other files\n" in done.stdout


@pytest.mark.parametrize("slug", SHEETS)
def test_our_own_files_have_the_form_of_their_sheets(slug: str) -> None:
    sheet = SHEETS[slug]
    for name in sheet.solution_files:
        assert findings(sheet, name, (sheet.solution / name).read_text()) == []


def test_a_private_dependency() -> None:
    """Ben's simple21 takes a constant from their playingCards, which the sheet does not name."""
    done = command("course.check", "simple-21", SOLUTIONS / "simple-21" / "ben" / "simple21.py")
    assert done.returncode == 1
    head = (
        "simple21.py does not work with the solution's other files:\n  NameError(\"name 'BLACKJACK'"
    )
    assert done.stdout.startswith(head)
    assert done.stdout.count("and so fails S0-") == 1


def test_a_fault_of_the_students_own_is_no_dependency(tmp_path: Path) -> None:
    file = copy_of(SHEETS["simple-21"], tmp_path) / "simple21.py"
    file.write_text(file.read_text().replace("return self.__value\n", "return self.__value + 1\n"))
    assert "does not work" not in command("course.check", "simple-21", file).stdout


@pytest.mark.slow
def test_a_private_dependency_within_one_file(tmp_path: Path) -> None:
    """A class is put among our own by itself: here Game calls a helper of the student's Hand."""
    file = copy_of(SHEETS["war"], tmp_path) / "war.py"
    source = file.read_text()
    helper = "    def top(self):\n        return self.give_card()\n\n    def give_cards("
    source = source.replace("    def give_cards(", helper, 1)
    file.write_text(source.replace("[player.give_card() for", "[player.top() for", 1))
    done = command("course.check", "war", file)
    assert done.returncode == 1
    assert "the class Hand works with the solution's other files\n" in done.stdout
    head = "the class Game does not work with the solution's other files:\n  AttributeError("
    assert head in done.stdout


@pytest.mark.slow
def test_it_says_how_much_it_has_seen(tmp_path: Path) -> None:
    """The classes of a Blackjack are tried, and the program is not: whose handlers do nothing."""
    file = copy_of(SHEETS["blackjack"], tmp_path) / "blackjack.py"
    file.write_text(
        file.read_text().replace("    if in_play:\n        player", "    if 0:\n        player")
    )
    done = command("course.check", "blackjack", file)
    seen = re.search(
        r"(\d+) of 39 requirements can be seen from blackjack.py; run the program", done.stdout
    )
    assert 5 < int(seen[1]) < 20
    assert "python -m course.grade blackjack FOLDER" in done.stdout
    assert "In these nothing was found that" in done.stdout


@pytest.mark.slow
def test_a_notebook() -> None:
    """Its cells, as the grader takes them; here the game for three is a class that inherits."""
    done = command("course.check", "war", ROOT / "docs" / "notebooks" / "war-solved.ipynb")
    assert (done.returncode, done.stderr) == (0, "")
    assert "of 31 requirements can be seen from war.py" in done.stdout


TASKS = {
    "Task 1 of Simple 21": ("simple-21", "playingCards.py", "class EmptyDeck", "S0-25",
                            ('"[ xx ]"', '"[ ?? ]"'), ["EmptyDeckException", "Deck"]),
    "Task 3 of Bingo": ("bingo", "bingo.py", "class Table", "S4-32",
                        ("set(range(GRID_SIZE))]", "set(range(GRID_SIZE - 1))]"), ["Table"]),
}  # fmt: skip
"""A sheet, a file, where the next task begins, what a mistake loses, it, and what is to come."""


@pytest.mark.parametrize("task", [*TASKS][:1] + [pytest.param(t, marks=SLOW) for t in [*TASKS][1:]])
def test_a_task_alone(task: str, tmp_path: Path) -> None:
    """The solution's classes stand in for those to come: no loss is named that is none."""
    slug, name, end, number, (right, wrong), absent = TASKS[task]
    text = (SHEETS[slug].solution / name).read_text()
    tail = re.search(r"(?ms)^def (isMode|testCard).*?(?=^def (cardsIn|testDeck))", text)
    file = tmp_path / name
    file.write_text(f"{text[: text.index(end)]}{tail[0]}")
    done = command("course.check", slug, file)
    assert (done.returncode, "nothing was found that" in done.stdout) == (0, True)
    for each in absent:
        assert f"{name} has no class {each} yet: the solution's stands in for it" in done.stdout
    file.write_text(file.read_text().replace(right, wrong))
    done = command("course.check", slug, file)
    assert done.returncode == 1
    assert re.findall(r"^(S\d-\d+) is not met", done.stdout, re.MULTILINE) == [number]
    assert "does not work" not in done.stdout


@pytest.mark.slow
def test_what_follows_from_a_mistake_is_not_repeated(tmp_path: Path) -> None:
    """In the file alone, and beside the student's others."""
    file = tmp_path / "playingCards.py"
    text = (SHEETS["simple-21"].solution / file.name).read_text()
    wrong = text.replace("VALUES[self.__rank]\n", 'VALUES[self.__rank] + (self.__rank == "A")\n')
    for others in ((), ("simple21.py", "assignment2.py")):
        for name in others:
            (tmp_path / name).write_text((SHEETS["simple-21"].solution / name).read_text())
        file.write_text(wrong)
        done = command("course.check", "simple-21", file)
        assert re.findall(r"S0-\d+", done.stdout) == ["S0-6"]


FORMS = {
    "a name too many": (
        "simple-21", "playingCards.py", "def isFaceUp", "def isRed(self): pass\n\n    def isFaceUp",
        "Card.isRed is public, and the sheet does not name it: begin it with __",
    ),
    "a name missing": (
        "simple-21", "playingCards.py", "def getSuit", "def suitOf", "Card has no getSuit",
    ),
    "a class missing": (
        "bingo", "bingo.py", "class Table:", "class Board:", "there is no class Table",
    ),
    "a public attribute": (
        "bingo", "playingCards.py", "self.__suit = ", "self.suit = self.__suit = ",
        "the attribute suit of Card is public: begin it with __",
    ),
    "an import": (
        "bingo", "bingo.py", "import random\n", "import random\nfrom os import path\n",
        "os may not be imported; only random, queues, playingCards, bingo may",
    ),
    "a break": (
        "bingo", "bingo.py", " found = True\n", " found = True\n                break\n",
        "break may not be used",
    ),
    "a continue": (
        "bingo", "bingo.py", " found = True\n", " found = True\n                continue\n",
        "continue may not be used",
    ),
    "a constant": (
        "one-deck", "proj09.py", "worth(hand) > 21", "worth(hand) > LIMIT",
        "is_bust uses LIMIT, which it",
    ),
    "a global statement": (
        "one-deck", "proj09.py", "    rounds = {", "    global rounds\n    rounds = {",
        "rounds may not be global",
    ),
    "a syntax error": (
        "war", "war.py", "class Hand:", "class Hand", "this is not Python: expected ':'",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("slug", "file", "right", "wrong", "said"), FORMS.values(), ids=FORMS)
def test_what_a_file_does_against_its_sheet(
    slug: str, file: str, right: str, wrong: str, said: str
) -> None:
    sheet = SHEETS[slug]
    source = (sheet.solution / file).read_text()
    assert right in source
    changed = source.replace(right, wrong, 1)
    texts = [finding.text for finding in findings(sheet, file, changed)]
    assert any(text.startswith(said) for text in texts), texts
    lines = [finding.line for finding in findings(sheet, file, changed)]
    assert lines == sorted(lines)


def test_the_line_is_shown(tmp_path: Path) -> None:
    """File and line, as an editor takes them; without running anything."""
    file = tmp_path / "proj09.py"
    file.write_text("import cards\nLIMIT = 21\n\n\ndef main():\n    return LIMIT\n")
    done = command("course.check", "one-deck", file, "--no-mixing")
    assert done.returncode == 1
    assert done.stdout.startswith("proj09.py:5: main uses LIMIT, which it")


@pytest.mark.slow
def test_what_is_wrong_anyway_is_no_dependency(tmp_path: Path) -> None:
    """A mistake that shows with their own neighbours too is named by its requirement."""
    folder = copy_of(SHEETS["simple-21"], tmp_path)
    file = folder / "playingCards.py"
    file.write_text(file.read_text().replace('"[ xx ]"', '"[ ?? ]"'))
    done = command("course.check", "simple-21", file)
    assert (done.returncode, "works with the solution's" in done.stdout) == (1, True)
    assert "S0-25 is not met: " in done.stdout
    assert "nothing was found" not in done.stdout
