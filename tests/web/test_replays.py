"""Replays: a signed URL shows a round to anyone, and the round can be continued differently."""

import html
import random
import re
from typing import Final
from urllib.parse import unquote

import flask
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from cardgames.records.line import parse, readable_line
from cardgames.records.replay import is_complete, replay
from tests.support.amounts import slow_but
from tests.support.pages import values
from tests.support.site import DECK, JSON, finish, look, play, stacked, steps


def replay_of(client: FlaskClient, slug: str, number: int = 1) -> str:
    """Return the URL of a round's replay."""
    answer = client.get(f"/{slug}/history/{number}")
    assert answer.status_code == 303
    return answer.headers["Location"]


def comparable(table: dict[str, dict[str, object]]) -> dict[str, object]:
    """Return a view without the tally and the messages. No record determines these."""
    view = table["view"]
    return {name: value for name, value in view.items() if name not in ("tally", "messages")}


@pytest.mark.parametrize("slug", slow_but(GAMES, *{*GAMES} - {"war"}))
def test_replay_shows_every_table_to_anyone(slug: str, app: flask.Flask) -> None:
    player, friend = app.test_client(), app.test_client()
    rng = random.Random(5)
    number = 1 if GAMES[slug].info.reshuffles else 2
    rounds = [list(steps(player, f"/{slug}", rng)) for _ in range(number)]
    play(player, f"/{slug}", "new")
    for number, tables in enumerate(rounds, start=1):
        address = replay_of(player, slug, number)
        shown = [1, len(tables)] if len(tables) > 30 else range(1, len(tables) + 1)
        for step in shown:  # the beginning and the end of a long game of War
            data = look(friend, f"{address}?step={step}")
            assert (data["signed"], data["step"], data["steps"]) == (True, step, len(tables))
            assert comparable(data) == comparable(tables[step - 1]), (number, step)
            assert friend.get(f"{address}?step={step}").status_code == 200
        assert look(friend, f"{address}?step=99999")["step"] == len(tables)
    assert not any(name == "Set-Cookie" for name, _ in friend.get(address).headers)


def test_one_flipped_character_of_a_signed_record_is_noticed(client: FlaskClient) -> None:
    play(client, "/blackjack", "deal", "stay")
    token = unquote(replay_of(client, "blackjack").removeprefix("/replay/"))
    assert client.get(f"/replay/{token}").status_code == 200
    signature = token.index("~")
    for place, character in enumerate(token):
        if place % 3 and place != signature:
            continue
        other = "1" if character == "0" else "0"
        answer = client.get("/replay/" + token[:place] + other + token[place + 1 :])
        assert answer.status_code == 422, place
        if character == "~":  # Without this character, the record has no signature.
            assert "signed" not in answer.text.split("<h1>")[1].split("</h1>")[0]
        else:
            assert "changed after it was signed" in answer.text


def test_an_unsigned_record_is_shown_and_marked(client: FlaskClient) -> None:
    text = "blackjack_1_shuffle=9STHQDJC+48_deal_stay_result=dealer"
    assert look(client, f"/replay/{text}")["signed"] is False
    assert "not signed" in client.get(f"/replay/{text}").text
    assert client.get(f"/replay/{text}~").status_code == 422


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("blackjack_1_shuffle=9STHQDJC+48_deal_hit_result=dealer", "Step 2"),
        ("blackjack_1_shuffle=9STHQDJC+48_stay_result=dealer", "Step 1"),
        ("blackjack_1_shuffle=9STHQDJC+48_deal_stay_result=player", "Step 2"),
        ("blackjack_3_shuffle=9STHQDJC+48_deal_stay_result=dealer", "version"),
        ("poker_1_deal", "not the record"),
        ("war_1", "contains no moves"),
    ],
)
def test_record_against_the_rules_is_rejected_with_its_step(
    client: FlaskClient, text: str, sentence: str
) -> None:
    answer = client.get(f"/replay/{text}")
    assert answer.status_code == 422
    assert sentence in answer.text
    assert sentence in client.get(f"/replay/{text}", headers=JSON).get_json()["error"]


def test_shared_round_hides_the_rest_of_its_deck(client: FlaskClient) -> None:
    rng = random.Random(2)
    for _ in range(2):
        finish(client, "/simple-21", rng)
    for one in look(client, "/simple-21/history")["rounds"]:
        record = parse(one["record"])
        assert not one["opened"]
        assert not is_complete(record)
        assert one["salt"] == ""
        assert replay(record)
        address = replay_of(client, "simple-21", one["number"])
        assert "/what-if/" not in client.get(address).text
        beginning = readable_line(record.truncated(1)).replace(" ", "_")
        assert client.get(f"/what-if/{beginning}").status_code == 422
    play(client, "/simple-21", "new")
    for one in look(client, "/simple-21/history")["rounds"]:
        assert one["opened"]
        assert is_complete(parse(one["record"]))


def what_ifs(page: str) -> list[str]:
    """Return the URLs on a page at which a round can be played differently."""
    return values(page, 'a[href^="/what-if/"]', "href")


def test_replayed_round_can_differ_and_never_counts(client: FlaskClient) -> None:
    """The sheet's deck at Blackjack: KS JH QS AH QH 6D. The hole card is the first card, JH."""
    play(client, "/blackjack", "deal", deck=DECK)
    before = play(client, "/blackjack", "stay")  # 20 against JH AH: 21
    address = replay_of(client, "blackjack")
    (what_if,) = what_ifs(client.get(address).text)
    page = client.get(what_if).text
    assert "does not change your score or your history" in page
    (hit,) = (link for link in what_ifs(page) if "_hit?" in link)
    data = look(client, hit)
    assert data["practice"] is True
    assert data["view"]["player"]["cards"] == ["KS", "QS", "QH"]  # the next card is a bust
    page = client.get(hit).text
    (again,) = what_ifs(page)
    assert html.unescape(again).split("?")[0] == html.unescape(what_if).split("?")[0]
    assert address.split("?")[0] in html.unescape(page)
    assert look(client, "/blackjack") == before
    assert len(look(client, "/blackjack/history")["rounds"]) == 1


UNSIGNED: Final = "blackjack_1_shuffle=" + "".join(FULL_DECK) + "_deal"


@pytest.mark.parametrize("of", ["", "//evil.example/x", UNSIGNED, f"{UNSIGNED}_stay_result=dealer"])
def test_unplayed_record_cannot_be_changed(client: FlaskClient, of: str) -> None:
    """Otherwise a URL would reveal the exact odds of a hand at a tournament."""
    for address in (f"/what-if/{UNSIGNED}", f"/what-if/{UNSIGNED}_hit"):
        answer = client.get(address, query_string={"of": of})
        assert answer.status_code == 422
        assert "%" not in answer.text.split("<h1>")[1].split("</h1>")[0]
        links = values(answer.text, "*", "href")
        assert all(re.match(r"[/#](?!/)", link) for link in links)
        refused = client.get(address, query_string={"of": of}, headers=JSON)
        assert (refused.status_code, "view" in refused.get_json()) == (422, False)


def test_another_hand_than_the_signed_rounds_cannot_be_played_on(client: FlaskClient) -> None:
    play(client, "/blackjack", "deal", deck=DECK)
    play(client, "/blackjack", "stay")
    token = unquote(replay_of(client, "blackjack").removeprefix("/replay/"))
    own = token.partition("_stay")[0]
    assert client.get(f"/what-if/{own}", query_string={"of": token}).status_code == 200
    for other in (UNSIGNED, f"{own}_stay_result=dealer", "war_2_salt=00_deal", "x"):
        answer = client.get(f"/what-if/{other}", query_string={"of": token}, headers=JSON)
        assert answer.status_code == 422, other
    changed = token.replace("result=dealer", "result=player")
    assert client.get(f"/what-if/{own}", query_string={"of": changed}).status_code == 422
    play(client, "/blackjack", "deal", deck=stacked("5C TH 3C TD 2S"))
    record = look(client, "/blackjack/history")["rounds"][0]
    exported = f"{record['record']}~{record['signature']}".replace(" ", "_")
    whole = record["record"].partition(" stay")[0].replace(" ", "_")
    assert client.get(f"/what-if/{whole}", query_string={"of": exported}).status_code == 200


def test_unsigned_record_is_shown_without_odds(client: FlaskClient) -> None:
    text = f"{UNSIGNED}_stay_result="
    answers = [client.get(f"/replay/{text}{winner}?step=1") for winner in ("dealer", "player")]
    (page,) = (answer.text for answer in answers if answer.status_code == 200)
    assert "not signed" in page
    assert not what_ifs(page)
    assert 'aria-label="The odds"' not in page
    play(client, "/blackjack", "deal", deck=DECK)
    play(client, "/blackjack", "stay")
    assert 'aria-label="The odds"' in client.get(replay_of(client, "blackjack")).text


@pytest.mark.parametrize("slug", slow_but(GAMES, *{*GAMES} - {"war"}))
def test_every_link_to_another_decision_leads_to_one(slug: str, client: FlaskClient) -> None:
    """Replays also work at tables whose rounds take over cards, or shuffle during the round."""
    list(steps(client, f"/{slug}", random.Random(7)))
    play(client, f"/{slug}", "new")
    address = replay_of(client, slug)
    for link in what_ifs(client.get(address).text):
        page = client.get(html.unescape(link))
        assert page.status_code == 200
        for other in what_ifs(page.text):
            assert client.get(html.unescape(other)).status_code == 200


def test_every_step_of_a_short_round_is_a_link_and_is_judged(client: FlaskClient) -> None:
    """Hitting 8 is the best play, but standing on 10 after that costs points."""
    play(client, "/blackjack", "deal", deck=stacked("5C TH 3C TD 2S"))
    play(client, "/blackjack", "hit", "stay")
    page = client.get(f"{replay_of(client, 'blackjack')}?step=2").text
    track = page.partition('<ol class="track">')[2].partition("</ol>")[0]
    assert re.findall(r"step=(\d+)", track) == ["1", "2", "3"]
    assert track.count('aria-current="step"') == 1
    moments = page.partition('id="moments"')[2].partition("</ol>")[0]
    assert re.findall("✓|✗", moments) == ["✓", "✗"]
