"""By which names the site may be called when nobody has said: not by one that a stranger owns."""

from pathlib import Path
from socket import gethostname

import flask
import pytest
from flask.testing import FlaskClient

from app import create_app
from web.settings import Settings

OWN = (
    *("localhost", "localhost:8000", "127.0.0.1", "127.0.0.1:8000", "10.1.2.3", "10.1.2.3:80"),
    *("[::1]", "[::1]:8000", "[fe80::1]:8000", "cards", "cards:8000", "app1", "pc-12.local"),
    *("cards.localhost:8000", gethostname(), f"{gethostname().upper()}:8000"),
)
FOREIGN = (
    *("evil.example", "evil.example:8000", "EVIL.example", "10.1.2.3.evil.example"),
    *("127.0.0.1.nip.example:8000", "x.local.evil.example", "localhost.evil.example"),
)


@pytest.mark.parametrize("host", OWN)
def test_addresses_and_names_of_the_network_are_answered(client: FlaskClient, host: str) -> None:
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", FOREIGN)
def test_a_name_that_anybody_can_own_is_refused(client: FlaskClient, host: str) -> None:
    """A page on the internet may point its name at this machine, and come in through a browser."""
    for path in ("/", "/simple-21", "/nowhere"):
        assert client.get(path, headers={"Host": host}).status_code == 400
    form = {"move": "deal", "step": "0"}
    answer = client.post("/simple-21", data=form, headers={"Host": host})
    assert answer.status_code == 400
    assert "Set-Cookie" not in answer.headers
    for path in ("/healthz", "/readyz"):
        assert client.get(path, headers={"Host": host}).status_code == 200


def test_the_refusal_says_what_to_set(client: FlaskClient) -> None:
    answer = client.get("/", headers={"Host": "cards.example.edu"})
    assert "ALLOWED_HOSTS" in answer.text
    german = {"Host": "cards.example.edu", "Accept-Language": "de"}
    assert "kennt den Namen nicht" in client.get("/", headers=german).text
    json = {"Host": "cards.example.edu", "Accept": "application/json"}
    assert "ALLOWED_HOSTS" in client.get("/", headers=json).get_json()["error"]


@pytest.mark.parametrize(
    "settings",
    [{"allowed_hosts": ("cards.example.edu",)}, {"trusted_proxies": 1}],
    ids=["named", "behind a proxy"],
)
def test_who_has_said_more_is_believed(tmp_path: Path, settings: dict[str, object]) -> None:
    client = create_app(Settings(data_dir=tmp_path, **settings)).test_client()  # type: ignore[arg-type]
    assert client.get("/", headers={"Host": "cards.example.edu"}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/simple-21", "/elsewhere/simple-21", "/card"])
def test_what_is_outside_the_prefix_has_the_headers_too(tmp_path: Path, path: str) -> None:
    app: flask.Flask = create_app(Settings(data_dir=tmp_path, url_prefix="/cards"))
    client = app.test_client()
    outside, inside = client.get(path), client.get("/cards/nowhere")
    assert outside.status_code == inside.status_code == 404
    names = ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy")
    for name in (*names, "Cross-Origin-Opener-Policy", "Cache-Control"):
        assert outside.headers[name] == inside.headers[name]
