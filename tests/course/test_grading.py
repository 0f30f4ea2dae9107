"""Our solutions and students' solutions earn all points. Each mutant loses one requirement."""

import random
from pathlib import Path
from typing import Final

import pytest

from course.grading.requirements import gradable
from course.grading.sheets import SHEETS
from tests.course.support import (
    MISTAKES,
    MUTANTS,
    SOLUTIONS,
    STUDENTS,
    Grade,
    command,
    copy_of,
    grading,
    lost,
    mutated,
    slug_of,
    unmet,
    why,
)
from tests.support.amounts import slow_but

SAMPLE = 1
"""Number of other requirements that the default run checks for every fifth mutant. The slow run
checks all requirements for every mutant.
"""


@pytest.fixture(scope="module")
def grade() -> Grade:
    return grading()


@pytest.mark.parametrize("slug", SHEETS)
def test_our_solutions_have_full_points(grade: Grade, slug: str) -> None:
    report = grade(slug, SHEETS[slug].solution)
    assert lost(report) == [], why(report)
    assert report.points == report.worth == len(gradable(slug))


@pytest.mark.parametrize("student", slow_but(STUDENTS, STUDENTS[0]))
def test_students_solutions_have_full_points(grade: Grade, student: str) -> None:
    """The programs were written from the sheets only, with different names and structure.

    Grading never changes the programs.
    """
    folder, slug = SOLUTIONS / student, student.partition("/")[0]
    before = {file: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    report = grade(slug, folder)
    assert lost(report) == [], why(report)
    assert report.points == report.worth > 0
    assert {file: file.read_bytes() for file in folder.iterdir() if file.is_file()} == before


def test_every_sheet_has_a_students_solution() -> None:
    assert {name.partition("/")[0] for name in STUDENTS} == {*SHEETS}


ENTANGLED: Final = {"S1-10", "S1-26"}
"""Requirements that are never lost alone, so no mutant tests them separately: the text of a card,
and the first drawing.
"""


@pytest.mark.parametrize("slug", slow_but(SHEETS, "war"))
def test_each_requirement_can_be_lost(grade: Grade, slug: str, tmp_path: Path) -> None:
    """Every requirement is lost by a mutant, or by the starter stubs.

    The stubs can be imported, but do nothing.
    """
    command("course.export", slug, tmp_path, "--stubs")
    mutants = {mutant for mutant in MUTANTS if slug_of(mutant) == slug}
    seen = {*unmet(grade(slug, tmp_path))} | mutants | ENTANGLED
    assert {each.id for each in gradable(slug)} <= seen


@pytest.mark.parametrize("mutant", [*MUTANTS][::5])
def test_a_mutant_loses_its_requirement(grade: Grade, mutant: str, tmp_path: Path) -> None:
    """No other requirement is lost.

    Each mutant is graded on different requirements, so that every check runs.
    """
    slug = slug_of(mutant)
    others = [each.id for each in gradable(slug) if each.id != mutant]
    sample = random.Random(mutant).sample(others, SAMPLE)
    report = grade(slug, mutated(mutant, tmp_path / "mutant"), only={mutant, *sample})
    assert lost(report) == [mutant], why(report)


@pytest.mark.slow
@pytest.mark.parametrize("slug", SHEETS)
def test_our_sheets_are_sound(slug: str) -> None:
    """Each mistake loses only its own requirement, and the table names the line."""
    done = command("course.sheet", "check", slug)
    number = len(MISTAKES[slug])
    said = (
        f"{SHEETS[slug].title} is sound: {len(gradable(slug))} requirements, {number} mistakes.\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")


def test_grading_twice_gives_the_same(grade: Grade, tmp_path: Path) -> None:
    """Random numbers have the same seed in every check."""
    folder = mutated("S0-38", tmp_path / "mutant")
    first, second = (grade("simple-21", folder, {"S0-38", "S0-39", "S0-75"}) for _ in range(2))
    assert first.results == second.results


def test_wrong_hand_value_loses_value_and_text(grade: Grade, tmp_path: Path) -> None:
    folder = copy_of(SHEETS["simple-21"], tmp_path / "player")
    file = folder / "simple21.py"
    wrong = file.read_text().replace("return self.__value\n", "return self.__value + 1\n")
    file.write_text(wrong.replace("value = {self.__value}", "value = {len(self.__hand)}"))
    assert lost(grade("simple-21", folder, {"S0-46", "S0-48"})) == ["S0-46", "S0-48"]
