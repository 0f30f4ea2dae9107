"""Random requests at every table: two players, restarts, and a pure game beside the served one.

The luck of a live table cannot be seeded, so it is watched instead: each accepted move is checked
against what the pure game would do with the same cards and the luck that was drawn.
"""

import random
import string
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from cardgames.record import parse, replayed
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
from web.book import EMPTY, Book, Turn, written
from web.sessions import Row, Sessions, unpacked
from werkzeug.test import TestResponse

from app import create_app
from cardgames import GAMES
from cardgames.cards import FULL_DECK, CardGameError
from web import tables
from web.settings import Settings

JSON = {"Accept": "application/json"}
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
names = st.sampled_from(["deal", "hit", "stay", "turn", "call", "new", "", "fold", "DEAL"])
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
        ["/", "/healthz", "/readyz", "/metrics", "/lab", "/coach", "/static/", "//", "/%00"]
    ),
    slugs.map("/{}".format),
    slugs.map("/{}/rules".format),
    slugs.map("/{}/odds".format),
    slugs.map("/{}/transcript".format),
    st.text(string.ascii_letters + string.punctuation, max_size=12).map("/{}".format),
)
methods = st.sampled_from(["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"])


class Luck(random.Random):
    """Real luck that can be had again: the seed of the last move is kept."""

    def deal_anew(self, seed: int) -> None:
        self.last = seed
        self.seed(seed)


class ClassServer(RuleBasedStateMachine):
    """The served tables, and beside each a pure game that has made the same moves."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.luck = Luck()
        self.before, tables.RNG = tables.RNG, self.luck  # type: ignore[assignment, misc]
        self.cookies: dict[str, str] = {}
        self.steps: dict[tuple[str, str], int] = {}
        self.states: dict[tuple[str, str], Any] = {}
        self.books: dict[tuple[str, str], Book] = {}

    def teardown(self) -> None:
        tables.RNG = self.before  # type: ignore[misc]
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
        move = data.draw(st.sampled_from(GAMES[slug].moves(self.state(key))))
        form = {}
        for name, options in move.fields.items():
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
        response = self.clients[player].open(path, method=method, data=body, headers=head)
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
        game, state, current = GAMES[slug], self.state(key), self.steps.get(key, 0)
        self.luck.deal_anew(seed)
        response = self.clients[player].post(
            f"/{slug}", data={**form, "move": name, "step": step}, headers=JSON if as_json else {}
        )
        self.no_fault(response)
        if step != str(current):
            assert response.status_code == 409
            return
        book = self.books.get(key, EMPTY)
        luck = book.luck(game, name, random.Random(seed).randbytes)
        try:
            expected = game.play(state, name, dict(form), luck)
        except CardGameError:
            assert response.status_code == 422
            return
        assert response.status_code == (200 if as_json else 303)
        turn = Turn(game, state, name, dict(form), expected, luck)
        self.books[key], finished = written(book, turn)
        for kept in finished:
            record, _ = kept.recorded(game)
            assert replayed(parse(record.text))
        self.steps[key], self.states[key] = current + 1, expected
        cookie = self.clients[player].get_cookie("cardgames")
        assert cookie
        assert self.cookies.setdefault(player, cookie.value) == cookie.value

    def state(self, key: tuple[str, str]) -> Any:
        return self.states.get(key, GAMES[key[1]].start())

    def no_fault(self, response: TestResponse) -> None:
        assert response.status_code < 500, response.text

    @invariant()
    def the_tables_are_as_the_pure_games_say(self) -> None:
        """What is shown is the view of the state, and what is kept is the state itself."""
        if not hasattr(self, "clients"):
            return
        for player, client in self.clients.items():
            kept = self.kept(player)
            for slug, game in GAMES.items():
                key = (player, slug)
                shown = client.get(f"/{slug}", headers=JSON)
                table = shown.get_json()
                state = self.state(key)
                assert shown.status_code == 200
                assert table["step"] == self.steps.get(key, 0)
                assert table["view"] == plain(game.view(state))
                assert table["moves"] == plain(game.moves(state))
                if slug in kept:
                    row = kept[slug]
                    assert row.step == table["step"]
                    assert row.book == self.books[key]
                    assert msgspec.msgpack.decode(row.state, type=game.state_type) == state

    def kept(self, player: str) -> dict[str, Row]:
        if player not in self.cookies:
            return {}
        store = cast("Sessions", self.app.session_interface).store
        saved = store.load(self.cookies[player].partition(".")[0])
        assert saved
        return msgspec.msgpack.decode(unpacked(saved.data), type=dict[str, Row])


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
    fuzz(25, 30, Phase.generate)  # what fails is made smaller by the long one


@pytest.mark.slow
@pytest.mark.xdist_group("fuzz")
def test_random_requests_for_longer() -> None:
    fuzz(600, 60, Phase.generate, Phase.shrink)
