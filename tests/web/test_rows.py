"""The stored rows of a table and its rounds: restored exactly, small, and always readable."""

import msgspec
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.records.line import line
from cardgames.records.replay import is_complete, replay, with_shuffle_orders
from cardgames.table import Phase, Table
from tests.support.amounts import slow_but
from tests.support.play import play_at_random
from tests.support.site import finish, look, sid
from web import db
from web.db.models import Round
from web.tables.models import pack_table, unpack_table
from web.tables.queries import load_round, parsed

games = pytest.mark.parametrize("slug", GAMES)


@games
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_table_is_read_as_it_was_packed_and_stays_small(slug: str, seed: int) -> None:
    """The test packs the table after each move of a random player."""
    game, phases, largest = GAMES[slug], set(), 0
    moves = (80 if slug == "war" else 250) if seed else 60
    for step, played in enumerate(play_at_random(game, seed, moves)):
        packed = pack_table(step, b"\x00\xff", played.table)
        read_step, table_id, table = unpack_table(packed, Table(game))
        assert (read_step, table_id, table) == (step, b"\x00\xff", played.table)
        assert table.view() == played.table.view()
        phases.add(played.table.phase)
        state = msgspec.msgpack.encode(played.table.state)
        largest = max(largest, len(packed) - len(state))
    assert len(phases) > 1
    assert largest < 1_000


@pytest.mark.parametrize("slug", slow_but(GAMES, *{*GAMES} - {"war"}))
def test_a_finished_round_is_read_as_it_was_played(slug: str) -> None:
    game, rounds = GAMES[slug], 0
    for played in play_at_random(game, 7, 80):
        for record in played.finished:
            kept = line(record)
            assert len(kept) < 1_000
            assert parsed(kept) == record
            assert is_complete(with_shuffle_orders(record))
            rounds += 1
        if played.finished and played.table.phase is not Phase.PLAYING:
            assert replay(record).last.view()["winner"] == played.table.view()["winner"]
    assert rounds > 2


@games
def test_unreadable_round_is_left_out(slug: str, client: FlaskClient) -> None:
    """A round that cannot be replayed is also omitted.

    The log names the unreadable row, and the other rows are listed.
    """
    for _ in range(3):
        finish(client, f"/{slug}")
    with client.application.app_context():
        found = load_round(sid(client), slug, 2)
        assert found
        known = found.record
    wrong = ["", "\xc1", slug, known.replace("deal", "deal**"), f"nothing {known}"]
    if slug != "war":  # The record is too long to be replayed for the list of rounds.
        wrong.append(known.replace(" result=", " deal result="))
    for record in wrong:
        with client.application.app_context():
            found = db.session().get_one(Round, (sid(client), slug, 2))
            found.record = record
            db.commit()
        assert [one["number"] for one in look(client, f"/{slug}/history")["rounds"]] == [3, 1]
        assert client.get(f"/{slug}/history").status_code == 200
        assert client.get(f"/{slug}/history/2").status_code == 404


def test_history_page_reads_only_its_listed_rounds(
    client: FlaskClient, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(21):
        finish(client, "/blackjack")
    with client.application.app_context():
        for number in (1, 21):  # one round on the second page and one on the first page
            db.session().get_one(Round, (sid(client), "blackjack", number)).record = "nothing"
        db.commit()
    for page, warnings in ((1, 1), (2, 2)):
        assert client.get(f"/blackjack/history?page={page}").status_code == 200
        assert (
            len([record for record in caplog.records if record.name == "cardgames.rounds"])
            == warnings
        )
