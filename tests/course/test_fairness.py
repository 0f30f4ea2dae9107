"""Points are lost only for reasons in the sheet, never for unusual code.

``variants`` contains student-style programs, each written as edits of our solution::

    === SHEET: NAME -> WHAT IT LOSES
    --- FILE
    old text; if empty, the new text is appended to the file, which may be new
    +++
    new text
"""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from course.grading.requirements import gradable
from course.grading.sheets import SHEETS
from tests.course.support import Grade, copy_of, grading, lost, why

FOLDER = Path(__file__).with_name("variants")


class Variant(NamedTuple):
    """A program with its sheet, its lost requirements and its edits.

    An edit consists of a file, the old text and the new text.
    """

    slug: str
    loses: frozenset[str]
    edits: list[tuple[str, str, str]]
    whole: bool = False
    """Whether the default run also grades the program on all requirements."""

    def write(self, folder: Path) -> Path:
        """Write the program's files. Every edit must match the solution."""
        copy_of(SHEETS[self.slug], folder)
        for name, old, new in self.edits:
            text = (folder / name).read_text() if (folder / name).exists() else ""
            assert old in text, (name, old)
            (folder / name).write_text(text.replace(old, new) if old else f"{text}\n{new}\n")
        return folder


def read(text: str) -> dict[str, Variant]:
    variants = {}
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, *parts = re.split(r"^--- ", block, flags=re.MULTILINE)
        slug, name, loses = re.fullmatch(r"([\w-]+): (.+?)(?: -> (.+))?\n", head).groups()
        edits = [re.fullmatch(r"(\S+)\n(.*?)\n?\+\+\+\n(.*?)\n?", p, re.DOTALL) for p in parts]
        found = [edit.groups() for edit in edits if edit]
        assert len(found) == len(parts) > 0, head
        variants[f"{slug}: {name}"] = Variant(slug, frozenset((loses or "").split()), found)
    return variants


VARIANTS = {
    name: variant._replace(whole=file.stem == "one_fault")
    for file in sorted(FOLDER.iterdir())
    for name, variant in read(file.read_text()).items()
}
WHOLE = [name for name, variant in VARIANTS.items() if variant.whole]
PARTLY = [name for name in VARIANTS if name not in WHOLE]


@pytest.fixture(scope="module")
def grade() -> Grade:
    return grading()


def some(name: str) -> list[str]:
    """Return a program's lost requirements and a sample of the other requirements.

    An empty list means all requirements. The slow run grades every program on all requirements.
    """
    slug, loses, _, whole = VARIANTS[name]
    if whole:
        return []
    few = [each.id for each in gradable(slug)[len(name) % 9 :: 9]]
    return sorted({*few, *loses})


@pytest.mark.parametrize("name", [*PARTLY[::10], *WHOLE[::9]])
def test_a_program_as_students_write_them(grade: Grade, name: str, tmp_path: Path) -> None:
    variant = VARIANTS[name]
    report = grade(variant.slug, variant.write(tmp_path / "student"), some(name))
    assert {*lost(report)} == variant.loses, why(report)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_every_point_that_a_program_loses(grade: Grade, name: str, tmp_path: Path) -> None:
    variant = VARIANTS[name]
    report = grade(variant.slug, variant.write(tmp_path / "student"))
    assert {*lost(report)} == variant.loses, why(report)
    not_seen = report.open + report.hidden
    assert report.points == report.worth - len(variant.loses) - not_seen


def test_unseen_hands_cost_nothing(grade: Grade, tmp_path: Path) -> None:
    """No requirement that depends on the hands is lost: all are unseen for one reason."""
    folder = VARIANTS["blackjack: hands in a table"].write(tmp_path / "student")
    file = folder / "blackjack.py"
    file.write_text(re.sub(r"(?m)\btable( = {|\[)", r"_moved.table\1", file.read_text()))
    report = grade("blackjack", folder, ["S1-3", "S1-9", "S1-19", "S1-29", "S1-40"])
    assert lost(report) == [], why(report)
    reasons = {
        result.requirement.id: result.outcome.unseen for result in report.results if result.unseen
    }
    assert reasons == dict.fromkeys(("S1-3", "S1-9", "S1-40"), "I could not see the hands")


def got(grade: Grade, slug: str, folder: Path, check: str) -> str:
    (result,) = grade(slug, folder, [check]).results
    return "\n".join([*result.outcome.called, result.outcome.got])


def test_the_content_of_a_bad_deck_is_shown(grade: Grade, tmp_path: Path) -> None:
    folder = copy_of(SHEETS["simple-21"], tmp_path / "ada")
    file = folder / "playingCards.py"
    file.write_text(file.read_text().replace("class Deck:", "class Deck:\n    pass\nclass Pack:"))
    assert "# bad.txt has '1S' in line 21" in got(grade, "simple-21", folder, "S0-33")


def test_no_inside_of_ours_is_in_a_sentence(grade: Grade, tmp_path: Path) -> None:
    folder = copy_of(SHEETS["blackjack"], tmp_path / "ada")
    file = folder / "blackjack.py"
    wrong = file.read_text().replace("def deal_card(self)", "def deal_card(self, a, b)")
    file.write_text(wrong)
    for result in grade("blackjack", folder, ["S1-4", "S1-16", "S1-32"]).results:
        assert "<locals>" not in result.outcome.got
