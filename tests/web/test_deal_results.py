"""The results of a deal: each is counted once, and shown with all other results."""

import random
import re
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from sqlalchemy import select

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from cardgames.records.line import parse, readable_line
from cardgames.records.replay import is_complete
from tests.support.hidden import cards_named
from tests.support.pages import texts
from tests.support.site import (
    BY_HAND,
    GERMAN,
    add_results,
    finish,
    id_of,
    look,
    made_deal,
    play,
    results_at,
    rounds_of,
    send,
    session_of,
    stacked,
)
from web import db
from web.db.models import Round
from web.deals.models import MAX_RESULTS

games = pytest.mark.parametrize("slug", GAMES)


def results(client: FlaskClient, address: str) -> dict[str, Any]:
    return look(client, f"{address}/results")


def rows_of(client: FlaskClient) -> list[str]:
    with session_of(client) as session:
        return [key for key in session if key.startswith("deal-table:")]


# ---- The page after a deal -----------------------------------------------------------------


@pytest.fixture
def address(client: FlaskClient) -> str:
    return made_deal(client, deck=BY_HAND)


def test_verdict_counts_beaten_or_better_players(app: flask.Flask) -> None:
    """Computed by hand: the dealer has 19, so 12 loses, 19 ties and 21 wins."""
    address = made_deal(app.test_client(), deck=stacked("TC TD 2C 9H 3S 4S 2S KH"))
    lines = {"tied": "hit hit stay", "won": "hit hit hit stay", "lost": "stay"}
    verdicts = []
    for line in ("tied", "tied", "lost", "won", "won", "lost"):
        player = app.test_client()
        play(player, address, "deal", *lines[line].split())
        verdicts.append(results(player, address)["verdict"])
        assert verdicts[-1] in player.get(address).text
    assert verdicts == [
        "No other player has finished yet.",
        "Same result as the other player.",
        "2 of 2 beat you.",
        "You beat 3 of 3.",
        "You beat 3 of 4.",
        "4 of 5 beat you.",
    ]
    assert "4 von 5 haben dich geschlagen." in player.get(address, headers=GERMAN).text


@pytest.fixture
def class_(app: flask.Flask, address: str) -> dict[str, FlaskClient]:
    """Of twenty players, eight stay on 16, five stay on 18, four stay on 21, and three bust."""
    found = {}
    for players, moves in ((8, "stay"), (5, "hit stay"), (4, "hit hit stay"), (3, "hit hit hit")):
        for _ in range(players):
            found[moves] = app.test_client()
            play(found[moves], address, "deal", *moves.split())
    return found


def counts(players: int, won: int, lost: int) -> dict[str, int]:
    return {"players": players, "won": won, "tied": 0, "lost": lost}


def test_results_beside_everyone_elses(address: str, class_: dict[str, FlaskClient]) -> None:
    """Computed by hand: 19 beats 16 and 18, 21 wins immediately, and 31 is a bust."""
    found = results(class_["hit hit stay"], address)
    assert found["finished"] == 20
    assert found["ends"] == {"won": 4, "tied": 0, "lost": 16}
    assert found["yours"] == "won"
    assert found["verdict"] == "You beat 16 of 19."
    hands = ("16 against a ten", "18 against a ten", "21 against a ten")
    hit = (counts(12, 4, 8), counts(7, 4, 3), counts(3, 0, 3))
    stay = (counts(8, 0, 8), counts(5, 0, 5), counts(4, 4, 0))
    assert found["decisions"] == [
        {"hand": hand, "yours": yours, "hit": hits, "stay": stays}
        for hand, yours, hits, stays in zip(hands, ("hit", "hit", "stay"), hit, stay, strict=True)
    ]
    assert results(class_["stay"], address)["decisions"][1]["yours"] is None
    assert results(class_["hit hit hit"], address)["yours"] == "lost"
    page = class_["hit hit stay"].get(address).text
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    for said in (
        "You beat 16 of 19.",
        "You Hit ✓ Hit ✗ not the best play Stay ✓ Won",
        "Won you 4 20% Tie 0 0% Lost 16 80%",
        "21 against a ten hit 3 0 0 3 stay you 4 4 0 0",
        "Hitting 18 against a ten was a mistake",
    ):
        assert said in text
    points = texts(page, '[aria-labelledby="worth"] dd')
    (won, expected, cost, luck) = (float(point.replace("−", "-")) for point in points)
    assert won == 100 == pytest.approx(expected + luck - cost, abs=0.11)
    assert "Best play Hit Stay Lost" in text  # The strategy hits 16 and stays on 18.


@games
def test_the_whole_record_and_every_card_stand_there(client: FlaskClient, slug: str) -> None:
    address = made_deal(client, slug)
    assert "record" not in results(client, address)
    play(client, address, "deal")
    finish(client, address)
    record = parse(results(client, address)["record"])
    assert is_complete(record)
    page = client.get(address).text
    assert readable_line(record) in page
    assert cards_named(page) == set(FULL_DECK)
    for deck in GAMES[slug].deals.decks.values():
        assert f"{deck.title}, the top card first" in page


# ---- In the history ------------------------------------------------------------------------


@games
def test_a_deal_is_a_round_in_the_history(app: flask.Flask, slug: str) -> None:
    address, client = made_deal(app.test_client(), slug), app.test_client()
    over = finish(client, address, random.Random(7))
    assert rounds_of(client, slug) == [(1, id_of(address))]
    own = look(client, f"/{slug}")
    # The player's own table is unchanged.
    assert (own["step"], own["view"]["phase"]) == (
        0,
        "ready",
    )
    replayed = look(client, client.get(f"/{slug}/history/1").headers["Location"] + "?step=99999")
    assert replayed["view"]["winner"] == over["view"]["winner"]
    assert look(client, f"{address}/results")["round"] == 1
    assert f'href="/deal/{id_of(address)}"' in client.get(f"/{slug}/history").text


def test_own_table_is_unchanged_and_players_stay_anonymous(client: FlaskClient) -> None:
    address = made_deal(client)
    finish(client, address)
    with session_of(client) as session:
        assert "table:simple-21" not in session
    ((player, _),) = results_at(client.application, address).items()
    other = made_deal(client)
    finish(client, other)
    assert player not in results_at(client.application, other)


# ---- One round per player, and small sessions ----------------------------------------------------


def test_unreadable_table_is_not_counted_again(client: FlaskClient) -> None:
    address = made_deal(client, deck=BY_HAND)
    play(client, address, "deal", "hit", "hit", "stay")
    with session_of(client) as session:
        session[f"deal-table:{id_of(address)}"] = b"\xc0"
    assert "could not be restored" in client.get(address).text
    play(client, address, "deal", "stay")
    (result,) = results_at(client.application, address).values()
    assert result.result == "player"  # The first result counts.
    assert len(rounds_of(client, "simple-21")) == 1


def test_each_deal_leads_to_its_own_round(client: FlaskClient) -> None:
    addresses = [made_deal(client, deck=BY_HAND) for _ in range(2)]
    for address in addresses:
        play(client, address, "deal", "hit", "hit", "stay")
    for number, address in enumerate(addresses, 1):
        assert f"This is round {number} in your history" in client.get(address).text


def test_unreadable_result_is_left_out(client: FlaskClient) -> None:
    address = made_deal(client, deck=BY_HAND)
    play(client, address, "deal", "hit", "hit", "stay")
    add_results(client.application, address, {"other": ("dealer", "stay")})
    with client.application.app_context():
        other = db.session().scalars(select(Round).where(Round.session_id == "other")).one()
        other.record = "\xc1"
        db.commit()
    assert results(client, address)["ends"] == {"won": 1, "tied": 0, "lost": 0}


def test_ten_open_deals_block_another(client: FlaskClient) -> None:
    addresses = [made_deal(client) for _ in range(11)]
    for address in addresses[:10]:
        play(client, address, "deal")
    answer = send(client, {"move": "deal"}, addresses[10])
    assert (answer.status_code, "10 other deals" in answer.text) == (422, True)
    assert len(rows_of(client)) == 10
    assert look(client, addresses[10])["step"] == 0
    play(client, addresses[4], "stay")
    play(client, addresses[10], "deal")
    assert f"deal-table:{id_of(addresses[4])}" not in rows_of(client)  # An old table was deleted.


def test_player_beyond_the_last_result_is_counted_once(client: FlaskClient) -> None:
    """A finished deal cannot be played again, even if ten other deals have deleted its table."""
    address = made_deal(client, deck=BY_HAND)
    others = (f"{number:032x}" for number in range(MAX_RESULTS))
    result = ("dealer", "stay")
    add_results(client.application, address, dict.fromkeys(others, result))
    play(client, address, "deal", "hit", "hit", "stay")
    page = client.get(address).text
    assert "This link is full" in page
    assert "This is round 1 in your history" in page
    shown = results(client, address)
    assert shown["ends"] == {"won": 1, "tied": 0, "lost": 1000}
    assert (shown["round"], shown["finished"]) == (1, MAX_RESULTS)
    for _ in range(12):
        finish(client, made_deal(client))
    assert look(client, address)["moves"] == []
    assert send(client, {"move": "deal"}, address).status_code == 422
