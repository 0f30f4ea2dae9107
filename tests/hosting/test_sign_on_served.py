"""Sign-on at a proxy in front of the served site: forged headers, and the nginx sample."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.support.http_client import JSON, Client
from tests.support.machines import nginx, sample
from tests.support.serving import Server, free_port
from web.commands import check

PROXY, OUTSIDE = "127.0.0.1", "127.0.0.2"
PROF = "ada@example.edu"
SETTINGS = {
    "TRUSTED_USER_HEADER": "X-Remote-User",
    "TRUSTED_PROXIES": PROXY,
    "INSTRUCTORS": PROF,
    "WORKERS": "1",
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with Server(tmp_path_factory.mktemp("site"), **SETTINGS) as served:
        yield served


def sent(server: Server, head: str, peer: str = PROXY, path: str = "/class/new") -> tuple[int, str]:
    """Send these headers from an address of this machine, and return the response.

    The headers are not changed on the way.
    """
    source = (peer, 0)
    with socket.create_connection(("127.0.0.1", server.port), 10, source) as connection:
        request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{head}\r\n"
        connection.sendall(request.encode("latin-1"))
        with connection.makefile("rb") as stream:
            answer = stream.read().decode()
    return int(answer[9:12]), answer


# Instructors see the form (200). Everyone else is redirected to the page for instructors (303).
@pytest.mark.parametrize(
    ("head", "status"),
    [
        (f"X-Remote-User: {PROF}", 200),
        (f"x-remote-user: {PROF}", 200),
        (f"X-REMOTE-USER:{PROF}", 200),
        ("", 303),
        ("X-Remote-User: ", 303),
        (f"X_Remote_User: {PROF}", 303),
        (f"X-Remote_User: {PROF}", 303),
        (f"X_REMOTE_USER: {PROF}\r\nX-Remote-User: student", 303),
        (f"X-Remote-User: student\r\nX_Remote_User: {PROF}", 303),
        (f"X-Remote-User: {PROF.upper()}", 303),
        (f"X-Forwarded-User: {PROF}", 303),
        (f"X-Forwarded-For: {OUTSIDE}\r\nX-Remote-User: {PROF}", 200),
        (f"X-Remote-User: student\r\nX-Remote-User: {PROF}", 400),
        (f"X-Remote-User: {PROF}\r\nX-Remote-User: {PROF}", 400),
        (f"X-Remote-User: {PROF}\r\nx-remote-user: student", 400),
        # a folded header line, which older versions of HTTP allowed
        (
            f"X-Remote-User: {PROF}\r\n student",
            400,
        ),
        (f"X-Remote-User: {PROF}\n X: student", 400),
        (f"X-Remote-User: {PROF}\x00", 400),
        ("X-Remote-User: \xc3\xa4da@example.edu", 400),
        ("X-Remote-User: " + "x" * 10_000, 400),
        ("X-Remote-User: " + "x" * 20_000, 431),
    ],
)
def test_header_from_a_trusted_peer_is_used(server: Server, head: str, status: int) -> None:
    assert sent(server, f"{head}\r\n" if head else "")[0] == status
    assert "xxxxxxxx" not in server.log()


@pytest.mark.parametrize("name", ["X-Remote-User", "x-remote-user", "X_Remote_User"])
@pytest.mark.parametrize("more", ["", f"X-Forwarded-For: {PROXY}\r\n", f"X-Real-IP: {PROXY}\r\n"])
def test_header_from_an_untrusted_peer_is_ignored(server: Server, name: str, more: str) -> None:
    status, answer = sent(server, f"{more}{name}: {PROF}\r\n", OUTSIDE)
    assert (status, PROF in answer) == (303, False)
    assert PROF not in server.log()


# ---- Through nginx, with a fake oauth2-proxy ---------------------------------------------------


class SignOn(BaseHTTPRequestHandler):
    """A fake oauth2-proxy.

    If a request has the fake's own cookie, the response to nginx contains the login.
    """

    def do_GET(self) -> None:
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("signed-on-as")
        is_known = self.path.startswith("/oauth2/auth") and cookie is not None
        page = b"sign in" if self.path.startswith("/oauth2/sign_in") else b""
        self.send_response(202 if is_known else 200 if page else 401)
        if cookie and is_known:
            self.send_header("X-Auth-Request-Email", cookie.value)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: object) -> None:
        """Write no log."""


@contextmanager
def sign_on() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), SignOn) as stand_in:
        Thread(target=stand_in.serve_forever, daemon=True).start()
        yield stand_in.server_port
        stand_in.shutdown()


@pytest.fixture(scope="module")
def port(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    port = free_port()
    with sign_on() as stand_in:
        names = {
            "listen 443 ssl;": f"listen 127.0.0.1:{port};",
            "    ssl_certificate /etc/ssl/certs/cards.example.edu.pem;\n": "",
            "    ssl_certificate_key /etc/ssl/private/cards.example.edu.key;\n": "",
            "127.0.0.1:4180": f"127.0.0.1:{stand_in}",
            "127.0.0.1:8000": f"127.0.0.1:{server.port}",
        }
        with nginx(tmp_path_factory.mktemp("nginx"), port, sample("nginx sign-on"), names):
            yield port


def signed_on(port: int, login: str = "") -> Client:
    """Return a browser with the cookie of oauth2-proxy."""
    client = Client(port, headers=JSON)
    client.cookies = {"signed-on-as": login} if login else {}
    return client


def test_a_class_behind_the_sign_on_of_the_sample(port: int) -> None:
    with ExitStack() as stack:

        def arrive(login: str = "") -> Client:
            return stack.enter_context(closing(signed_on(port, login)))

        assert arrive().get("/class").text == "sign in"
        prof, ann = arrive(PROF), arrive("ann@example.edu")
        form = {"title": "CS1", "real": "sign-on"}
        opened = prof.post("/class/new", form)
        assert opened.status == 200, opened.text
        path = f"/class/{opened.json['class']}"
        assert ann.post("/class/new", form).status == 403
        assert ann.post(f"{path}/join", {"offer": ann.get(path).json["offers"][0]}).status == 200
        assert '"real":"ann@example.edu"' in prof.get(f"{path}/dashboard?names=yes").text
        mallory = arrive("mallory@example.edu")
        for forged in (PROF, "ann@example.edu"):
            for header in ("X_Remote_User", "x_remote_user", "X_Auth_Request_Email"):
                for page in ("dashboard", "me.json"):
                    assert mallory.get(f"{path}/{page}", {header: forged}).status == 403
        stolen = arrive("mallory@example.edu")
        stolen.cookies = ann.cookies | stolen.cookies
        assert stolen.get(f"{path}/me.json").status == 403
        assert ann.get(f"{path}/me.json").status == 200


def test_check_reports_faults_and_trusted_proxies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("TRUSTED_USER_HEADER", "X-Remote-User")
    (found,) = check.findings()
    assert (found.level, "TRUSTED_PROXIES" in found.sentence) == ("WRONG", True)
    monkeypatch.setenv("TRUSTED_PROXIES", "10.0.0.7")
    said = [found.sentence for found in check.findings() if found.level == "ok"]
    assert any("X-Remote-User, as sent from 10.0.0.7/32" in sentence for sentence in said)
