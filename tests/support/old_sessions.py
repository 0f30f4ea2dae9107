"""Plays a class into a data directory and writes down what the site has answered.

It asks nothing but ``create_app``, ``Settings`` and addresses of the contract, so it runs in a
checkout of any version of the site::

    PYTHONPATH=. python make.py FOLDER
"""

import gzip
import html
import json
import random
import re
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import flask
from flask.testing import FlaskClient

from app import create_app
from web.settings import Settings

KEY = "the key of the sessions that are kept here, and of no server"
FOR_EVER = 4_102_444_800
"""The year 2100, in seconds since 1970."""

JSON = {"Accept": "application/json"}
TABLES = ("simple-21", "blackjack", "one-deck", "war", "bingo")
DECISIONS = TABLES[:3]
RANKS, SUITS = "A23456789TJQK", "CDHS"
FULL_DECK = [rank + suit for suit in SUITS for rank in RANKS]


class Player:
    """Somebody at the site, and their luck in deciding."""

    def __init__(self, app: flask.Flask, name: str) -> None:
        self.app, self.name = app, name
        self.client: FlaskClient = app.test_client()
        self.rng = random.Random(name)

    def look(self, address: str) -> dict[str, Any]:
        answer: dict[str, Any] = self.client.get(address, headers=JSON).get_json()
        return answer

    def play(self, address: str, move: str, **fields: str) -> dict[str, Any]:
        """Play a move; what it asks for and is not given is chosen at random."""
        table = self.look(address)
        asked = next(one["fields"] for one in table["moves"] if one["name"] == move)
        chosen = {
            name: self.rng.choice(list(options)) for name, options in asked.items() if options
        }
        form = {"move": move, "step": table["step"], **chosen, **fields}
        answer = self.client.post(address, data=form, headers=JSON)
        assert answer.status_code == 200, answer.text
        return dict(answer.get_json())

    def finish(self, address: str) -> dict[str, Any]:
        """Play the open round to its end."""
        table = self.look(address)
        while table["view"]["phase"] == "playing":
            names = [one["name"] for one in table["moves"] if one["name"] not in ("new", "deal")]
            step = {"turn": {"turns": "all"}, "call": {"calls": "5"}}.get(names[0], {})
            table = self.play(address, self.rng.choice(names), **step)
        return table

    def rounds(self, address: str, number: int) -> None:
        for _ in range(number):
            if all(one["name"] != "deal" for one in self.look(address)["moves"]):
                self.play(address, "new")
            self.play(address, "deal")
            self.finish(address)

    def deck(self) -> str:
        return "\n".join(self.rng.sample(FULL_DECK, 52))

    def coach(self, slug: str) -> None:
        self.client.post("/coach", data={"table": slug, "mode": "before"})


# ---- What they do ----------------------------------------------------------------------------


def ready(player: Player) -> None:
    for slug in TABLES:
        player.play(f"/{slug}", "new")


def dealt(player: Player) -> None:
    for slug in TABLES:
        player.play(f"/{slug}", "deal")


def over(player: Player) -> None:
    for slug in TABLES:
        player.rounds(f"/{slug}", 1)


def many_rounds(player: Player) -> None:
    """Enough rounds for a refilled deck; then one is open at every table."""
    for slug, number in zip(TABLES, (16, 9, 5, 2, 4), strict=True):
        player.rounds(f"/{slug}", number)
    for slug in TABLES:
        if any(one["name"] == "deal" for one in player.look(f"/{slug}")["moves"]):
            player.play(f"/{slug}", "deal")
    player.play("/war", "turn", turns="100")
    player.play("/bingo", "call", calls="5")


def refilled_in_a_turn(player: Player) -> None:
    """The discards of Simple 21 have come back since the hole card was dealt."""
    table = player.play("/simple-21", "deal")
    for _ in range(400):
        refilled = "Repopulating deck with cards..." in table["view"]["messages"]
        if table["view"]["phase"] == "playing":
            if refilled and len(table["view"]["player"]["cards"]) > 2:
                return
            table = player.play("/simple-21", "hit" if player.rng.random() < 0.7 else "stay")
        else:
            table = player.play("/simple-21", "deal")
    raise RuntimeError


def given_up(player: Player) -> None:
    """Rounds of Blackjack that were given up, the last one just now."""
    player.coach("blackjack")
    player.play("/blackjack", "deal")
    player.finish("/blackjack")
    for _ in range(3):
        player.play("/blackjack", "deal")


def coached(player: Player) -> None:
    for slug in DECISIONS:
        player.coach(slug)
        player.rounds(f"/{slug}", 4)
    player.play("/simple-21", "deal")
    player.play("/blackjack", "deal")


def deck_is_empty(player: Player) -> None:
    table = player.look("/one-deck")
    while table["view"]["phase"] != "game over":
        player.rounds("/one-deck", 1)
        table = player.look("/one-deck")


def own_decks(player: Player) -> None:
    for slug in ("simple-21", "blackjack", "one-deck", "war"):
        player.play(f"/{slug}", "deal", deck=player.deck())
    player.play("/war", "turn", turns="10")
    player.play("/bingo", "deal", bingo_deck=player.deck(), calling_deck=player.deck())
    player.play("/bingo", "call", calls="5")


def own_decks_over(player: Player) -> None:
    own_decks(player)
    for slug in TABLES:
        player.finish(f"/{slug}")
    for slug in ("simple-21", "one-deck"):
        player.play(f"/{slug}", "deal")


def started_over(player: Player) -> None:
    """Finished rounds, and then everything begun anew."""
    for slug in DECISIONS:
        player.rounds(f"/{slug}", 2)
        player.play(f"/{slug}", "new")
    player.play("/simple-21", "deal")


def war_just_dealt(player: Player) -> None:
    player.play("/war", "deal", players="3", names="Amy, Brad")


def war_with_own_deck(player: Player) -> None:
    player.play("/war", "deal", players="2", deck=player.deck())


def war_after_a_turn(player: Player) -> None:
    war_just_dealt(player)
    player.play("/war", "turn", turns="1")


def war_again(player: Player) -> None:
    """The same players in a second game: the tally goes on."""
    player.play("/war", "deal", players="2", names="tie, player")
    player.finish("/war")
    player.play("/war", "deal", players="2", names="tie, player")
    player.play("/war", "turn", turns="10")


SESSIONS: tuple[Callable[[Player], None], ...] = (
    *(ready, dealt, over, many_rounds, refilled_in_a_turn, given_up, coached, deck_is_empty),
    *(own_decks, own_decks_over, started_over, war_just_dealt, war_with_own_deck),
    *(war_after_a_turn, war_again),
)


def deals(app: flask.Flask) -> tuple[list[Player], list[str]]:
    """Deals of every kind, made by one player, played by others: half, to the end, not at all."""
    maker = Player(app, "made deals")
    forms: list[dict[str, str]] = [
        {"table": "simple-21", "kind": "counted"},
        {"table": "blackjack", "kind": "practice", "seed": "week 3"},
        {"table": "one-deck", "kind": "counted", "deck": maker.deck()},
        {"table": "war", "kind": "counted", "players": "3", "names": "Amy, Brad"},
        {
            "table": "bingo",
            "kind": "practice",
            "mode": "C",
            "speed": "Y",
            "calling_deck": maker.deck(),
        },
    ]
    addresses = [
        maker.client.post("/deals", data=form, headers=JSON).get_json()["address"] for form in forms
    ]
    half, done, also = (Player(app, f"deals {name}") for name in ("half played", "played", "too"))
    for address in addresses:
        half.play(address, "deal")
        for player in (done, also):
            player.play(address, "deal")
            player.finish(address)
    half.play(addresses[3], "turn", turns="10")
    maker.play(addresses[0], "deal")
    return [maker, half, done, also], addresses


# ---- What is answered --------------------------------------------------------------------------


def answers(player: Player, addresses: list[str]) -> dict[str, Any]:
    """Return all that the site tells a player."""
    told: dict[str, Any] = {}
    for path in ["/", *(f"/{slug}" for slug in TABLES), "/deals", *addresses]:
        told[path] = player.look(path)
    for address in addresses:
        told[f"{address}/results"] = player.look(f"{address}/results")
    for slug in TABLES:
        told[f"/{slug}/seals"] = player.look(f"/{slug}/seals")
        told[f"/{slug}/history.json"] = history = player.look(f"/{slug}/history.json")
        told[f"/{slug}/history.csv"] = player.client.get(f"/{slug}/history.csv").text
        if slug in DECISIONS:
            told[f"/{slug}/odds"] = player.look(f"/{slug}/odds")
            told[f"/{slug} coach"] = coach_of(player.client.get(f"/{slug}").text)
        transcript = player.client.get(f"/{slug}/transcript")
        if transcript.status_code == 200 and len(transcript.text) < 6_000:
            told[f"/{slug}/transcript"] = transcript.text
        for number in [one["number"] for one in history["rounds"]][:3]:
            told[f"/{slug}/history/{number}"] = dict(steps_of(player, f"/{slug}/history/{number}"))
    return told


def coach_of(page: str) -> str:
    """Return what the coach says on a page: its words without markup."""
    found = re.search(r'<section class="coach".*?</section>', page, re.DOTALL)
    words = re.sub(r"<[^>]*>", " ", found[0] if found else "")
    return " ".join(html.unescape(words).split())


def steps_of(player: Player, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the first two steps of a round's replay and the last, by their numbers."""
    where = player.client.get(path).headers["Location"]
    steps = player.look(where).get("steps", 0)  # none where the site could not read its own link
    for step in sorted({1, 2, steps} if steps else ()):
        told = player.look(f"{where}?step={step}")
        yield (
            str(step),
            {name: told[name] for name in ("step", "steps", "signed", "record", "view")},
        )


def links(player: Player) -> Iterator[tuple[str, Any]]:
    """Yield signed replays, and what-if addresses with what can be done there, and the answers."""
    for slug in TABLES:
        for number in (1, 2):
            answer = player.client.get(f"/{slug}/history/{number}")
            if answer.status_code != 303:
                continue
            where = answer.headers["Location"]
            yield where, player.look(where)
            for link in re.findall(r'href="(/what-if/[^"]+)"', player.client.get(where).text):
                what_if = html.unescape(link)
                yield what_if, player.look(what_if)
                further = re.findall(r'href="(/what-if/[^"]+)"', player.client.get(what_if).text)
                for other in map(html.unescape, further):
                    yield other, player.look(other)


def main(folder: Path) -> None:
    """Play, and write what was kept and what was answered."""
    with tempfile.TemporaryDirectory() as data:
        found = played(Path(data))
        with closing(sqlite3.connect(Path(data) / "sessions.db")) as kept, kept:
            for table in ("session", "deal"):
                kept.execute(f"UPDATE {table} SET expires = ?", (FOR_EVER,))
            kept.commit()
            kept.execute("VACUUM INTO ?", (str(folder / "sessions.db"),))
    with gzip.open(folder / "answers.json.gz", "wt") as file:
        json.dump(found, file)


def played(data: Path) -> dict[str, Any]:
    """Play everything in a data directory, and return what was answered."""
    app = create_app(Settings(data_dir=data, secret_key=KEY))
    players = [Player(app, play.__name__) for play in SESSIONS]
    for player, play in zip(players, SESSIONS, strict=True):
        play(player)
    more, addresses = deals(app)
    found: dict[str, Any] = {"key": KEY, "sessions": {}, "links": {}}
    for player in (*players, *more):
        cookie = player.client.get_cookie("cardgames")
        assert cookie
        told = answers(player, addresses if player in more else [])
        found["sessions"][player.name] = {"cookie": cookie.value, "answers": told}
        if player.name in ("over", "many_rounds", "own_decks_over", "given_up"):
            found["links"] |= dict(links(player))
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]))
