"""What the player may not see is in nothing that they are sent: at a table, at a deal, afterwards.

Two ways to look for a leak. One deals whatever is hidden anew and finds every answer over HTTP the
same: nothing can tell what nothing depends on. The other reads answers, headers and the log for the
name of a hidden card, in whatever way it may be written.
"""

import base64
import io
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import product
from typing import Any

import flask
import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import FULL_DECK, shuffled
from cardgames.shuffling import Seals
from cardgames.table import Phase, Table
from tests.support.amounts import few_or_all
from tests.support.answers import at_random, looks, looks_back, refusals
from tests.support.hidden import (
    HOLE,
    ONE_CHARACTER,
    RANK_NAMES,
    SUIT_NAMES,
    SYMBOLS,
    cards_named,
    check_names,
    hidden_at_twenty_one,
    other_table,
    said_by,
    secrets_of,
    whole,
)
from tests.support.site import (
    DECK,
    JSON,
    add_results,
    finish,
    id_of,
    kept_deal,
    look,
    made_deal,
    names_of,
    play,
    put,
    send,
    slot_at,
    stacked,
    steps,
    store_of,
)
from web.deals.deal import PlayerResult

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
        "You take the {rank} of {suit}, value = 20.",
        "the {rank}-of-{suit}.svg",
        "{RANK}_OF_{SUIT}",
        "{short}{symbol}",
        "{short} {white}",
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
    bad_decks = (text + "\n" + hole, text.replace(hole, f"{hole}x"), "\n".join([hole] * 52), hole)
    for bad, headers, encoding in product(bad_decks, ({}, JSON), (None, "utf-16")):
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


@few_or_all("deals", 1, 4)
@pytest.mark.parametrize(
    ("slug", "source"), [("simple-21", "seed"), ("blackjack", "deck"), ("one-deck", "secret")]
)
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
        salt = kept_deal(app, address).salt
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


def of_puzzles(client: FlaskClient) -> Iterator[tuple[str, set[str]]]:
    """Yield the pages of puzzles; in JSON their unseen cards are listed, in the order of a deck."""
    for step in range(40):
        puzzle = look(client, "/puzzles")["puzzle"]
        yield client.get("/puzzles").text, {*puzzle["player"], puzzle["upcard"]}
        client.post("/puzzles", data={"move": "hit", "step": step})


def of_a_ghost(client: FlaskClient) -> Iterator[tuple[str, set[str]]]:
    """Yield all that is said to who plays a deal with somebody's line along."""
    friend = client.application.test_client()
    deal = made_deal(friend, deck=stacked("TC TD 2C 9H 3S 4S 2S KH"))
    play(friend, deal, "deal", "hit", "hit", "stay")
    (ghost,) = re.findall(r"\?ghost=[0-9a-f]{32}", friend.get(f"{deal}/link").text)[:1]
    for move in ("deal", "hit", "hit"):
        seen = face_up(play(client, f"{deal}{ghost}", move))
        pages = (f"{deal}{ghost}", f"{deal}/results{ghost}", f"{deal}/link")
        for page, headers in product(pages, ({}, JSON)):
            yield client.get(page, headers=headers).text, seen


def of_a_comparison(client: FlaskClient) -> Iterator[tuple[str, set[str]]]:
    """Yield what is said of a pasted guess: the ace of hearts lies face down."""
    play(client, "/simple-21", "deal", deck=DECK)
    for headers in ({}, JSON):
        form = {"table": "simple-21", "transcript": "what?"}
        yield client.post("/sheets", data=form, headers=headers).text, {"KS", "JH", "QS"}


def face_up(table: dict[str, Any]) -> set[str]:
    """Return the cards of a twenty-one table that its player sees."""
    return {card for who in ("player", "dealer") for card in table["view"][who]["cards"]}


@pytest.mark.parametrize("of_these", [of_puzzles, of_a_ghost, of_a_comparison])
def test_no_other_page_names_a_card_that_lies_face_down(
    client: FlaskClient, of_these: Callable[[FlaskClient], Iterator[tuple[str, set[str]]]]
) -> None:
    found = [(cards_named(page), seen) for page, seen in of_these(client)]
    assert found
    assert all(named <= seen for named, seen in found)
    assert any(named == seen - {None} for named, seen in found)


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


@pytest.mark.parametrize(
    ("own_decks", "moves"),
    [
        pytest.param(False, 8, id="few"),
        pytest.param(False, 30, id="all", marks=pytest.mark.slow),
        pytest.param(True, 30, id="own decks", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("slug", GAMES)
def test_no_answer_about_a_table_depends_on_it(
    slug: str, own_decks: bool, moves: int, client: FlaskClient
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
