"""Seals over HTTP: what was promised at the deal is what was dealt, and anybody can check it."""

import html
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256

import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from tests.support.hidden import HOLE
from tests.support.play import by_salt
from tests.support.site import DECK, look, play, steps

games = pytest.mark.parametrize("slug", GAMES)


@games
def test_what_was_sealed_at_the_deal_is_what_was_dealt(slug: str, client: FlaskClient) -> None:
    """Checked with nothing but hashlib: the seal, the order from the salt, and the cards."""
    dealing = steps(client, f"/{slug}", random.Random(34))
    dealt = next(dealing)["view"]
    data = look(client, f"/{slug}/seals")
    sealed = data["sealed"] or [one["seal"] for one in data["opened"]]  # if over with the deal
    assert bool(data["opened"]) == (dealt["phase"] == "round over")
    assert len(sealed) == GAMES[slug].info.decks
    assert f'href="/{slug}/seals"' in client.get(f"/{slug}").text
    assert sealed[-1] in client.get(f"/{slug}/seals").text
    later = [table["view"] for table in dealing]
    assert len(later) >= (dealt["phase"] == "playing")
    play(client, f"/{slug}", "new")
    data = look(client, f"/{slug}/seals")
    assert data["sealed"] == []
    assert sorted(one["seal"] for one in data["opened"]) == sorted(sealed)
    orders = []
    for one in data["opened"]:
        assert sha256(f"{one['salt']} {one['order']}".encode()).hexdigest() == one["seal"]
        orders.append(tuple(one["order"].split()))
        assert orders[-1] in [by_salt(one["salt"], number) for number in (1, 2)]
    assert any(shows(slug, [dealt, *later], order) for order in orders)
    page = client.get(f"/{slug}/seals").text
    assert all(one["salt"] in page and one["order"] in page for one in data["opened"])


def shows(slug: str, views: Sequence[dict[str, object]], order: Sequence[str]) -> bool:
    """Say whether a table shows what is dealt from a deck; one may show nothing until a move."""
    data = str(views[0])
    if slug in HOLE:
        dealer: list[str | None] = [order[1], order[3]]
        dealer[HOLE[slug]] = None
        return str([order[0], order[2]]) in data and str(dealer) in data
    if slug == "bingo":
        grids: list[list[str | None]] = [[*order[0:50:2]], [*order[1:50:2]]]
        for grid in grids:
            grid[12] = None
        return all(str(grid) in data for grid in grids)
    return slug == "war" or f"'{order[0]}'" in str(views)


@games
def test_a_seal_tells_nothing_before_it_is_opened(slug: str, client: FlaskClient) -> None:
    for table in steps(client, f"/{slug}", random.Random(5), option=-1):
        if table["view"]["phase"] == "playing":
            assert look(client, f"/{slug}/seals")["opened"] == []


def test_two_shuffles_never_have_the_same_seal(client: FlaskClient) -> None:
    seen = set()
    for number in range(1, 21):
        play(client, "/blackjack", "deal")
        seen.update(look(client, "/blackjack/seals")["sealed"])
        assert len(seen) == number
        play(client, "/blackjack", "stay")


def test_a_deck_of_ones_own_is_not_sealed(client: FlaskClient) -> None:
    play(client, "/simple-21", "deal", deck=DECK)
    assert look(client, "/simple-21/seals")["sealed"] == []


def test_a_refill_is_sealed_and_the_old_seal_opened_when_it_tells_nothing(
    client: FlaskClient,
) -> None:
    """Never in the middle of a round; the rule itself is tested with the table."""
    rng, opened = random.Random(55), 0
    for _ in range(40):
        for table in steps(client, "/simple-21", rng):
            seals = look(client, "/simple-21/seals")
            if table["view"]["phase"] == "playing":
                assert len(seals["opened"]) == opened
            opened = max(opened, len(seals["opened"]))
    assert opened == 2


def test_a_page_says_how_seals_are_opened_at_its_table(client: FlaskClient) -> None:
    for slug, game in GAMES.items():
        page = client.get(f"/{slug}/seals").text
        assert ("One deck lasts over the rounds." in page) == (game.carry_type is not None)
        assert ("shuffled again and again" in page) == game.info.reshuffles


def test_the_recipe_on_the_page_works(client: FlaskClient) -> None:
    """The Python that stands there says True, and the line for the shell gives the seal."""
    play(client, "/blackjack", "deal", "stay")
    page = html.unescape(client.get("/blackjack/seals").text)
    shell, python = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)
    assert len(python.split("def check")[0].splitlines()) + python.count("\n") <= 13
    said = subprocess.run([sys.executable, "-c", python], capture_output=True, text=True)  # noqa: PLW1510
    assert said.stdout == "True\n"
    said = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True)
    seal = look(client, "/blackjack/seals")["opened"][0]["seal"]
    assert said.stdout.split()[0] == seal
