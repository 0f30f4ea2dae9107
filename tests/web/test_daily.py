"""The deal of the day: equal for all, one try, hidden until it is played, over with its day."""

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import flask
import pytest
from flask.testing import FlaskClient

from app import create_app
from cardgames.cards import FULL_DECK
from tests.support.hidden import cards_named
from tests.support.site import (
    GERMAN,
    TWENTY_ONE,
    finish,
    look,
    play,
    results_at,
    rounds_of,
    rows_kept,
    send,
    session_of,
    texts,
)
from web import db
from web.deals.days import DailyId, Streak
from web.deals.deal import daily_deal
from web.http.sessions import DAY
from web.settings import Settings

NOON: Final = datetime(2026, 11, 22, 12, tzinfo=UTC).timestamp()
ADDRESS: Final = "/deal/2026-11-22-blackjack"
KEY: Final = "0123456789abcdef" * 4

tables = pytest.mark.parametrize("slug", TWENTY_ONE)


@dataclass
class Clock:
    """The time of a database, which a test moves."""

    now: float = NOON

    def time(self) -> float:
        return self.now


@dataclass
class Server:
    """A site with a clock of its own."""

    folder: Path
    key: str = KEY
    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.app = self.worker()

    def worker(self) -> flask.Flask:
        """Return one more worker on the same database."""
        app = create_app(Settings(data_dir=self.folder, secret_key=self.key))
        db.database_of(app).now = self.clock.time  # type: ignore[method-assign]
        return app

    def player(self) -> FlaskClient:
        return self.app.test_client()


@pytest.fixture
def server(tmp_path: Path) -> Server:
    return Server(tmp_path)


def salt_on(app: flask.Flask, day: int, slug: str) -> bytes:
    with app.app_context():
        return daily_deal(DailyId(day, slug)).salt


def entry(client: FlaskClient, slug: str = "blackjack") -> dict[str, Any]:
    (found,) = (one for one in look(client, "/daily")["deals"] if one["game"] == slug)
    return dict(found)


# ---- The same for everybody, and for nobody else ------------------------------------------------


@tables
def test_two_workers_and_two_machines_with_one_key_deal_the_same(tmp_path: Path, slug: str) -> None:
    here, elsewhere = Server(tmp_path / "a"), Server(tmp_path / "b")
    apps = (here.app, here.worker(), elsewhere.app)
    ends = [finish(app.test_client(), f"/deal/2026-11-22-{slug}") for app in apps]
    assert ends[0]["view"] == ends[1]["view"] == ends[2]["view"]
    assert ends[0]["step"] >= 2  # there is something to decide


def test_another_key_another_day_and_another_table_have_other_cards(tmp_path: Path) -> None:
    one, other = Server(tmp_path / "a"), Server(tmp_path / "b", key=KEY[::-1])
    named = [(one.app, 326, slug) for slug in TWENTY_ONE]
    named += [(one.app, 327, "blackjack"), (other.app, 326, "blackjack")]
    salts = [salt_on(*which) for which in named]
    assert len(set(salts)) == len(salts)


@tables
def test_in_thirty_days_there_is_always_something_to_decide(server: Server, slug: str) -> None:
    with server.app.app_context():
        deals = [daily_deal(DailyId(day, slug)) for day in range(326, 356)]
    tables = [deal.shared.dealt() for deal in deals]
    assert {table.phase for table in tables} == {"playing"}
    odds = [table.game.advisor.odds(table.state) for table in tables if table.game.advisor]
    assert all(abs(one.hit.ev - one.stay.ev) < 0.3 for one in odds)
    assert len({deal.salt for deal in deals}) == 30


# ---- One try ------------------------------------------------------------------------------------


def test_a_session_plays_it_once_and_two_browsers_are_two_players(server: Server) -> None:
    player, other = server.player(), server.player()
    end = finish(player, ADDRESS)
    for form in ({"move": "deal"}, {"move": "new"}, {"move": "deal", "step": "0"}):
        assert send(player, form, ADDRESS).status_code in (409, 422)
    assert look(player, ADDRESS) == end
    finish(other, ADDRESS)
    assert len(results_at(server.app, ADDRESS)) == 2
    assert entry(player)["finished"] == 2


def test_looking_writes_nothing(server: Server) -> None:
    for path in ("/", "/daily", ADDRESS, f"{ADDRESS}/link", f"{ADDRESS}/results"):
        answer = server.player().get(path)
        assert "Set-Cookie" not in answer.headers
    assert rows_kept(server.app) == 0


def test_it_is_a_round_in_the_history_and_shows_every_card(server: Server) -> None:
    player = server.player()
    play(player, ADDRESS, "deal")
    finish(player, ADDRESS)
    page = player.get(ADDRESS).text
    assert cards_named(page) == set(FULL_DECK)
    assert rounds_of(player, "blackjack") == [(1, "2026-11-22-blackjack")]


# ---- Its day ------------------------------------------------------------------------------------


def test_nobody_begins_a_deal_of_another_day(server: Server) -> None:
    finish(server.player(), ADDRESS)  # so that it is kept
    for now, status in ((NOON - DAY, 404), (NOON, 200), (NOON + DAY, 404), (NOON + 8 * DAY, 404)):
        server.clock.now = now
        player = server.player()
        assert player.get(ADDRESS).status_code == status
        assert player.get(f"{ADDRESS}/link").status_code == status
        sent = send(player, {"move": "deal", "step": "0"}, ADDRESS)
        assert sent.status_code == status
    assert "midnight GMT" in sent.get_json()["error"]
    for wrong in ("2026-02-30-blackjack", "2026-11-30-war", "2026-11-30-", "2026-11-30-%00"):
        assert server.player().get(f"/deal/{wrong}").status_code == 404


def test_who_has_begun_before_midnight_finishes_after_it(server: Server) -> None:
    """It counts for the day of the deal; the next deal is another."""
    player = server.player()
    server.clock.now = datetime(2026, 11, 22, 23, 59, 59, tzinfo=UTC).timestamp()
    play(player, ADDRESS, "deal")
    server.clock.now += 1
    assert look(player, "/daily")["day"] == 327
    assert entry(player)["address"] == "/deal/2026-11-23-blackjack"
    finish(player, ADDRESS)
    page = player.get(ADDRESS).text
    assert "Cardgames 326 · Blackjack" in page
    assert "Challenge a friend" not in page  # who could not play it any more
    finish(player, "/deal/2026-11-23-blackjack")
    assert look(player, "/daily")["streak"] == 2


def test_results_are_kept_for_a_week(server: Server) -> None:
    player = server.player()
    finish(player, ADDRESS)
    server.clock.now += 6 * DAY
    assert "Your row" in player.get(ADDRESS).text
    server.clock.now += 2 * DAY
    assert player.get(ADDRESS).status_code == 404


def test_unfinished_deals_of_other_days_are_in_nobodys_way(server: Server) -> None:
    player = server.player()
    finish(player, ADDRESS)
    for day in range(23, 28):
        server.clock.now += DAY
        for slug in TWENTY_ONE:
            play(player, f"/deal/2026-11-{day}-{slug}", "deal")
    with session_of(player) as session:
        assert sum(key.startswith("deal-table:") for key in session) == 10


# ---- Days in a row ------------------------------------------------------------------------------


def test_days_in_a_row(server: Server) -> None:
    """One table a day is enough, and a day without ends them; the session lives on between."""
    player, found = server.player(), []
    for day, slug in enumerate((*TWENTY_ONE, "blackjack", "", "one-deck")):
        date = datetime.fromtimestamp(server.clock.now, UTC).date()
        if slug:
            finish(player, f"/deal/{date}-{slug}")
        found.append(look(player, "/daily")["streak"])
        server.clock.now += DAY + 3 * 3600 * (day == 0)
    assert found == [1, 2, 3, 4, 4, 1]  # on the fifth day the sixth may still come
    server.clock.now += DAY
    assert look(player, "/daily")["streak"] == 0
    assert "in a row" not in texts(player.get("/").text, 'class="panel today".*?</section>')[0]


def test_a_day_counts_once_and_an_earlier_one_not_at_all() -> None:
    streak = Streak()
    for day, run in ((5, 1), (5, 1), (6, 2), (4, 2), (8, 1), (9, 2)):
        streak = streak.after(DailyId(day, "blackjack"))
        assert streak.run == run
    assert [streak.current(today) for today in (9, 10, 11)] == [2, 2, 0]


# ---- What a player sees and sends ---------------------------------------------------------------


def row_of(client: FlaskClient, address: str = ADDRESS) -> str:
    (row,) = texts(client.get(address).text, r'<textarea[^>]*aria-label="Your row"[^>]*>([^<]*)<')
    return row


def test_the_row_has_a_sign_a_decision_and_the_points_given_away(server: Server) -> None:
    """Its figures are those of the round's own costs in the history."""
    player = server.player()
    play(player, ADDRESS, "deal", "hit")
    finish(player, ADDRESS)
    (one,) = look(player, "/blackjack/history")["rounds"]
    signs = "".join("✗" if decision["cost"] else "✓" for decision in one["decisions"])
    lost = round(100 * sum(decision["cost"] for decision in one["decisions"]), 1)
    figures = f"· {signs} · −{lost:g}"
    assert row_of(player) == f"Cardgames 326 · Blackjack {figures} points"
    assert entry(player)["row"] == row_of(player)
    assert not cards_named(row_of(player))
    german = player.get(ADDRESS, headers=GERMAN).text
    assert figures.replace(".", ",") in german
    assert "Tag 326" in german


def test_the_lobby_and_its_page_say_how_far_one_is(server: Server) -> None:
    player = server.player()
    assert [one["state"] for one in look(player, "/daily")["deals"]] == ["ready"] * 3
    play(player, "/deal/2026-11-22-simple-21", "deal")
    finish(player, ADDRESS)
    states = [one["state"] for one in look(player, "/daily")["deals"]]
    assert states == ["playing", "over", "ready"]
    (band,) = texts(player.get("/").text, '(class="panel today".*?</section>)')
    said = " ".join(re.sub(r"<[^>]*>", " ", band).split())
    assert "Simple 21 Your move Blackjack ✓ finished One-deck Blackjack" in said
    assert "1 day in a row" in said
    assert "1 Tag in Folge" in player.get("/daily", headers=GERMAN).text
