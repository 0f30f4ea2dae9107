"""What was played: every finished round is kept, replays anywhere, and its seals can be checked."""

import html
import io
import itertools
import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from csv import DictReader
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import flask
import pytest
from cardgames.record import parse, replayed
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from app import create_app
from cardgames import GAMES
from cardgames.cards import FULL_DECK
from tests.test_hidden import HOLE, cards_named, hidden_cards, kept
from web.settings import Settings

JSON = {"Accept": "application/json"}
TWENTY_ONE = ["simple-21", "blackjack", "one-deck"]
DECK = Path(__file__).parent / "decks" / "shuffledDeck.txt"

tables = pytest.mark.parametrize("slug", GAMES)


def play(client: FlaskClient, slug: str, name: str, **fields: str) -> dict[str, Any]:
    """Play one move over HTTP and return the table after it."""
    step = client.get(f"/{slug}", headers=JSON).get_json()["step"]
    answer = client.post(f"/{slug}", data={"move": name, "step": step, **fields}, headers=JSON)
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def one_round(client: FlaskClient, slug: str, rng: random.Random) -> Iterator[dict[str, Any]]:
    """Play a round, a single step at a time; yield the table after each."""
    table = client.get(f"/{slug}", headers=JSON).get_json()
    if table["view"]["phase"] == "game over" and slug == "one-deck":
        table = play(client, slug, "new")
    deal = next(move for move in table["moves"] if move["name"] == "deal")
    chosen = {
        field: rng.choice(list(options)) for field, options in deal["fields"].items() if options
    }
    table = play(client, slug, "deal", **chosen)
    yield table
    while table["view"]["phase"] == "playing":
        if slug in TWENTY_ONE:
            table = play(client, slug, rng.choice(["hit", "stay", "stay"]))
        elif slug == "war":
            table = play(client, slug, "turn", turns="1")
        else:
            table = play(client, slug, "call", calls="1")
        yield table


def exported(client: FlaskClient, slug: str) -> list[dict[str, Any]]:
    answer = client.get(f"/{slug}/history.json")
    assert answer.status_code == 200
    return list(answer.get_json()["rounds"])


def replay_of(client: FlaskClient, slug: str, number: int) -> str:
    answer = client.get(f"/{slug}/history/{number}")
    assert answer.status_code == 303
    return str(answer.headers["Location"])


def comparable(view: dict[str, Any]) -> dict[str, Any]:
    """Return a view without what a record does not carry: the tally, and the wording of a click."""
    return {name: value for name, value in view.items() if name not in ("tally", "messages")}


@tables
def test_a_replay_shows_to_anybody_every_table_that_was_played(slug: str, app: flask.Flask) -> None:
    player, friend = app.test_client(), app.test_client()
    rng = random.Random(5)
    seen = [[table["view"] for table in one_round(player, slug, rng)] for _ in range(4)]
    play(player, slug, "new")
    for number, views in enumerate(seen, start=1):
        address = replay_of(player, slug, number)
        for step, view in enumerate(views, start=1):
            told = friend.get(f"{address}?step={step}", headers=JSON).get_json()
            assert told["signed"] is True
            assert told["step"] == step
            assert told["steps"] == len(views)
            assert comparable(told["view"]) == comparable(view), (number, step)
            assert friend.get(f"{address}?step={step}").status_code == 200
            if len(views) > 60:
                break  # a game of War: the first turn, and the last below
        assert comparable(
            friend.get(f"{address}?step={len(views)}", headers=JSON).get_json()["view"]
        ) == comparable(views[-1])
    assert not any(name == "Set-Cookie" for name, _ in friend.get(address).headers)


@pytest.mark.parametrize("slug", TWENTY_ONE)
def test_the_history_lists_cards_decisions_result_and_worth(slug: str, client: FlaskClient) -> None:
    """With the sheet's deck: KS JH QS AH, then 20 against 21 or more by each table's own rules."""
    table = play(client, slug, "deal", deck=DECK.read_text())
    assert table["view"]["player"]["cards"] == ["KS", "QS"]
    stayed = play(client, slug, "stay")["view"]
    page = html.unescape(client.get(f"/{slug}/history").text)
    for card in (*stayed["player"]["cards"], *stayed["dealer"]["cards"]):
        name = next(one.name_in_words for one in FULL_DECK if one == card)
        assert f'alt="{name}"' in page
    assert "on 20 against" in page  # the judgement on staying
    (one,) = exported(client, slug)
    assert one["result"] == stayed["winner"]
    assert [decision["chosen"] for decision in one["decisions"]] == ["stay"]
    assert one["decisions"][0]["cost"] >= 0


def test_a_coach_that_is_off_is_off_in_the_history_too(tmp_path: Path) -> None:
    client = create_app(Settings(data_dir=tmp_path, coach=False)).test_client()
    play(client, "blackjack", "deal")
    play(client, "blackjack", "stay")
    assert exported(client, "blackjack")[0]["decisions"] == []
    address = replay_of(client, "blackjack", 1)
    for path in ("/blackjack/history", address):
        page = client.get(path).text
        assert "best play" not in page
        assert "against" not in page.split("<main", 1)[1]


def test_rounds_are_filtered_by_result_and_listed_in_pages(client: FlaskClient) -> None:
    rng = random.Random(8)
    for _ in range(45):
        for _ in one_round(client, "blackjack", rng):
            pass
    rounds = exported(client, "blackjack")
    assert [one["number"] for one in rounds] == list(range(45, 0, -1))
    for winner in ("player", "dealer"):
        numbers: list[int] = []
        for page in itertools.count(1):
            text = client.get(f"/blackjack/history?result={winner}&page={page}").text
            found = [int(number) for number in re.findall(r"/blackjack/history/(\d+)", text)]
            assert len(found) <= 20
            numbers += found
            if 'rel="next"' not in text:
                break
        assert numbers == [one["number"] for one in rounds if one["result"] == winner]
    assert "/blackjack/history/" not in client.get("/blackjack/history?result=nobody").text


def test_the_last_200_rounds_are_kept_and_a_move_writes_no_more_for_it(client: FlaskClient) -> None:
    for _ in range(205):
        play(client, "blackjack", "deal")
        play(client, "blackjack", "stay")
    numbers = [one["number"] for one in exported(client, "blackjack")]
    assert numbers == list(range(205, 5, -1))
    assert client.get("/blackjack/history/5").status_code == 404
    assert client.get("/blackjack/history/6").status_code == 303


def test_a_round_that_is_given_up_is_kept_as_lost(client: FlaskClient) -> None:
    play(client, "blackjack", "deal")
    play(client, "blackjack", "deal")
    (one,) = exported(client, "blackjack")
    assert (one["number"], one["result"]) == (1, "dealer")
    assert one["record"].endswith(" deal forfeit result=dealer")
    last = client.get(replay_of(client, "blackjack", 1) + "?step=2", headers=JSON).get_json()
    assert last["view"]["winner"] == "dealer"


def test_a_game_broken_off_is_no_finished_round(client: FlaskClient) -> None:
    play(client, "simple-21", "deal")
    play(client, "simple-21", "new")
    assert exported(client, "simple-21") == []
    assert client.get("/simple-21/history/1").status_code == 404


def test_somebody_else_sees_nothing_of_it(app: flask.Flask) -> None:
    mine, other = app.test_client(), app.test_client()
    play(mine, "blackjack", "deal")
    play(mine, "blackjack", "stay")
    assert exported(other, "blackjack") == []
    answer = other.get("/blackjack/history")
    assert "No round is finished yet" in answer.text
    assert "Set-Cookie" not in answer.headers
    assert other.get("/blackjack/history/1").status_code == 404


# ---- Files to take home --------------------------------------------------------------------


@tables
def test_an_exported_history_passes_the_checker(
    slug: str, client: FlaskClient, tmp_path: Path
) -> None:
    rng = random.Random(13)
    for _ in range(3 if slug == "war" else 14):
        for _ in one_round(client, slug, rng):
            pass
    file = tmp_path / "history.json"
    file.write_text(client.get(f"/{slug}/history.json").text)
    command = [sys.executable, "-m", "cardgames.verify", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_counted_deal_between_two_rounds_is_no_fault(client: FlaskClient, tmp_path: Path) -> None:
    """It stands in the history with cards of its own, and the rounds around it go on."""
    rng = random.Random(2)
    play(client, "one-deck", "deal", deck=DECK.read_text())
    play(client, "one-deck", "stay")
    made = client.post("/deals", data={"table": "one-deck", "kind": "counted"}, headers=JSON)
    address = made.get_json()["address"]
    for step, move in enumerate(("deal", "stay")):
        client.post(address, data={"move": move, "step": step}, headers=JSON)
    for _ in one_round(client, "one-deck", rng):
        pass
    file = tmp_path / "history.json"
    file.write_text(client.get("/one-deck/history.json").text)
    command = [sys.executable, "-m", "cardgames.verify", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert [bool(one["deal"]) for one in exported(client, "one-deck")] == [False, True, False]


@pytest.mark.parametrize(("name", "other"), [("chosen", "hit"), ("best", "bet"), ("cost", 0.25)])
def test_a_decision_that_was_changed_is_noticed(
    client: FlaskClient, tmp_path: Path, name: str, other: object
) -> None:
    play(client, "blackjack", "deal", deck=DECK.read_text())
    play(client, "blackjack", "stay")
    told = client.get("/blackjack/history.json").get_json()
    told["rounds"][0]["decisions"][0][name] = other
    file = tmp_path / "history.json"
    file.write_text(json.dumps(told))
    command = [sys.executable, "-m", "cardgames.verify", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Round 1: " in done.stdout


def test_a_transcript_has_no_round_of_a_deal_link(client: FlaskClient) -> None:
    play(client, "simple-21", "deal", deck=DECK.read_text())
    play(client, "simple-21", "stay")
    before = client.get("/simple-21/transcript").text
    made = client.post("/deals", data={"table": "simple-21", "kind": "counted"}, headers=JSON)
    for step, move in enumerate(("deal", "stay")):
        client.post(made.get_json()["address"], data={"move": move, "step": step}, headers=JSON)
    assert len(exported(client, "simple-21")) == 2
    assert client.get("/simple-21/transcript").text == before


@pytest.mark.parametrize("names", ["tie,player", "dealer,player", "A,B"])
def test_a_player_of_war_is_called_by_his_name(client: FlaskClient, names: str) -> None:
    play(client, "war", "deal", players="2", names=names)
    winner = play(client, "war", "turn", turns="all")["view"]["winner"]
    page = client.get("/war/history").text
    assert f'<span class="ending">{winner}</span>' in page
    assert "You won" not in page
    assert "A tie" not in page


@pytest.mark.parametrize("number", ["0", "7", "999999999", "9" * 30])
def test_a_round_that_never_was_is_not_found(client: FlaskClient, number: str) -> None:
    assert client.get(f"/simple-21/history/{number}").status_code == 404


def test_decisions_are_exported_without_a_coach_too(tmp_path: Path) -> None:
    client = create_app(Settings(data_dir=tmp_path, coach=False)).test_client()
    play(client, "blackjack", "deal", deck=DECK.read_text())
    play(client, "blackjack", "stay")
    play(client, "bingo", "deal", mode="L", speed="N")
    calls = len(play(client, "bingo", "call", calls="all")["view"]["called"])
    for slug, decisions in (("blackjack", "stay"), ("bingo", f"call:calls=1*{calls}")):
        (row,) = DictReader(io.StringIO(client.get(f"/{slug}/history.csv").text))
        assert row["decisions"] == decisions


def test_a_link_that_leads_back_leads_to_the_same_step(client: FlaskClient) -> None:
    play(client, "blackjack", "deal")
    play(client, "blackjack", "stay")
    address = replay_of(client, "blackjack", 1)
    page = client.get(f"{address}?step=2").text
    link = html.unescape(re.search(r'href="(/language/de[^"]+)"', page)[1])  # type: ignore[index]
    assert client.get(link).headers["Location"] == f"{address}?step=2"


def test_a_spreadsheet_gets_the_same_rounds_and_no_formula(client: FlaskClient) -> None:
    play(client, "war", "deal", players="2", names="=1+1,@b")
    play(client, "war", "turn", turns="all")
    text = client.get("/war/history.csv").text
    (row,) = DictReader(io.StringIO(text))
    assert row["result"] in ("'=1+1", "'@b")
    assert row["record"] == exported(client, "war")[0]["record"]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in row.values())


# ---- Records that were tampered with -------------------------------------------------------


def test_one_flipped_character_of_a_signed_record_is_noticed(client: FlaskClient) -> None:
    play(client, "blackjack", "deal")
    play(client, "blackjack", "stay")
    token = unquote(replay_of(client, "blackjack", 1).removeprefix("/replay/"))
    assert client.get(f"/replay/{token}").status_code == 200
    for place, character in enumerate(token):
        other = "1" if character == "0" else "0"
        answer = client.get("/replay/" + token[:place] + other + token[place + 1 :])
        if character == "~":  # then it has no signature
            assert "signed" not in answer.text.split("<h1>")[1].split("</h1>")[0]
            assert answer.status_code == 422
            continue
        assert answer.status_code == 422, place
        assert "changed after it was signed" in answer.text


def test_an_unsigned_record_is_shown_and_marked(client: FlaskClient) -> None:
    text = "blackjack_1_shuffle=9STHQDJC+48_deal_stay_result=dealer"
    told = client.get(f"/replay/{text}", headers=JSON).get_json()
    assert told["signed"] is False
    assert "not signed" in client.get(f"/replay/{text}").text
    assert client.get(f"/replay/{text}~").status_code == 422


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("blackjack_1_shuffle=9STHQDJC+48_deal_hit_result=dealer", "Step 2"),
        ("blackjack_1_shuffle=9STHQDJC+48_stay_result=dealer", "Step 1"),
        ("blackjack_1_shuffle=9STHQDJC+48_deal_stay_hit_result=dealer", "Step 3"),
        ("blackjack_1_shuffle=9STHQDJC+48_deal_stay_result=player", "Step 2"),
        ("blackjack_2_shuffle=9STHQDJC+48_deal_stay_result=dealer", "version"),
        ("poker_1_deal", "not the record"),
        ("x" * 9000, "not the record"),
    ],
)
def test_a_record_that_breaks_the_rules_is_refused_with_its_step(
    client: FlaskClient, text: str, sentence: str
) -> None:
    answer = client.get(f"/replay/{text}")
    assert answer.status_code == 422
    assert sentence in answer.text
    assert sentence in client.get(f"/replay/{text}", headers=JSON).get_json()["error"]


# ---- Nothing that is hidden still ----------------------------------------------------------


def looks(client: FlaskClient, slug: str, rounds: int) -> Iterator[TestResponse]:
    """Look at everything that tells of what was played."""
    for path in ("history", "history.json", "history.csv", "seals"):
        yield client.get(f"/{slug}/{path}")
        yield client.get(f"/{slug}/{path}", headers=JSON)
    for number in range(1, rounds + 1):
        answer = client.get(f"/{slug}/history/{number}")
        yield answer
        if answer.status_code == 303:
            for step in range(1, 5):
                yield client.get(f"{answer.headers['Location']}?step={step}")
                yield client.get(f"{answer.headers['Location']}?step={step}", headers=JSON)


@pytest.mark.parametrize("slug", ["simple-21", "one-deck"])
def test_no_page_about_the_past_names_a_card_that_is_still_hidden(
    slug: str, client: FlaskClient
) -> None:
    """While one deck lasts, what is hidden has never been seen, and so stands nowhere."""
    rng, salts = random.Random(21), 0
    for rounds in range(9):
        for _ in one_round(client, slug, rng):
            state = kept(client, slug)
            hidden = {*hidden_cards(state, HOLE[slug])}
            if slug == "simple-21" and len(state.deck) + len(state.discards) < 40 and rounds > 6:
                return  # soon the discards come back
            with client.session_transaction() as session:
                secrets = [seal.salt.hex() for seal in session[slug].book.sealed]
            for answer in looks(client, slug, rounds):
                assert not cards_named(answer.text) & hidden, answer.request.path
                assert not cards_named(unquote(str(answer.headers))) & hidden
                assert not any(salt in answer.text for salt in secrets)
                salts += len(secrets)
            if state.phase.value == "game over":
                assert salts
                return
    assert salts


def test_a_round_of_a_deck_in_play_is_shared_without_the_rest_of_the_deck(
    client: FlaskClient,
) -> None:
    rng = random.Random(2)
    for _ in range(2):
        for _ in one_round(client, "simple-21", rng):
            pass
    for one in exported(client, "simple-21"):
        record = parse(one["record"])
        assert not one["opened"]
        assert not record.is_whole
        assert all(set(shuffle) == {"seal"} for shuffle in one["shuffles"])
        assert replayed(record)
        address = replay_of(client, "simple-21", one["number"])
        assert "/what-if/" not in client.get(address).text
        beginning = record.up_to(1).text.replace(" ", "_")
        assert client.get(f"/what-if/{beginning}").status_code == 422
    play(client, "simple-21", "new")
    for one in exported(client, "simple-21"):
        assert one["opened"]
        assert parse(one["record"]).is_whole


# ---- What if -------------------------------------------------------------------------------


def test_a_finished_round_can_be_played_differently_and_nothing_counts(client: FlaskClient) -> None:
    """The sheet's deck at Blackjack: KS JH QS AH QH 6D; the hole card is the first, JH."""
    play(client, "blackjack", "deal", deck=DECK.read_text())
    play(client, "blackjack", "stay")  # 20 against JH AH: 21
    before = client.get("/blackjack", headers=JSON).get_json()
    address = replay_of(client, "blackjack", 1)
    what_if = html.unescape(re.search(r'href="(/what-if/[^"]+)"', client.get(address).text)[1])  # type: ignore[index]
    page = client.get(what_if).text
    assert "never counted" in page
    (hit,) = (
        html.unescape(link) for link in re.findall(r'href="(/what-if/[^"]+_hit\?[^"]*)"', page)
    )
    told = client.get(hit, headers=JSON).get_json()
    assert told["practice"] is True
    assert told["view"]["player"]["cards"] == ["KS", "QS", "QH"]  # the card that was next: bust
    assert told["view"]["winner"] == "dealer"
    page = client.get(hit).text
    assert 'href="/what-if/' not in page
    assert address.split("?")[0] in html.unescape(page)
    assert client.get("/blackjack", headers=JSON).get_json() == before
    assert len(exported(client, "blackjack")) == 1


def test_a_round_that_is_over_cannot_be_sent_on_as_a_beginning(client: FlaskClient) -> None:
    play(client, "blackjack", "deal")
    play(client, "blackjack", "stay")
    record = exported(client, "blackjack")[0]["record"].replace(" ", "_")
    assert client.get(f"/what-if/{record}").status_code == 422
    war = "war_1_salt=5a5a_deal:players=2"
    assert client.get(f"/what-if/{war}").status_code == 422


@pytest.mark.parametrize("slug", ["war", "bingo"])
def test_where_nothing_is_decided_nothing_can_be_decided_differently(
    slug: str, client: FlaskClient
) -> None:
    for _ in one_round(client, slug, random.Random(3)):
        pass
    assert "/what-if/" not in client.get(replay_of(client, slug, 1)).text


# ---- Seals ---------------------------------------------------------------------------------


@tables
def test_what_was_sealed_at_the_deal_is_what_was_dealt(slug: str, client: FlaskClient) -> None:
    """Checked with nothing but hashlib: the seal, the order from the salt, and the cards."""
    rng = random.Random(34)
    playing = one_round(client, slug, rng)
    dealt = next(playing)["view"]
    sealed = client.get(f"/{slug}/seals", headers=JSON).get_json()
    assert sealed["opened"] == []
    assert len(sealed["sealed"]) == (2 if slug == "bingo" else 1)
    assert sealed["sealed"][-1] in client.get(f"/{slug}").text
    for _ in playing:
        pass
    play(client, slug, "new")
    opened = client.get(f"/{slug}/seals", headers=JSON).get_json()
    assert opened["sealed"] == []
    assert sorted(one["seal"] for one in opened["opened"]) == sorted(sealed["sealed"])
    orders = []
    for one in opened["opened"]:
        assert sha256(f"{one['salt']} {one['order']}".encode()).hexdigest() == one["seal"]
        orders.append(one["order"].split())
        by_salt = [
            sorted(
                FULL_DECK, key=lambda card: sha256(f"{one['salt']} {n} {card}".encode()).digest()
            )
            for n in (1, 2)
        ]
        assert orders[-1] in [list(map(str, order)) for order in by_salt]
    if slug in TWENTY_ONE:
        (order,) = orders
        assert dealt["player"]["cards"] == [order[0], order[2]]
        shown = [order[1], order[3]]
        shown[HOLE[slug]] = None
        assert dealt["dealer"]["cards"] == shown
    if slug == "bingo":
        rows = [dealt["grids"][0]["cards"], dealt["grids"][1]["cards"]]
        grids = [[order[0:50:2], order[1:50:2]] for order in orders]
        for grid in grids:
            grid[0][12] = grid[1][12] = None
        assert rows in grids
    page = client.get(f"/{slug}/seals").text
    assert all(one["salt"] in page and one["order"] in page for one in opened["opened"])


def test_two_shuffles_never_have_the_same_seal(client: FlaskClient) -> None:
    seen = set()
    for number in range(1, 21):
        play(client, "blackjack", "deal")
        seen.update(client.get("/blackjack/seals", headers=JSON).get_json()["sealed"])
        assert len(seen) == number
        play(client, "blackjack", "stay")


def test_a_deck_of_ones_own_is_not_sealed(client: FlaskClient) -> None:
    play(client, "simple-21", "deal", deck=DECK.read_text())
    assert client.get("/simple-21/seals", headers=JSON).get_json()["sealed"] == []


def test_a_refill_is_sealed_and_the_old_seal_opened_when_it_tells_nothing(
    client: FlaskClient,
) -> None:
    """Never in the middle of a round; the rule itself is tested in test_book.py."""
    rng, opened = random.Random(55), 0
    for _ in range(40):
        for table in one_round(client, "simple-21", rng):
            seals = client.get("/simple-21/seals", headers=JSON).get_json()
            if table["view"]["phase"] == "playing":
                assert len(seals["opened"]) == opened
            opened = max(opened, len(seals["opened"]))
    assert opened == 2


def test_the_recipe_on_the_page_works(client: FlaskClient) -> None:
    """The Python that stands there says True, and the line for the shell gives the seal."""
    play(client, "blackjack", "deal")
    play(client, "blackjack", "stay")
    page = html.unescape(client.get("/blackjack/seals").text)
    shell, python = re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.DOTALL)
    assert len(python.split("def check")[0].splitlines()) + python.count("\n") <= 13
    said = subprocess.run(
        [sys.executable, "-c", python], capture_output=True, text=True, check=True
    )
    assert said.stdout == "True\n"
    said = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, check=True)
    seal = client.get("/blackjack/seals", headers=JSON).get_json()["opened"][0]["seal"]
    assert said.stdout.split()[0] == seal


def test_addresses_of_the_past_cannot_lead_elsewhere(client: FlaskClient) -> None:
    text = "blackjack_1_shuffle=" + "".join(FULL_DECK) + "_deal"
    page = client.get(f"/what-if/{text}?of=//evil.example/x").text
    links = [html.unescape(link) for link in re.findall(r'href="([^"]+)"', page)]
    assert links
    assert all(link.startswith(("/", "#")) and not link.startswith("//") for link in links)


def test_json_is_the_same_file(client: FlaskClient) -> None:
    play(client, "blackjack", "deal")
    play(client, "blackjack", "stay")
    listed = client.get("/blackjack/history", headers=JSON).get_json()
    assert listed == json.loads(client.get("/blackjack/history.json").text)
