"""``/deal/ID/friend``: two players and a third browser at the same Bingo deal link."""

import re
from dataclasses import dataclass
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from sqlalchemy import text
from werkzeug.test import TestResponse

from cardgames.games.bingo.rules import CENTRE
from tests.support.bingo import has_bingo
from tests.support.classroom import Watch
from tests.support.hidden import cards_named, said_by
from tests.support.site import GERMAN, JSON, id_of, look, made_deal
from web import db
from web.commands.upkeep import purge
from web.friends import models


@dataclass
class Two:
    """A host and a guest at a deal link."""

    host: FlaskClient
    guest: FlaskClient
    deal: str

    @property
    def address(self) -> str:
        return f"{self.deal}/friend"

    def post(self, client: FlaskClient, move: str, **fields: Any) -> TestResponse:
        return client.post(self.address, data={"move": move, **fields}, headers=JSON)

    def done(self, client: FlaskClient, move: str, **fields: Any) -> dict[str, Any]:
        answer = self.post(client, move, **fields)
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.get_json()
        return document

    def call_until_bingo(self, client: FlaskClient) -> dict[str, Any]:
        """Call until a player's card has BINGO! by the sheet's rules.

        Return the player's page.
        """
        page = look(client, self.address)
        called = page["called"]
        while not has_bingo(page["card"]["cards"], called):
            called = self.done(self.host, "call", call=len(called) + 1)["called"]
        return look(client, self.address)


def waiting_match(app: flask.Flask, every: int = 0) -> Two:
    """Return two players. The host is waiting at a new deal link."""
    host = app.test_client()
    two = Two(host, app.test_client(), made_deal(host, "bingo"))
    two.done(host, "wait", every=every)
    return two


def open_match(app: flask.Flask, every: int = 0) -> Two:
    """Return two players after the deal of their first round."""
    two = waiting_match(app, every)
    two.done(two.guest, "join")
    return two


# ---- Waiting and joining -------------------------------------------------------------------------


def test_only_the_maker_of_a_bingo_link_is_offered_to_wait(app: flask.Flask) -> None:
    maker, other = app.test_client(), app.test_client()
    deal = made_deal(maker, "bingo")
    assert 'value="wait"' in maker.get(f"{deal}/link").text
    assert 'value="wait"' not in other.get(f"{deal}/link").text
    assert 'value="wait"' not in maker.get(f"{made_deal(maker)}/link").text
    answer = other.post(f"{deal}/friend", data={"move": "wait", "every": "3"}, headers=JSON)
    assert answer.status_code == 422
    assert maker.get(f"{made_deal(maker)}/friend").status_code == 404
    assert maker.get(f"/deal/{'0' * 16}/friend").status_code == 404


@pytest.mark.parametrize("every", ["4", "x", ""])
def test_wait_refuses_other_intervals(app: flask.Flask, every: str) -> None:
    maker = app.test_client()
    deal = made_deal(maker, "bingo")
    answer = maker.post(f"{deal}/friend", data={"move": "wait", "every": every}, headers=JSON)
    assert answer.status_code == 422
    assert maker.get(f"{deal}/friend").headers["Location"] == f"{deal}/link"


def test_link_leads_to_the_invitation_and_writes_nothing(app: flask.Flask) -> None:
    two = waiting_match(app)
    led = two.guest.get(two.deal)
    assert (led.status_code, led.headers["Location"]) == (303, two.address)
    invitation = two.guest.get(two.address)
    assert 'value="join"' in invitation.text
    cookies = [*led.headers.getlist("Set-Cookie"), *invitation.headers.getlist("Set-Cookie")]
    assert [cookie.split("=")[0] for cookie in cookies] == ["cardgames-join"], "and no session"
    assert look(two.host, two.address)["phase"] == "waiting"
    assert two.host.get(two.deal).status_code == 200
    assert two.guest.get(f"{two.deal}?alone=yes").status_code == 200
    assert look(two.guest, two.deal)["view"]["phase"] == "ready", "programs play as ever"


def test_player_in_a_solo_round_is_not_led_away(app: flask.Flask) -> None:
    host, guest = app.test_client(), app.test_client()
    two = Two(host, guest, made_deal(host, "bingo"))
    guest.post(two.deal, data={"move": "deal", "step": "0"})
    two.done(host, "wait", every=3)
    assert guest.get(two.deal).status_code == 200


def test_first_guest_gets_the_seat_and_the_next_plays_alone(app: flask.Flask) -> None:
    two, late = waiting_match(app), app.test_client()
    assert two.done(two.guest, "join")["phase"] == "playing"
    assert two.done(two.guest, "join")["player"] == 2, "a double click"
    assert two.post(late, "join").status_code == 422
    assert "already" in late.get(two.address).text
    assert late.get(two.deal).status_code == 200
    for move in ("deal", "call", "mark", "claim", "leave"):
        assert two.post(late, move, call=1, round=1, place=1).status_code == 422


def test_guest_without_cookies_is_told_and_takes_no_seat(app: flask.Flask) -> None:
    """A browser that does not store cookies could not return to its card."""
    two = waiting_match(app)
    stranger = app.test_client(use_cookies=False)
    assert "Take Rosa&#39;s card" in stranger.get(two.address).text
    answer = stranger.post(two.address, data={"move": "join"})
    assert answer.status_code == 422
    assert "stores no cookies" in answer.text
    assert two.guest.get(two.address).status_code == 200
    assert two.guest.post(two.address, data={"move": "join"}).status_code == 303
    assert look(two.guest, two.address)["player"] == 2


def test_round_waits_for_an_absent_host(app: flask.Flask, watch: Watch) -> None:
    two = waiting_match(app, 3)
    watch.pass_by(models.HERE + 1)
    joined = two.done(two.guest, "join")
    assert (joined["phase"], joined["friend"]) == ("ready", "away")
    assert "Your friend is away just now." in two.guest.get(two.address).text
    assert look(two.host, two.address)["friend"] == "here"
    assert two.done(two.host, "deal", round=1)["called"] == []


def test_waiting_again_returns_to_the_same_match(app: flask.Flask) -> None:
    two = open_match(app)
    two.done(two.host, "call", call=1)
    assert len(two.done(two.host, "wait", every=3)["called"]) == 1


# ---- Playing -------------------------------------------------------------------------------------


def test_three_rounds_are_scored(app: flask.Flask) -> None:
    two = open_match(app)
    for number, winner in enumerate((two.host, two.guest, two.host), 1):
        page = two.call_until_bingo(winner)
        said = two.done(winner, "claim", call=len(page["called"]))
        assert (said["right"], said["phase"], said["round"]) == (True, "bingo", number)
        dealt = two.done(two.guest, "deal", round=number + 1)
        assert (dealt["called"], dealt["card"]["covered"]) == ([], [CENTRE])
    assert look(two.host, two.address)["score"] == {"you": 2, "friend": 1, "ties": 0}
    assert look(two.guest, two.address)["score"] == {"you": 1, "friend": 2, "ties": 0}


def test_clock_calls_for_both(app: flask.Flask, watch: Watch) -> None:
    two = open_match(app, 5)
    watch.pass_by(10.1)
    called = look(two.host, two.address)["called"]
    assert len(called) == 2
    assert look(two.guest, two.address)["called"] == called
    assert 'data-every="5"' in two.guest.get(two.address).text, "the ring"


def test_wrong_claim_is_answered_on_the_page(app: flask.Flask) -> None:
    two = open_match(app)
    two.done(two.host, "call", call=1)
    answer = two.guest.post(two.address, data={"move": "claim", "call": "1"})
    assert (answer.status_code, answer.headers["Location"]) == (303, f"{two.address}?said=1")
    assert "Not yet. Your nearest line still needs" in two.guest.get(f"{two.address}?said=1").text
    german = two.guest.get(f"{two.address}?said=1", headers=GERMAN).text
    assert "Noch nicht." in german
    assert "Not yet" not in two.host.get(f"{two.address}?said=1").text


def test_forms_out_of_date_are_409_and_impossible_ones_422(app: flask.Flask) -> None:
    two = open_match(app)
    two.done(two.host, "call", call=1)
    for client, move, fields, status in (
        (two.host, "call", {"call": 1}, 409),
        (two.guest, "mark", {"round": 2, "place": 3, "on": "Y"}, 409),
        (two.host, "deal", {"round": 1}, 409),
        (two.host, "deal", {"round": 2}, 422),
        (two.guest, "call", {"call": 2}, 422),
        (two.guest, "mark", {"round": 1, "place": CENTRE, "on": "Y"}, 422),
        (two.guest, "claim", {"call": "x"}, 422),
        (two.guest, "dance", {}, 422),
    ):
        answer = two.post(client, move, **fields)
        assert (answer.status_code, bool(answer.get_json()["error"])) == (status, True), move
        page = client.post(two.address, data={"move": move, **fields})
        assert page.status_code == status
        assert 'role="alert"' in page.text
    assert len(look(two.host, two.address)["called"]) == 1


# ---- Hidden cards --------------------------------------------------------------------------------


def test_page_names_no_card_but_the_own_and_the_called(app: flask.Flask) -> None:
    two = open_match(app)
    for call in range(1, 6):
        two.done(two.host, "call", call=call)
    for client in (two.host, two.guest):
        page = look(client, two.address)
        known = {*page["called"], *filter(None, page["card"]["cards"])}
        assert cards_named(said_by(client.get(two.address))) <= known
        assert cards_named(said_by(client.get(two.address, headers=JSON))) <= known
    invited = app.test_client().get(two.address)
    assert cards_named(said_by(invited)) == set()


def test_friends_card_is_on_the_page_only_after_a_bingo(app: flask.Flask) -> None:
    two = open_match(app)
    summary = "<summary>Your friend&#39;s card"
    assert summary not in two.guest.get(two.address).text
    page = two.call_until_bingo(two.host)
    assert summary not in two.guest.get(two.address).text
    two.done(two.host, "claim", call=len(page["called"]))
    after = two.guest.get(two.address)
    assert summary in after.text
    names = cards_named(said_by(after))
    assert set(filter(None, page["card"]["cards"])) <= names
    two.done(two.guest, "deal", round=2)
    assert summary not in two.guest.get(two.address).text


def test_coverings_and_wrong_claims_change_no_byte_for_the_other(app: flask.Flask) -> None:
    two = open_match(app)
    two.done(two.host, "call", call=1)
    before = [two.guest.get(two.address, headers=kind) for kind in ({}, JSON)]
    two.done(two.host, "mark", round=1, place=3, on="Y")
    two.done(two.host, "claim", call=1)
    after = [two.guest.get(two.address, headers=kind) for kind in ({}, JSON)]
    assert [answer.data for answer in after] == [answer.data for answer in before]
    covered = look(two.host, two.address)["card"]["covered"]
    assert covered == [3, CENTRE]


def test_page_polls_for_changes(app: flask.Flask) -> None:
    two = open_match(app)
    (etag,) = re.findall('data-version="([^"]*)"', two.guest.get(two.address).text)
    known = {"If-None-Match": f'"{etag}"'}
    assert two.guest.get(two.address, headers=known).status_code == 304
    two.done(two.host, "mark", round=1, place=3, on="Y")
    assert two.guest.get(two.address, headers=known).status_code == 304
    two.done(two.host, "call", call=1)
    assert two.guest.get(two.address, headers=known).status_code == 200


def test_cards_of_the_match_are_not_those_of_the_link(app: flask.Flask) -> None:
    """A player who opens the link in another tab learns nothing about future calls."""
    two, alone = open_match(app), app.test_client()
    alone.post(two.deal, data={"move": "deal", "step": "0"})
    alone.post(two.deal, data={"move": "call", "step": "1", "calls": "all"})
    for call in range(1, 9):
        two.done(two.host, "call", call=call)
    called = look(two.host, two.address)["called"]
    assert look(alone, two.deal)["view"]["called"][:8] != called


# ---- Leaving, and limits -------------------------------------------------------------------------


def test_leaving_is_reported_and_the_host_may_wait_again(app: flask.Flask) -> None:
    two = open_match(app)
    two.guest.post(two.address, data={"move": "leave"})
    assert look(two.host, two.address)["friend"] == "left"
    assert "Your friend has left." in two.host.get(two.address).text
    assert two.post(two.host, "call", call=1).status_code == 422
    assert two.done(two.host, "wait", every=8)["phase"] == "waiting"
    assert two.done(app.test_client(), "join")["every"] == 8


def test_guest_learns_of_a_leaving_host(app: flask.Flask) -> None:
    two = open_match(app)
    two.done(two.host, "leave")
    assert "Your friend has left." in two.guest.get(two.address).text
    assert two.post(app.test_client(), "join").status_code == 422


def test_silent_friend_is_away(app: flask.Flask, watch: Watch) -> None:
    two = open_match(app, 8)
    assert look(two.host, two.address)["friend"] == "here"
    watch.pass_by(models.HERE + 1)
    assert look(two.host, two.address)["friend"] == "away"
    assert "is away just now" in two.host.get(two.address).text
    two.guest.get(two.address)
    assert look(two.host, two.address)["friend"] == "here"


def test_host_has_few_matches(app: flask.Flask) -> None:
    two = waiting_match(app)
    for _ in range(models.MAX_OWN - 1):
        deal = made_deal(two.host, "bingo")
        two.host.post(f"{deal}/friend", data={"move": "wait", "every": "3"})
    deal = made_deal(two.host, "bingo")
    answer = two.host.post(f"{deal}/friend", data={"move": "wait", "every": "3"}, headers=JSON)
    assert answer.status_code == 422


def test_site_has_a_limit_of_matches(app: flask.Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "MAX_MATCHES", 4)
    waiting_match(app)
    waiting_match(app)
    host = app.test_client()
    deal = made_deal(host, "bingo")
    answer = host.post(f"{deal}/friend", data={"move": "wait", "every": "3"}, headers=JSON)
    assert answer.status_code == 422, "newcomers get half"


def test_match_expires_and_is_deleted(app: flask.Flask, watch: Watch) -> None:
    two = open_match(app)
    watch.pass_by(models.LIFETIME + 1)
    assert two.guest.get(two.address).headers["Location"] == two.deal
    assert two.guest.get(two.deal).status_code == 200
    purge(db.database(app))
    with db.database(app).engine.begin() as connection:
        assert connection.scalar(text("SELECT count(*) FROM friend_matches")) == 0


def test_match_of_a_gone_deal_is_gone(app: flask.Flask) -> None:
    two = open_match(app)
    with db.database(app).engine.begin() as connection:
        connection.execute(text("DELETE FROM deals WHERE id = :id"), {"id": id_of(two.deal)})
    assert two.guest.get(two.address).status_code == 404
