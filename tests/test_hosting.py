"""Safe hosting: behind nginx with TLS, under systemd, in a container; doctor, log, counters.

The samples of docs/hosting.md are taken out of the page and run, so that they cannot rot.
"""

import fnmatch
import os
import re
import shlex
import shutil
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from http.client import HTTPSConnection
from pathlib import Path
from typing import Any

import flask
import msgspec
import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from playwright.sync_api import sync_playwright
from web.guard import NOTE

from app import create_app
from cardgames import GAMES
from cardgames.cards import FULL_DECK
from tests.machines import nginx, program, sample
from tools.benchmarks.serving import ROOT, Player, Server, free_port
from web import check, log, pace, tables
from web.settings import Settings

pytestmark = pytest.mark.xdist_group("hosting")
JSON = {"Accept": "application/json"}
TABLE = "/simple-21"
NAME = "cards.example.edu"
DECK = (ROOT / "tests" / "decks" / "shuffledDeck.txt").read_text()
MAKEFILE = (ROOT / "Makefile").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def site(folder: Path, **settings: Any) -> FlaskClient:
    return create_app(Settings(data_dir=folder, **settings)).test_client()


# ---- Behind nginx, with TLS and a prefix ---------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of our own for the name in the sample; the key beside it ends in .key."""
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
    """Start what docs/hosting.md describes: the unit's environment, and the sample of nginx."""
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


class Browser(Player):
    """A player who comes through TLS and calls the site by its name."""

    def __init__(self, port: int, certificate: Path) -> None:
        super().__init__(port, prefix="/cards")
        context = ssl.create_default_context(cafile=certificate)
        context.check_hostname = False  # the name is not that of this machine; it is checked below
        self._connection = HTTPSConnection("127.0.0.1", port, timeout=30, context=context)

    def request(self, method: str, path: str, *args: Any, **kwargs: Any) -> Any:
        headers = dict(kwargs.pop("headers", None) or (args[1] if len(args) > 1 else None) or {})
        return super().request(method, path, *args[:1], headers={"Host": NAME, **headers}, **kwargs)


def test_behind_nginx_pages_forms_redirects_and_cookie_stay_below_the_prefix(
    hosted: tuple[Server, int], certificate: Path
) -> None:
    _, port = hosted
    with closing(Browser(port, certificate)) as player:
        for path in ("/", *(f"/{slug}" for slug in GAMES), f"{TABLE}/rules"):
            response, page = player.request("GET", path)
            assert response.status == 200
            assert response.headers["Strict-Transport-Security"]
            addresses = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
            assert addresses
            assert [address for address in addresses if not address.startswith("/cards/")] == []
        sheet = re.search(r'href="/cards(/static/[^"]+\.css)"', page)
        assert sheet
        assert player.request("GET", sheet[1])[0].status == 200
        form = {"move": "deal", "step": "0"}
        origin = {"Origin": f"https://{NAME}"}
        response, _ = player.request("POST", TABLE, form, origin)
        assert (response.status, response.headers["Location"]) == (303, "/cards/simple-21")
        cookie = response.headers["Set-Cookie"]
        assert "Path=/cards" in cookie
        assert "Secure" in cookie
        assert "HttpOnly" in cookie
        assert player.json(TABLE)[1]["step"] == 1
        foreign = player.request("POST", TABLE, form, {"Origin": "https://evil.example"})
        assert foreign[0].status == 403
        for path in ("/metrics", "/readyz"):
            assert player.request("GET", path)[0].status == 404
        assert player.request("GET", "/healthz")[1] == "ok"
        player.prefix = ""
        response, _ = player.request("GET", "/cards")
        assert (response.status, response.headers["Location"]) == (301, "/cards/")
        assert player.request("GET", "/simple-21")[0].status == 404


def test_another_name_is_refused(hosted: tuple[Server, int], certificate: Path) -> None:
    server, port = hosted
    with closing(Browser(port, certificate)) as player:
        evil = {"Host": "evil.example"}
        assert player.request("GET", "/", headers=evil)[0].status == 400
        assert player.request("GET", "/healthz", headers=evil)[0].status == 200
        server_log = server.log()
    assert '"status":400' in server_log


def test_forwarded_headers_are_believed_of_trusted_proxies_only(tmp_path: Path) -> None:
    said = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": NAME, "X-Forwarded-For": "10.0.0.9"}
    form = {"move": "new", "step": "0"}
    plain = site(tmp_path / "plain").post(TABLE, data=form, headers=said)
    assert "Secure" not in plain.headers["Set-Cookie"]
    client = site(tmp_path / "trusting", trusted_proxies=1, allowed_hosts=(NAME,))
    assert "Secure" in client.post(TABLE, data=form, headers=said).headers["Set-Cookie"]
    # The nearest proxy speaks last; what the browser itself has claimed stands before it.
    claimed = {**said, "X-Forwarded-Host": f"{NAME}, evil.example"}
    assert client.get(TABLE, headers=claimed).status_code == 400


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (NAME, 200),
        (f"{NAME}:8000", 200),
        (NAME.upper(), 200),
        ("other.example", 200),
        ("evil.example", 400),
        (f"{NAME}.evil.example", 400),
        (f"evil.example:80@{NAME}", 400),
        ("localhost", 400),
        ("127.0.0.1:8000", 400),
    ],
)
def test_the_site_answers_to_its_names_only(tmp_path: Path, host: str, status: int) -> None:
    read = Settings.from_environment({"ALLOWED_HOSTS": f"{NAME}, Other.example"})
    client = site(tmp_path, allowed_hosts=read.allowed_hosts)
    assert client.get("/", headers={"Host": host}).status_code == status
    response = client.post(TABLE, data={"move": "new", "step": "0"}, headers={"Host": host, **JSON})
    assert response.status_code == status
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


def test_without_names_the_site_answers_to_any(client: FlaskClient) -> None:
    assert client.get("/", headers={"Host": "10.1.2.3"}).status_code == 200


def pages(app: flask.Flask) -> list[str]:
    """Return every address that can be looked at, and some that cannot."""
    found = {"/nowhere"}
    for rule in app.url_map.iter_rules():
        if "GET" in (rule.methods or ()):
            found |= {rule.rule.replace("<slug>", slug) for slug in GAMES}
    # What needs a number is none yet, and transcripts and histories are files to keep.
    files = ("transcript", "history.csv", "history.json")
    return sorted(path for path in found if "<" not in path and not path.endswith(files))


def test_no_page_breaks_its_own_rules_in_a_real_browser(
    hosted: tuple[Server, int], tmp_path: Path
) -> None:
    """Every page in Chromium, through nginx and TLS: nothing on the console."""
    _, port = hosted
    chromium = shutil.which("chromium") or "/usr/bin/chromium"
    quiet = [
        *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
        f"--host-resolver-rules=MAP {NAME} 127.0.0.1",
    ]
    complaints: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=quiet)
        context = browser.new_context(ignore_https_errors=True)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{page.url}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
        root = f"https://{NAME}:{port}/cards"
        for slug in GAMES:
            page.goto(f"{root}/{slug}")
            page.locator("button", has_text="Deal").first.click()
            page.wait_for_load_state()
        for path in pages(create_app(Settings(data_dir=tmp_path))):
            response = page.goto(f"{root}{path}")
            assert response
            assert response.status < 500
            if path not in ("/healthz", "/readyz") and "html" in response.headers["content-type"]:
                assert "default-src 'none'" in response.headers["content-security-policy"]
        cookies = context.cookies()
        browser.close()
    assert [text for text in complaints if "status of 4" not in text] == []
    assert [(kept["path"], kept["secure"], kept["httpOnly"]) for kept in cookies] == [
        ("/cards", True, True)
    ]


# ---- Keys and files --------------------------------------------------------------------------


def test_a_key_can_be_changed_while_a_class_plays(tmp_path: Path) -> None:
    """Rotation as the page describes it, over real restarts; then the old key is dropped."""
    cookie, step = "", 0
    keys = [
        {"SECRET_KEY": "a" * 40},
        {"SECRET_KEY": "b" * 40, "SECRET_KEY_FALLBACKS": "a" * 40},
        {"SECRET_KEY": "b" * 40},
    ]
    for settings in keys:
        with Server(tmp_path, **settings) as server, closing(Player(server.port)) as player:
            player.cookie = cookie
            status, table = player.json(TABLE, {"move": "new", "step": str(step)})
            assert (status, table["step"]) == (200, step + 1)
            cookie, step = player.cookie, step + 1


def test_what_is_kept_is_the_owners_alone(tmp_path: Path) -> None:
    with Server(tmp_path, DATA_DIR=str(tmp_path / "data"), METRICS="1") as server:
        with closing(Player(server.port)) as player:
            player.json(TABLE, {"move": "new", "step": "0"})
        data = tmp_path / "data"
        assert data.stat().st_mode & 0o777 == 0o700
        kept = {path.name for path in data.iterdir()}
        assert {"secret_key", "sessions.db", "sessions.db-wal"} <= kept
        for path in data.glob("se*"):
            assert path.stat().st_mode & 0o077 == 0, path


# ---- systemd, the container ------------------------------------------------------------------


def unit_lines(name: str) -> list[str]:
    return re.findall(rf"^{name}=(.*)$", sample("ini"), re.MULTILINE)


def unit_environment() -> dict[str, str]:
    pairs = (pair for line in unit_lines("Environment") for pair in shlex.split(line))
    return dict(pair.split("=", 1) for pair in pairs)


def test_systemd_finds_no_fault_in_the_unit(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed")
    unit = tmp_path / "cardgames.service"
    unit.write_text(sample("ini").replace("/srv/cardgames/.venv/bin/python", sys.executable))
    command = ["systemd-analyze", "verify", "--man=no", str(unit)]
    verified = subprocess.run(command, capture_output=True, text=True, check=False)
    mine = [line for line in verified.stderr.splitlines() if "cardgames" in line]
    assert (verified.returncode, mine) == (0, [])


def test_the_unit_starts_the_site(tmp_path: Path) -> None:
    (command,) = unit_lines("ExecStart")
    (folder,) = unit_lines("WorkingDirectory")
    assert command == f"{folder}/.venv/bin/python app.py"
    environment = {**unit_environment(), "DATA_DIR": str(tmp_path), "PORT": str(free_port())}
    port = int(environment.pop("PORT"))
    with (
        Server(tmp_path, *shlex.split(command)[1:], port=port, **environment),
        closing(Player(port, environment["URL_PREFIX"])) as player,
    ):
        host = {"Host": environment["ALLOWED_HOSTS"]}
        assert player.request("GET", TABLE, headers=host)[0].status == 200


def made(target: str) -> list[str]:
    """Return the commands of a target of the Makefile, as they run without its variables."""
    body = re.search(rf"^{re.escape(target)}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert body
    variables = {"$(PYTHON)": "python3", "$(BIN)": ".venv/bin", "$(VENV)": ".venv"}
    text = body[1]
    for name, value in variables.items():
        text = text.replace(name, value)
    lines = [line.strip().lstrip("@") for line in text.splitlines()]
    return [line for line in lines if not line.startswith(("touch", "./setup"))]


def docker(instruction: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    found = re.findall(rf"^{instruction} (.*)$", joined, re.MULTILINE)
    return [re.sub(r"\s+", " ", line) for line in found]


def test_the_image_is_built_and_run_with_the_commands_of_make() -> None:
    run = [command.strip() for line in docker("RUN") for command in line.split("&&")]
    for target in ("$(STAMP)", "$(VENV)/.compressed"):
        for command in made(target):
            assert command in run
    (command,) = docker("CMD")
    assert " ".join(msgspec.json.decode(command)) == made("run")[0]


def test_the_image_keeps_the_rules_of_good_images() -> None:
    (base,) = docker("FROM")
    assert re.fullmatch(r"python:3\.\d+-slim", base)
    assert docker("USER") == ["10001"]  # a number, and not the administrator's
    assert "useradd --system --uid 10001" in DOCKERFILE
    assert docker("VOLUME") == ["/data"]
    assert "PIP_NO_CACHE_DIR=1" in DOCKERFILE
    assert not docker("ADD")
    assert (ROOT / ".dockerignore").read_text().splitlines()[1] == "*"  # nothing but what is named


def test_hadolint_finds_nothing() -> None:
    beside = Path(sys.executable).with_name("hadolint")
    hadolint = str(beside) if beside.exists() else shutil.which("hadolint")
    if not hadolint:
        pytest.skip("hadolint is not installed")
    command = [hadolint, str(ROOT / "Dockerfile")]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stdout == ""


def test_what_is_copied_into_the_image_serves_the_site(tmp_path: Path) -> None:
    """No Docker here: the same files, laid out by the COPY lines, run with the image's command."""
    srv, data = tmp_path / "srv", tmp_path / "data"
    data.mkdir()
    allowed = [
        line[1:]
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    ]
    for line in docker("COPY"):
        name, place = line.split()
        assert any(fnmatch.fnmatch(name, pattern) for pattern in allowed), name
        if (ROOT / name).is_dir():
            hidden = shutil.ignore_patterns("__pycache__", "*.gz", "*.br")
            shutil.copytree(ROOT / name, srv / place, ignore=hidden)
        else:
            srv.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, srv / place)
    (run,) = docker("CMD")
    (health,) = re.findall(r"CMD (\[.*web.healthy.*\])", DOCKERFILE)
    environment = {**os.environ, "PYTHONPATH": "", "PYTHONSAFEPATH": ""}
    probe = {**environment, "PORT": "", "DATA_DIR": str(data)}
    # The server's helper starts in the project's folder, so the copy is named by its path.
    starter = (
        f"import os, runpy; os.chdir({str(srv)!r}); runpy.run_path('app.py', run_name='__main__')"
    )
    command = msgspec.json.decode(run)
    assert command == [".venv/bin/python", "app.py"]
    preload = f"import sys; sys.path[0:1] = [{str(srv)!r}]; {starter}"
    with Server(data, "-c", preload, PYTHONPATH=str(srv)) as server:
        probe["PORT"] = str(server.port)
        asked = [sys.executable, *msgspec.json.decode(health)[1:]]
        assert subprocess.run(asked, cwd=srv, env=probe, check=False).returncode == 0
        with closing(Player(server.port)) as player:
            for slug in GAMES:
                assert player.request("GET", f"/{slug}")[0].status == 200
            assert player.json(TABLE, {"move": "deal", "step": "0"})[0] == 200
    assert subprocess.run(asked, cwd=srv, env=probe, check=False).returncode == 1


# ---- Limits ------------------------------------------------------------------------------------


def test_a_runaway_session_leaves_room_for_its_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(pace, "monotonic", lambda: now[0])
    app = create_app(Settings(data_dir=tmp_path, rate_limit=50))
    runaway, others = app.test_client(), [app.test_client() for _ in range(pace.A_CLASS)]

    def statuses(client: FlaskClient, requests: int) -> set[int]:
        return {client.get(TABLE, headers=JSON).status_code for _ in range(requests)}

    runaway.post(TABLE, data={"move": "new", "step": "0"})
    assert statuses(runaway, 200) == {200}  # alone it may go as fast as it can
    for client in others:
        client.post(TABLE, data={"move": "new", "step": "0"})
        assert statuses(client, 20) == {200}
    response = runaway.post(TABLE, data={"move": "new", "step": "1"})
    assert response.status_code == 429
    assert 0 < int(response.headers["Retry-After"]) <= 60
    assert "too fast for a full class" in response.text
    refused = runaway.post(TABLE, data={"move": "new", "step": "1"}, headers=JSON)
    assert refused.get_json().keys() == {"error"}
    assert statuses(others[0], 20) == {200}
    assert statuses(app.test_client(), 200) == {200}  # strangers are not counted
    now[0] += pace.WINDOW
    assert runaway.post(TABLE, data={"move": "new", "step": "1"}).status_code == 303


def test_a_class_never_meets_the_limit() -> None:
    """A hundred requests a second, a minute long: nobody clicks so fast."""
    assert Settings().rate_limit >= 100 * 60


def test_no_limit_is_a_limit_of_none(tmp_path: Path) -> None:
    assert Settings.from_environment({"RATE_LIMIT": "0"}).rate_limit == 0
    client = site(tmp_path, rate_limit=0)
    assert {client.get(TABLE).status_code for _ in range(10)} == {200}


# ---- The doctor --------------------------------------------------------------------------------


def doctor(monkeypatch: pytest.MonkeyPatch, **environment: str) -> tuple[int, str]:
    for name in ("PORT", "SECRET_KEY", "SESSION_STORE", "HOST", "TRUSTED_PROXIES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"PORT": str(free_port()), **environment}.items():
        monkeypatch.setenv(name, value)
    result = CliRunner().invoke(check.command)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def test_the_doctor_is_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    status, said = doctor(monkeypatch, DATA_DIR=str(tmp_path / "new"))
    assert status == 0
    assert "WRONG" not in said
    assert "in WAL mode: 0 now" in said
    assert "The signing key was made here" in said


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({"PORT": "no"}, "PORT must be a number"),
        ({"DATA_DIR": "/proc/cardgames"}, "DATA_DIR /proc/cardgames: "),
        ({"SECRET_KEY": "changeme"}, "SECRET_KEY is too short (8 characters)"),
        ({"SESSION_STORE": "redis://127.0.0.1:1/0"}, "Sessions cannot be kept. Redis: "),
        ({"SESSION_STORE": "mysql://db"}, "SESSION_STORE must be empty or begin with redis://"),
        ({"HOST": "203.0.113.7"}, "HOST 203.0.113.7 is no address of this machine"),
        ({"HOST": "no such host"}, "is no address of this machine"),
    ],
)
def test_the_doctor_names_what_is_wrong(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    sentence: str,
) -> None:
    status, said = doctor(monkeypatch, **{"DATA_DIR": str(tmp_path), **environment})
    assert status == 1
    assert sentence in next(line for line in said.splitlines() if line.startswith("WRONG"))
    assert "Traceback" not in said


def test_the_doctor_tells_whose_port_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(tmp_path) as server:
        status, said = doctor(monkeypatch, DATA_DIR=str(tmp_path), PORT=str(server.port))
        assert (status, "Cardgames is running on port" in said) == (0, True)
    command = ["-m", "http.server", "--bind", "127.0.0.1", str(port := free_port())]
    with Server(tmp_path, *command, port=port):
        status, said = doctor(monkeypatch, DATA_DIR=str(tmp_path), PORT=str(port))
        assert status == 1
        assert f"PORT {port} of 127.0.0.1 is taken by another program" in said


def test_the_doctor_sees_a_damaged_and_an_open_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)
    _, said = doctor(monkeypatch, DATA_DIR=str(tmp_path))
    assert "Others on this machine can reach" in said
    (tmp_path / "sessions.db").write_bytes(b"an essay" * 1_000)
    status, said = doctor(monkeypatch, DATA_DIR=str(tmp_path))
    assert status == 1
    assert "file is not a database" in said


def test_the_doctor_sees_that_wal_is_impossible(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a network drive SQLite answers another mode; so it does on a file in memory."""
    monkeypatch.setattr(check, "opened", lambda *_: check.SQLiteStore(Memory(tmp_path)))
    monkeypatch.chdir(tmp_path)  # the store makes a file of that name first
    status, said = doctor(monkeypatch, DATA_DIR=str(tmp_path))
    assert status == 1
    assert "cannot keep a shared database (journal mode memory, not wal)" in said


class Memory(type(Path())):  # type: ignore[misc]
    """A path that SQLite takes for a file in memory."""

    def __fspath__(self) -> str:
        return ":memory:"


def test_the_doctor_hears_of_a_proxy_that_nobody_trusts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    client = site(tmp_path)
    for _ in range(3):
        client.get(TABLE, headers={"X-Forwarded-For": "10.0.0.9"})
    assert capfd.readouterr().err.count("TRUSTED_PROXIES is 0") == 1
    assert (tmp_path / NOTE).exists()
    status, said = doctor(monkeypatch, DATA_DIR=str(tmp_path))
    assert status == 1
    assert "Set TRUSTED_PROXIES=1" in said
    status, said = doctor(monkeypatch, DATA_DIR=str(tmp_path), TRUSTED_PROXIES="1")
    assert status == 0
    with Server(tmp_path):  # a new start forgets it
        assert not (tmp_path / NOTE).exists()


def test_flask_check_and_make_check_are_one_command(tmp_path: Path) -> None:
    environment = {**os.environ, "DATA_DIR": str(tmp_path), "PORT": str(free_port())}
    said = [
        subprocess.run(
            [sys.executable, *command],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for command in (["-m", "flask", "--app", "app", "check"], ["-m", "web.check"])
    ]
    assert said[0] == said[1]
    assert made("check") == [".venv/bin/python -m web.check"]
    broken = subprocess.run(
        [sys.executable, "-m", "flask", "--app", "app", "check"],
        cwd=ROOT,
        env={**environment, "PORT": "x"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert broken.returncode
    assert broken.stderr == "Error: PORT must be a number from 1 to 65535, not 'x'.\n"


# ---- The log, the counters, the commands -------------------------------------------------------


def lines(capfd: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in capfd.readouterr().err.splitlines()]


def test_a_request_is_one_line_that_tells_the_move(
    client: FlaskClient, capfd: pytest.CaptureFixture[str]
) -> None:
    response = client.post(TABLE, data={"move": "deal", "step": "0", "deck": DECK})
    client.post(TABLE, data={"move": "hit", "step": "0"})
    client.post(TABLE, data={"move": "turn", "step": "1"}, headers=JSON)
    client.get(f"{TABLE}/rules?deck=KS")
    client.get("/nowhere")
    first, *others = found = lines(capfd)
    assert {
        key: first[key] for key in ("method", "path", "table", "move", "outcome", "status")
    } == {
        "method": "POST",
        "path": TABLE,
        "table": "simple-21",
        "move": "deal",
        "outcome": "accepted",
        "status": 303,
    }
    assert 0 <= first["ms"] < 10_000
    assert response.headers["X-Request-Id"] == first["id"]
    assert len({line["id"] for line in found}) == 5
    assert [(line["status"], line.get("outcome")) for line in others] == [
        (409, "out of date"),
        (422, "refused"),
        (200, None),
        (404, None),
    ]


def test_no_line_has_a_card_a_deck_or_a_cookie(
    app: flask.Flask, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Decks in every field there is, and a fault in the middle whose text is the whole state."""
    client = app.test_client()
    for slug in GAMES:
        client.post(f"/{slug}", data={"move": DECK, "step": DECK, "deck": DECK, DECK: DECK})
        client.post(f"/{slug}", data={"move": "KS", "step": "0"})
        client.post(f"/{slug}", json={"move": ["KS"], "step": 0})
        client.post(f"/{slug}?deck=KS,JH", data={"move": "deal", "step": "0", "deck": DECK})
    cookie = client.get_cookie("cardgames")
    assert cookie

    def broken(*_args: Any) -> None:
        raise KeyError(repr(FULL_DECK))

    monkeypatch.setattr(tables, "_answer", broken)
    assert client.get(TABLE).status_code == 500
    said = capfd.readouterr().err
    assert cookie.value[:16] not in said
    assert re.findall(r"(?i)\b(?:[2-9TJQKA][CDHS])\b", said) == []
    fault = msgspec.json.decode(said.splitlines()[-2])
    assert (fault["level"], fault["error"]) == ("error", "KeyError")
    assert "tables.py" in fault["trace"]
    assert "broken" in fault["trace"]


def test_a_log_that_cannot_be_written_refuses_no_move(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(log.os, "write", full)
    assert client.post(TABLE, data={"move": "deal", "step": "0"}).status_code == 303


def test_a_served_request_is_logged_on_stderr(tmp_path: Path) -> None:
    with Server(tmp_path) as server, closing(Player(server.port)) as player:
        response, _ = player.request("POST", TABLE, {"move": "new", "step": "0"})
        number = response.headers["X-Request-Id"]
        assert f'"id":"{number}"' in server.log()


def test_readiness_is_more_than_health(client: FlaskClient) -> None:
    assert client.get("/readyz").text == "ready"
    assert client.get("/healthz").text == "ok"


def test_counters_are_off_unless_asked_for(client: FlaskClient) -> None:
    assert client.get("/metrics").status_code == 404


def test_counters_are_those_of_all_workers(tmp_path: Path) -> None:
    """Sixty moves on sixty connections, some workers killed: whoever is asked tells them all."""
    with Server(tmp_path, METRICS="1") as server:
        for number in range(60):
            with closing(Player(server.port)) as player:
                assert player.json(TABLE, {"move": "new", "step": "0"})[0] == 200
                if number % 3 == 0:
                    assert player.json(TABLE, {"move": "new", "step": "0"})[0] == 409
        for _ in range(6):
            with closing(Player(server.port)) as player:
                said = player.request("GET", "/metrics")[1]
            counted = dict(line.rsplit(" ", 1) for line in said.splitlines() if line[0] != "#")
            assert counted['cardgames_moves_total{game="simple-21",outcome="accepted"}'] == "60"
            assert counted['cardgames_moves_total{game="simple-21",outcome="out of date"}'] == "20"
            assert counted['cardgames_requests_total{status="4xx"}'] == "20"
            assert float(counted["cardgames_request_seconds_total"]) > 0
    assert said.count("# TYPE") == 3


def command(app: flask.Flask, *words: str) -> str:
    result = app.test_cli_runner().invoke(args=["sessions", *words])
    assert result.exit_code == 0, result.output
    return result.output


def test_sessions_are_counted_purged_and_exported(app: flask.Flask) -> None:
    assert command(app, "count") == "0\n"
    clients = [app.test_client() for _ in range(3)]
    for client in clients:
        for slug in GAMES:
            client.post(f"/{slug}", data={"move": "new", "step": "0"})
        client.post(TABLE, data={"move": "deal", "step": "1", "deck": DECK})
    assert command(app, "count") == "3\n"
    assert command(app, "purge") == "0\n"
    exported = command(app, "export")
    for line in exported.splitlines():
        session = msgspec.json.decode(line)
        assert session["moves"] == len(GAMES) + 1
        assert session["tables"].keys() == GAMES.keys()
        table = session["tables"]["simple-21"]
        assert table["step"] == 2
        assert table["view"]["dealer"]["cards"][1] is None  # what its player sees, no more
        cookie = clients[0].get_cookie("cardgames")
        assert cookie
        assert cookie.value[:32] not in exported
    assert exported.count("AH") == 0  # the hole card of the sheet's deck


def test_make_audit_looks_at_what_is_pinned() -> None:
    assert "pip-audit --strict --requirement requirements.txt --require-hashes" in made("audit")[0]
    pinned = re.findall(r"^[a-z0-9._-]+==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    hashes = (ROOT / "requirements.txt").read_text().count("--hash=sha256:")
    assert hashes >= len(pinned) > 10
