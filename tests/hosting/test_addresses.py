"""The site's addresses: its cookie, public URL, host names, prefix and IPv6."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient

from app import command, create_app
from tests.support.classroom import Room, open_room
from tests.support.serving import Server
from tests.support.site import (
    JSON,
    TABLE,
    cookie,
    in_second_terminal,
    look,
    made_deal,
    play,
    visitor,
)
from web import reach
from web.commands import running
from web.commands.serve import greeting
from web.settings import BadSetting, Settings

HERE = {"Host": "localhost:8000"}
MACHINE = "172.17.0.2"


# ---- Two sites on one host -----------------------------------------------------------------


def test_two_sites_on_one_host_share_no_session(tmp_path: Path) -> None:
    """Browsers send the cookies of a host to all of its ports (RFC 6265, 8.5)."""
    one, two = (visitor(tmp_path / name) for name in ("one", "two"))
    play(one, TABLE, "deal")
    two._cookies = one._cookies  # type: ignore[attr-defined]  # one browser
    play(two, TABLE, "deal", "stay")
    assert (look(one)["step"], look(two)["step"]) == (1, 2)


def test_cookie_of_a_development_version_is_read(tmp_path: Path) -> None:
    before, after = visitor(tmp_path), visitor(tmp_path)
    play(before, TABLE, "deal")
    after.set_cookie("cardgames", cookie(before))
    assert look(after)["step"] == 1
    play(after, TABLE, "stay")
    assert cookie(after) == cookie(before)
    after.delete_cookie("cardgames")
    assert look(after)["step"] == 2


def test_cookies_have_names_of_our_own(client: FlaskClient) -> None:
    """A portal on the same host may also use a cookie for the language."""
    answers = [
        client.post(TABLE, data={"move": "deal", "step": "0"}),
        client.post("/language", data={"language": "de"}),
        client.post("/settings", data={"theme": "dark"}),
    ]
    for answer in answers:
        assert answer.headers["Set-Cookie"].startswith("cardgames-")


# ---- PUBLIC_URL ----------------------------------------------------------------------------


def room_at(folder: Path, **settings: str) -> Room:
    site = create_app(Settings(data_dir=folder, classes="open", host="0.0.0.0", **settings))
    return open_room(site, 1)


def test_public_url_is_in_links_and_codes(tmp_path: Path) -> None:
    room = room_at(tmp_path, public_url="https://cards.example.edu:8443")
    code = room.code
    screen = room.boss.client.get(f"/class/{code}/projector", headers=HERE).text
    assert "cards.example.edu:8443/j" in screen
    assert "localhost" not in screen
    sheet = room.boss.client.get(f"/class/{code}/print?from=1&to=1", headers=HERE).text
    assert "localhost" not in sheet
    client = room.phones[0].client
    link = client.get(made_deal(client), headers=HERE).text
    assert "https://cards.example.edu:8443/deal/" in link
    with room.app.test_request_context(headers=HERE):
        address = reach.public_address()
        assert address.join_url(code) == f"HTTPS://CARDS.EXAMPLE.EDU:8443/J/{code}"
        assert not address.warning


def test_public_url_is_in_the_terminal_and_its_name_is_known(tmp_path: Path) -> None:
    settings = Settings.from_environment(
        {"PUBLIC_URL": "http://cards.example.edu/cards/", "URL_PREFIX": "/cards"}
    )
    assert "http://cards.example.edu/cards/ " in greeting(settings)
    client = visitor(tmp_path, public_url="http://cards.example.edu")
    for host, status in (("cards.example.edu", 200), ("cards.example.edu:80", 200), ("x.org", 400)):
        assert client.get("/", headers={"Host": host}).status_code == status


@pytest.mark.parametrize(
    ("environment", "name"),
    [
        *(({"PUBLIC_URL": url}, "PUBLIC_URL must be") for url in ("cards", "ftp://x", "http://")),
        ({"PUBLIC_URL": "https://x.edu?a=b"}, "PUBLIC_URL must be"),
        ({"PUBLIC_URL": "https://u:p@x.edu"}, "PUBLIC_URL must be"),
        ({"PUBLIC_URL": "http://x.edu:99999"}, "PUBLIC_URL must be"),
        ({"PUBLIC_URL": "https://x.edu/cards"}, "PUBLIC_URL ends in /cards"),
        (
            {"PUBLIC_URL": "https://x.edu", "ALLOWED_HOSTS": "y.edu"},
            "PUBLIC_URL has the name x.edu",
        ),
    ],
)
def test_impossible_public_url_is_rejected(environment: dict[str, str], name: str) -> None:
    with pytest.raises(BadSetting, match=name):
        Settings.from_environment(environment)


# ---- Containers ----------------------------------------------------------------------------


@pytest.fixture
def in_container(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("container", "oci")
    monkeypatch.setattr(reach, "machine_addresses", lambda: (MACHINE,))


UNKNOWN = "runs in a container and does not know the URL"


@pytest.mark.usefixtures("in_container")
def test_container_tells_only_the_instructor(tmp_path: Path) -> None:
    room = room_at(tmp_path)
    code, pages = room.code, {}
    for who, path in (
        ("boss", "/dashboard"),
        ("boss", "/projector"),
        ("phone", ""),
        ("phone", "/bingo"),
    ):
        client = room.boss.client if who == "boss" else room.phones[0].client
        pages[path] = client.get(f"/class/{code}{path}", headers=HERE).text
    assert UNKNOWN in pages["/dashboard"]
    assert [path for path, page in pages.items() if UNKNOWN in page] == ["/dashboard"]
    opened_there = room.boss.client.get(
        f"/class/{code}/dashboard", headers={"Host": "192.168.0.7:8000"}
    )
    assert UNKNOWN not in opened_there.text
    settings = Settings(host="0.0.0.0")
    assert "Set PUBLIC_URL" in reach.unknown_address(settings)
    assert not reach.unknown_address(Settings(public_url="http://192.168.0.7:8000"))


def test_machine_says_nothing_of_containers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("container", raising=False)
    monkeypatch.setattr(reach, "_CONTAINER_FILES", (tmp_path / "none",))
    room = room_at(tmp_path)
    assert UNKNOWN not in room.boss.get("/dashboard", headers=HERE).text
    assert not reach.unknown_address(Settings(host="0.0.0.0"))
    monkeypatch.setattr(reach, "_CONTAINER_FILES", (tmp_path,))
    assert reach.is_container()


# ---- Names and IPv6 ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *("https://cards.example.edu", "cards.example.edu/", "*", ".example.edu", "a;b", "a b"),
        *(
            "cards.example.edu:443",
            "*.example.edu",
            "cards.example.edu.",
            "[::1",
            "-a",
            ",",
            "a..b",
        ),
        *("cards.example.edu, https://x.edu", "user@x.edu", "x.edu?", "a..b", "\u2603" * 70),
    ],
)
def test_unmatchable_host_name_stops_the_start(text: str) -> None:
    with pytest.raises(BadSetting, match="ALLOWED_HOSTS must be the names that browsers show"):
        Settings.from_environment({"ALLOWED_HOSTS": text})


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("Cards.Example.EDU", "cards.example.edu"),
        ("cards.example.edu, Other.example", "CARDS.EXAMPLE.EDU:8000"),
        ("cards.example.edu, Other.example", "other.example"),
        ("cards_1, localhost", "localhost:8000"),
        ("10.1.2.3", "10.1.2.3:8000"),
        ("::1", "[::1]:8000"),
        ("[0:0::1]", "[::1]"),
        ("karten.köln.de", "karten.xn--kln-sna.de:80"),
    ],
)
def test_only_allowed_names_are_answered(tmp_path: Path, text: str, host: str) -> None:
    allowed = Settings.from_environment({"ALLOWED_HOSTS": text}).allowed_hosts
    site = visitor(tmp_path, allowed_hosts=allowed).application
    others = {"evil.example", f"{host}.evil.example", "evil.example:80@cards.example.edu"}
    others |= {"localhost", "127.0.0.1:8000"} - {*allowed}
    for name in (host, *others):
        client, status = site.test_client(), 200 if name == host else 400
        headers = {"Host": name, **JSON}
        answer = client.get("/", headers={"Host": name})
        assert (answer.status_code, "ALLOWED_HOSTS" in answer.text) == (status, status == 400), name
        form = {"move": "new", "step": "0"}
        assert client.post(TABLE, data=form, headers=headers).status_code == status, name
        assert client.get("/healthz", headers={"Host": name}).status_code == 200


def test_unknown_name_is_logged_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    client = visitor(tmp_path, allowed_hosts=("cards.example.edu",))
    from web.http import security  # noqa: PLC0415

    security._log_unknown_name.cache_clear()
    for _ in range(3):
        client.get("/", headers={"Host": "evil.example"})
    said = capfd.readouterr().err
    assert said.count("called by a name that is not known here") == 1
    assert "evil" not in said


@pytest.mark.parametrize("host", ["::1", "[::1]"])
def test_ipv6_address_is_in_brackets(host: str) -> None:
    settings = Settings.from_environment({"HOST": host})
    assert settings.host == "::1"
    assert "http://[::1]:8000/ " in greeting(settings)
    assert reach.server_addresses(settings) == ("http://[::1]:8000",)


def test_ipv6_link_is_in_brackets(tmp_path: Path) -> None:
    visitor(tmp_path)
    environment = {"HOST": "::1", "DATA_DIR": str(tmp_path)}
    done = CliRunner(env=environment).invoke(command, ["instructor-link"])
    assert done.output.startswith("http://[::1]:8000/class/instructor/")
    assert "this machine alone" in done.output


# ---- The running server --------------------------------------------------------------------


@pytest.mark.slow
def test_second_terminal_knows_the_servers_address(tmp_path: Path) -> None:
    with Server(tmp_path, HOST="0.0.0.0", URL_PREFIX="/cards") as server:
        links = in_second_terminal(tmp_path, "instructor-link")
        assert f":{server.port}/cards/class/instructor/" in links
        assert "this machine alone" not in links
        check = in_second_terminal(tmp_path, "check")
        assert f"Cardgames is running on port {server.port} of 0.0.0.0." in check
        server.kill()
    assert (tmp_path / "running.json").exists()  # A killed process leaves the file behind.
    assert ":8000/class/instructor/" in in_second_terminal(tmp_path, "instructor-link")
    with Server(tmp_path):
        assert (tmp_path / "running.json").stat().st_mode & 0o077 == 0
    assert not (tmp_path / "running.json").exists()


# ---- Prefix --------------------------------------------------------------------------------


def test_outside_of_the_prefix_is_a_message_and_a_log_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    client = visitor(tmp_path, url_prefix="/cards")
    assert client.get("/cards/").status_code == 200
    assert client.get("/healthz").text == "ok"
    assert client.get("/cards/healthz").text == "ok"
    capfd.readouterr()
    for path in ("/", TABLE, "/cardsharp", "/secret-name"):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "begins at /cards/." in answer.text
        assert 'href="/cards/"' in answer.text
    assert "begins at /cards/." in client.get("/", headers=JSON).get_json()["error"]
    said = capfd.readouterr().err
    assert said.count('"status":404') == 5
    assert said.count("outside of URL_PREFIX /cards") == 1
    assert "secret-name" not in said
    post = client.post(TABLE, data={"move": "deal", "step": "0"})
    assert (post.status_code, "Set-Cookie" in post.headers) == (404, False)


# ---- Slashes and paths ---------------------------------------------------------------------


WITH_SLASH = {
    "/blackjack/": "/blackjack",
    "/j/": "/j",
    "/j/K7QXB/": "/j/K7QXB",
    "/class/K7QXB/?x=1&y=%C3%A4": "/class/K7QXB?x=1&y=%C3%A4",
    "/daily//": "/daily",
    "/simple-21/rules/": "/simple-21/rules",
}


def test_slash_at_the_end_is_redirected(client: FlaskClient) -> None:
    for path, to in WITH_SLASH.items():
        for answer in (client.get(path), client.post(path, data={"move": "deal"})):
            assert (answer.status_code, answer.headers["Location"]) == (308, to)


def test_slash_is_redirected_below_the_prefix(tmp_path: Path) -> None:
    client = visitor(tmp_path, url_prefix="/cards")
    assert client.get("/cards/blackjack/").headers["Location"] == "/cards/blackjack"


def test_slash_leads_nowhere_else(client: FlaskClient) -> None:
    for path in ("/nowhere/at/all/", "//evil.example/", "/deals/%0d%0ax/y/"):
        answer = client.get(path)
        location = answer.headers.get("Location", "/")
        assert answer.status_code in (308, 400, 404), path
        assert location.startswith("/")
        assert not location.startswith("//")


def test_home_folder_is_read_in_paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    read = Settings.from_environment({"DATA_DIR": "~/cards", "SHEETS": "~/sheets"})
    assert (read.data_dir, read.sheets) == (tmp_path / "cards", tmp_path / "sheets")
    with pytest.raises(BadSetting, match="DATA_DIR must be a folder"):
        Settings.from_environment({"DATA_DIR": "~nobody-of-this-name/cards"})


# ---- Forms from another host ---------------------------------------------------------------


def test_refused_form_of_another_host_is_logged_and_in_check(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """With ``Host $host``, nginx drops the port, but the browser's Origin contains the port."""
    client = visitor(tmp_path)
    sent = {"Host": "cards", "Origin": "http://cards:8080"}
    assert "refused because" not in in_second_terminal(tmp_path, "check")
    for _ in range(3):
        answer = client.post(TABLE, data={"move": "deal", "step": "0"}, headers=sent)
        assert answer.status_code == 403
    said = capfd.readouterr().err
    assert said.count("proxy_set_header Host $http_host") == 1
    assert "8080" not in said
    assert "proxy_set_header Host $http_host" in in_second_terminal(tmp_path, "check")


@pytest.mark.slow
def test_check_forgets_refused_forms_of_an_earlier_server(tmp_path: Path) -> None:
    sent = {"Host": "cards", "Origin": "http://cards:8080"}
    visitor(tmp_path).post(TABLE, data={"move": "deal", "step": "0"}, headers=sent)
    assert "refused because" in in_second_terminal(tmp_path, "check")
    with Server(tmp_path):
        assert "refused because" not in in_second_terminal(tmp_path, "check")


def test_cross_site_form_is_not_the_proxys_fault(
    client: FlaskClient, capfd: pytest.CaptureFixture[str]
) -> None:
    sent = {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}
    assert client.post(TABLE, data={"move": "deal", "step": "0"}, headers=sent).status_code == 403
    assert "proxy_set_header" not in capfd.readouterr().err


def test_read_only_data_directory_stops_no_server(tmp_path: Path) -> None:
    with running.saved(Settings(data_dir=tmp_path / "missing")):
        assert not (tmp_path / "missing").exists()
