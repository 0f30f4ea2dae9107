"""``python -m cardgames``: lists the commands, one a line."""

import sys
from typing import Final, TextIO

PROGRAMS: Final = {
    "cardgames.lab": "The lab: thousands of games at once (--help says how)",
    "cardgames.chart": "A strategy or a program as a chart, and its exact worth",
    "cardgames.tournament": "Programs and strategies on the same deals, with places",
    "cardgames.play": "Play at the site's tables with a program of your own",
}
"""Each command, by its module, and what it does."""


def list_programs(out: TextIO) -> None:
    """Write a line for each command."""
    width = max(map(len, PROGRAMS))
    out.writelines(f"python -m {name:{width}}  {text}\n" for name, text in PROGRAMS.items())


if __name__ == "__main__":
    list_programs(sys.stdout)
