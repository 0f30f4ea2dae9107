"""How the kit's commands are called: a sheet first, and one sentence for what cannot be done."""

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

from course.grading.sheets import SHEETS, SOLUTIONS, Sheet


class UsageError(ValueError):
    """Something that was asked for and cannot be done, in one sentence."""


def parser_of(name: str, description: str) -> argparse.ArgumentParser:
    """Return the arguments of a command, of which the first is the sheet."""
    parser = argparse.ArgumentParser(
        prog=f"python -m course.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sheet", choices=[*SHEETS], help="the sheet")
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
    use_utf8(sys.stdout, sys.stderr)
    asked = parser.parse_intermixed_args(arguments)
    if SOLUTIONS.is_dir():
        try:
            return action(SHEETS[asked.sheet], asked)
        except UsageError as error:
            problem = str(error)
        except BrokenPipeError:  # nobody reads on, as with ``| head``: that is no failure
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
    else:
        problem = f"The sheets' own solutions (course/sheets) are not here, {nothing_to_do}."
    sys.stderr.write(f"{problem}\n")
    return 2


def use_utf8(*streams: TextIO) -> None:
    """Have streams write UTF-8: Windows files and pipes have no card suits otherwise."""
    for stream in streams:
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
