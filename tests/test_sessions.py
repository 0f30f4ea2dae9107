"""Sessions: a signed id, compare-and-set, and nothing lost or invented when a row is not right."""

import io
import re
import threading
import time
from pathlib import Path
from typing import Any

import flask
import msgspec
import pytest
from flask.testing import FlaskClient
from web.sessions import Row
from web.store import LIFETIME, SQLiteStore, StoreUnavailable

from app import create_app
from web import sessions, store, tables
from web.settings import BadSetting, Settings

JSON = {"Accept": "application/json"}


def move(client: FlaskClient, name: str, step: int, path: str = "/simple-21", **fields: str) -> Any:
    form = {"move": name, "step": str(step), **fields}
    return client.post(path, data=form, headers=JSON)


def view(client: FlaskClient, path: str = "/simple-21") -> Any:
    return client.get(path, headers=JSON).get_json()


def cookie(client: FlaskClient) -> str:
    kept = client.get_cookie("cardgames")
    assert kept
    return kept.value


def kept(app: flask.Flask) -> SQLiteStore:
    assert isinstance(app.session_interface, sessions.Sessions)
    assert isinstance(app.session_interface.store, SQLiteStore)
    return app.session_interface.store


def rewrite(app: flask.Flask, client: FlaskClient, data: bytes) -> None:
    sid = cookie(client).partition(".")[0]
    saved = kept(app).load(sid)
    assert saved
    assert kept(app).save(sid, saved.version, data)


# ---- The cookie ----------------------------------------------------------------------------


def test_the_cookie_holds_a_signed_id_and_nothing_else(client: FlaskClient) -> None:
    response = move(client, "deal", 0)
    header = response.headers["Set-Cookie"]
    assert "HttpOnly" in header
    assert "SameSite=Lax" in header
    assert "Path=/" in header
    assert "Secure" not in header
    value = cookie(client)
    assert len(value) <= 128
    assert re.fullmatch(r"[0-9a-f]{32}\.[0-9a-f]{64}", value)  # no card's code, even by chance
    first = value
    move(client, "stay", 1)
    assert cookie(client) == first


def test_over_tls_the_cookie_is_secure(client: FlaskClient) -> None:
    response = client.post(
        "/simple-21", data={"move": "deal", "step": "0"}, base_url="https://localhost"
    )
    assert "Secure" in response.headers["Set-Cookie"]


def test_looking_never_writes_nor_sets_the_cookie_again(
    app: flask.Flask, client: FlaskClient
) -> None:
    move(client, "deal", 0)
    sid = cookie(client).partition(".")[0]
    before = kept(app).load(sid)
    for path in ("/", "/simple-21", "/simple-21/rules", "/war", "/healthz"):
        assert "Set-Cookie" not in client.get(path).headers
    move(client, "hit", 7)  # refused
    assert kept(app).load(sid) == before


def forged(value: str) -> list[str]:
    sid, _, signature = value.partition(".")
    flipped = "0" if signature[-1] != "0" else "1"
    return [
        "",
        ".",
        "x",
        sid,
        f"{sid}.",
        f"{sid}.{signature[:-1]}",
        f"{sid}.{signature[:-1]}{flipped}",
        f"{sid}.{signature.upper()}",
        f"{sid[:-1]}{'0' if sid[-1] != '0' else '1'}.{signature}",
        f"{'0' * 32}.{signature}",
        f"{sid}.{signature}.{signature}",
        value + "\u00e9",
        value * 40,
    ]


@pytest.mark.parametrize("case", range(13))
def test_a_forged_cookie_is_a_stranger(app: flask.Flask, client: FlaskClient, case: int) -> None:
    move(client, "deal", 0)
    stranger = app.test_client()
    headers = {**JSON, "Cookie": f"cardgames={forged(cookie(client))[case]}"}
    response = stranger.get("/simple-21", headers=headers)
    assert (response.status_code, response.get_json()["step"]) == (200, 0)
    response = stranger.post("/simple-21", data={"move": "deal", "step": "0"}, headers=headers)
    assert response.status_code == 200
    assert cookie(stranger) != cookie(client)
    assert view(client)["step"] == 1


def test_an_id_that_the_store_does_not_know_is_not_taken_over(
    app: flask.Flask, client: FlaskClient
) -> None:
    move(client, "deal", 0)
    known = cookie(client)
    kept(app).delete(known.partition(".")[0])
    assert view(client)["step"] == 0
    move(client, "deal", 0)
    assert cookie(client) != known


def test_older_keys_are_still_believed(tmp_path: Path) -> None:
    old = create_app(Settings(data_dir=tmp_path, secret_key="old")).test_client()
    move(old, "deal", 0)
    settings = Settings(data_dir=tmp_path, secret_key="new", secret_key_fallbacks=("old",))
    new = create_app(settings).test_client()
    new.set_cookie("cardgames", cookie(old))
    assert view(new)["step"] == 1
    other = create_app(Settings(data_dir=tmp_path, secret_key="other")).test_client()
    other.set_cookie("cardgames", cookie(old))
    assert view(other)["step"] == 0


# ---- Compare and set -----------------------------------------------------------------------


def test_the_store_refuses_to_overwrite_what_was_not_read(tmp_path: Path) -> None:
    kept = SQLiteStore(tmp_path / "sessions.db")
    assert kept.load("a") is None
    assert kept.save("a", 0, b"1")
    assert not kept.save("a", 0, b"again")
    assert kept.save("a", 1, b"2")
    assert not kept.save("a", 1, b"late")
    assert not kept.save("b", 1, b"never there")
    assert kept.load("a") == (2, b"2")
    kept.delete("a")
    assert kept.load("a") is None


def test_a_move_at_another_table_meanwhile_is_kept(
    app: flask.Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between our read and our write another tab plays Blackjack: both moves stand."""
    move(client, "deal", 0)
    other = app.test_client()
    other.set_cookie("cardgames", cookie(client))
    store_save = kept(app).save
    meanwhile = [lambda: move(other, "deal", 0, "/blackjack")]

    def save(*args: Any) -> bool:
        if meanwhile:
            meanwhile.pop()()
        return store_save(*args)

    monkeypatch.setattr(kept(app), "save", save)
    assert move(client, "stay", 1).status_code == 200
    assert view(client)["step"] == 2
    assert view(client, "/blackjack")["step"] == 1


def test_the_same_move_twice_at_once_counts_once(
    app: flask.Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(client, "deal", 0)
    other = app.test_client()
    other.set_cookie("cardgames", cookie(client))
    store_save = kept(app).save
    answers: list[int] = []
    meanwhile = [lambda: answers.append(move(other, "hit", 1).status_code)]

    def save(*args: Any) -> bool:
        if meanwhile:
            meanwhile.pop()()
        return store_save(*args)

    monkeypatch.setattr(kept(app), "save", save)
    assert move(client, "hit", 1).status_code == 409
    assert answers == [200]
    assert len(view(client)["view"]["player"]["cards"]) == 3


def test_an_uploaded_deck_is_read_again_when_the_move_is_run_again(
    app: flask.Flask, client: FlaskClient, shuffled_deck: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(client, "deal", 0, "/blackjack")
    other = app.test_client()
    other.set_cookie("cardgames", cookie(client))
    store_save = kept(app).save
    meanwhile = [lambda: move(other, "stay", 1, "/blackjack")]

    def save(*args: Any) -> bool:
        if meanwhile:
            meanwhile.pop()()
        return store_save(*args)

    monkeypatch.setattr(kept(app), "save", save)
    upload = (io.BytesIO(shuffled_deck.encode()), "shuffledDeck.txt")
    form = {"move": "deal", "step": "0", "deck": upload}
    answer = client.post("/simple-21", data=form, headers=JSON).get_json()
    assert answer["view"]["player"]["cards"] == ["KS", "QS"]
    assert answer["view"]["stacked"]


def test_whoever_is_overtaken_three_times_is_told_to_try_again(
    app: flask.Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(client, "deal", 0)
    monkeypatch.setattr(kept(app), "save", lambda *_args: False)
    response = move(client, "hit", 1)
    assert response.status_code == 503
    assert response.headers["Retry-After"]


def test_two_sessions_never_mix(app: flask.Flask, shuffled_deck: str) -> None:
    players = [app.test_client() for _ in range(8)]
    for number, player in enumerate(players):
        move(player, "deal", 0, deck=shuffled_deck)
        for step in range(number % 3):
            move(player, "new", step + 1)
    assert [view(player)["step"] for player in players] == [1 + n % 3 for n in range(8)]
    assert len({cookie(player) for player in players}) == len(players)


def test_a_view_that_fails_has_saved_nothing(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(client, "deal", 0)
    before = view(client)

    def broken(*_args: Any) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(tables, "_answer", broken)
        assert move(client, "hit", 1).status_code == 500
    assert view(client) == before


# ---- Rows that are not right ---------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"\x00", b"\xc1garbage", b"\x93\x01\x02\x03", b"\x80" * 9])
def test_an_undecodable_session_is_begun_anew_with_a_note(
    app: flask.Flask, client: FlaskClient, data: bytes
) -> None:
    move(client, "deal", 0)
    known = cookie(client)
    rewrite(app, client, data)
    response = client.get("/simple-21")
    assert response.status_code == 200
    assert "could not be read" in response.text
    assert move(client, "deal", 0).status_code == 200
    assert cookie(client) == known
    assert "could not be read" not in client.get("/simple-21").text


def older(shape: dict[str, Any]) -> bytes:
    state = msgspec.Raw(msgspec.msgpack.encode(shape))
    return msgspec.msgpack.encode({"simple-21": Row(5, state)})


@pytest.mark.parametrize(
    "shape",
    [
        {},
        {"phase": "playing", "round": 3, "player": ["KS"], "dealer": ["QS"]},
        {"phase": "bidding"},
    ],
)
def test_a_table_of_an_older_version_is_begun_anew_at_its_step(
    app: flask.Flask, client: FlaskClient, shape: dict[str, Any]
) -> None:
    """A missing field fails to load and is not invented; the other tables stay."""
    move(client, "deal", 0)
    rewrite(app, client, older(shape))
    page = client.get("/simple-21")
    assert page.status_code == 200
    assert "could not be read" in page.text
    assert view(client)["step"] == 5
    assert view(client)["view"]["phase"] == "ready"
    assert move(client, "deal", 0).status_code == 409
    assert move(client, "deal", 5).status_code == 200


def test_a_card_that_does_not_exist_is_not_loaded(app: flask.Flask, client: FlaskClient) -> None:
    move(client, "deal", 0)
    saved = kept(app).load(cookie(client).partition(".")[0])
    assert saved
    rows = msgspec.msgpack.decode(saved.data, type=dict[str, Row])
    state = msgspec.msgpack.decode(rows["simple-21"].state)
    state["deck"][0] = "1X"
    rewrite(app, client, older(state))
    assert view(client)["view"]["phase"] == "ready"


def test_an_expired_session_is_gone_and_purged(
    app: flask.Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(client, "deal", 0)
    now = time.time()
    monkeypatch.setattr(store.time, "time", lambda: now + LIFETIME - 60)
    assert view(client)["step"] == 1
    monkeypatch.setattr(store.time, "time", lambda: now + LIFETIME + 2 * 86_400)
    assert view(client)["step"] == 0
    assert kept(app).purge() == 1
    assert kept(app).purge() == 0


# ---- The store's place ---------------------------------------------------------------------


def test_a_store_that_does_not_answer_is_a_503_and_comes_back(
    app: flask.Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(client, "deal", 0)

    def away(*_args: Any) -> None:
        raise StoreUnavailable("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(kept(app), "load", away)
        response = client.get("/simple-21")
        assert response.status_code == 503
        assert response.headers["Retry-After"]
        assert client.get("/", headers=JSON).status_code == 503
    with monkeypatch.context() as patch:
        patch.setattr(kept(app), "save", away)
        assert move(client, "hit", 1).status_code == 503
    with monkeypatch.context() as patch:
        patch.setattr(kept(app), "ping", away)
        assert client.get("/healthz").status_code == 503
    assert client.get("/healthz").status_code == 200
    assert move(client, "hit", 1).status_code == 200


def test_a_store_that_cannot_be_opened_says_where(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="nowhere"):
        SQLiteStore(tmp_path / "nowhere" / "sessions.db")


def test_a_fault_that_sqlite_tells_in_no_text_is_one_all_the_same(tmp_path: Path) -> None:
    """Its sentence about a damaged schema quotes the damage, which Python cannot decode."""
    path = tmp_path / "sessions.db"
    SQLiteStore(path).checkpoint()
    whole = path.read_bytes()
    assert b"session_expires ON" in whole
    path.write_bytes(whole.replace(b"session_expires ON", b"session_expires \xbd\xff"))
    with pytest.raises(StoreUnavailable):
        SQLiteStore(path)


def test_the_data_directory_and_the_key_are_the_owners_alone(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    create_app(settings)
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    secret = tmp_path / "data" / "secret_key"
    assert secret.stat().st_mode & 0o777 == 0o600
    assert len(secret.read_text()) >= 32
    assert settings.key() == secret.read_text()
    assert sorted(path.name for path in (tmp_path / "data").glob("secret_key*")) == ["secret_key"]


def test_many_workers_agree_on_one_key(tmp_path: Path) -> None:
    keys: list[str] = []
    threads = [
        threading.Thread(target=lambda: keys.append(Settings(data_dir=tmp_path).key()))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 16
    assert len(set(keys)) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "x"), ("PORT", "0"), ("PORT", "65536"), ("WORKERS", "-1"), ("URL_PREFIX", "cards")],
)
def test_a_setting_that_makes_no_sense_is_named(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=name):
        Settings.from_environment({name: value})


def test_the_settings_of_the_contract() -> None:
    read = Settings.from_environment(
        {
            "HOST": "0.0.0.0",
            "PORT": "80",
            "WORKERS": "3",
            "DATA_DIR": "/srv/cards",
            "SECRET_KEY": "k",
            "SECRET_KEY_FALLBACKS": "a, b",
            "URL_PREFIX": "/cards/",
            "TRUSTED_PROXIES": "1",
        }
    )
    assert read == Settings(
        host="0.0.0.0",
        port=80,
        workers=3,
        data_dir=Path("/srv/cards"),
        secret_key="k",
        secret_key_fallbacks=("a", "b"),
        url_prefix="/cards",
        trusted_proxies=1,
    )
    assert Settings.from_environment({}) == Settings()


def test_behind_a_prefix_pages_forms_redirects_and_cookie_stay_below_it(tmp_path: Path) -> None:
    client = create_app(Settings(data_dir=tmp_path, url_prefix="/cards")).test_client()
    page = client.get("/cards/simple-21").text
    assert 'action="/cards/simple-21"' in page
    addresses = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
    assert addresses
    assert all(address.startswith("/cards/") for address in addresses)
    response = client.post("/cards/simple-21", data={"move": "deal", "step": "0"})
    assert response.headers["Location"] == "/cards/simple-21"
    assert "Path=/cards" in response.headers["Set-Cookie"]
    assert client.get("/simple-21").status_code == 404
