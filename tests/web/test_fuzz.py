"""Random requests at every table: two players, restarts, and a pure table beside the served one.

Each accepted move is checked against what the pure table does with the same luck.
"""

import string
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from flask.testing import FlaskClient
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from werkzeug.test import TestResponse

from app import create_app
from cardgames import GAMES
from cardgames.cards import FULL_DECK, CardGameError
from cardgames.records.line import line, parse
from cardgames.records.replay import replay
from cardgames.table import Table
from tests.support.site import JSON, cookie, look, slot_at
from web.settings import Settings
from web.tables import location

PLAYERS = ("Ada", "Bob")

slugs = st.sampled_from(list(GAMES))
players = st.sampled_from(PLAYERS)
seeds = st.integers(0, 2**32)
text = st.text(max_size=30)
decks = st.one_of(
    st.permutations(FULL_DECK).map("\n".join),
    st.permutations(FULL_DECK).map(lambda cards: "\n".join(cards[:-1])),
    text,
)
names = st.sampled_from(
    ["new", "", "fold", "DEAL", "forfeit"]
    + [move.name for game in GAMES.values() for move in (game.deals, *game.round_moves)]
)
fields = st.dictionaries(
    st.sampled_from(
        ["deck", "bingo_deck", "players", "names", "turns", "mode", "x", "move", "step"]
    ),
    st.one_of(text, decks, st.sampled_from(["1", "2", "all", "C", "Y"])),
    max_size=3,
)
headers = st.fixed_dictionaries(
    {},
    optional={
        "Accept": st.sampled_from(
            ["application/json", "text/html", "*/*", "application/json;q=0", ",,;q"]
        ),
        "Content-Type": st.sampled_from(
            [
                "application/json",
                "multipart/form-data",
                "multipart/form-data; boundary=x",
                "text/plain",
                "x",
            ]
        ),
        "Cookie": st.text(string.printable.strip(), max_size=40).map("cardgames={}".format),
        "Origin": st.sampled_from(["http://localhost", "http://evil.example", "null", ""]),
        "Sec-Fetch-Site": st.sampled_from(["same-origin", "none", "cross-site", ""]),
        "X-Forwarded-For": st.just("10.0.0.9"),
    },
)
paths = st.one_of(
    st.sampled_from(
        [
            *("/", "/healthz", "/readyz", "/metrics", "/lab", "/coach", "/static/", "//", "/%00"),
            *("/settings", "/language", "/deals", "/sheets", "/deal/0", "/replay/x", "/what-if/x"),
            "//[",
        ]
    ),
    *(
        slugs.map(f"/{{}}{page}".format)
        for page in ("", "/rules", "/odds", "/transcript", "/seals", "/history", "/history/1")
    ),
    st.text(string.ascii_letters + string.punctuation, max_size=12).map("/{}".format),
)
methods = st.sampled_from(["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"])


class ClassServer(RuleBasedStateMachine):
    """The served tables, and beside each a pure one where the same moves were made."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.salt = ""
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(location, "random_salt", lambda: self.salt)
        self.cookies: dict[str, str] = {}
        self.steps: dict[tuple[str, str], int] = {}
        self.tables: dict[tuple[str, str], Table] = {}

    def teardown(self) -> None:
        self.patch.undo()
        self.folder.cleanup()

    @initialize()
    def start(self) -> None:
        self.restart()

    @rule()
    def restart(self) -> None:
        """Begin with a new process's memory on the same data."""
        self.app = create_app(Settings(data_dir=Path(self.folder.name)))
        self.clients: dict[str, FlaskClient] = {}
        for player in PLAYERS:
            self.clients[player] = self.app.test_client()
            if player in self.cookies:
                self.clients[player].set_cookie("cardgames", self.cookies[player])

    @rule(player=players, slug=slugs, seed=seeds, as_json=st.booleans(), data=st.data())
    def play_what_is_offered(
        self,
        player: str,
        slug: str,
        seed: int,
        as_json: bool,  # noqa: FBT001 - hypothesis passes it by name
        data: st.DataObject,
    ) -> None:
        """Make one of the moves that the table offers, its fields filled in with what it lists."""
        key = (player, slug)
        move = data.draw(st.sampled_from(self.table(key).moves()))
        form = {}
        for name, options in move.form.items():
            if options is not None:
                form[name] = data.draw(st.sampled_from(list(options)))
            elif data.draw(st.booleans()):
                form[name] = data.draw(decks)
        self.move(key, move.name, str(self.steps.get(key, 0)), form, seed, as_json=as_json)

    @rule(player=players, slug=slugs, name=names, form=fields, seed=seeds, off=st.integers(-1, 1))
    def play_anything(
        self, player: str, slug: str, name: str, form: dict[str, str], seed: int, off: int
    ) -> None:
        """Make any move with any fields, at the right step or beside it."""
        key = (player, slug)
        form = {field: value for field, value in form.items() if field not in ("move", "step")}
        self.move(key, name, str(self.steps.get(key, 0) + off), form, seed, as_json=True)

    @rule(
        player=players,
        path=paths,
        method=methods,
        form=fields,
        head=headers,
        raw=st.binary(max_size=60),
    )
    def send_anything(
        self,
        player: str,
        path: str,
        method: str,
        form: dict[str, str],
        head: dict[str, str],
        raw: bytes,
    ) -> None:
        """Send anything anywhere."""
        form.pop("step", None)  # so that it is no move, and the pure games stay what they are
        body: Mapping[str, str] | bytes = raw if "Content-Type" in head else form
        # As a server tells it: the client itself would take what follows two slashes for a host.
        before, _, query = path.partition("?")
        document = {"PATH_INFO": unquote(before, "latin-1"), "QUERY_STRING": query}
        response = self.clients[player].open(
            "/", method=method, data=body, headers=head, environ_overrides=document
        )
        self.no_fault(response)

    def move(
        self,
        key: tuple[str, str],
        name: str,
        step: str,
        form: Mapping[str, str],
        seed: int,
        *,
        as_json: bool,
    ) -> None:
        """Make a move at the served table and at the pure one: both accept it, or neither."""
        player, slug = key
        current, self.salt = self.steps.get(key, 0), f"{seed:032x}"
        response = self.clients[player].post(
            f"/{slug}", data={**form, "move": name, "step": step}, headers=JSON if as_json else {}
        )
        self.no_fault(response)
        if step != str(current):
            assert response.status_code == 409
            return
        try:
            expected, finished = self.table(key).play(name, dict(form), lambda: self.salt)
        except CardGameError:
            assert response.status_code == 422
            return
        assert response.status_code == (200 if as_json else 303)
        for record in finished:
            assert replay(parse(line(record))).last.result
        self.steps[key], self.tables[key] = current + 1, expected
        value = cookie(self.clients[player])
        assert self.cookies.setdefault(player, value) == value

    def table(self, key: tuple[str, str]) -> Table:
        return self.tables.get(key, Table(GAMES[key[1]]))

    def no_fault(self, response: TestResponse) -> None:
        assert response.status_code < 500, response.text

    @invariant()
    def the_tables_are_as_the_pure_ones_say(self) -> None:
        """What is shown is the view of the table, and what is kept is the table itself."""
        for (player, slug), table in self.tables.items():
            client, step = self.clients[player], self.steps[player, slug]
            shown = look(client, f"/{slug}")
            moves = [
                {"name": move.name, "label": move.label, "fields": move.form}
                for move in table.moves()
            ]
            assert shown["step"] == step
            assert shown["view"] == plain(table.view())
            assert shown["moves"] == plain(moves)
            slot = slot_at(client, f"/{slug}")
            assert (slot.table, slot.step, slot.unreadable) == (table, step, False)
        for player, client in getattr(self, "clients", {}).items():
            entries = {entry["game"]: entry["step"] for entry in look(client, "/")["tables"]}
            assert entries == {slug: self.steps.get((player, slug), 0) for slug in GAMES}


def plain(value: object) -> Any:
    """Return what JSON makes of a value."""
    return msgspec.json.decode(msgspec.json.encode(value, enc_hook=str))


def fuzz(examples: int, steps: int, *phases: Phase) -> None:
    profile = settings(
        phases=phases,
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    run_state_machine_as_test(ClassServer, settings=profile)  # type: ignore[no-untyped-call]


@pytest.mark.xdist_group("fuzz")
def test_random_requests_at_every_table() -> None:
    fuzz(5, 25, Phase.generate)  # what fails is made smaller by the long one


@pytest.mark.slow
@pytest.mark.xdist_group("fuzz")
def test_random_requests_for_longer() -> None:
    fuzz(200, 60, Phase.generate, Phase.shrink)
