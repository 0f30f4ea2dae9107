"""What becomes of a deal: results beside everyone else's, rounds that count, and only once."""

import random
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import flask
import msgspec
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from cardgames.records.line import parse, readable_line
from cardgames.records.replay import is_complete
from tests.support.hidden import cards_named
from tests.support.site import (
    BY_HAND,
    GERMAN,
    JSON,
    add_results,
    any_store_of,
    finish,
    id_of,
    look,
    made_deal,
    names_of,
    play,
    results_at,
    rounds_of,
    send,
    session_of,
    sid,
    store_of,
    texts,
    visitor,
)
from web.deals import storage as deal_storage
from web.deals import views
from web.deals.deal import PlayerResult
from web.deals.storage import MAX_RESULTS
from web.storage.rounds import MAX_ROUNDS, NewRound, session_place
from web.storage.store import StoreUnavailable

games = pytest.mark.parametrize("slug", GAMES)


def results(client: FlaskClient, address: str) -> dict[str, Any]:
    return look(client, f"{address}/results")


def rows_of(client: FlaskClient) -> list[str]:
    with session_of(client) as session:
        return [key for key in session if key.startswith("deal-table:")]


# ---- What stands there afterwards ----------------------------------------------------------


@pytest.fixture
def address(client: FlaskClient) -> str:
    return made_deal(client, deck=BY_HAND)


@pytest.fixture
def class_(app: flask.Flask, address: str) -> dict[str, FlaskClient]:
    """Eight stay on 16, five on 18, four on 21, and three go bust: twenty players."""
    found = {}
    for players, moves in ((8, "stay"), (5, "hit stay"), (4, "hit hit stay"), (3, "hit hit hit")):
        for _ in range(players):
            found[moves] = app.test_client()
            play(found[moves], address, "deal", *moves.split())
    return found


def counts(players: int, won: int, lost: int) -> dict[str, int]:
    return {"players": players, "won": won, "tied": 0, "lost": lost}


def test_results_beside_everyone_elses(address: str, class_: dict[str, FlaskClient]) -> None:
    """Worked out by hand: 19 beats 16 and 18; 21 wins at once; 31 is bust."""
    found = results(class_["hit hit stay"], address)
    assert found["finished"] == 20
    assert found["ends"] == {"won": 4, "tied": 0, "lost": 16}
    assert found["yours"] == "won"
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
        "20 players have finished this deal.",
        "Won you 4 20% Tied 0 0% Lost 16 80%",
        "16 against a ten hit you 12 4 0 8 stay 8 0 0 8",
        "21 against a ten hit 3 0 0 3 stay you 4 4 0 0",
        "Hitting 16 against a ten was the best play.",
        "Hitting 18 against a ten was a mistake",
    ):
        assert said in text


def test_the_luck_of_the_cards_adds_up(address: str, class_: dict[str, FlaskClient]) -> None:
    for moves, player in class_.items():
        page = player.get(address).text
        figures = texts(page[page.index('id="worth"') :], r"<dd>([-+]?\d+(?:\.\d+)?)</dd>")
        result, expected, cost, luck = map(float, figures)
        assert result == (1 if moves == "hit hit stay" else -1)
        assert result == pytest.approx(expected + luck - cost, abs=0.011)
        assert "loses with these cards" in page  # the best play hits 16, and stays on 18


def test_the_coach_can_be_off(tmp_path: Path) -> None:
    client = visitor(tmp_path, coach=False)
    address = made_deal(client, deck=BY_HAND)
    play(client, address, "deal", "stay")
    page = client.get(address).text
    assert "best play" not in page
    assert 'id="worth"' not in page
    assert 'id="parted"' in page


@pytest.mark.parametrize("slug", [slug for slug, game in GAMES.items() if not game.advisor])
def test_without_an_advisor_it_says_how_many_have_finished(app: flask.Flask, slug: str) -> None:
    address = made_deal(app.test_client(), slug)
    for _ in range(3):
        player = app.test_client()
        finish(player, address)
    page = player.get(address).text
    decides = len(GAMES[slug].round_moves) > 1
    assert ("There is nothing to decide in this game" in page) == (not decides)
    assert ("3 players have finished this" if decides else "3 players have seen it") in page
    assert 'class="spread"' not in page
    assert results(player, address)["finished"] == 3


@games
def test_the_whole_record_and_every_card_stand_there(client: FlaskClient, slug: str) -> None:
    address = made_deal(client, slug)
    assert "record" not in results(client, address)
    play(client, address, "deal")
    before = set(texts(client.get(address).text, r"<code>([0-9a-f]{64})</code>"))
    finish(client, address)
    record = parse(results(client, address)["record"])
    assert is_complete(record)
    page = client.get(address).text
    assert readable_line(record) in page
    assert cards_named(page) == set(FULL_DECK)
    for deck in GAMES[slug].deals.decks.values():
        assert f"{deck.title}, the top card first" in page
    (link,) = texts(page, r'href="(/replay/[^"]*)"')
    assert client.get(link).status_code == 200
    opened = re.findall(r"<code>([0-9a-f]{64})</code></p>\s*<p><code>([^<]*)<", page)
    assert len(opened) == GAMES[slug].info.decks
    for seal, text in opened:
        assert sha256(text.encode()).hexdigest() == seal
    seals = {seal for seal, _ in opened}
    assert before == seals  # shown at the deal, and opened now


def test_at_war_with_a_deck_file_the_salt_of_the_reshuffles_is_sealed(client: FlaskClient) -> None:
    address = made_deal(client, "war", deck=BY_HAND)
    play(client, address, "deal", "turn")
    (seal,) = texts(client.get(address).text, r"<code>([0-9a-f]{64})</code>")
    finish(client, address)
    page = client.get(address).text
    ((opened, salt),) = re.findall(r"<code>([0-9a-f]{64})</code></p>\s*<p><code>([^<]*)<", page)
    assert seal == opened == sha256(salt.encode()).hexdigest()


# ---- Practice and counted ------------------------------------------------------------------


@games
def test_a_counted_deal_is_a_round_in_the_history(app: flask.Flask, slug: str) -> None:
    address, client = made_deal(app.test_client(), slug, kind="counted"), app.test_client()
    over = finish(client, address, random.Random(7))
    assert rounds_of(client, slug) == [(1, id_of(address))]
    own = look(client, f"/{slug}")
    assert (own["step"], own["view"]["phase"]) == (0, "ready")  # the own table is as it was
    replayed = look(client, client.get(f"/{slug}/history/1").headers["Location"] + "?step=99999")
    for name in ("phase", "winner"):
        assert replayed["view"][name] == over["view"][name]
    assert look(client, f"{address}/results")["round"] == 1
    assert f'href="/deal/{id_of(address)}"' in client.get(f"/{slug}/history").text


def test_it_is_numbered_among_the_rounds_of_the_own_table(app: flask.Flask) -> None:
    client, maker = app.test_client(), app.test_client()
    first, second = made_deal(maker, kind="counted"), made_deal(maker, kind="counted")
    practice = made_deal(maker)
    before = play(client, "/simple-21", "deal", "stay", "deal")  # open while the deal is played
    finish(client, first)
    finish(client, practice)
    assert look(client, "/simple-21") == before
    play(client, "/simple-21", "stay")
    finish(client, second)
    play(client, "/simple-21", "deal", "stay")
    ids = ["", id_of(first), "", id_of(second), ""]
    assert rounds_of(client, "simple-21") == list(enumerate(ids, start=1))
    assert look(client, f"{practice}/results")["round"] is None
    tally = look(client, "/simple-21")["view"]["tally"]
    assert sum(tally.values()) == 3  # the deals change no tally


@games
def test_practice_leaves_no_trace_in_the_history(client: FlaskClient, slug: str) -> None:
    finish(client, made_deal(client, slug))
    assert rounds_of(client, slug) == []
    with session_of(client) as session:
        assert f"table:{slug}" not in session


def test_a_transcript_has_no_round_of_a_deal_link(client: FlaskClient) -> None:
    play(client, "/simple-21", "deal", "stay")
    before = client.get("/simple-21/transcript").text
    play(client, made_deal(client, kind="counted"), "deal", "stay")
    assert len(rounds_of(client, "simple-21")) == 2
    assert client.get("/simple-21/transcript").text == before


# ---- Nobody plays twice, and a session stays small -----------------------------------------


def test_many_deals_in_one_session(client: FlaskClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that the session lets go of stand at their addresses as they were."""
    monkeypatch.setattr(views, "MAX_MADE", 1_000)
    rng, ends = random.Random(9), {}
    store, each = store_of(client.application), 3
    for slug in [*GAMES] * each:
        address = made_deal(client, slug, kind="counted")
        ends[address] = finish(client, address, rng)
        assert len(rows_of(client)) <= 10
    for address, end in ends.items():
        again = look(client, address)
        for name in ("game", "step", "moves"):
            assert again[name] == end[name]
        for name in ("phase", "winner"):
            assert again["view"][name] == end["view"][name]
        assert client.get(address).status_code == 200
        for form, status in (({}, 422), ({"step": "0"}, 409)):
            assert send(client, {"move": "deal", **form}, address).status_code == status
        assert len(results_at(client.application, address)) == 1
    for slug in GAMES:
        assert [number for number, _ in rounds_of(client, slug)] == list(range(1, each + 1))
    row = store.read(session_place(sid(client)), "tables")["tables"]
    assert 0 < len(row.data) < 12_000


def test_who_has_ten_deals_open_finishes_one_first(client: FlaskClient) -> None:
    addresses = [made_deal(client) for _ in range(11)]
    for address in addresses[:10]:
        play(client, address, "deal")
    for headers in ({}, JSON):
        answer = send(client, {"move": "deal"}, addresses[10], headers)
        assert answer.status_code == 422
        assert "10 other deals" in answer.text
    assert len(rows_of(client)) == 10
    assert look(client, addresses[10])["step"] == 0
    play(client, addresses[4], "stay")
    play(client, addresses[10], "deal")
    assert f"deal-table:{id_of(addresses[4])}" not in rows_of(client)  # it made room
    assert all(look(client, address)["step"] for address in addresses)


def test_deals_that_are_gone_make_room(client: FlaskClient) -> None:
    addresses = [made_deal(client) for _ in range(11)]
    for address in addresses[:10]:
        play(client, address, "deal")
    store_of(client.application).forget(f"deal/{id_of(addresses[2])}")
    play(client, addresses[10], "deal")
    assert len(rows_of(client)) == 10


def test_who_comes_after_the_thousandth_result_is_counted_all_the_same_and_once(
    client: FlaskClient,
) -> None:
    """Nor can they play again after ten other deals, when their table at it has made room."""
    address = made_deal(client, kind="counted", deck=BY_HAND)
    others = (f"{number:032x}" for number in range(MAX_RESULTS))
    result = PlayerResult("dealer", "stay", 2)
    add_results(client.application, address, dict.fromkeys(others, result))
    play(client, address, "deal", "hit", "hit", "stay")
    page = client.get(address).text
    assert "as many results as it can keep" in page
    assert "It is round 1 in your history" in page
    shown = results(client, address)
    assert shown["ends"] == {"won": 1, "tied": 0, "lost": 1000}
    assert (shown["round"], shown["finished"]) == (1, MAX_RESULTS)
    for _ in range(12):
        finish(client, made_deal(client))
    assert look(client, address)["moves"] == []
    assert send(client, {"move": "deal"}, address).status_code == 422
    assert rounds_of(client, "simple-21") == [(1, id_of(address))]
    assert len(results_at(client.application, address)) == MAX_RESULTS


def test_a_table_that_cannot_be_read_is_not_counted_again(client: FlaskClient) -> None:
    address = made_deal(client, kind="counted", deck=BY_HAND)
    play(client, address, "deal", "hit", "hit", "stay")
    with session_of(client) as session:
        session[f"deal-table:{id_of(address)}"] = msgspec.Raw(b"\xc0")
    assert names_of(look(client, address)) == ["deal"]
    play(client, address, "deal", "stay")
    (result,) = results_at(client.application, address).values()
    kept = msgspec.msgpack.decode(result, type=PlayerResult)
    assert kept.winner == "player"  # the first counts
    assert len(rounds_of(client, "simple-21")) == 1


def test_results_are_anonymous_and_differ_from_deal_to_deal(client: FlaskClient) -> None:
    players = []
    for _ in range(2):
        address = made_deal(client)
        finish(client, address)
        kept = store_of(client.application).scan(f"deal/{id_of(address)}").rows
        assert sid(client) not in repr(kept)
        players += results_at(client.application, address)
    assert players[0] != players[1]


def test_a_round_that_left_the_history_is_counted_without_a_number(client: FlaskClient) -> None:
    address = made_deal(client, "blackjack", kind="counted")
    finish(client, address)
    with session_of(client) as session:
        session.side_writes += [NewRound("blackjack", b"later")] * MAX_ROUNDS
    assert results(client, address)["round"] is None
    assert client.get(address).status_code == 200


def test_the_page_says_that_results_prove_nothing_about_who_played(client: FlaskClient) -> None:
    address = made_deal(client, kind="counted")
    finish(client, address)
    for headers, words in (({}, "not who played"), (GERMAN, "nicht, wer gespielt hat")):
        for page in (address, "/deals"):
            assert words in client.get(page, headers=headers).text


# ---- Between the player's session and the deal, on either store ----------------------------


@pytest.mark.xdist_group("redis")
def test_a_result_that_did_not_reach_the_deal_does_when_somebody_looks(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a crash between the two, or while the deal's server is away."""
    player, other = site.test_client(), site.test_client()
    address = made_deal(player, "blackjack", kind="counted")

    def away(*_: object, **_more: object) -> None:
        raise StoreUnavailable("the deal's server is away")

    with monkeypatch.context() as patch:
        patch.setattr(deal_storage, "add_result", away)
        assert finish(player, address)["moves"] == []
        assert len(rounds_of(player, "blackjack")) == 1
        assert results(other, address)["finished"] == 0
    for _ in range(2):
        assert results(other, address)["finished"] == 1
        shown = results(player, address)
        assert (shown["finished"], shown["round"]) == (1, 1)
        assert player.get(address).status_code == 200


@pytest.mark.xdist_group("redis")
def test_a_session_that_is_not_saved_leaves_no_result(
    site: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = site.test_client()
    address = made_deal(player, kind="counted", deck=BY_HAND)
    play(player, address, "deal")

    def full(*_args: object, **_more: object) -> bool:
        raise StoreUnavailable("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(any_store_of(site), "write", full)
        assert send(player, {"move": "stay"}, address, {}).status_code == 503
    assert results_at(site, address) == {}
    play(player, address, "stay")
    assert len(results_at(site, address)) == 1
