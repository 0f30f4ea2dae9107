"""Each mistake that is planted in our solutions is found at the first move that shows it.

Each message must contain the requirement's number and the line of the planted mistake.
"""

import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from course.browser.examining import find_mistake, play_until_found
from course.browser.isolation import LOOKS_EVERY, MOST_AT_A_LOOK, TimeLimitExceeded, time_limit
from course.browser.table import StudentTable, load_driver
from course.grading.mistakes import Mistake
from course.grading.sheets import SHEETS
from tests.course.support import MISTAKES, SOLUTIONS, copy_of
from tests.course.test_fairness import VARIANTS
from tests.support.amounts import few_or_all

MANY_MOVES = 40

SHORT = {"moves": 20, "at_once": 10}
"""Limits for programs with a harmless oddity: these moves apply every rule, and War takes a second
per move.
"""

PLANTED = [
    (slug, mistake) for slug, found in MISTAKES.items() for mistake in found if mistake.shown
]


def table_of(slug: str, folder: Path, seed: int) -> StudentTable[Any]:
    return load_driver(SHEETS[slug])(SHEETS[slug], folder, seed)


@pytest.fixture(autouse=True)
def no_sheet_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unload the sheet's modules, because a browser does not have them either."""
    sheets = str(Path(__file__).parents[2] / "course" / "sheets")
    for name, module in list(sys.modules.items()):
        if "." not in name and (getattr(module, "__file__", None) or "").startswith(sheets):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if not path.startswith(sheets)])


SOON = {"S0-6", "S0-15", "S1-20", "S1-31", "S2-5", "S3-8", "S4-25"}
"""Mistakes in each sheet's solution that show up after a few moves. ``test_our_sheets_are_sound``
tries all mistakes.
"""


def test_every_sheet_has_mistakes_for_its_table() -> None:
    assert {slug for slug, _ in PLANTED} == {*SHEETS}
    assert len(PLANTED) == 38


@pytest.mark.parametrize(
    ("slug", "mistake"), [each for each in PLANTED if each[1].shown in SOON], ids=str
)
def test_a_planted_mistake_is_found_with_its_rule_and_its_line(
    slug: str, mistake: Mistake, tmp_path: Path
) -> None:
    folder = tmp_path / "files"
    table = find_mistake(SHEETS[slug], mistake, folder)
    assert not table.broken
    found = table.difference
    assert found is not None
    assert found.rule == mistake.shown, found
    assert table.place is not None
    file, number = table.place
    line = (folder / file).read_text().split("\n")[number - 1]
    assert mistake.blames(line), (file, number, line)


BROKEN = (
    ("playingCards.py", "", "", "there is no playingCards.py among the files", False),
    ("simple21.py", "class Table:", "class Felt:", "there is no class Table in the files", False),
    ("simple21.py", "def playerHit(", "def hit(", "object has no attribute 'playerHit'", False),
    ("simple21.py", "def playerHit(self) -> bool:", "def playerHit(self)", "SyntaxError", True),
    ("simple21.py", "(self.__nextCard())", "(self.__next())", "no attribute '_Table__next'", True),
)
"""A file, the string to replace in it (or an empty string for a missing file), the replacement, the
message, and whether the message names a line.
"""


@pytest.mark.parametrize(("file", "old", "new", "why", "has_line"), BROKEN)
def test_crashes_name_only_the_students_lines(
    file: str, old: str, new: str, why: str, *, has_line: bool, tmp_path: Path
) -> None:
    """The message names no line of a driver, even if a file has the same name."""
    folder = copy_of(SHEETS["simple-21"], tmp_path / "files")
    path = folder / file
    source = path.read_text()
    path.write_text(source.replace(old, new, 1))
    if not old:
        path.unlink()
    table, _ = play_until_found(SHEETS["simple-21"], folder, 1)
    assert why in table.broken
    number = 1 + source[: source.index(old)].count("\n")
    place = (file, number) if has_line else None
    assert table.report()["place"] == place
    assert ("line" in table.broken) == has_line


FOLDERS = [
    (slug, folder)
    for slug in SHEETS
    for folder in (
        SHEETS[slug].solution,
        *sorted({path.parent for path in (SOLUTIONS / slug).glob("*/*.py")}),
    )
]


@pytest.mark.parametrize("slug", ["simple-21", "blackjack"])
def test_our_solution_is_not_blamed(slug: str) -> None:
    """A few moves. The slow run plays many moves of every game."""
    table, _ = play_until_found(SHEETS[slug], SHEETS[slug].solution, 7, 5)
    assert (table.difference, table.broken) == (None, "")


UNREADABLE = "blackjack: hands that cannot be found"
FREE = [name for name, each in VARIANTS.items() if not each.loses and name != UNREADABLE]


@pytest.mark.slow
@pytest.mark.parametrize("name", FREE)
def test_harmless_oddity_is_not_blamed(name: str, tmp_path: Path) -> None:
    """The student-style programs in the grader's own tests."""
    folder = VARIANTS[name].write(tmp_path / "files")
    table, _ = play_until_found(SHEETS[VARIANTS[name].slug], folder, 7, **SHORT)
    assert (table.difference, table.broken) == (None, "")


@pytest.mark.parametrize("name", ["it deals only at the button", "a hand with a name"])
def test_optional_parts_of_the_table(name: str, tmp_path: Path) -> None:
    """The mistake loses a point, but the cards can still be dealt."""
    folder = VARIANTS[f"blackjack: {name}"].write(tmp_path / "files")
    table, moves = play_until_found(SHEETS["blackjack"], folder, 7, 4)
    assert (table.difference, table.broken, moves) == (None, "", 4)
    assert table.is_dealt


@pytest.mark.slow
@pytest.mark.parametrize(("slug", "folder"), FOLDERS, ids=lambda each: getattr(each, "name", each))
def test_a_right_program_is_not_blamed_in_many_moves(slug: str, folder: Path) -> None:
    made = 0
    for seed in range(MANY_MOVES):
        if made >= MANY_MOVES:
            break
        table, moves = play_until_found(SHEETS[slug], folder, seed, MANY_MOVES - made, 1)
        made += moves
        assert (table.difference, table.broken) == (None, "")


FACES = "TJQK"


@few_or_all("seeds", 2, 4)
@pytest.mark.parametrize("slug", ["simple-21", "blackjack", "one-deck"])
def test_coach_counts_the_unseen_cards_of_the_students_table(slug: str, seeds: int) -> None:
    """The probability of a bust is the proportion of busting cards among the unseen cards."""
    open_decisions = 0
    for seed in range(seeds):
        table: StudentTable[Any] = table_of(slug, SHEETS[slug].solution, seed)
        table.play(table.moves()[0][0])
        for name in ("", "hit"):
            if name:
                table.play(name)
            odds = table.odds()
            assert (odds is not None) == table.report()["coached"]
            if odds is None:
                continue
            open_decisions += 1
            view = table.shown().view
            hand = view.player.cards
            points = [1 if c[0] == "A" else 10 if c[0] in FACES else int(c[0]) for c in hand]
            unseen = [r for r in "A23456789" + FACES for _ in "CDHS"]
            for card in (*hand, view.upcard):
                unseen.remove(card[0])
            hard = sum(points)  # an ace counts 1 before the hand busts
            bad = sum(hard + (1 if r == "A" else 10 if r in FACES else int(r)) > 21 for r in unseen)
            assert odds.bust == pytest.approx(bad / len(unseen)), (slug, seed, hand)
    assert open_decisions > seeds


@pytest.mark.slow
def test_a_game_of_war_is_played_to_its_end() -> None:
    table: StudentTable[Any] = table_of("war", SHEETS["war"].solution, 7)
    table.play("deal")
    made: list[int] = []
    table.play("turn*5000", made.append)
    assert (table.difference, table.broken) == (None, "")
    assert [name for name, _ in table.moves()] == ["deal"], "one player has no card left"
    assert made == [*range(len(made))]


class Monitoring:
    """A replacement for ``sys.monitoring``, which is new in Python 3.12."""

    PROFILER_ID = 2
    events = SimpleNamespace(JUMP=1, PY_START=2)

    def __init__(self) -> None:
        self.look: Callable[[], object] = lambda: None

    def use_tool_id(self, *_: object) -> None: ...
    def set_events(self, *_: object) -> None: ...
    def free_tool_id(self, *_: object) -> None: ...
    def register_callback(self, _tool: int, _event: int, look: Callable[[], object]) -> None:
        self.look = look


def test_program_is_stopped_by_its_own_time_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An hour that passes between two readings of the clock is not counted."""
    python = Monitoring()
    monkeypatch.setattr(sys, "monitoring", python, raising=False)
    monkeypatch.setattr(time, "monotonic", count(0.0, 3600.0).__next__)
    with time_limit(9.5 * MOST_AT_A_LOOK, lambda: "its place") as late:
        for _ in range(10 * LOOKS_EVERY - 1):
            python.look()
        assert late == []
        with pytest.raises(TimeLimitExceeded):
            python.look()
    assert late == ["its place"]
