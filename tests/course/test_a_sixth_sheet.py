"""Every step of ``docs/a-sixth-sheet.md`` works, from the first line to the last."""

import io
import re
import shutil
import zipfile
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.course.support import command
from tests.support.commands import ROOT
from tests.support.site import look, visitor

GUIDE = ROOT / "docs" / "a-sixth-sheet.md"
FENCED = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS = FENCED.findall(GUIDE.read_text())
"""A fenced code block: its kind, its file and its text."""

SAID = {
    "new": "Wrote 7 files",
    "sheet check high-card": "High card is sound: 6 requirements, 2 mistakes.",
    "sheet check sheets/high-card": "High card is sound: 6 requirements, 4 mistakes.",
    "sheet check docs/examples/fifteens": "Fifteens is sound: 3 requirements, 2 mistakes.",
    "grade high-card STARTER": "0 of 6 points",
    "grade high-card FILES": "6 of 6 points",
    "--all": "6 of 6  amy",
    "--stubs": "Wrote 2 files to STARTER",
    "export high-card FILES": "Wrote 2 files to FILES",
    "run high-card": "Again? ",
    "--autograder": "6 points in all",
}
"""A part of each command's expected output, keyed by a part of its command line."""


def write(folder: Path, name: str, text: str) -> None:
    """Write a file from the guide.

    Mistakes are appended to an existing file instead of overwriting it.
    """
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    before = path.read_text() if path.name == "mistakes.toml" and path.exists() else ""
    path.write_text(f"{before}\n{text}".lstrip())


def stands_in_the_new_sheet(folder: Path, kind: str, text: str) -> None:
    """Check that the files of a new sheet contain the text."""
    name = {"toml": "*.toml", "markdown": "*.md", "python": "*.py"}[kind]
    written = "".join(path.read_text() for path in sorted(folder.rglob(name)))
    lines = [line.partition("  # ")[0] for line in text.splitlines()]
    assert [line for line in lines if line not in written] == []


def type_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\nn\n"))


def test_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    type_answers(monkeypatch)
    shutil.copytree(GUIDE.parent / "examples", tmp_path / "docs" / "examples")
    seen = set()
    for kind, name, text in BLOCKS:
        if name:
            write(tmp_path, name, text)
        elif kind != "sh":
            stands_in_the_new_sheet(tmp_path / "high-card", kind, text)
        for line in text.splitlines() if kind == "sh" else ():
            act(tmp_path, line)
            words = line.removeprefix("python -m course.")
            for part in (part for part in SAID if part in words):
                seen.add(part)
    assert seen == {*SAID}


def act(folder: Path, line: str) -> None:
    """Execute a shell command in this process."""
    words = line.split()
    if words[0] == "mkdir":
        (folder / words[1]).mkdir()
    elif words[0] == "mv":
        shutil.move(folder / words[1], folder / words[2])
    elif words[0].startswith("SHEETS="):
        is_on_the_site(folder, folder / "sheets")
    else:
        if "--all" in words:
            for student in ("amy", "brad"):
                shutil.copytree(folder / "FILES", folder / "CLASS" / student)
        assert words[:2] == ["python", "-m"]
        done = command(words[2], *words[3:], cwd=folder)
        short = line.removeprefix("python -m course.")
        for part, said in SAID.items():
            if part in short:
                assert said in done.stdout, (line, done)
        assert done.returncode == 0, (line, done)
        assert done.stderr.strip(".\n") == ""


def is_on_the_site(folder: Path, sheets: Path) -> None:
    """Check that the sheets' page lists the sheet, and that the sheet has a page."""
    client = visitor(folder / "data", sheets=sheets)
    assert "high-card" in [one["sheet"] for one in look(client, "/sheets")["sheets"]]
    page = client.get("/sheets").text
    assert "Two players turn over a card each" in page
    assert 'href="/sheets/high-card/try"' in page
    assert 'href="/high-card"' not in page, "there is no such table"
    names = served(client)
    assert {"high-card/checks.py", "high-card/solution/cards.py"} <= names
    assert "high-card/mistakes.toml" not in names
    (sheets / "high-card" / "sheet.toml").write_text(
        'solution = "private"\n' + (sheets / "high-card" / "sheet.toml").read_text()
    )
    names = served(visitor(folder / "private", sheets=sheets))
    assert "high-card/checks.py" in names
    assert not [name for name in names if "solution" in name]
    assert {"high-card/starter/cards.py", "high-card/starter/high_card.py"} <= names


def served(client: FlaskClient) -> set[str]:
    """Return the names of the sheet's files that a browser receives."""
    page = client.get("/sheets/high-card/try").text
    assert "course.grade high-card FOLDER" in page
    (address,) = re.findall(r'data-archive="([^"]+)"', page)
    answer = client.get(address)
    assert answer.headers["Cache-Control"].endswith("immutable")
    with zipfile.ZipFile(io.BytesIO(answer.data)) as archive:
        return {*archive.namelist()}
