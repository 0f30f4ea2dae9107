"""What the player may not see changes nothing that they are sent.

Two ways to look for a leak. The first deals whatever is hidden anew and finds every answer over
HTTP the same: nothing can tell what nothing depends on. The second reads the answers for the name
of a hidden card, in whatever way it may be written.
"""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import msgspec
import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from cardgames.game import AnyGame
from cardgames.moves import Action
from cardgames.records.record import Record
from cardgames.shuffling import SaltedRandom, random_salt
from cardgames.table import NEW, Phase, Table
from tests.support.amounts import few_or_all
from tests.support.answers import at_random, deck_fields, looks, looks_back, refusals
from tests.support.hidden import (
    HOLE,
    has_deck,
    hidden_at_twenty_one,
    other_table,
    resampled,
    secrets_of,
    twin_of,
    whole,
)
from tests.support.site import forget_rounds, play, put, session_of, slot_at
from web.storage.rounds import NewRound
from web.tables.stored_round import StoredRound

games = pytest.mark.parametrize("slug", GAMES)
TWENTY_ONE = tuple(HOLE)


@games
def test_what_is_said_here_is_what_the_game_hides(slug: str) -> None:
    """Other cards lie where the game says that some are hidden, and nowhere else are there any."""
    game, rng = GAMES[slug], random.Random(3)
    table = Table(game)
    for _ in range(60):
        name = rng.choice([move.name for move in table.moves() if move is not NEW] or ["new"])
        table = table.play(name, deck_fields(table, name, rng)).table
        if table.state is None:
            continue
        other = resampled(game, table.state, rng)
        assert Counter(game.cards(other)) == Counter(game.cards(table.state))
        assert Counter(game.seen(other)) == Counter(game.seen(table.state))
        if slug in TWENTY_ONE:
            hidden = hidden_at_twenty_one(table.state, HOLE[slug])
            assert Counter(game.hidden(table.state)) == Counter(hidden)


@pytest.mark.parametrize("slug", TWENTY_ONE)
def test_the_hole_card_can_be_any_hidden_card(slug: str) -> None:
    """The resampling itself: each hidden card comes to lie as the hole card."""
    rng = random.Random(3)
    state = Table(GAMES[slug]).play("deal").table.state
    hole = HOLE[slug]
    game = GAMES[slug]
    holes = {resampled(game, state, rng).dealer[hole] for _ in range(1000)}
    assert holes == {*state.deck, state.dealer[hole]}
    assert len(holes) == 49


# ---- No answer depends on it: the table, and all around it ---------------------------------


@few_or_all("moves", 10, 30)
@games
@pytest.mark.parametrize("own_decks", [True, False], ids=["own decks", "shuffled"])
def test_no_answer_depends_on_what_is_hidden(
    slug: str,
    own_decks: bool,  # noqa: FBT001 - pytest passes it by name
    moves: int,
    client: FlaskClient,
) -> None:
    """Pages, JSON, odds, seals, lobby, refusals, exports and headers: the same bytes."""
    rng = random.Random(20)
    different = other_luck = 0
    exported = client.application.test_cli_runner()
    for _, slot in at_random(client, slug, rng, moves, own_decks=own_decks):
        if slot.step == 1:
            client.post("/coach", data={"table": slug, "mode": "before"})  # where there is one
        other = other_table(slot.table, rng)
        different += other.state != slot.table.state
        other_luck += other.seals != slot.table.seals
        answers = []
        for table in (slot.table, other):
            put(client, f"/{slug}", table)
            found = [*looks(client, slug)]
            if slot.step % 4 == 0:
                found += refusals(client, slug, slot)
            for answer in found:
                text = f"{answer.headers}{answer.text}".lower()
                assert not [salt for salt in secrets_of(table) if salt in text]
            answers.append([whole(answer, table.seals) for answer in found])
            if slot.step % 10 == 0:
                told = exported.invoke(args=["sessions", "export"]).output
                answers[-1].append(re.sub(r'"moves":\d+', "", told))  # which each writing counts
            assert slot_at(client, f"/{slug}").table == table
        for one, twin in zip(*answers, strict=True):
            assert one == twin
        put(client, f"/{slug}", slot.table)
    assert different >= (0.5 if GAMES[slug].round_moves else 0.8) * moves
    assert other_luck > 0.25 * moves or own_decks or not GAMES[slug].round_moves


def test_after_a_refill_under_the_hands_the_odds_know_what_the_player_knows(
    client: FlaskClient,
) -> None:
    """The hole card was dealt before the discards came back, so it is none that lay there.

    It is itself or the hole card that was buried before, and nothing tells which.
    """
    rng, address = random.Random(23), "/simple-21"
    top = ["TC", "9C", "TD", "8C", "TH", "2C", "9D", "3C", "4D"]
    deck = "\n".join([*top, *(card for card in FULL_DECK if card not in top)])
    play(client, address, "deal", deck=deck)
    play(client, address, "hit", "deal")  # the third ten busts, and 8C is buried
    table = slot_at(client, address).table
    state = table.state
    assert (state.player, state.dealer) == (("2C", "3C"), ("9D", "4D"))
    swept = replace(state, deck=(), discards=(*state.discards, *state.deck))
    put(client, address, replace(table, state=swept))
    play(client, address, "hit")
    table = slot_at(client, address).table
    state = table.state
    assert table.phase is Phase.PLAYING
    assert (len(state.deck), len(state.player), state.discards) == (47, 3, ())

    answers, holes = [], set()
    for _ in range(20):
        put(client, address, replace(table, state=state))
        answers.append([whole(answer, table.seals) for answer in looks(client, "simple-21")])
        holes.add(state.dealer[1])
        state = resampled(table.game, state, rng)
    assert all(answer == answers[0] for answer in answers)
    assert holes == ({"4D", "8C"} if "8C" in {*state.deck, state.dealer[1]} else {"4D"})


# ---- Nor of the pages about what was played ------------------------------------------------

new_rng = partial(SaltedRandom, random_salt)


class Past:
    """A table with all its finished rounds, that can be put into a session."""

    def __init__(self, game: AnyGame, actions: Sequence[Action]) -> None:
        self.table = Table(game)
        self.finished: list[Record] = []
        for action in actions:
            self.table, finished = self.table.after(action, new_rng)
            self.finished += finished

    def put(self, client: FlaskClient) -> None:
        """Write table and rounds over a player's, all of them finished at the same moment."""
        game = self.table.game
        put(client, f"/{game.info.slug}", self.table)
        table_id = slot_at(client, f"/{game.info.slug}").id
        forget_rounds(client, game.info.slug)
        with session_of(client) as session:
            for number, record in enumerate(self.finished, start=1):
                stored = StoredRound.of(record, game).at_table(table_id, number)
                packed = msgspec.structs.replace(stored, at=1_700_000_000).packed()
                session.side_writes.append(NewRound(game.info.slug, packed))


def with_own_decks(slug: str, rng: random.Random, moves: int) -> Iterator[list[Action]]:
    """Play at random with decks of the player's own; yield all that was done, after each move.

    Begun anew where a deck is shuffled: from then on another deck cannot show the same.
    """
    game = GAMES[slug]
    actions: list[Action] = []
    for _ in range(moves):
        table = Past(game, actions).table
        legal = [move.name for move in table.moves() if move is not NEW] or ["new"]
        again = table.round and not game.later_deals.decks and not game.carry_type
        name = "new" if again and table.phase is not Phase.PLAYING else rng.choice(legal)
        move = table.legal_move(name)
        sent = deck_fields(table, name, rng)
        if game.info.reshuffles and move.repeat:
            sent[move.repeat.field] = next(iter(move.repeat.options))
        actions.append(move.read(sent))
        if Past(game, actions).table.draw_count > game.info.reshuffles:
            actions.clear()
        elif any(has_deck(action, game) for action in actions):
            yield [*actions]


@few_or_all("moves", 10, 26)
@pytest.mark.parametrize("slug", [slug for slug, game in GAMES.items() if game.deals.decks])
def test_no_page_about_the_past_depends_on_what_is_hidden(
    slug: str, client: FlaskClient, moves: int
) -> None:
    """Two histories that differ in nothing but cards which the player has not seen."""
    rng, game = random.Random(24), GAMES[slug]
    compared = rounds = open_rounds = 0
    client.post(f"/{slug}", data={"move": "new", "step": "0"})
    for actions in with_own_decks(slug, rng, moves):
        past = Past(game, actions)
        if past.table.state is None:
            continue
        place = max(n for n, action in enumerate(actions) if has_deck(action, game))
        other = [*actions]
        other[place] = twin_of(actions, past.table, rng)
        twin = Past(game, other)
        compared += twin.table.state != past.table.state
        rounds = max(rounds, len(past.finished))
        open_rounds += past.table.phase is Phase.PLAYING
        answers = []
        for one in (past, twin):
            one.put(client)
            newest = [len(one.finished)] * (len(one.finished) > one.table.seals.opened_to)
            found = looks_back(client, slug, newest)
            answers.append([whole(answer, one.table.seals) for answer in found])
        if past.table.carry is None and past.table.result:
            continue  # the cards are done with: all of them are told now
        for first, second in zip(*answers, strict=True):
            assert first == second
    assert compared > 0.4 * moves
    assert open_rounds > 0.2 * moves
    assert rounds > 1 or slug == "war"
