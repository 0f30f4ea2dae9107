"""``python -m course.export``: hand-outs of a sheet that stand alone."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from course.grading.modules import module_of
from course.grading.sheets import Sheet
from course.grading.usage import UsageError, parser_of, run_command
from course.handouts.decks import broken, deck_of, names_in, text_of
from course.handouts.files import Texts, given, more_handouts, solution, starter, write

DESCRIPTION: Final = """\
Writes a sheet's files into a folder, where they run alone: the solution, or starter stubs, with
what the course gives. With a list of names it writes deck files instead, for each name its own:
a good one, deliberately broken ones, and the transcripts that are expected, what is typed included.
"""


def parser() -> argparse.ArgumentParser:
    """Return the command's arguments."""
    made = parser_of("export", DESCRIPTION)
    made.add_argument("folder", type=Path, help="where to write; existing files are left alone")
    made.add_argument("--stubs", action="store_true", help="starter stubs, not the solution")
    made.add_argument("--decks", type=Path, metavar="names.txt", help="deck files, a name a line")
    made.add_argument("--secret", help="with --decks: the same secret makes the same decks")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Export, and return 0; 2 with a sentence for what cannot be done."""
    return run_command(parser(), arguments, _export, "so there is nothing to export")


def _export(sheet: Sheet, asked: argparse.Namespace) -> int:
    try:
        written = _written(sheet, asked)
    except OSError as error:
        raise UsageError(f"{error}") from None
    is_solution = not (asked.stubs or asked.decks)
    more = " They are the solution; --stubs writes what students begin with." * is_solution
    sys.stdout.write(f"Wrote {written} files to {asked.folder}.{more}\n")
    return 0


def _written(sheet: Sheet, asked: argparse.Namespace) -> int:
    """Write what was asked for; return how many files that were."""
    if not asked.decks:
        return write(_files(sheet, stubs=asked.stubs), asked.folder)
    written = write(_decks(sheet, asked), asked.folder)
    return written + write(dict(_transcripts(sheet, asked.folder)), asked.folder)


def _files(sheet: Sheet, *, stubs: bool) -> Texts:
    mine = starter(sheet) if stubs else solution(sheet)
    return mine | given(sheet) | more_handouts(sheet)


def _decks(sheet: Sheet, asked: argparse.Namespace) -> Texts:
    if not sheet.decks:
        raise UsageError(f"{sheet.title} reads no deck files.")
    if not asked.secret:
        raise UsageError("Which secret? --decks needs --secret, and the same one makes the same.")
    names = [*names_in(asked.decks.read_text(encoding="utf-8"))]
    folders = [folder.lower() for _, folder in names]
    for name, folder in names:
        if folders.count(folder.lower()) > 1:
            raise UsageError(f"{name} would share the folder {folder} with somebody else.")
    if not names:
        raise UsageError(f"There is no name in {asked.decks}.")
    texts: Texts = {}
    decks = [deck.removesuffix(".txt") for deck in sheet.decks]
    for name, folder in names:
        codes = {deck: deck_of(asked.secret, name, deck) for deck in decks}
        texts |= {f"{folder}/{deck}.txt": text_of(each) for deck, each in codes.items()}
        wrong = broken(codes[decks[0]])
        texts |= {f"{folder}/broken/{file}": text for file, text in wrong.items()}
    return texts


def _transcripts(sheet: Sheet, folder: Path) -> Iterator[tuple[str, str]]:
    # It runs the solutions, which may be deleted; the other hand-outs only read them.
    from course.handouts.transcripts import transcript  # noqa: PLC0415 - above

    playing = module_of(sheet, "transcripts")
    for student in sorted(path.parent for path in folder.glob("*/broken")):
        answers = playing.games()
        answers |= {
            path.stem: playing.with_broken(f"broken/{path.name}")
            for path in sorted((student / "broken").iterdir())
        }
        for name, answer in answers.items():
            shown = transcript(sheet, student, answer)
            yield f"{student.name}/expected/{name}.txt", shown


if __name__ == "__main__":
    sys.exit(main())
