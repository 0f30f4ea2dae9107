"""The book of a table: rounds that can be replayed, and seals that are opened when they may be."""

import dataclasses
import random
import secrets
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from cardgames.luck import seal
from cardgames.record import Record, parse, replayed
from web.book import EMPTY, OPENED, Book, Kept, Sealed, Turn, written

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card
from cardgames.game import Choices, Game, Phase
from tests.high_card import HighCard
from tests.test_contract import random_move

games = pytest.mark.parametrize("slug", GAMES)


class Playing:
    """A table at play: its state, its book, and the rounds that were finished."""

    def __init__(
        self, slug: str, randbytes: Callable[[int], bytes] = secrets.token_bytes, book: Book = EMPTY
    ) -> None:
        self.game: Game[Any, Any] = GAMES[slug]
        self.state = self.game.start()
        self.book = book
        self.randbytes = randbytes
        self.finished: list[Kept] = []
        self.shown: list[tuple[int, Any]] = []
        """After each move of the open round: its number of single moves, and the state."""

    def move(self, name: str, **choices: Any) -> None:
        self.play(name, choices)

    def play(self, name: str, choices: Choices) -> None:
        luck = self.book.luck(self.game, name, self.randbytes)
        before, self.state = self.state, self.game.play(self.state, name, choices, luck)
        turn = Turn(self.game, before, name, choices, self.state, luck)
        self.book, finished = written(self.book, turn)
        self.finished += finished
        self.shown = [] if name == "deal" else self.shown
        self.shown.append((sum(times for _, times in self.book.moves), self.state))

    def records(self) -> list[Record]:
        """Return the finished rounds and the open one."""
        records = [kept.recorded(self.game)[0] for kept in self.finished]
        if self.game.phase(self.state) is Phase.PLAYING:
            records.append(self.book.recorded(self.game))
        return records


def seeded(seed: int) -> Callable[[int], bytes]:
    return random.Random(seed).randbytes


def at_random(slug: str, seed: int, moves: int, **more: Any) -> Iterator[Playing]:
    """Play a table at random; yield it after every move."""
    rng, table = random.Random(seed), Playing(slug, seeded(seed), **more)
    for _ in range(moves):
        table.play(*random_move(table.game, table.state, rng))
        yield table


def lying(game: Game[Any, Any], state: Any) -> dict[str, Any]:
    """Return what a view shows, but for the tally, which no record tells."""
    view = msgspec.json.decode(msgspec.json.encode(game.view(state), enc_hook=str))
    return {name: value for name, value in view.items() if name != "tally"}


# ---- Rounds are replayed as they were played ------------------------------------------------


@games
@pytest.mark.parametrize("seed", range(3))
def test_every_round_is_replayed_as_it_was_played(slug: str, seed: int) -> None:
    game, rounds = GAMES[slug], 0
    for table in at_random(slug, seed, 60 if slug == "war" else 250):
        if game.phase(table.state) is Phase.READY:
            continue
        record = table.book.recorded(game)
        assert parse(record.text) == record
        states = replayed(record)
        for steps, state in table.shown:
            expected, found = lying(game, state), lying(game, states[steps])
            if slug in ("war", "bingo"):  # where several turns are one click, all are told of
                expected["messages"], found["messages"] = (
                    expected["messages"][-1:],
                    found["messages"][-1:],
                )
            if slug == "simple-21" and state is table.shown[0][1]:
                expected["messages"] = found["messages"]
            if slug == "blackjack":  # nor does it tell that the round before was given up
                expected["messages"] = expected["messages"][-len(found["messages"]) :]
            assert found == expected
        rounds += record.result != ""
    assert rounds > 2


@games
def test_a_finished_round_leaves_the_book_and_says_the_same(slug: str) -> None:
    for table in at_random(slug, 7, 60 if slug == "war" else 200):
        while table.finished:
            kept = table.finished.pop()
            assert Kept.unpacked(kept.packed()) == kept
            assert len(kept.packed()) < 300
            record, state = kept.recorded(table.game)
            assert record.result == kept.winner(table.game) == table.game.won(state)
            assert record.is_whole


def test_a_round_that_is_given_up_is_finished_by_dealing() -> None:
    table = Playing("blackjack", seeded(1))
    deals = ["deal", "hit", "deal"]
    while table.game.phase(table.state) is not Phase.PLAYING or deals:
        table.move(deals.pop(0) if deals else "deal")
        assert not table.finished or len(deals) < 2
    first = table.finished[0]
    assert (first.moves, first.winner(table.game)) == ("deal hit forfeit", "dealer")
    record, state = first.recorded(table.game)
    assert record.text.endswith(" deal hit forfeit result=dealer")
    assert state.hole_down is False
    # Its deck is not played again: the seal is opened, the new one is not.
    assert [one.salt for one in table.book.opened] == [*first.salts]
    assert [one.salt for one in table.book.sealed] == [*table.book.salts]


def test_what_began_before_there_were_books_is_not_kept() -> None:
    """A table of an older version: its open round has no beginning, the next one has."""
    table = Playing("simple-21", seeded(2))
    table.move("deal")
    table.book = EMPTY
    table.move("stay")
    assert (table.finished, table.book.rounds, len(table.book.course)) == ([], 0, 1)
    table.move("deal")
    table.move("stay")
    (kept,) = table.finished
    assert kept.began.round == 1
    assert replayed(kept.recorded(table.game)[0])[-1].round == 2


def test_a_game_of_ones_own_needs_nothing_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "high-card", HighCard())
    table = Playing("high-card", seeded(3))
    for _ in range(3):
        table.move("deal")
    assert len(table.finished) == 3
    for kept in table.finished:
        record, state = kept.recorded(table.game)
        assert record.text == f"high-card 1 shuffle={''.join((*state.shown, *state.deck))} deal"
        assert replayed(parse(record.text))[-1] == state
    assert table.book.sealed == ()


def test_new_begins_the_tally_anew_and_never_a_number_again() -> None:
    table = Playing("simple-21", seeded(4))
    for move in ("deal", "stay", "deal", "stay", "deal", "new"):
        table.move(move)
    assert (table.book.rounds, table.book.course, table.book.sealed) == (2, "", ())
    assert (table.book.opened_to, len(table.book.opened)) == (2, 1)
    table.move("deal")
    table.move("stay")
    assert table.book.rounds == 3


@pytest.mark.parametrize("names", [" " * 50_000, f"Amy{' ' * 50_000}, Brad", "  Amy,Brad  "])
def test_names_are_kept_without_what_stands_around_them(names: str) -> None:
    table = Playing("war", seeded(5))
    table.move("deal", players="2", names=names)
    assert len(msgspec.msgpack.encode(table.book)) < 300
    named = "deal:names=Amy%2CBrad,players=2" if names.strip() else "deal:players=2"
    assert table.book.moves == ((named, 1),)


def test_the_book_stays_small() -> None:
    most = 0
    for slug in GAMES:
        for table in at_random(slug, 8, 60 if slug == "war" else 400):
            most = max(most, len(msgspec.msgpack.encode(table.book)))
    assert most < 1000


# ---- What was kept is read for ever ---------------------------------------------------------

SALT = "000102030405060708090a0b0c0d0e0f"

KEPT_BLACKJACK = (
    "97"  # seven things
    "01"  # of version 1
    "a131"  # "1": the dealer won
    "ce6553f100"  # at 1,700,000,000
    "9403c290c400"  # taken over: three rounds, no own deck, no piles
    f"91c410{SALT}"  # one salt of 16 bytes
    f"a9{b'deal stay'.hex()}"
    "a0"  # no deal link
)

KEPT_SIMPLE_21 = (
    "9701a130ce6553f100"
    "9401c39203 01c404 0400000b"  # one round on an own deck: 3 cards undealt, 1 seen
    "90a46465616ca0"
).replace(" ", "")


def by_salt(salt: str, number: int) -> list[str]:
    return sorted(
        map(str, FULL_DECK), key=lambda c: sha256(f"{salt} {number} {c}".encode()).digest()
    )


def test_a_round_kept_by_the_first_version_is_still_read() -> None:
    kept = Kept.unpacked(bytes.fromhex(KEPT_BLACKJACK))
    assert (kept.at, kept.deal, kept.winner(GAMES["blackjack"])) == (1_700_000_000, "", "dealer")
    record, state = kept.recorded(GAMES["blackjack"])
    order = by_salt(SALT, 1)
    assert record.text.startswith(f"blackjack 1 round=3 shuffle={''.join(order)} deal stay result=")
    assert state.player == (order[0], order[2])
    assert state.dealer[:2] == (order[1], order[3])
    assert kept.packed().hex() == KEPT_BLACKJACK


def test_what_a_round_took_over_is_still_read() -> None:
    """Places in what is left of the unshuffled deck, most significant first.

    The number is 11 in four digits: 0 of 52, 0 of 51, 0 of 50, 11 of 49: AC, 2C, 3C, and the 12th
    of 4C to KC, AD to ...: after 4C 5C 6C 7C 8C 9C TC JC QC KC AD it is 2D.
    """
    began = Kept.unpacked(bytes.fromhex(KEPT_SIMPLE_21)).began
    before = began.before
    assert (before.round, before.stacked) == (1, True)
    assert before.piles == {"deck": ("AC", "2C", "3C"), "seen": ("2D",)}


# ---- Seals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("slug", ["simple-21", "one-deck"])
@pytest.mark.parametrize("seed", range(6))
def test_a_seal_that_is_opened_tells_nothing_of_what_lies_hidden(slug: str, seed: int) -> None:
    """Each card lies where the last shuffle that it was in has put it: that one stays sealed.

    Followed here by itself, from the seals as they are made and from where the cards lie. Nor is a
    round counted as open while a shuffle that it tells of is sealed, or a later one than those.
    """
    opened = refills = own = 0
    made: dict[bytes, set[Card]] = {}
    told_by: dict[int, set[bytes]] = {}  # by round: the shuffles before and in it
    table, rng = Playing(slug, seeded(seed)), random.Random(seed)
    for _ in range(400):
        name, choices = random_move(table.game, table.state, rng)
        if name == "new" and len(table.game.moves(table.state)) > 1:
            continue
        if table.game.phase(table.state) is Phase.READY:
            own = bool(choices.get("deck"))
        before = {one.salt for one in table.book.sealed}
        table.play(name, choices)
        sealed = {one.salt for one in table.book.sealed}
        made |= {one.salt: set(one.order) for one in table.book.sealed}
        opened += len(before - sealed)
        refills += len(sealed) > 1
        playing = table.game.phase(table.state) is Phase.PLAYING
        told_by[table.book.rounds + playing] = set(made)
        for number in range(1, table.book.opened_to + 1):
            assert not told_by[number] & sealed
        if table.game.spent(table.state) or name == "new":
            assert not sealed
            made.clear()
            continue
        for card in where_hidden(table.state):
            last = next((salt for salt in reversed(made) if card in made[salt]), None)
            assert last in sealed or (last is None and own)
    assert opened
    assert refills or slug == "one-deck"


def where_hidden(state: Any) -> tuple[Card, ...]:
    """Return what the player cannot know, where the hole card is the second."""
    hole = (state.dealer[1],) if state.hole_down else ()
    return (*hole, *state.deck, *state.buried)


@pytest.mark.parametrize("slug", ["blackjack", "bingo", "war"])
def test_where_decks_are_whole_in_every_round_seals_are_open_between_them(slug: str) -> None:
    rounds = 0
    for table in at_random(slug, 5, 60 if slug == "war" else 300):
        sealed = {one.salt for one in table.book.sealed}
        if table.game.phase(table.state) is Phase.PLAYING:
            assert sealed == set(table.book.salts)
            assert table.book.opened_to == table.book.rounds
        else:
            assert not sealed
            rounds += 1
    assert rounds > 3


def refilled(hits: int) -> Playing:
    """Return a table of Simple 21 whose deck was refilled in the player's turn, over a hole card.

    Its deck came from a shuffle, and lies so that the second round begins with its last cards.
    """
    table = Playing("simple-21", seeded(6))
    table.move("deal")
    table.move("stay")
    lie = [Card(code) for code in ("2C", "9D", "3C", "8C")]
    others = tuple(card for card in FULL_DECK if card not in lie)
    table.state = dataclasses.replace(
        table.state, player=(), dealer=(), deck=tuple(lie), discards=others, hole_down=False
    )
    table.move("deal")
    for _ in range(hits):
        table.move("hit")
    return table


def test_the_older_seal_is_opened_with_the_round_in_which_the_hole_card_under_it_is_seen() -> None:
    table = refilled(hits=1)
    older, newest = table.book.sealed
    assert table.book.opened_to == 0
    table.move("stay")
    assert table.state.hole_down is False
    assert (table.book.sealed, table.book.opened, table.book.opened_to) == ((newest,), (older,), 1)


def test_the_older_seal_stays_while_the_hole_card_under_it_is_buried() -> None:
    """8C was dealt from the older deck and buried by a bust: it comes back with the next refill."""
    table = refilled(hits=1)
    older, newest = table.book.sealed
    while table.game.phase(table.state) is Phase.PLAYING:
        table.move("hit")
    assert "8C" in (*table.state.dealer, *table.state.buried)
    assert "8C" not in newest.order
    while len(table.book.sealed) == 2:
        assert table.book.sealed == (older, newest)
        assert table.book.opened_to == 0
        table.move("deal" if table.state.phase is Phase.ROUND_OVER else "stay")
    if len(table.book.sealed) == 3:  # the third has 8C again, or it is on the table
        assert "8C" in table.book.sealed[-1].order
        table.move("stay")
    assert older in table.book.opened


def test_what_is_opened_is_what_was_sealed() -> None:
    for slug in GAMES:
        digests: set[str] = set()
        for table in at_random(slug, 9, 40 if slug == "war" else 200):
            assert len(table.book.opened) <= OPENED
            digests |= {one.digest for one in table.book.sealed}
            # What is sealed and opened in the same move was never shown closed.
            for one in table.book.opened:
                assert (
                    one.digest
                    == sha256(" ".join([one.salt.hex(), *one.order]).encode()).hexdigest()
                )
        assert digests


@games
def test_the_seals_of_a_finished_round_are_those_that_were_shown(slug: str) -> None:
    shown: set[str] = set()
    rounds = 0
    for table in at_random(slug, 10, 50 if slug == "war" else 250):
        shown |= {one.digest for one in (*table.book.sealed, *table.book.opened)}
        while table.finished:
            kept = table.finished.pop()
            record, _ = kept.recorded(table.game)
            seals = kept.sealed(record)
            if len(seals) <= OPENED:
                assert {one.digest for one in seals} <= shown
            assert {one.salt for one in seals} == set(kept.salts)
            rounds += 1
    assert rounds > 2


def test_bingo_seals_both_decks_with_one_salt() -> None:
    table = Playing("bingo", seeded(11))
    table.move("deal", mode="F", speed="N")
    salt = table.book.salts[0].hex()
    bingo, calling = by_salt(salt, 1), by_salt(salt, 2)
    assert [one.digest for one in table.book.sealed] == [seal(salt, bingo), seal(salt, calling)]
    assert table.state.bingo_deck == tuple(bingo)
    assert table.state.calling_deck == tuple(calling)


def test_all_of_a_game_of_war_follows_from_one_salt_however_it_is_clicked() -> None:
    ends = []
    for clicks in (["100", "10", "1"], ["1"] * 111, ["10"] * 11 + ["1"]):
        table = Playing("war", seeded(12))
        table.move("deal", players="2")
        for turns in clicks:
            table.move("turn", turns=turns)
        assert len(table.book.salts) == 1
        assert table.book.drawn == 112
        ends.append((table.state.hands, table.book.moves, table.book.sealed))
    assert ends[0] == ends[1] == ends[2]
    assert ends[0][1] == (("deal:players=2", 1), ("turn:turns=1", 111))


def test_with_an_own_deck_at_war_the_salt_is_sealed_by_itself() -> None:
    table = Playing("war", seeded(13))
    table.move("deal", players="2", deck="\n".join(FULL_DECK))
    assert table.book.sealed == ()
    table.move("turn", turns="1")
    (sealed,) = table.book.sealed
    assert (sealed.order, sealed.digest) == ((), sha256(sealed.salt.hex().encode()).hexdigest())
    table.move("turn", turns="all")
    (kept,) = table.finished
    record, _ = kept.recorded(table.game)
    assert (record.shuffles, record.salt) == ((), sealed.salt.hex())
    assert kept.sealed(record) == (sealed,) == table.book.opened


@games
def test_two_deals_are_two_orders(slug: str) -> None:
    """With the operating system's luck: a repeated salt would be a catastrophe, so it is tried."""
    salts, orders = set(), set()
    for _ in range(50):
        table = Playing(slug)
        fields = {"players": "2"} if slug == "war" else {}
        fields |= {"mode": "F", "speed": "N"} if slug == "bingo" else {}
        table.move("deal", **fields)
        salts |= set(table.book.salts)
        orders |= {one.cards for one in (*table.book.sealed, *table.book.opened)}
    assert len(salts) == 50
    assert len(orders) == (100 if slug == "bingo" else 50)


def test_a_sealed_shuffle_is_kept_in_few_bytes() -> None:
    table = Playing("blackjack", seeded(14))
    table.move("deal")
    (sealed, *_) = table.book.sealed or table.book.opened
    assert isinstance(sealed, Sealed)
    assert len(msgspec.msgpack.encode(sealed)) < 55
