"""``python -m course.export --decks``: a deck and what it must show, for each student."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.course.support import process, run_alone


@pytest.fixture
def names(tmp_path: Path) -> Path:
    file = tmp_path / "names.txt"
    file.write_text("Ada L.\n\n  Ben \nZoë\n")
    return file


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_decks_are_the_same_for_the_same_secret(tmp_path: Path, names: Path) -> None:
    """For each name another, for another secret others; transcripts too."""
    written = []
    for number, secret in enumerate(["s3cret", "s3cret", "other"]):
        folder = tmp_path / str(number)
        done = process("course.export", "simple-21", folder, "--decks", names, "--secret", secret)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"Wrote 36 files to {folder}.\n"
        written.append(contents(folder))
    assert written[0] == written[1]
    assert written[0].keys() == written[2].keys()
    decks = [text for files in (written[0], written[2]) for name, text in files.items()
             if re.fullmatch(r"[^/]+/deck.txt", name)]  # fmt: skip
    assert len({*decks}) == 6
    codes = sorted(rank + suit for rank in "A23456789TJQK" for suit in "CDHS")
    for deck in decks:
        assert sorted(deck.decode().split()) == codes
    assert {name.partition("/")[0] for name in written[0]} == {"Ada-L", "Ben", "Zoë"}


def test_broken_decks_are_broken_in_five_ways(tmp_path: Path, names: Path) -> None:
    folder = tmp_path / "out"
    process("course.export", "simple-21", folder, "--decks", names, "--secret", "x")
    good = (folder / "Ben" / "deck.txt").read_text().split()
    broken = {path.name: path.read_bytes() for path in (folder / "Ben" / "broken").iterdir()}
    assert {*broken} == {
        "51-cards.txt", "double.txt", "10H.txt", "byte-order-mark.txt", "blank-end.txt",
    }  # fmt: skip
    assert broken["51-cards.txt"].decode().split() == good[:-1]
    double = broken["double.txt"].decode().split()
    assert (len(double), len({*double})) == (52, 51)
    ten = [code if code != "TH" else "10H" for code in good]
    assert broken["10H.txt"].decode().split() == ten
    assert broken["byte-order-mark.txt"][:3] == b"\xef\xbb\xbf"
    assert broken["byte-order-mark.txt"][3:].decode().split() == good
    assert broken["blank-end.txt"].decode() == "\n".join([*good, "", ""])


@pytest.mark.parametrize("slug", ["simple-21", "bingo"])
def test_transcripts_are_what_the_exported_program_shows(
    export: Callable[..., Path], tmp_path: Path, names: Path, slug: str
) -> None:
    """Typed again from the transcript into the files that stand alone."""
    program = export(slug)
    folder = tmp_path / "out"
    done = process("course.export", slug, folder, "--decks", names, "--secret", "x")
    assert done.returncode == 0
    expected = sorted((folder / "Ben" / "expected").iterdir())
    assert len(expected) == (6 if slug == "simple-21" else 8)
    for path in expected:
        text = path.read_text()
        prompt = r"(of cards: |>> |initialize deck: |\(F\)ull > |\(Y/N\)\? (?!>>))"
        answers = [answer for _, answer in re.findall(rf"{prompt}(.*)\n", text)]
        assert answers
        for file in program.glob("*.py"):
            shutil.copy(file, folder / "Ben")
        main = {"simple-21": "assignment2.py", "bingo": "bingo.py"}[slug]
        shown = run_alone(folder / "Ben", main, "".join(f"{answer}\n" for answer in answers))
        assert shown == re.sub(rf"{prompt}.*\n", r"\1", text), path


def test_a_transcript_of_simple_21_has_rounds_enough(tmp_path: Path, names: Path) -> None:
    """Hits and stays, several rounds, and no card that comes twice."""
    folder = tmp_path / "out"
    process("course.export", "simple-21", folder, "--decks", names, "--secret", "x")
    for student in ("Ada-L", "Ben", "Zoë"):
        text = (folder / student / "expected" / "deck.txt").read_text()
        assert text.count(" round ") >= 3
        assert re.search(r">> h\n", text)
        assert re.search(r">> s\n", text)
        assert "Repopulating" not in text
        assert text.endswith("\nThank you for playing. Goodbye...\n")
