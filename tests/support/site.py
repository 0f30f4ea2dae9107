"""The site in a test, with its test client and its database."""

import io
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import flask
import msgspec
from click.testing import CliRunner
from flask.testing import FlaskClient
from sqlalchemy import delete, func, select
from werkzeug.test import TestResponse

from app import command, create_app
from cardgames.cards import FULL_DECK
from cardgames.records.record import Record
from cardgames.table import Table
from tests.support.pages import only, values
from web import db, schema
from web.classroom.core.presence import NOTES, PresenceTracker
from web.db.models import Base, SavedSession
from web.deals.days import find_deal
from web.deals.models import Deal, load_results
from web.deals.seat import DEAL_ROW, load_deal
from web.http.sessions import PlayerSession, sessions
from web.settings import Settings
from web.tables.queries import save_round
from web.tables.seat import TABLE_ROW, Seat, load_table, write_row

JSON: Final = {"Accept": "application/json"}
GERMAN: Final = {"Accept-Language": "de"}
TABLE: Final = "/simple-21"
TWENTY_ONE: Final = ("simple-21", "blackjack", "one-deck")
DECKS: Final = Path(__file__).parents[1] / "decks"
DECK: Final = (DECKS / "shuffledDeck.txt").read_text()
"""The sheet's own deck. The deck begins with KS JH QS AH: 20 for the player, 21 for the dealer."""


def stacked(first: str) -> str:
    """Return a deck file that begins with the given cards: ``stacked("TC TD 6C")``."""
    codes = first.split()
    return "\n".join([*codes, *(card for card in FULL_DECK if card not in codes)])


BY_HAND: Final = stacked("TC TD 6C 9H 2S 3S KH")
"""At Simple 21, the player has 16 against a ten. Hits make 18, 21 and a bust. The dealer has 19."""


def new_site(folder: Path, **settings: Any) -> flask.Flask:
    """Return a site on a new SQLite file.

    The file is copied, because running the migrations would take a third of the tests' time.
    """
    file = folder / db.FILE
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_migrated_database())
    return create_app(Settings(data_dir=folder, **settings))


@cache
def _migrated_database() -> bytes:
    """Return the content of an SQLite file with all tables."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / db.FILE
        with db.Database(f"sqlite:///{file}") as database:
            schema.upgrade(database)
            database.scrub()
        return file.read_bytes()


class SharedSite:
    """A site that tests use one after another.

    Creating a site takes as long as forty requests.
    """

    def __init__(self, folder: Path, **settings: Any) -> None:
        self._app = new_site(folder, **settings)
        self._config = dict(self._app.config)
        self._tables = [table.name for table in reversed(Base.metadata.sorted_tables)]
        self._parts = {name: copy(part) for name, part in self._app.extensions.items()}

    def emptied(self) -> flask.Flask:
        """Return the site in its initial state, with an empty database and no sessions."""
        with db.database(self._app).engine.begin() as connection:
            for table in self._tables:
                connection.exec_driver_sql(f"DELETE FROM {table}")
        self._app.config.update(self._config)
        self._app.extensions.update({name: copy(part) for name, part in self._parts.items()})
        if NOTES in self._parts:
            self._app.extensions[NOTES] = PresenceTracker(time.monotonic)
        return self._app


def in_second_terminal(folder: Path, name: str) -> str:
    """Run a command without the server's host and port, and return its output."""
    environment = {"DATA_DIR": str(folder), "PORT": None, "HOST": None}
    return CliRunner(env=environment).invoke(command, [name]).output


# ---- At a table --------------------------------------------------------------------------------


def visitor(folder: Path, **settings: Any) -> FlaskClient:
    """Return a client of a site with given settings."""
    return new_site(folder, **settings).test_client()


def look(client: FlaskClient, address: str = TABLE) -> dict[str, Any]:
    """Return the JSON of a URL."""
    answer = client.get(address, headers=JSON)
    assert answer.status_code == 200, answer.text
    document: dict[str, Any] = answer.get_json()
    return document


def send(
    client: FlaskClient,
    form: Mapping[str, Any],
    address: str = TABLE,
    headers: Mapping[str, str] = JSON,
) -> TestResponse:
    """Send a form. At a table, the form contains the table's current step by default."""
    if "move" in form and "step" not in form:
        form = {**form, "step": str(look(client, address)["step"])}
    return client.post(address, data=form, headers=headers)


def play(client: FlaskClient, address: str, *moves: str, **fields: Any) -> dict[str, Any]:
    """Make moves that must be accepted, and return the table after the moves.

    Required fields that are missing get their first option.
    """
    table = look(client, address)
    for move in moves:
        table = _moved(client, address, table, move, fields)
    return table


def _moved(
    client: FlaskClient,
    address: str,
    table: dict[str, Any],
    move: str,
    fields: Mapping[str, Any],
) -> dict[str, Any]:
    """Make a move that must be accepted at a table whose JSON is known."""
    (asked,) = (one["fields"] for one in table["moves"] if one["name"] == move)
    usual = {name: next(iter(options)) for name, options in asked.items() if options}
    form = {"move": move, "step": table["step"], **usual, **fields}
    answer = client.post(address, data=form, headers=JSON)
    assert answer.status_code == 200, answer.text
    moved: dict[str, Any] = answer.get_json()
    return moved


def steps(
    client: FlaskClient, address: str, rng: random.Random, option: int = 0, **fields: Any
) -> Iterator[dict[str, Any]]:
    """Play a random round, and yield the table after the deal and after each move.

    Args:
        client: The player.
        address: The URL of the table.
        rng: Random source that chooses the moves.
        option: Index of the option that a field gets after the deal: 0 for the first, -1 for the
            last.
        **fields: Fields of the deal; the other fields are random.
    """
    table = look(client, address)
    if table["view"]["phase"] != "playing" and table["moves"]:
        if "deal" not in names_of(table):
            table = _moved(client, address, table, "new", {})
        chosen = {**_chosen(table, "deal", rng), **fields}
        table = _moved(client, address, table, "deal", chosen)
        yield table
    while table["view"]["phase"] == "playing":
        name = rng.choice([name for name in names_of(table) if name not in ("deal", "new")])
        (asked,) = (one["fields"] for one in table["moves"] if one["name"] == name)
        chosen = {field: list(options)[option] for field, options in asked.items()}
        table = _moved(client, address, table, name, chosen)
        yield table


def names_of(table: Mapping[str, Any]) -> list[str]:
    return [move["name"] for move in table["moves"]]


def _chosen(table: Mapping[str, Any], name: str, rng: random.Random) -> dict[str, str]:
    (asked,) = (one["fields"] for one in table["moves"] if one["name"] == name)
    return {field: rng.choice(list(options)) for field, options in asked.items() if options}


def finish(
    client: FlaskClient, address: str, rng: random.Random | None = None, **fields: Any
) -> dict[str, Any]:
    """Deal if no round is open, play the round to its end, and return the table."""
    table: dict[str, Any] = {}
    for moved in steps(client, address, rng or random.Random(1), option=-1, **fields):
        table = moved
    return table or look(client, address)


def made_deal(
    client: FlaskClient,
    slug: str = "simple-21",
    headers: Mapping[str, str] = JSON,
    **fields: Any,
) -> str:
    """Create a deal link and return its URL."""
    form = {"table": slug, **deal_fields(slug), **fields}
    answer = client.post("/deals", data=form, headers={**JSON, **headers})
    assert answer.status_code == 200, answer.text
    address: str = answer.get_json()["address"]
    return address


def deal_fields(slug: str) -> dict[str, str]:
    """Return the required fields of the deal at a table."""
    return {
        "war": {"players": "3", "names": "Amy, Brad"},
        "bingo": {"mode": "L", "speed": "N"},
    }.get(slug, {})


def id_of(address: str) -> str:
    return address.rpartition("/")[2]


def uploaded(text: str, name: str = "deck.txt") -> tuple[io.BytesIO, str]:
    """Return a file as the test client uploads it."""
    return io.BytesIO(text.encode()), name


def rounds_of(client: FlaskClient, slug: str) -> list[tuple[int, str]]:
    """Return the numbers and deal links of finished rounds, the oldest first."""
    document = look(client, f"/{slug}/history")["rounds"]
    return [(one["number"], one["deal"]) for one in reversed(document)]


# ---- The content of a page ---------------------------------------------------------------------


def pictures(page: str) -> list[str]:
    """Return the alternative texts of a page's images."""
    return [alt for alt in values(page, "img", "alt") if alt]


def title(page: str) -> str:
    return only(page, "title").get_text()


def static_root(page: str) -> str:
    """Return the URLs of a page's static files."""
    sheet = values(page, 'link[rel="stylesheet"]', "href")[0]
    return sheet.rpartition("/")[0]


# ---- The database --------------------------------------------------------------------------------


def cookie(client: FlaskClient) -> str:
    name = client.application.config["SESSION_COOKIE_NAME"]
    kept = client.get_cookie(name, path=client.application.config["SESSION_COOKIE_PATH"])
    assert kept
    return kept.value


def same_browser(client: FlaskClient) -> FlaskClient:
    """Return another client with the same session cookie."""
    app = client.application
    copied = app.test_client()
    name, path = app.config["SESSION_COOKIE_NAME"], app.config["SESSION_COOKIE_PATH"]
    copied.set_cookie(name, cookie(client), path=path or "/")
    return copied


def sid(client: FlaskClient) -> str:
    """Return the ID of a player's session."""
    return cookie(client).partition(".")[0]


@contextmanager
def session_of(client: FlaskClient) -> Iterator[PlayerSession]:
    """Yield a player's session and save its changes."""
    with client.session_transaction(method="POST") as session:
        assert isinstance(session, PlayerSession)
        yield session
        with client.application.test_request_context(method="POST"):
            sessions().save(session)
            db.commit()


def seat_at(client: FlaskClient, address: str = TABLE) -> Seat:
    """Return a player's stored table."""
    kind, _, deal = address.removeprefix("/").partition("/")
    with session_of(client) as session, client.application.test_request_context():
        return load_deal(session, deal) if deal else load_table(session, kind)


def rows_kept(app: flask.Flask) -> int:
    """Return the number of rows in all tables of a site."""
    with app.app_context():
        counts = (select(func.count()).select_from(table) for table in Base.metadata.sorted_tables)
        return sum(db.session().scalar(count) or 0 for count in counts)


def kept_deal(app: flask.Flask, address: str) -> Deal:
    """Return the stored row of the deal at a URL."""
    with app.app_context():
        deal = find_deal(id_of(address))
    assert deal
    return deal


def results_at(app: flask.Flask, address: str) -> dict[str, Record]:
    """Return the results of a deal in order of arrival, keyed by player."""
    with app.app_context():
        return load_results(id_of(address))


def add_results(app: flask.Flask, address: str, results: Mapping[str, tuple[str, str]]) -> None:
    """Add other players' results and moves to a deal, keyed by session ID."""
    deal = kept_deal(app, address)
    with app.app_context():
        for sid, (winner, moves) in results.items():
            ends = int(db.now()) + 10**6
            db.session().add(SavedSession(id=sid, data=b"\x80", moves=1, days=14, expires=ends))
            record = replace(deal.record(moves), result=winner)
            save_round(sid, record, deal=id_of(address), step=record.steps)
        db.commit()


def forget_results(app: flask.Flask) -> None:
    """Delete all results that :func:`add_results` added to deals."""
    with app.app_context():
        db.session().execute(delete(SavedSession).where(SavedSession.data == b"\x80"))
        db.commit()


def put(client: FlaskClient, address: str, table: Table) -> None:
    """Replace a player's table with another table that has the same step."""
    seat = msgspec.structs.replace(seat_at(client, address), table=table)
    key = f"{DEAL_ROW}{seat.place.id}" if seat.place else f"{TABLE_ROW}{address.removeprefix('/')}"
    with session_of(client) as session:
        write_row(session, key, seat)
