"""The site behind nginx with TLS and a prefix, configured with the sample in docs/hosting.md."""

import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import flask
import pytest

from app import create_app
from cardgames import GAMES
from tests.support.browser import chromium
from tests.support.http_client import Client, Connection
from tests.support.machines import nginx, program, sample, unit_environment
from tests.support.pages import values
from tests.support.serving import Server, free_port
from tests.support.site import TABLE, visitor
from web.settings import Settings

NAME = "cards.example.edu"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate for the name in the sample.

    The name of the key file ends in .key.
    """
    path = tmp_path_factory.mktemp("tls") / "cards.pem"
    command = [
        *(program("openssl"), "req", "-x509", "-nodes", "-days", "2", "-newkey", "rsa:2048"),
        *("-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"),
        *("-out", str(path), "-keyout", str(path.with_suffix(".key"))),
    ]
    subprocess.run(command, check=True, capture_output=True)
    return path


@pytest.fixture(scope="module")
def hosted(
    tmp_path_factory: pytest.TempPathFactory, certificate: Path
) -> Iterator[tuple[Server, int]]:
    """Start the services of docs/hosting.md with the nginx sample."""
    folder, port = tmp_path_factory.mktemp("hosted"), free_port()
    own = ("HOST", "PORT", "DATA_DIR")
    settings = {name: value for name, value in unit_environment().items() if name not in own}
    with Server(folder, **settings) as server:
        names = {
            "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
            "/etc/ssl/certs/cards.example.edu.pem": str(certificate),
            "/etc/ssl/private/cards.example.edu.key": str(certificate.with_suffix(".key")),
            "127.0.0.1:8000": f"127.0.0.1:{server.port}",
        }
        with nginx(folder / "nginx", port, sample("nginx"), names):
            yield server, port


def tls_client(port: int, certificate: Path) -> Client:
    """Return a client that connects with TLS and sends the site's host name."""
    context = ssl.create_default_context(cafile=certificate)
    # The host name does not belong to this machine; another test checks the certificate.
    context.check_hostname = False
    return Client(Connection(port, context), prefix="/cards", headers={"Host": NAME})


def test_everything_behind_nginx_stays_below_the_prefix(
    hosted: tuple[Server, int], certificate: Path
) -> None:
    _, port = hosted
    with closing(tls_client(port, certificate)) as player:
        for path in ("/", TABLE, "/war", "/bingo", f"{TABLE}/rules"):
            response = player.get(path)
            assert response.status == 200
            assert response.headers["Strict-Transport-Security"]
            addresses = [
                address
                for name in ("href", "src", "action")
                for address in values(response.text, "*", name)
                if address.startswith("/")
            ]
            assert addresses
            assert [address for address in addresses if not address.startswith("/cards/")] == []
        sheet = values(response.text, 'link[rel="stylesheet"]', "href")[0].removeprefix("/cards")
        assert player.get(sheet).status == 200
        form = {"move": "deal", "step": "0"}
        origin = {"Origin": f"https://{NAME}"}
        response = player.post(TABLE, form, origin)
        assert (response.status, response.headers["Location"]) == (303, "/cards/simple-21")
        for part in ("Path=/cards", "Secure", "HttpOnly"):
            assert part in response.headers["Set-Cookie"]
        assert player.json(TABLE)[1]["step"] == 1
        foreign = player.post(TABLE, form, {"Origin": "https://evil.example"})
        assert foreign.status == 403
        assert player.get("/healthz").text == "ok"
        player.prefix = ""
        response = player.get("/cards")
        assert (response.status, response.headers["Location"]) == (301, "/cards/")
        assert player.get("/simple-21").status == 404


def test_another_name_is_refused(hosted: tuple[Server, int], certificate: Path) -> None:
    server, port = hosted
    with closing(tls_client(port, certificate)) as player:
        evil = {"Host": "evil.example"}
        assert player.get("/", headers=evil).status == 400
        assert player.get("/healthz", headers=evil).status == 200
    assert '"status":400' in server.log()


def test_forwarded_headers_are_believed_of_trusted_proxies_only(tmp_path: Path) -> None:
    said = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": NAME, "X-Forwarded-For": "10.0.0.9"}
    form = {"move": "new", "step": "0"}
    plain = visitor(tmp_path / "plain").post(TABLE, data=form, headers=said)
    assert "Secure" not in plain.headers["Set-Cookie"]
    client = visitor(tmp_path / "trusting", trusted_proxies=1, allowed_hosts=(NAME,))
    assert "Secure" in client.post(TABLE, data=form, headers=said).headers["Set-Cookie"]
    # The entry of the nearest proxy is the last entry, after entries that the browser may have
    # forged.
    claimed = {**said, "X-Forwarded-Host": f"{NAME}, evil.example"}
    assert client.get(TABLE, headers=claimed).status_code == 400


SERVED = ("simple-21", "blackjack", "one-deck", "war", "bingo")
"""The tables of a served site. The tests' own games exist only in this process."""


def pages(app: flask.Flask) -> list[str]:
    """Return every URL of a page, and some URLs that do not exist."""
    assert set(SERVED) < set(GAMES)
    found = {"/nowhere"}
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()):
            found |= {rule.rule.replace("<slug>", slug) for slug in SERVED}
    # URLs with an unknown number are omitted, and so are downloads.
    files = ("transcript", "history.csv")
    return sorted(path for path in found if "<" not in path and not path.endswith(files))


@pytest.mark.slow
def test_no_page_breaks_its_own_rules_in_a_real_browser(
    hosted: tuple[Server, int], tmp_path: Path
) -> None:
    """In Chromium, through nginx and TLS, no page logs a message to the console."""
    _, port = hosted
    complaints: list[str] = []
    with chromium(f"--host-resolver-rules=MAP {NAME} 127.0.0.1") as browser:
        context = browser.new_context(ignore_https_errors=True)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{page.url}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        root = f"https://{NAME}:{port}/cards"
        for slug in SERVED:
            page.goto(f"{root}/{slug}")
            page.locator("button", has_text="Deal").first.click()
            page.wait_for_load_state()
        for path in pages(create_app(Settings(data_dir=tmp_path))):
            response = page.goto(f"{root}{path}")
            assert response
            assert response.status < 500
            if path != "/healthz" and "html" in response.headers["content-type"]:
                assert "default-src 'none'" in response.headers["content-security-policy"]
        cookies = context.cookies()
    assert [text for text in complaints if "status of 4" not in text] == []
    assert [(kept["path"], kept["secure"], kept["httpOnly"]) for kept in cookies] == [
        ("/cards", True, True)
    ]
