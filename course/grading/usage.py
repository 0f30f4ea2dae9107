"""How the kit's commands are called: a sheet first, and one sentence for what cannot be done."""

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from course.grading.sheets import FOLDER, SHEETS, Sheet, SheetError, load_sheet


class UsageError(ValueError):
    """Something that was asked for and cannot be done, in one sentence."""


def parser_of(name: str, description: str) -> argparse.ArgumentParser:
    """Return the arguments of a command, of which the first is the sheet."""
    parser = argparse.ArgumentParser(
        prog=f"python -m course.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sheet", help=f"{', '.join(SHEETS)}, or the folder of another sheet")
    return parser


def run_command(
    parser: argparse.ArgumentParser,
    arguments: Sequence[str] | None,
    action: Callable[[Sheet, argparse.Namespace], int],
    nothing_to_do: str,
) -> int:
    """Read the arguments and act on them; return the exit code, 2 for what cannot be done.

    ``nothing_to_do`` says what cannot be done without the sheets' own solutions.
    """
    asked = parser.parse_intermixed_args(arguments)

    def act() -> int:
        if not FOLDER.is_dir():
            gone = "The sheets' own solutions (course/sheets) are not here"
            raise UsageError(f"{gone}, {nothing_to_do}.")
        return action(find_sheet(asked.sheet), asked)

    return run_action(act)


def run_action(act: Callable[[], int]) -> int:
    """Do something, and return its exit code; 2 with a sentence for what cannot be done."""
    use_utf8(sys.stdout, sys.stderr)
    try:
        return act()
    except (UsageError, SheetError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except BrokenPipeError:  # nobody reads on, as with ``| head``: that is no failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def find_sheet(name: str) -> Sheet:
    """Return one of our sheets, or the one in a folder.

    Raises:
        SheetError: there is none, or it cannot be used.
    """
    if name in SHEETS:
        return SHEETS[name]
    if not Path(name).is_dir():
        raise SheetError(
            f"There is no sheet {name}: it is {', '.join(SHEETS)}, or a sheet's folder."
        )
    sheet = load_sheet(Path(name))
    if sheet.slug in SHEETS and not sheet.is_ours:
        raise SheetError(f"{name} is called {sheet.slug}, as one of our own sheets is: rename it.")
    return sheet


def use_utf8(*streams: TextIO) -> None:
    """Have streams write UTF-8: Windows files and pipes have no card suits otherwise."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
