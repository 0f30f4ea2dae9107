"""What the tests share: the site on a fresh data directory, and the sheet's deck files."""

from pathlib import Path

import flask
import pytest
from flask.testing import FlaskClient

from app import create_app
from web.settings import Settings

DECKS = Path(__file__).parent / "decks"


@pytest.fixture
def app(tmp_path: Path) -> flask.Flask:
    return create_app(Settings(data_dir=tmp_path))


@pytest.fixture
def client(app: flask.Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def shuffled_deck() -> str:
    """The sheet's shuffledDeck.txt."""
    return (DECKS / "shuffledDeck.txt").read_text()
