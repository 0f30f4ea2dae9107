"""What the player may not see is in nothing that they are sent: at a table, at a deal, afterwards.

Two ways to look for a leak. One deals whatever is hidden anew and finds every answer over HTTP the
same: nothing can tell what nothing depends on. The other reads answers, headers and the log for the
name of a hidden card, in whatever way it may be written.
"""

import base64
import io
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import chain, product

import flask
import msgspec
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import FULL_DECK, shuffled
from cardgames.game import AnyGame
from cardgames.moves import Action
from cardgames.records.record import Record
from cardgames.shuffling import SaltedRandom, Seals, random_salt
from cardgames.table import NEW, Phase, Table
from tests.support.amounts import few_or_all
from tests.support.answers import at_random, deck_fields, looks, looks_back, refusals
from tests.support.hidden import (
    HOLE,
    ONE_CHARACTER,
    RANK_NAMES,
    SUIT_NAMES,
    SYMBOLS,
    cards_named,
    check_names,
    has_deck,
    hidden_at_twenty_one,
    other_table,
    resampled,
    said_by,
    secrets_of,
    twin_of,
    whole,
)
from tests.support.site import (
    JSON,
    add_results,
    finish,
    forget_rounds,
    id_of,
    look,
    made_deal,
    names_of,
    play,
    put,
    send,
    session_of,
    slot_at,
    stacked,
    steps,
    store_of,
)
from web.deals.deal import Deal, PlayerResult
from web.deals.storage import deal_data
from web.storage.rounds import NewRound
from web.tables.stored_round import StoredRound

games = pytest.mark.parametrize("slug", GAMES)
DECIDED = [slug for slug, game in GAMES.items() if game.round_moves]
ONCE = [game.info.slug for game in GAMES.values() if game.info.decks == 1 and game.info.winners]
"""Games with each card on the table once: one that is hidden stands nowhere at all. War's cards go
back into hands, and Bingo has two of each."""


# ---- What is looked for --------------------------------------------------------------------


@pytest.mark.parametrize(
    "way",
    [
        "{code}",
        "cards/{code}.svg",
        '["9C","{code}",null]',
        "You take the {rank} of {suit}, value = 20.",
        "the {rank}-of-{suit}.svg",
        "{RANK}_OF_{SUIT}",
        "{code[0]} of {suit}",
        "{short}{symbol}",
        "{short} {white}",
        "{symbol}{short}",
        "<b>{short}</b><i>{symbol}\N{VARIATION SELECTOR-16}</i>",
        "&#{number};{short}",
        "{sign}",
    ],
)
def test_a_card_is_recognised_however_it_is_written(way: str) -> None:
    """Were it blind, the tests below would prove nothing."""
    signs = {card: sign for sign, card in ONE_CHARACTER.items()}
    for rank, suit in product(RANK_NAMES, SUIT_NAMES):
        text = way.format(
            code=rank + suit,
            rank=RANK_NAMES[rank],
            suit=SUIT_NAMES[suit],
            RANK=RANK_NAMES[rank].upper(),
            SUIT=SUIT_NAMES[suit].upper(),
            short=rank.replace("T", "10"),
            symbol=SYMBOLS[suit][0],
            white=SYMBOLS[suit][1],
            number=ord(SYMBOLS[suit][0]),
            sign=signs[rank + suit],
        )
        assert rank + suit in cards_named(f"It is {text} - so.")


def test_ordinary_words_name_no_card() -> None:
    text = "Dealing cards to player and dealer... You 18, dealer 17: you win. Cards: 52 of 52. The "
    text += "queen, the hearts, ten of those; Accept-CH, 17 Spades, value = 2, class='card'"
    assert cards_named(text) == set()


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
        if slug in HOLE:
            hidden = hidden_at_twenty_one(table.state, HOLE[slug])
            assert Counter(game.hidden(table.state)) == Counter(hidden)


@pytest.mark.parametrize("slug", HOLE)
def test_the_state_behind_the_page_is_the_deck_that_was_sent(
    slug: str, client: FlaskClient
) -> None:
    """What is hidden is read out of the store; this holds that reading against a deck of ours."""
    deck = shuffled(FULL_DECK, random.Random(40))
    play(client, f"/{slug}", "deal", deck="\n".join(deck))
    hole = deck[1] if HOLE[slug] == 0 else deck[3]
    state = slot_at(client, f"/{slug}").table.state
    assert hidden_at_twenty_one(state, HOLE[slug]) == (hole, *deck[4:])
    assert cards_named(client.get(f"/{slug}").text) == set(deck[:4]) - {hole}


# ---- No answer names a hidden card ---------------------------------------------------------


@few_or_all("moves", 24, 75)
@pytest.mark.parametrize("slug", ONCE)
def test_no_answer_about_a_table_names_a_hidden_card(
    slug: str, client: FlaskClient, capfd: pytest.CaptureFixture[str], moves: int
) -> None:
    """From a stacked deck to the refill, or the end of the deck, and beyond; with the coach."""
    rng, game, address = random.Random(30), GAMES[slug], f"/{slug}"
    refills = games_over = revealed = refused = 0
    for answer, slot in at_random(client, slug, rng, moves):
        if slot.step == 1:
            client.post("/coach", data={"table": slug, "mode": "before"})  # where there is one
        table = slot.table
        hidden = game.hidden(table.state) if table.state else ()
        found = [answer, *looks(client, address)]
        if table.seals.opened:  # which show where cards lay before they were shuffled again
            found = [one for one in found if not one.request.path.endswith("/seals")]
        assert check_names(found, hidden) >= 10
        shown = look(client, address)["view"]
        if slug in HOLE and table.state:
            face_up = {card for side in ("player", "dealer") for card in shown[side]["cards"]}
            assert face_up - {None} <= cards_named(client.get(address).text)
            revealed += table.phase is not Phase.PLAYING and None not in face_up
        if slot.step % 3 == 0:
            refused += check_names(refusals(client, address, slot), hidden)
            assert slot_at(client, address) == slot
        refills += "Repopulating deck with cards..." in shown["messages"]
        if not refills:  # later it names cards that were seen and are back
            check_names([client.get(f"{address}/transcript")], hidden)
            logged = capfd.readouterr()
            assert not cards_named(logged.out + logged.err) & set(hidden)
        games_over += table.phase is Phase.GAME_OVER
    assert refused > moves
    assert revealed if slug in HOLE else not revealed
    assert refills if slug == "simple-21" else not refills
    assert games_over if slug == "one-deck" else not games_over


def test_a_deck_refused_in_the_middle_of_a_round_names_nothing(client: FlaskClient) -> None:
    """At Blackjack a deck may be sent in every round, and may be the very one being played."""
    text = "\n".join(shuffled(FULL_DECK, random.Random(41)))
    play(client, "/blackjack", "deal", deck=text)
    slot = slot_at(client, "/blackjack")
    hole = slot.table.state.dealer[0]
    bad_decks = (
        text + "\n" + hole,
        text.replace(hole, f"{hole}x"),
        text.replace(hole, f"1{hole[1]}"),
        text.replace(hole, f"{hole[0]}X"),
        text.replace("\n", " "),
        text.replace("\n", ""),
        "\n".join([hole] * 52),
        hole,
        text + "\n\n",
        "\N{ZERO WIDTH NO-BREAK SPACE}" + text,
    )
    for bad, headers, encoding in product(bad_decks, ({}, JSON), (None, "utf-8", "utf-16")):
        deck = (io.BytesIO(bad.encode(encoding)), "deck.txt") if encoding else bad
        answer = send(client, {"move": "deal", "step": "1", "deck": deck}, "/blackjack", headers)
        assert answer.status_code == 422
        assert "Cannot populate deck: invalid data in" in answer.text
        check_names([answer], hidden_at_twenty_one(slot.table.state, HOLE["blackjack"]))
    assert slot_at(client, "/blackjack") == slot


SEED = "a seed that nobody guesses"


def encodings(salt: bytes) -> set[str]:
    """Return how a deal's salt, or its seed, might stand in an answer."""
    encoded = {base64.b64encode(salt).decode(), base64.urlsafe_b64encode(salt).decode()}
    plain = {SEED, sha256(SEED.encode()).hexdigest()[:16], str(int.from_bytes(salt, "big"))}
    return {*plain, salt.hex(), salt.hex().upper(), *(text.rstrip("=") for text in encoded)}


def kept_deal(app: flask.Flask, address: str) -> bytes:
    data = deal_data(store_of(app), id_of(address))
    assert data
    return data


@few_or_all("deals", 1, 4)
@pytest.mark.parametrize("slug", HOLE)
@pytest.mark.parametrize("source", ["seed", "deck", "secret"])
def test_no_answer_about_a_deal_names_an_undealt_card_before_the_end(
    app: flask.Flask, slug: str, source: str, capfd: pytest.CaptureFixture[str], deals: int
) -> None:
    """Also to the maker, and while others have finished and know every card."""
    rng, maker, game = random.Random(12), app.test_client(), GAMES[slug]
    for _ in range(deals):
        deck = "\n".join(shuffled(FULL_DECK, rng))
        fields = {"seed": {"seed": SEED}, "deck": {"deck": deck}, "secret": {}}[source]
        answer = maker.post("/deals", data={"table": slug, **fields})
        address = answer.headers["Location"].removesuffix("/link")
        assert not cards_named(said_by(answer))
        salt = msgspec.msgpack.decode(kept_deal(app, address), type=Deal).salt
        for _ in range(3):
            finish(app.test_client(), address, rng)
        for client in (maker, app.test_client()):
            table = look(client, address)
            while table["moves"]:
                slot = slot_at(client, address)
                hidden = game.hidden(slot.table.state) if slot.table.state else FULL_DECK
                answers = [*looks(client, address), *refusals(client, address, slot)]
                check_names(answers, hidden)
                for text, secret in product(map(said_by, answers), encodings(salt)):
                    assert secret not in text
                table = play(client, address, rng.choice(names_of(table)))
    logged = capfd.readouterr()
    assert not cards_named(logged.out + logged.err)
    assert SEED not in logged.out + logged.err


@pytest.mark.parametrize("slug", [slug for slug in ONCE if GAMES[slug].carry_type])
def test_no_page_about_the_past_names_a_card_that_is_still_hidden(
    slug: str, client: FlaskClient
) -> None:
    """While one deck lasts, what is hidden has never been seen, and so stands nowhere."""
    rng, salts = random.Random(21), 0
    for rounds in range(4):
        for _ in steps(client, f"/{slug}", rng):
            table = slot_at(client, f"/{slug}").table
            if table.draw_count > (rounds == 0) or table.phase is Phase.GAME_OVER:
                break  # the discards have come back, or nothing can follow
            secrets = secrets_of(table)
            for answer in looks_back(client, slug, range(max(1, rounds - 1), rounds + 1)):
                check_names([answer], table.game.hidden(table.state))
                assert not any(salt in answer.text for salt in secrets)
                salts += len(secrets)
    assert salts > 50


def test_when_a_deck_is_done_with_all_of_it_is_shown(client: FlaskClient) -> None:
    for slug in ("blackjack", "high-card"):
        finish(client, f"/{slug}")
        history = client.get(f"/{slug}/history.json").text
        assert cards_named(history) == set(map(str, FULL_DECK))


# ---- No answer depends on what is hidden ---------------------------------------------------


def check_alike(
    client: FlaskClient,
    address: str,
    tables: Sequence[Table],
    ask: Callable[[Table], Iterable[TestResponse]],
) -> None:
    """Check that the same is answered, byte by byte, whichever of some tables a player has.

    The first of them is left there.
    """
    answers = []
    for table in tables:
        put(client, address, table)
        found = [*ask(table)]
        for answer, secret in product(found, secrets_of(table)):
            assert secret not in f"{answer.headers}{answer.text}".lower()
        answers.append([whole(answer, table.seals) for answer in found])
        assert slot_at(client, address).table == table
    for others in answers[1:]:
        for one, other in zip(answers[0], others, strict=True):
            assert one == other
    put(client, address, tables[0])


@few_or_all("moves", 8, 30)
@games
@pytest.mark.parametrize("own_decks", [True, False], ids=["own decks", "shuffled"])
def test_no_answer_about_a_table_depends_on_it(
    slug: str,
    own_decks: bool,  # noqa: FBT001 - pytest passes it by name
    moves: int,
    client: FlaskClient,
) -> None:
    """Pages, JSON, odds, seals, lobby, refusals, exports and headers: the same bytes."""
    rng, address = random.Random(20), f"/{slug}"
    different = other_luck = 0
    command_line = client.application.test_cli_runner()
    for _, slot in at_random(client, slug, rng, moves, own_decks=own_decks):
        if slot.step == 1:
            client.post("/coach", data={"table": slug, "mode": "before"})  # where there is one
        other = other_table(slot.table, rng)
        different += other.state != slot.table.state
        other_luck += other.seals != slot.table.seals
        exports = set()

        def ask(_: Table, slot=slot, exports=exports) -> Iterator[TestResponse]:  # type: ignore[no-untyped-def]
            yield from looks(client, address)
            if slot.step % 4 == 0:
                yield from refusals(client, address, slot)
            if slot.step % 7 == 0:
                output = command_line.invoke(args=["sessions", "export"]).output
                exports.add(re.sub(r'"moves":\d+', "", output))  # which each writing counts

        check_alike(client, address, (slot.table, other), ask)
        assert len(exports) == (slot.step % 7 == 0)
    assert different >= (0.5 if GAMES[slug].round_moves else 0.8) * moves
    assert other_luck > 0.25 * moves or own_decks or not GAMES[slug].round_moves


def test_after_a_refill_under_the_hands_the_odds_know_what_the_player_knows(
    client: FlaskClient,
) -> None:
    """The hole card was dealt before the discards came back, so it is none that lay there.

    It is itself or the hole card that was buried before, and nothing tells which.
    """
    rng, address = random.Random(23), "/simple-21"
    play(client, address, "deal", deck=stacked("TC 9C TD 8C TH 2C 9D 3C 4D"))
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
    others = [replace(table, state=resampled(table.game, state, rng)) for _ in range(20)]
    check_alike(client, address, (table, *others), lambda _: looks(client, address))
    holes = {one.state.dealer[1] for one in others}
    assert holes == ({"4D", "8C"} if "8C" in {*state.deck, state.dealer[1]} else {"4D"})


@few_or_all("deals", 3, 8)
@games
def test_no_answer_about_a_deal_depends_on_it(app: flask.Flask, slug: str, deals: int) -> None:
    """Both the table in the session and the deal in the store are dealt anew."""
    rng, maker, client = random.Random(14), app.test_client(), app.test_client()
    different = compared = 0
    for number in range(deals):
        address = made_deal(maker, slug, seed=f"{number}")
        data = kept_deal(app, address)
        for _ in range(number % 3):
            finish(app.test_client(), address, rng)
        shown = play(client, address, "deal")
        while shown["moves"]:
            slot = slot_at(client, address)
            other = replace(slot.table, state=resampled(GAMES[slug], slot.table.state, rng))
            different += other != slot.table

            def ask(table: Table, slot=slot, address=address, data=data) -> Iterator[TestResponse]:  # type: ignore[no-untyped-def]
                deal = data if table is slot.table else resalted(data, rng)
                assert store_of(app).write(f"deal/{id_of(address)}", {"deal": deal}, {})
                return chain(looks(client, address), refusals(client, address, slot))

            check_alike(client, address, (slot.table, other), ask)
            compared += 1
            assert store_of(app).write(f"deal/{id_of(address)}", {"deal": data}, {})
            name = rng.choice(names_of(shown))
            (asked,) = (move["fields"] for move in shown["moves"] if move["name"] == name)
            most = {field: list(options)[-1] for field, options in asked.items()}
            shown = play(client, address, name, **most)
    assert different >= 0.75 * deals or not compared
    assert compared or not GAMES[slug].round_moves


def resalted(data: bytes, rng: random.Random) -> bytes:
    deal = msgspec.msgpack.decode(data, type=Deal)
    return msgspec.msgpack.encode(msgspec.structs.replace(deal, salt=rng.randbytes(16)))


@pytest.mark.parametrize("slug", DECIDED)
def test_who_has_not_finished_hears_how_many_have_and_nothing_of_how(
    app: flask.Flask, slug: str
) -> None:
    """Two classes that have done differently look the same to who comes after them."""
    rng, pages = random.Random(15), []
    address, newcomer = made_deal(app.test_client(), slug), app.test_client()
    play(newcomer, address, "deal")
    store, place = store_of(app), f"deal/{id_of(address)}"
    for result in ("player", "dealer"):
        before = store.scan(place, "result/").rows
        assert store.write(place, {**dict.fromkeys(before), "count": None}, {})
        for _ in range(5):
            moves = rng.choice(["stay", "hit stay", "hit*2"])
            player = f"{rng.getrandbits(128):032x}"
            add_results(app, address, {player: PlayerResult(result, moves, 2)})
        pages.append([whole(answer, Seals()) for answer in looks(newcomer, address)])
    assert pages[0] == pages[1]
    shown = look(newcomer, f"{address}/results")
    assert shown["finished"] == 5
    assert set(shown) == {"deal", "address", "game", "kind", "finished"}


# ---- Nor do the pages about what was played ------------------------------------------------

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
def test_no_page_about_the_past_depends_on_it(slug: str, client: FlaskClient, moves: int) -> None:
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
            continue  # the cards are done with: all of them are shown now
        for first, second in zip(*answers, strict=True):
            assert first == second
    assert compared > 0.4 * moves
    assert open_rounds > 0.2 * moves
    assert rounds > 1 or slug == "war"
