"""The command ``python -m cardgames`` lists the other commands, one per line."""

import sys
from typing import Final, TextIO

PROGRAMS: Final = {
    "cardgames.tournament": "Programs and strategies on the same deals, with places",
}
"""A short description of each command, keyed by module."""


def list_programs(out: TextIO) -> None:
    """Print one line per command."""
    width = max(map(len, PROGRAMS))
    out.writelines(f"python -m {name:{width}}  {text}\n" for name, text in PROGRAMS.items())


if __name__ == "__main__":
    list_programs(sys.stdout)
