"""An instructor's settings, and the data directory. Each fault is reported at startup."""

import threading
from pathlib import Path

import pytest
from click.testing import CliRunner

from app import command, create_app
from tests.support.commands import ROOT
from web import settings
from web.commands import check, serve
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
        url_prefix="/cards",
        trusted_proxies=1,
    )
    assert Settings.from_environment({}) == Settings()


def test_data_directory_belongs_to_its_owner_alone(tmp_path: Path) -> None:
    new = Settings(data_dir=tmp_path / "data")
    create_app(new)
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    secret = tmp_path / "data" / "secret_key"
    assert secret.stat().st_mode & 0o777 == 0o600
    kept = {path.name: path.stat().st_mode & 0o077 for path in (tmp_path / "data").iterdir()}
    assert kept["cardgames.db"] == 0
    assert not any(kept.values()), kept
    assert len(secret.read_text()) >= 32
    assert signing_key(new) == secret.read_text()
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


WRONG = {
    "PORT": "70000",
    "WORKERS": "none",
    "CLASSES": "maybe",
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
def test_login_is_trusted_from_named_proxies_only(more: dict[str, str], says: str) -> None:
    with pytest.raises(BadSetting) as refused:
        Settings.from_environment({"TRUSTED_USER_HEADER": "X-User", **more})
    assert any(sentence.startswith(says) for sentence in refused.value.sentences)


def test_proxies_may_be_named_by_their_addresses() -> None:
    read = Settings.from_environment({"TRUSTED_PROXIES": "127.0.0.1, 10.0.0.0/8, ::1"})
    assert read.proxy_count == 1
    assert [*map(str, read.proxy_networks)] == ["127.0.0.1/32", "10.0.0.0/8", "::1/128"]


def test_the_server_names_them_all_and_does_not_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serve, "serve", lambda *_: None)
    said = CliRunner(env={"DATA_DIR": str(tmp_path), **WRONG}).invoke(command)
    assert isinstance(said.exception, SystemExit)
    assert said.exit_code == 1
    assert [name for name in WRONG if name not in said.stderr] == []


REMOVED = ("COACH", "INSTRUCTOR_PASSWORD", "RATE_LIMIT", "SECRET_KEY_FALLBACKS")


@pytest.mark.parametrize("name", REMOVED)
def test_removed_setting_is_named_without_its_value(name: str, tmp_path: Path) -> None:
    environment = {name: "a secret", "DATA_DIR": str(tmp_path)}
    assert Settings.from_environment(environment) == Settings(data_dir=tmp_path)
    message = Settings.removed(environment)
    assert message.startswith(f"Not read any more: {name} (")
    assert "secret" not in message
    assert message.count(".") == 1


def test_check_names_removed_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATA_DIR", str(tmp_path))
    assert not any("any more" in found.sentence for found in check.findings())
    for name in REMOVED:
        monkeypatch.setenv(name, "off")
    (note,) = [found for found in check.findings() if "any more" in found.sentence]
    assert note.level == "note"
    assert all(f"{name} (" in note.sentence for name in REMOVED)


def test_every_setting_is_in_the_documentation() -> None:
    text = (ROOT / "docs" / "hosting.md").read_text()
    assert [name for name in Settings.names() if f"`{name}`" not in text] == []


@pytest.mark.parametrize(
    ("is_installed", "command"),
    [(True, "cardgames instructor-link"), (False, ".venv/bin/python app.py instructor-link")],
)
def test_shown_command_line_exists(
    monkeypatch: pytest.MonkeyPatch, is_installed: bool, command: str
) -> None:
    """A wheel provides the command cardgames, but a checkout and the image have only app.py."""
    monkeypatch.setattr(settings, "_IS_INSTALLED", is_installed)
    assert settings.command_line("instructor-link") == command
    assert command in serve.greeting(Settings())
