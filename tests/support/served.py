"""The site, including the tests' own games: ``python -m tests.support.served``."""

import sys

from cardgames import GAMES
from cardgames.registry import registered
from tests.support.games import HighCard, LastingHighCard

# The worker processes also execute this code.
for slug, game in registered(HighCard(), LastingHighCard()).items():
    GAMES.setdefault(slug, game)

from app import create_app  # noqa: E402 - the site reads the registered games when it is imported
from web.commands.serve import run  # noqa: E402

if __name__ == "__main__":
    sys.exit(run(create_app))
