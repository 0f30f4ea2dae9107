"""What an instructor sets, and the data directory with its key; what is wrong is named at once."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from app import create_app
from tests.support.commands import ROOT, python
from tests.support.serving import free_port
from web.commands import check
from web.data_dir import signing_key
from web.settings import BadSetting, Settings


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


def test_the_data_directory_and_what_is_in_it_are_the_owners_alone(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data")
    create_app(settings)
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    secret = tmp_path / "data" / "secret_key"
    assert secret.stat().st_mode & 0o777 == 0o600
    kept = {path.name: path.stat().st_mode & 0o077 for path in (tmp_path / "data").iterdir()}
    assert kept["cardgames.db"] == 0
    assert not any(kept.values()), kept
    assert len(secret.read_text()) >= 32
    assert signing_key(settings) == secret.read_text()
    assert sorted(path.name for path in (tmp_path / "data").glob("secret_key*")) == ["secret_key"]


def test_many_workers_agree_on_one_key(tmp_path: Path) -> None:
    keys: list[str] = []
    threads = [
        threading.Thread(target=lambda: keys.append(signing_key(Settings(data_dir=tmp_path))))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 16
    assert len(set(keys)) == 1


@pytest.mark.parametrize(
    ("text", "on"),
    [
        *((text, True) for text in ("1", "on", "ON", "yes", "true", "True")),
        *((text, False) for text in ("0", "off", "Off", "no", "false", "FALSE")),
    ],
)
def test_a_switch_is_read(text: str, on: bool) -> None:
    assert Settings.from_environment({"COACH": text}).coach is on


@pytest.mark.parametrize("text", ["maybe", "2", " ", "offf"])
def test_a_switch_that_is_neither_on_nor_off_is_refused(text: str) -> None:
    with pytest.raises(BadSetting, match="COACH must be on or off"):
        Settings.from_environment({"COACH": text})


WRONG = {
    "PORT": "70000",
    "WORKERS": "none",
    "COACH": "maybe",
    "DATABASE_URL": "postgres://user:secret@db",
    "URL_PREFIX": "cards",
    "MAX_STORE_MB": "-1",
}


def test_all_wrong_settings_are_told_at_once() -> None:
    for port in ("0", "x", WRONG["PORT"]):
        with pytest.raises(BadSetting) as refused:
            Settings.from_environment({**WRONG, "PORT": port})
        said = refused.value.sentences
        assert len(said) == len(WRONG)
        for name in WRONG:
            assert sum(sentence.startswith(name) for sentence in said) == 1
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, "TRUSTED_USER_HEADER needs TRUSTED_PROXIES"),
        ({"TRUSTED_PROXIES": "1"}, "TRUSTED_USER_HEADER needs TRUSTED_PROXIES"),
        ({"TRUSTED_PROXIES": "0.0.0.0/0"}, "TRUSTED_PROXIES must be"),
        ({"TRUSTED_PROXIES": "127.0.0.1, ::/0"}, "TRUSTED_PROXIES must be"),
        ({"TRUSTED_PROXIES": "proxy.example"}, "TRUSTED_PROXIES must be"),
        ({"TRUSTED_PROXIES": "10.0.0.1/8"}, "TRUSTED_PROXIES must be"),
        ({"TRUSTED_PROXIES": "::1", "TRUSTED_USER_HEADER": "X_User"}, "TRUSTED_USER_HEADER must"),
        ({"TRUSTED_PROXIES": "::1", "TRUSTED_USER_HEADER": "X-User:"}, "TRUSTED_USER_HEADER must"),
        ({"TRUSTED_USER_HEADER": "", "INSTRUCTORS": "ann"}, "INSTRUCTORS is a list of logins"),
    ],
)
def test_who_signs_on_is_believed_of_named_proxies_only(more: dict[str, str], says: str) -> None:
    with pytest.raises(BadSetting) as refused:
        Settings.from_environment({"TRUSTED_USER_HEADER": "X-User", **more})
    assert any(sentence.startswith(says) for sentence in refused.value.sentences)


def test_proxies_may_be_named_by_their_addresses() -> None:
    read = Settings.from_environment({"TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8, ::1"})
    assert read.proxy_count == 1
    assert [*map(str, read.proxy_networks)] == ["127.0.0.1/32", "10.0.0.0/8", "::1/128"]


def test_the_server_names_them_all_and_does_not_start(tmp_path: Path) -> None:
    said = python("app.py", DATA_DIR=str(tmp_path), **WRONG)
    assert said.returncode == 1
    assert [name for name in WRONG if name not in said.stderr] == []
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ALOWED_HOSTS", "ALLOWED_HOSTS"),
        ("ALLOWED_HOST", "ALLOWED_HOSTS"),
        ("Allowed_Hosts", "ALLOWED_HOSTS"),
        ("SECRETKEY", "SECRET_KEY"),
        ("WORKER", "WORKERS"),
        ("TRUSTED_PROXY", "TRUSTED_PROXIES"),
        ("SESSION_STORE", "DATABASE_URL"),
        ("DATADIR", "DATA_DIR"),
    ],
)
def test_what_looks_like_a_setting_is_named(name: str, meant: str) -> None:
    (said,) = Settings.misspelt({name: "x", "PORT": "8000"})
    assert said.startswith(f"{name} is no setting")
    assert said.endswith(f"Is {meant} meant?")


def test_other_programs_variables_are_none_of_ours() -> None:
    usual = (
        *("HOME", "PATH", "SHELL", "TERM", "USER", "LANG", "PWD", "HOSTNAME", "HOSTTYPE", "EDITOR"),
        *("XDG_DATA_DIRS", "XDG_DATA_HOME", "PYTHONPATH", "VIRTUAL_ENV", "DISPLAY", "MAIL"),
        *("SSH_CONNECTION", "LOGNAME", "OLDPWD", "LESSOPEN", "http_proxy", "no_proxy", "PIP_CERT"),
        *("INVOCATION_ID", "JOURNAL_STREAM", "STATE_DIRECTORY", "NOTIFY_SOCKET", "MAINPID"),
    )
    assert Settings.misspelt(dict.fromkeys(usual, "x")) == []


def test_make_check_and_the_server_name_what_is_misspelt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    monkeypatch.setenv("ALOWED_HOSTS", "cards.example.edu")
    notes = [found for found in check.findings() if "ALOWED_HOSTS" in found.sentence]
    assert [found.level for found in notes] == ["note"]
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "app.py"],
        cwd=ROOT,
        env={**os.environ, "PORT": str(port)},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert server.stderr
        assert "Is ALLOWED_HOSTS meant?" in server.stderr.readline()
    finally:
        server.terminate()
        server.communicate(timeout=120)


def test_every_setting_is_in_the_documentation() -> None:
    text = (ROOT / "docs" / "hosting.md").read_text()
    assert [name for name in Settings.names() if f"`{name}`" not in text] == []
