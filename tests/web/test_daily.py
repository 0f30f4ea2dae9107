"""The deal of the day: equal for everyone, hidden before play, and playable once, on its day."""

import random
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import flask
import pytest
from flask.testing import FlaskClient

from cardgames.cards import FULL_DECK, Card
from cardgames.games.twentyone import ONE_DECK
from cardgames.odds import odds
from cardgames.text import format_points
from tests.support.classroom import open_room
from tests.support.hidden import cards_named
from tests.support.pages import only, texts, values
from tests.support.site import (
    GERMAN,
    SharedSite,
    finish,
    look,
    new_site,
    play,
    results_at,
    rows_kept,
    send,
    session_of,
)
from web import db
from web.deals.days import DEALS, day_game, derive_daily_deals
from web.deals.scores import Streak
from web.http.sessions import DAY

NOON: Final = datetime(2026, 11, 22, 12, tzinfo=UTC).timestamp()
ADDRESS: Final = "/deal/2026-11-22-one-deck-1"
KEY: Final = "0123456789abcdef" * 4


@dataclass
class Clock:
    """The time of a database, which a test can change."""

    now: float = NOON

    def time(self) -> float:
        return self.now


@dataclass
class Server:
    """A site with a clock that a test can change."""

    app: flask.Flask
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        db.database(self.app).now = self.clock.time  # type: ignore[method-assign]

    def player(self) -> FlaskClient:
        return self.app.test_client()


def worker(folder: Path, key: str = KEY) -> flask.Flask:
    """Return a worker of the site in a folder."""
    return new_site(folder, secret_key=key, classes="open")


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> SharedSite:
    return SharedSite(tmp_path_factory.mktemp("daily"), secret_key=KEY, classes="open")


@pytest.fixture
def server(shared_server: SharedSite) -> Server:
    return Server(shared_server.emptied())


def salts_on(app: flask.Flask, day: int) -> list[bytes]:
    with app.app_context():
        return [deal.salt for deal in derive_daily_deals(day).values()]


def addresses(client: FlaskClient) -> list[str]:
    return [one["address"] for one in look(client, "/daily")["deals"]]


def finish_day(client: FlaskClient, seed: int = 1) -> dict[str, Any]:
    """Play today's five deals and return the results."""
    for address in addresses(client):
        finish(client, address, random.Random(seed))
    return look(client, "/daily")


# ---- The same for everyone, and different on another site ----------------------------------------


def test_two_workers_and_two_machines_with_one_key_deal_the_same(tmp_path: Path) -> None:
    servers = [Server(worker(tmp_path / folder)) for folder in "aab"]
    for address in addresses(servers[0].player()):
        ends = [finish(server.player(), address) for server in servers]
        assert ends[0]["view"] == ends[1]["view"] == ends[2]["view"]
        assert ends[0]["step"] >= 2  # There is a decision in this deal.


def test_cards_differ_by_key_day_and_number(tmp_path: Path) -> None:
    one, other = worker(tmp_path / "a"), worker(tmp_path / "b", KEY[::-1])
    salts = [*salts_on(one, 326), *salts_on(one, 329), *salts_on(other, 326)]
    assert len({*salts}) == 3 * DEALS


def test_each_day_has_another_table_and_decisions(server: Server) -> None:
    assert len({day_game(day).info.slug for day in range(326, 329)}) == 3
    with server.app.app_context():
        deals = [deal for day in range(326, 336) for deal in derive_daily_deals(day).values()]
    tables = [deal.shared.dealt() for deal in deals]
    assert {table.phase for table in tables} == {"playing"}
    odds = [table.game.advisor.odds(table.state) for table in tables if table.game.advisor]
    assert all(abs(choice.hit.ev - choice.stay.ev) < 0.3 for choice in odds)
    assert len({deal.salt for deal in deals}) == 10 * DEALS


# ---- One try ------------------------------------------------------------------------------------


def test_session_plays_once_and_two_browsers_are_two_players(server: Server) -> None:
    player, other = server.player(), server.player()
    end = finish(player, ADDRESS)
    for form in ({"move": "deal"}, {"move": "new"}, {"move": "deal", "step": "0"}):
        assert send(player, form, ADDRESS).status_code in (409, 422)
    assert look(player, ADDRESS) == end
    finish(other, ADDRESS)
    assert len(results_at(server.app, ADDRESS)) == 2


def test_looking_writes_nothing(server: Server) -> None:
    for path in (
        "/",
        "/daily",
        "/daily/yesterday",
        ADDRESS,
        f"{ADDRESS}/link",
        f"{ADDRESS}/results",
    ):
        answer = server.player().get(path)
        assert "Set-Cookie" not in answer.headers
    assert rows_kept(server.app) == 0


# ---- Its day ------------------------------------------------------------------------------------


def test_nobody_begins_a_deal_of_another_day(server: Server) -> None:
    finish(server.player(), ADDRESS)  # saves the deal in the database
    for now, status in ((NOON - DAY, 404), (NOON, 200), (NOON + DAY, 404), (NOON + 8 * DAY, 404)):
        server.clock.now = now
        player = server.player()
        assert player.get(ADDRESS).status_code == status
        assert player.get(f"{ADDRESS}/link").status_code == status
        sent = send(player, {"move": "deal", "step": "0"}, ADDRESS)
        assert sent.status_code == status
    assert "midnight GMT" in sent.get_json()["error"]
    for wrong in (
        "2026-02-30-one-deck-1",
        "2026-11-22-one-deck-6",
        "2026-11-22-war-1",
        "2026-11-22-",
    ):
        assert server.player().get(f"/deal/{wrong}").status_code == 404


def test_deal_begun_before_midnight_can_be_finished(server: Server) -> None:
    """The result counts for the deal's own day. No page shows the deal's cards before the end."""
    player, other = server.player(), server.player()
    server.clock.now = datetime(2026, 11, 22, 23, 59, 59, tzinfo=UTC).timestamp()
    five = addresses(player)
    for address in five[1:]:
        finish(player, address)
    play(player, ADDRESS, "deal")
    server.clock.now += 1
    assert look(player, "/daily")["day"] == 327
    assert addresses(player)[0] == "/deal/2026-11-23-simple-21-1"
    assert len(look(other, "/daily/yesterday")["deals"]) == 5
    shown = look(player, "/daily/yesterday")["deals"]
    assert [f"/deal/{one['deal']}" for one in shown] == five[1:]
    finish(player, ADDRESS)
    page = player.get(ADDRESS).text
    assert "Challenge a friend" not in page  # A friend could no longer play the deal.
    assert len(look(player, "/daily/yesterday")["deals"]) == 5
    assert finish_day(player)["streak"] == 2


def test_results_are_kept_for_a_week(server: Server) -> None:
    player = server.player()
    finish(player, ADDRESS)
    server.clock.now += 6 * DAY
    assert "Everyone with these cards" in player.get(ADDRESS).text
    server.clock.now += 2 * DAY
    assert player.get(ADDRESS).status_code == 404


def test_unfinished_deals_of_other_days_are_in_nobodys_way(server: Server) -> None:
    player = server.player()
    finish(player, ADDRESS)
    for _ in range(5):
        server.clock.now += DAY
        for address in addresses(player):
            play(player, address, "deal")
    with session_of(player) as session:
        assert sum(key.startswith("deal-table:") for key in session) == 10


# ---- Consecutive days ----------------------------------------------------------------------------


def test_days_in_a_row(server: Server) -> None:
    """A day counts after all five deals. A missed day ends the streak, but not the session."""
    player, found = server.player(), []
    for day, plays in enumerate((True, True, True, True, False, True)):
        if plays:
            finish_day(player)
        else:
            finish(player, addresses(player)[0])
        found.append(look(player, "/daily")["streak"])
        server.clock.now += DAY + 3 * 3600 * (day == 0)
    # The streak remains on the fifth day, because this day can still be finished.
    assert found == [1, 2, 3, 4, 4, 1]
    server.clock.now += DAY
    assert look(player, "/daily")["streak"] == 0
    assert "in a row" not in texts(player.get("/").text, ".today")[0]


def test_a_day_counts_once_and_an_earlier_one_not_at_all() -> None:
    streak = Streak()
    for day, run in ((5, 1), (5, 1), (6, 2), (4, 2), (8, 1), (9, 2)):
        streak = streak.after(day)
        assert streak.run == run
    assert [streak.current(today) for today in (9, 10, 11)] == [2, 2, 0]


# ---- The player's page and moves ---------------------------------------------------------------


def test_points_and_row_follow_from_the_rounds(server: Server) -> None:
    """The page's numbers are the costs of the rounds in the history."""
    player = server.player()
    for address in addresses(player)[:4]:
        finish(player, address)
    found = look(player, "/daily")
    assert found["row"] is found["points"] is None
    found = finish_day(player)
    rounds = look(player, "/one-deck/history")["rounds"][::-1]
    costs = [sum(one["cost"] for one in each["decisions"]) for each in rounds]
    assert [one["points"] for one in found["deals"]] == pytest.approx([100 * x for x in costs])
    signs = "".join("✗" if cost else "✓" for cost in costs)
    assert f"One-deck Blackjack: {signs} −{100 * sum(costs):.1f} points" in found["row"]
    assert found["row"].endswith("http://localhost/daily")
    page = player.get("/daily").text
    assert found["row"] in page
    tiles = ["gave" if cost else "kept" for cost in costs]
    assert re.findall('class="button (kept|gave)"', page) == tiles
    assert not cards_named(found["row"])
    german = player.get("/daily", headers=GERMAN).text
    assert f": {signs} " in german
    assert "1 Tag in Folge" in german


def test_the_lobby_and_its_page_say_how_far_one_is(server: Server) -> None:
    player = server.player()
    assert [one["state"] for one in look(player, "/daily")["deals"]] == ["ready"] * 5
    finish(player, ADDRESS)
    play(player, addresses(player)[2], "deal")
    states = [one["state"] for one in look(player, "/daily")["deals"]]
    assert states == ["over", "ready", "playing", "ready", "ready"]
    band = only(player.get("/").text, ".today")
    assert "1 of 5 played" in band.get_text()
    assert band.select(f'a[href="{addresses(player)[2]}"]')  # Open deals are first.


# ---- Ranks, and yesterday -----------------------------------------------------------------------


def test_rank_needs_five_deals_and_three_players(server: Server) -> None:
    players = [server.player() for _ in range(4)]
    ends = [finish_day(player, seed) for seed, player in enumerate(players[:2])]
    assert [end["rank"] for end in ends] == [None, None]
    finish_day(players[2], 2)
    finish(players[3], ADDRESS)
    ends = [look(player, "/daily") for player in players]
    points = [end["points"] for end in ends[:3]]
    places = [1 + sum(point < own for point in points) for own in points]
    assert [end["rank"] for end in ends[:3]] == [{"place": at, "players": 3} for at in places]
    assert len({*points}) > 1
    assert ends[3]["rank"] is None


def test_yesterday_has_the_best_play_and_how_many_found_it(server: Server) -> None:
    players = [server.player() for _ in range(3)]
    ends = [finish_day(player, seed) for seed, player in enumerate(players)]
    server.clock.now += DAY
    shown = look(server.player(), "/daily/yesterday")["deals"]
    for number, one in enumerate(shown):
        found = [not end["deals"][number]["points"] for end in ends]
        assert one["share"] == pytest.approx(sum(found) / 3)
    page = server.player().get("/daily/yesterday").text
    assert "Percentage of players who found the best play" in page
    said = texts(page, ".yesterday .best strong")
    labels = {"hit": "Hit", "stay": "Stand"}
    assert said == [", then ".join(labels[move] for move in one["best"]) + "." for one in shown]
    assert "Too few players" not in page
    replayed = server.player()
    server.clock.now -= DAY
    for one in shown:  # The best play costs nothing.
        play(replayed, f"/deal/{one['deal']}", "deal", *one["best"])
    assert look(replayed, "/daily")["points"] == 0
    server.clock.now += DAY
    assert "deal of the day 326" in replayed.get("/daily/yesterday").text


def test_yesterday_has_price_and_reason_of_first_decision(server: Server) -> None:
    server.clock.now += DAY
    player = server.player()
    shown, page = look(player, "/daily/yesterday")["deals"], player.get("/daily/yesterday").text
    reasons, prices = texts(page, ".yesterday .best"), texts(page, ".yesterday dd")
    assert len(reasons) == len(prices) == len(shown) == DEALS
    for one, reason, price in zip(shown, reasons, prices, strict=True):
        hand, dealer = (one["view"][name]["cards"] for name in ("player", "dealer"))
        (upcard,) = filter(None, dealer)
        seen = {*hand, upcard}
        unseen = tuple(card for card in FULL_DECK if str(card) not in seen)
        exact = odds(ONE_DECK, tuple(map(Card, hand)), Card(upcard), unseen)
        worth = {"hit": exact.hit.ev, "stay": exact.stay.ev}
        assert one["best"][0] == max(worth, key=lambda name: worth[name])
        hit, stay = (round(100 * worth[name], 1) for name in ("hit", "stay"))
        assert price == f"{format_points(-abs(hit - stay))} points"
        assert f"hit {format_points(100 * worth['hit'], '+')} points" in reason
        assert f"stand {format_points(100 * worth['stay'], '+')} points" in reason


def test_points_of_yesterday_agree_with_the_price_beside_them(server: Server) -> None:
    """A single mistake's points equal its cost, although both numbers are rounded separately."""
    players = [server.player() for _ in range(3)]
    for seed, player in enumerate(players):
        finish_day(player, seed)
    server.clock.now += DAY
    same = 0
    for player in players:
        page = player.get("/daily/yesterday").text
        for panel in re.findall(r'(?s)<li class="panel">.*?</li>', page):
            price, *given = re.findall(r"−(\d+(?:\.\d)?) points", panel.partition("<dl>")[2])
            yours = given[0] if given else "0"
            same += price == yours
            assert price == yours or abs(float(price) - float(yours)) > 0.15
    assert same


def test_yesterday_links_to_replay_of_best_play(server: Server) -> None:
    server.clock.now += DAY
    player = server.player()
    shown, page = look(player, "/daily/yesterday")["deals"], player.get("/daily/yesterday").text
    replays = values(page, ".yesterday a.more", "href")
    assert len(replays) == len(shown)
    for one, address in zip(shown, replays, strict=True):
        replayed = look(player, address)
        assert replayed["signed"]
        assert replayed["view"]["player"]["cards"] == one["view"]["player"]["cards"]
        assert replayed["steps"] == 1 + len(one["best"])
        assert (
            look(player, f"{address}?step={replayed['steps']}")["view"]["winner"] == (one["winner"])
        )


def test_a_class_has_its_own_ranks(server: Server) -> None:
    room = open_room(server.app, 4)
    clients = [phone.client for phone in room.phones]
    ends = [finish_day(client, seed) for seed, client in enumerate(clients[:2])]
    assert [(one["played"], one["rank"]) for one in ends[1]["classes"]] == [(2, None)]
    finish_day(clients[2], 2)
    finish_day(server.player(), 3)  # a player without a class
    ends = [look(client, "/daily") for client in clients]
    points = [end["points"] for end in ends[:3]]
    places = [1 + sum(point < own for point in points) for own in points]
    assert [end["classes"][0]["rank"] for end in ends] == [*places, None]
    assert "3 of 4 in" in clients[3].get("/").text
    assert "have played, you are" in clients[0].get("/").text
    (stored,) = look(clients[0], f"/class/{room.code}/me.json")["rows"]["student_dailies"]
    # converts billionths of a round to points
    assert stored["cost"] / 10**7 == pytest.approx(points[0])
    room.phones[0].post("/leave", what="forget")
    assert look(clients[1], "/daily")["classes"][0]["played"] == 2


def test_daily_deal_shows_its_place_and_cost(client: FlaskClient) -> None:
    addresses = [one["address"] for one in look(client, "/daily")["deals"]]
    for number, address in enumerate(addresses, start=1):
        (kind,) = texts(client.get(address).text, ".rounds")
        assert kind == f"Deal {number} of 5 {'●' * number}{'○' * (5 - number)}"
        finish(client, address, random.Random(number))
        points = look(client, "/daily")["deals"][number - 1]["points"]
        (prompt,) = texts(client.get(address).text, ".play.done .prompt")
        assert ("Best play: no points given away." in prompt) == (points == 0)
        assert ("points" in prompt) or ("best" in prompt)
