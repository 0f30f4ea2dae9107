"""The command lines of the course kit.

The first argument is a sheet, and each error is reported as one message.
"""

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from course.grading.sheets import FOLDER, SHEETS, Sheet, SheetError, load_sheet


class UsageError(ValueError):
    """An error raised when a command cannot be executed.

    The message is a single sentence.
    """


def argument_parser(name: str, description: str) -> argparse.ArgumentParser:
    """Return the argument parser of a command whose first argument is a sheet."""
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
    """Parse the arguments and run the command.

    Return the exit code. The code is 2 after an error message. ``nothing_to_do`` is the end of the
    message if the sheets' own solutions are missing.
    """
    options = parser.parse_intermixed_args(arguments)

    def act() -> int:
        if not FOLDER.is_dir():
            sentence = "The sheets' own solutions (course/sheets) are not here"
            raise UsageError(f"{sentence}, {nothing_to_do}.")
        return action(find_sheet(options.sheet), options)

    return run_action(act)


def run_action(act: Callable[[], int]) -> int:
    """Call a function and return its exit code, or 2 after an error message."""
    use_utf8(sys.stdout, sys.stderr)
    try:
        return act()
    except (UsageError, SheetError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    except BrokenPipeError:  # not an error: the reader stopped, as in ``| head``
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def find_sheet(name: str) -> Sheet:
    """Return the project's sheet with this name, or the sheet in this folder.

    Raises:
        SheetError: If there is no such sheet, or the sheet cannot be used.
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
    """Make streams write UTF-8.

    The default encodings of Windows lack card suits.
    """
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
