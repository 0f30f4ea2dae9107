"""What is kept of a table and of its rounds: read again as it was, small, and readable for ever."""

from itertools import chain

import msgspec
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.records.line import readable_line
from cardgames.records.replay import is_complete, replay, with_shuffle_orders
from cardgames.table import Phase, Table
from tests.support.play import by_salt, play_at_random
from tests.support.site import finish, look, play, session_of, sid, store_of
from web.storage.rounds import amend_rounds, round_of
from web.tables.rows import PackedSeal, pack_table, unpack_table
from web.tables.stored_round import PackedCarry, StoredRound

games = pytest.mark.parametrize("slug", GAMES)


# ---- A table -------------------------------------------------------------------------------


@games
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_a_table_is_read_as_it_was_packed_and_stays_small(slug: str, seed: int) -> None:
    """Whatever its player has done, and wherever the sentences about it are needed again."""
    game, phases, largest = GAMES[slug], set(), 0
    for step, played in enumerate(play_at_random(game, seed, 80 if slug == "war" else 250)):
        packed = pack_table(played.table, step, b"\x00\xff")
        again = unpack_table(msgspec.Raw(packed), Table(game))
        assert again == (played.table, step, b"\x00\xff")
        assert again[0].view() == played.table.view()
        phases.add(played.table.phase)
        state = msgspec.msgpack.encode(played.table.state)
        largest = max(largest, len(packed) - len(state))
    assert len(phases) > 1
    assert largest < 1_000


@pytest.mark.parametrize("names", [" " * 900, f"Amy{' ' * 900}, Brad", "  Amy,Brad  "])
def test_names_are_kept_without_what_stands_around_them(client: FlaskClient, names: str) -> None:
    play(client, "/war", "deal", players="2", names=names)
    with session_of(client) as session:
        row = bytes(session["table:war"])
    assert len(row) < 800
    assert (b"deal:names=Amy%2CBrad,players=2" if names.strip() else b"deal:players=2") in row


def test_a_sealed_shuffle_is_kept_in_few_bytes() -> None:
    (seal,) = Table(GAMES["blackjack"]).play("deal").table.seals.closed
    packed = PackedSeal.of(seal)
    assert packed.seal == seal
    assert len(msgspec.msgpack.encode(packed)) < 77


# ---- A finished round ----------------------------------------------------------------------


@games
def test_a_finished_round_is_read_as_it_was_played(slug: str) -> None:
    game, rounds = GAMES[slug], 0
    for played in play_at_random(game, 7, 80 if slug == "war" else 200):
        for record in played.finished:
            stored = StoredRound.of(record, game)
            packed = stored.packed()
            assert StoredRound.unpacked(packed) == stored
            assert len(packed) < 300
            assert stored.winner(game) == record.result
            assert stored.record(game) == record
            assert is_complete(with_shuffle_orders(record))
            rounds += 1
        if played.finished and played.table.phase is not Phase.PLAYING:
            assert replay(record).last.view()["winner"] == played.table.view()["winner"]
    assert rounds > 2


# ---- The format, byte by byte --------------------------------------------------------

SALT = "000102030405060708090a0b0c0d0e0f"

KEPT_BLACKJACK = (
    "96"  # six things; what is not said of the rest is not known
    "a131"  # "1": the dealer won
    "ce6553f100"  # at 1,700,000,000
    "9403c290c400"  # taken over: three rounds, no own deck, no piles
    f"91c410{SALT}"  # one salt of 16 bytes
    f"a9{b'deal stay'.hex()}"
    "a0"  # no deal link
)

KEPT_SIMPLE_21 = (
    "96a130ce6553f100"
    "9401c39203 01c404 0001020e"  # one round on an own deck: 3 cards undealt, 1 seen
    "90a46465616ca0"
).replace(" ", "")


def test_a_round_is_read_from_its_bytes() -> None:
    game, stored = GAMES["blackjack"], StoredRound.unpacked(bytes.fromhex(KEPT_BLACKJACK))
    assert (stored.at, stored.deal, stored.winner(game)) == (1_700_000_000, "", "dealer")
    record, order = stored.record(game), by_salt(SALT)
    line = f"blackjack 1 round=3 shuffle={''.join(order)} deal stay result=dealer"
    assert readable_line(with_shuffle_orders(record)) == line
    state = replay(record).last.state
    assert state.player == (order[0], order[2])
    assert state.dealer[:2] == (order[1], order[3])
    assert StoredRound.unpacked(stored.packed()) == stored


def test_what_a_round_took_over_is_still_read() -> None:
    """Places in the unshuffled deck: 13 clubs from the ace on are 0 to 12, so 2D is 14."""
    stored = StoredRound.unpacked(bytes.fromhex(KEPT_SIMPLE_21))
    record = stored.record(GAMES["simple-21"])
    assert (record.round, record.stacked) == (1, True)
    assert (record.carry.deck, record.carry.seen) == (("AC", "2C", "3C"), ("2D",))


def test_what_a_player_knows_of_a_buried_card_is_kept() -> None:
    game, found = GAMES["simple-21"], 0
    for played in chain.from_iterable(play_at_random(game, seed, 250) for seed in range(4)):
        table = played.table
        if table.state and table.record.carry and table.record.carry.ways:
            found += 1
            again = unpack_table(msgspec.Raw(pack_table(table, 1)), Table(game))[0]
            assert again == table
        for record in played.finished:
            stored = StoredRound.unpacked(StoredRound.of(record, game).packed())
            assert stored.record(game) == record
    assert found > 3


@games
def test_a_round_that_cannot_be_read_is_left_out(slug: str, client: FlaskClient) -> None:
    """Or that cannot be replayed: the log names it, and the others are listed."""
    for _ in range(3):
        finish(client, f"/{slug}")
    store = store_of(client.application)
    known = round_of(store, sid(client), slug, 2)
    assert known
    stored = StoredRound.unpacked(known.data)
    wrong = [msgspec.structs.replace(stored, moves="deal**")]
    if slug != "war":  # which is too long to be replayed for a list
        wrong.append(msgspec.structs.replace(stored, moves=f"{stored.moves} deal"))
    if GAMES[slug].carry_type:
        piles = PackedCarry(2, lengths=(1,) * 9, cards=b"")
        wrong.append(msgspec.structs.replace(stored, began=piles))
    for data in (b"", b"\xc1", b"\x90", *(one.packed() for one in wrong)):
        amend_rounds(store, sid(client), slug, {known: data})
        known = known._replace(data=data)
        assert [one["number"] for one in look(client, f"/{slug}/history")["rounds"]] == [3, 1]
        assert client.get(f"/{slug}/history").status_code == 200
        assert client.get(f"/{slug}/history/2").status_code == 404
