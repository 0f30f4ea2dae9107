"""Gradescope: results.json in the published format, and the zip file of the autograder.

The format is specified at https://gradescope-autograders.readthedocs.io/en/latest/specs/; each key
is listed here with its possible values.
"""

import json
import os
import stat
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from course.grading.sheets import SHEETS
from tests.course.support import SOLUTIONS, command, mutated, run

PLAIN = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin:/bin"}
FORMAT = {"enum": ["text", "html", "simple_format", "md", "ansi"]}
VISIBILITY = {"enum": ["hidden", "after_due_date", "after_published", "visible"]}
NUMBER, STRING, OBJECT = ({"type": kind} for kind in ("number", "string", "object"))


def only(**properties: Any) -> dict[str, Any]:
    """Return the schema of an object that allows only the given keys."""
    return {"type": "object", "properties": properties, "additionalProperties": False}


TEST = only(
    score=NUMBER, max_score=NUMBER, status={"enum": ["passed", "failed"]},
    name=STRING, name_format=FORMAT, number=STRING, output=STRING, output_format=FORMAT,
    tags={"type": "array", "items": STRING}, visibility=VISIBILITY, extra_data=OBJECT,
)  # fmt: skip
RESULTS = {
    **only(
        score=NUMBER, execution_time={"type": "integer"}, output=STRING, output_format=FORMAT,
        test_output_format=FORMAT, test_name_format=FORMAT, visibility=VISIBILITY,
        stdout_visibility=VISIBILITY, extra_data=OBJECT,
        tests={"type": "array", "items": TEST}, leaderboard={"type": "array"},
    ),
    # quote: "optional, but required if not on each test case"; without a score, the tests are
    # required
    "anyOf": [
        {"required": ["score"]},
        {
            "required": ["tests"],
            "properties": {"tests": {"items": {"required": ["score"]}, "minItems": 1}},
        },
    ],
}  # fmt: skip


@pytest.fixture
def mutant(tmp_path: Path) -> Path:
    return mutated("S0-73", tmp_path / "mutant")


@pytest.fixture
def rubric(tmp_path: Path) -> Path:
    file = tmp_path / "my rubric.toml"
    file.write_text(
        'default_points = 0.5\ndefault_visibility = "after_due_date"\n'
        '[points]\n"S0-73" = 3\n"S0-2" = 0\n[visibility]\n"S0-73" = "hidden"\n'
    )
    return file


def graded(folder: Path, *options: object) -> dict[str, Any]:
    file = folder.parent / "results.json"
    done = command("course.grade", "simple-21", folder, "--json", file, *options)
    assert (done.returncode, done.stderr) == (0, "")
    results: dict[str, Any] = json.loads(file.read_text())
    jsonschema.validate(results, RESULTS)
    return results


def test_results(mutant: Path) -> None:
    """The JSON has points, status and number as specified, and transcripts with the typed text."""
    results = graded(mutant)
    assert (results["score"], len(results["tests"])) == (77, 78)
    assert sum(test["score"] for test in results["tests"]) == results["score"]
    failed = [test for test in results["tests"] if test["status"] == "failed"]
    assert [test["number"] for test in failed] == ["S0-73"]
    (test,) = failed
    assert (test["score"], test["max_score"], test["visibility"]) == (0, 1, "visible")
    assert test["name"] == "After a no the program says goodbye and ends."
    assert test["tags"] == ["The program, assignment2.py"]
    for line in ("called", "typed: n", "expected  a goodbye", "got       nothing", "the solution"):
        assert line in test["output"]
    assert "Thank you for playing. Goodbye...              |" in test["output"]
    assert results["stdout_visibility"] == "hidden"


def test_a_rubric_gives_points_and_visibility(mutant: Path, rubric: Path) -> None:
    results = graded(mutant, "--rubric", rubric, "--only", "S0-1,S0-2,S0-3,S0-73")
    tests = {test["number"]: test for test in results["tests"]}
    assert results["score"] == 0.5 + 0 + 0.5
    assert (tests["S0-73"]["max_score"], tests["S0-73"]["visibility"]) == (3, "hidden")
    assert (tests["S0-2"]["max_score"], tests["S0-2"]["status"]) == (0, "passed")
    assert tests["S0-1"]["visibility"] == "after_due_date"


@pytest.fixture
def upload(tmp_path: Path) -> Callable[..., Path]:
    """Create the zip file, unpack it, and return the folder /autograder."""

    def upload(slug: str, *options: object) -> Path:
        archive = tmp_path / "upload.zip"
        done = command("course.grade", slug, "--autograder", archive, *options)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.startswith(f"Wrote {archive}: ")
        root = tmp_path / "autograder"
        for name in ("source", "submission", "results"):
            (root / name).mkdir(parents=True)
        with zipfile.ZipFile(archive) as file:
            names = file.namelist()
            assert {"setup.sh", "run_autograder"} <= {*names}  # in the root of the zip file
            for name in ("setup.sh", "run_autograder"):
                mode = file.getinfo(name).external_attr >> 16
                assert mode & stat.S_IXUSR, name
            file.extractall(root / "source")
        return root

    return upload


def run_autograder(root: Path) -> dict[str, Any]:
    """Run the script as Gradescope does, in another folder and a clean environment."""
    script = (root / "source" / "run_autograder").read_text().replace("/autograder", str(root))
    assert script.startswith("#!/usr/bin/env bash\n")
    (root / "run_autograder").write_text(script)
    done = run("bash", root / "run_autograder", cwd=root, env=PLAIN | {"HOME": str(root)})
    assert done.returncode == 0, done.stderr
    results: dict[str, Any] = json.loads((root / "results" / "results.json").read_text())
    jsonschema.validate(results, RESULTS)
    return results


@pytest.mark.parametrize("slug", ["war", pytest.param("blackjack", marks=pytest.mark.slow)])
def test_the_upload_grades(upload: Callable[..., Path], slug: str) -> None:
    """The script uses only the files in the zip, because the project is not on the path."""
    root = upload(slug)
    (student, *_) = sorted((SOLUTIONS / slug).iterdir())
    for file in student.iterdir():
        if file.is_file():
            (root / "submission" / file.name).write_bytes(file.read_bytes())
    results = run_autograder(root)
    assert results["score"] == sum(test["max_score"] for test in results["tests"]) > 30


def test_the_upload_takes_a_rubric_along(upload: Callable[..., Path], tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('default_points = 2\n[points]\n"S3-30" = 8\n')
    root = upload("war", "--rubric", file)
    solution = SHEETS["war"].solution / "war.py"
    (root / "submission" / "war.py").write_bytes(solution.read_bytes())
    assert run_autograder(root)["score"] == 30 * 2 + 8


def test_upload_sets_up_a_python_with_only_needed_files(
    upload: Callable[..., Path],
) -> None:
    """Nothing is installed if Python is new enough.

    The zip file contains no rules, pages or tests of the site.
    """
    root = upload("bingo")
    script = root / "source" / "setup.sh"
    done = run("bash", script, env=PLAIN)
    assert (done.returncode, done.stdout) == (0, "")
    assert "3, 11" in script.read_text()
    inside = {path.name for path in (root / "source" / "course").iterdir()}
    assert inside == {"grading", "sheets", "grade.py"}
    assert not [*root.rglob("*.pyc")]
