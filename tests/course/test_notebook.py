"""The War notebook: its stored outputs are correct. The students' notebook is derived from it."""

import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from course.handouts.notebook import tidied, unsolved, write
from tests.course.support import ROOT, grading, lost

FOLDER = ROOT / "docs" / "notebooks"
SOLVED = FOLDER / "war-solved.ipynb"


@pytest.fixture
def students(tmp_path: Path) -> Path:
    """Return the students' notebook, derived from the solved notebook."""
    path = tmp_path / "made" / "war.ipynb"
    path.parent.mkdir()
    write(unsolved(json.loads(SOLVED.read_text())), path)
    return path


def shown(notebook: Any) -> list[str]:
    """Return the outputs of each code cell: texts, values and errors as one string."""
    cells = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            texts = [output.get("text", "") for output in cell.outputs]
            texts += [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
            texts += [output.get("ename", "") for output in cell.outputs]
            cells.append("".join(texts))
    return cells


def run(path: Path, monkeypatch: pytest.MonkeyPatch, *, allow_errors: bool = False) -> Any:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        allow_errors=allow_errors,
        resources={"metadata": {"path": str(FOLDER)}},
    )
    return client.execute()


@pytest.mark.slow
def test_outputs_equal_those_of_the_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every cell of the solved notebook runs, including the hidden tests and the lab's figure."""
    stored = nbformat.read(SOLVED, as_version=4)
    nbformat.validate(stored)
    assert shown(run(SOLVED, monkeypatch)) == shown(stored)
    assert "three players can play\n" in shown(stored)
    assert any("within three standard errors: True" in text for text in shown(stored))


def test_students_notebook_is_the_solved_one_without_solutions(students: Path) -> None:
    """The students' notebook has no solutions, no hidden tests and no outputs."""
    text, full = students.read_text(), SOLVED.read_text()
    assert json.loads(full) == tidied(json.loads(full))
    nbformat.validate(nbformat.read(students, as_version=4))
    for mark in ("BEGIN SOLUTION", "BEGIN HIDDEN TESTS"):
        assert mark in full
        assert mark not in text
    assert "the last of the tied\\n" not in text
    assert all(not cell.get("outputs") for cell in json.loads(text)["cells"])


@pytest.mark.slow  # below, the grader also runs the cells of this notebook
def test_the_students_notebook_runs_up_to_its_exercise(
    students: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the tests of the exercise and the three-player tests after it fail."""
    notebook = run(students, monkeypatch, allow_errors=True)
    failing = [number for number, text in enumerate(shown(notebook)) if "Error" in text]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    (tests,) = [n for n, cell in enumerate(cells) if cell.metadata.get("nbgrader", {}).get("grade")]
    assert failing == [tests, tests + 1]
    assert tests == len(cells) - 2


@pytest.mark.parametrize("is_solved", [True, False])
def test_the_grader_takes_notebooks(tmp_path: Path, students: Path, is_solved: bool) -> None:
    """Both notebooks get full points, because the exercise goes beyond the sheet."""
    folder = tmp_path / "handed in"
    folder.mkdir()
    (folder / "war.ipynb").write_bytes((SOLVED if is_solved else students).read_bytes())
    grade = grading()
    report = grade("war", folder)
    assert lost(report) == []
    assert report.notes == ("war.ipynb was graded: its cells, one after the other.",)


def test_unusable_cells_are_skipped_and_named(tmp_path: Path) -> None:
    """The messages concern the notebook, a missing module, and a file that is not Python."""
    cells = json.loads(SOLVED.read_text())["cells"]
    odd = [
        "Deck?\n!ls\nfiles = !ls *.py\n%time print(1)",
        "%%timeit\nthis is no Python",
        "import no_such_module as nsm\nimport random",
        "def (:",
    ]
    made = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in odd]
    (tmp_path / "war.ipynb").write_text(json.dumps({"cells": [*made, *cells]}))
    report = grading()("war", tmp_path)
    assert lost(report) == []
    assert report.notes == (
        "war.ipynb was graded: its cells, one after the other.",
        "Code cell 3 imports no_such_module, which is not here: left out.",
        "Code cell 4 was left out: it is no Python (invalid syntax).",
    )


def test_no_place_of_a_machine_is_in_it() -> None:
    assert os.fspath(ROOT) not in SOLVED.read_text()
    assert "/tmp/" not in SOLVED.read_text()
