"""What an instructor sets, and the data directory with its key."""

import threading
from pathlib import Path

import pytest

from app import create_app
from web.settings import BadSetting, Settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "x"),
        ("PORT", "0"),
        ("PORT", "65536"),
        ("WORKERS", "-1"),
        ("URL_PREFIX", "cards"),
        ("SESSION_STORE", "postgres://user:secret@db"),
    ],
)
def test_a_setting_that_makes_no_sense_is_named(name: str, value: str) -> None:
    with pytest.raises(BadSetting, match=name) as caught:
        Settings.from_environment({name: value})
    assert "secret" not in str(caught.value)


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
    assert kept["store.db"] == 0
    assert not any(kept.values()), kept
    assert len(secret.read_text()) >= 32
    assert settings.signing_key() == secret.read_text()
    assert sorted(path.name for path in (tmp_path / "data").glob("secret_key*")) == ["secret_key"]


def test_many_workers_agree_on_one_key(tmp_path: Path) -> None:
    keys: list[str] = []
    threads = [
        threading.Thread(target=lambda: keys.append(Settings(data_dir=tmp_path).signing_key()))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 16
    assert len(set(keys)) == 1
