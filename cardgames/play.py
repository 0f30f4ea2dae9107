"""Play at a table of the site with a program of your own.

    python -m cardgames.play http://127.0.0.1:8000 mine.py --table blackjack

Your program is a file with a function decide(view). It is asked while a round is open, and returns
"hit" or "stay"; view is what the page shows, as the site's JSON has it, with what with_soft() adds:

    def decide(view):
        return "hit" if view["player"]["total"] < 17 else "stay"

This file needs nothing but Python: copy it, and write a client of your own.
"""

import argparse
import json
import runpy
import sys
from collections import Counter
from http.cookiejar import LWPCookieJar
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener


class Site:
    """The site, as one visitor sees it: the cookie says which tables are theirs."""

    def __init__(self, url: str, cookies: str = "") -> None:
        """Begin as a new visitor, or as the one whose cookie is in a file."""
        self.url = url.rstrip("/")
        self.jar = LWPCookieJar(cookies or None)
        if cookies and Path(cookies).exists():
            self.jar.load(ignore_discard=True)
        self.opener = build_opener(HTTPCookieProcessor(self.jar))

    def get(self, path: str) -> Any:
        """Ask for an address, and return its JSON."""
        return self.ask(path, None)

    def post(self, path: str, **fields: object) -> Any:
        """Send a form, and return the JSON that answers it."""
        return self.ask(path, urlencode(fields).encode())

    def ask(self, path: str, data: bytes | None) -> Any:
        """Ask with or without a form. A refusal ends the program with the site's sentence."""
        request = Request(self.url + path, data, {"Accept": "application/json"})  # noqa: S310 - as asked
        try:
            with self.opener.open(request, timeout=30) as answer:
                return json.load(answer)
        except HTTPError as refusal:
            sys.exit(sentence(refusal))
        except (URLError, OSError, ValueError) as error:
            sys.exit(f"{self.url} does not answer as the site does: {error}")


def sentence(refusal: HTTPError) -> str:
    """Return why the site refused."""
    with refusal:
        try:
            return str(json.load(refusal)["error"])
        except (ValueError, KeyError, TypeError):
            return f"The site answered {refusal.code} {refusal.reason}."


def with_soft(view: Any) -> Any:
    """Return a view that says of the player's hand whether an ace counts 11 in its total."""
    hand = view["player"]
    low = sum(min("A23456789TJQK".index(card[0]) + 1, 10) for card in hand["cards"])
    return {**view, "player": {**hand, "soft": hand["total"] == low + 10}}


def play(site: Site, path: str, decide: Any, rounds: int) -> Counter[str]:
    """Play a number of rounds at the table of this address; return who won how many."""
    winners: Counter[str] = Counter()
    table = site.get(path)
    while winners.total() < rounds:
        names = [move["name"] for move in table["moves"]]
        deciding = "hit" in names
        if deciding:
            move = decide(with_soft(table["view"]))
            if move not in ("hit", "stay"):
                sys.exit(f"decide returned {move!r} and not 'hit' or 'stay'.")
        else:
            move = "deal" if "deal" in names else "new"  # new: the last card of a deck was dealt
        table = site.post(path, move=move, step=table["step"])  # the step: no move counts twice
        if deciding and table["view"]["winner"]:
            winners[table["view"]["winner"]] += 1
    return winners


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m cardgames.play")
    parser.add_argument("url", help="where the site is, as in http://127.0.0.1:8000")
    parser.add_argument("program", help="your file, with a function decide(view)")
    tables = ("simple-21", "blackjack", "one-deck")
    parser.add_argument("--table", choices=tables, default="blackjack", help="(%(default)s)")
    parser.add_argument("--rounds", type=int, default=100, help="how many (100)")
    parser.add_argument("--class", dest="code", help="the join code of your class")
    parser.add_argument("--name", default="", help="your nickname there")
    parser.add_argument("--rejoin", default="", help="the rejoin code on your page of the class")
    asked = parser.parse_args()
    if not Path(asked.program).is_file():
        sys.exit(f"There is no file {asked.program}.")
    decide = runpy.run_path(asked.program).get("decide")
    if not callable(decide):
        sys.exit(f"{asked.program} has no function decide(view).")
    # In a class the cookie is kept, so that the next time it is the same browser of yours again.
    site = Site(asked.url, f"{asked.code}.cookies" if asked.code else "")
    if asked.code:
        site.post(f"/class/{asked.code}/rejoin", name=asked.name, code=asked.rejoin)
        site.jar.save(ignore_discard=True)
    winners = play(site, f"/{asked.table}", decide, asked.rounds)
    for winner, count in winners.most_common():
        print(f"{winner:<8}{count:>6}")


if __name__ == "__main__":
    main()
