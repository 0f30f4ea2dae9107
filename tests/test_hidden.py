"""What the player may not see changes nothing that he is sent.

Two ways to look for a leak. The first deals whatever is hidden anew and finds view, moves, verdict
and every answer over HTTP the same: nothing can tell what nothing depends on. What is hidden is
stated here, a line a game, and never deduced from the view. The second reads the answers of the
twenty-one tables for the name of a hidden card, in whatever way it may be written.
"""

import dataclasses
import html
import io
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import flask
import msgspec
import pytest
from cardgames.twentyone import Rules, State, TwentyOne
from flask.testing import FlaskClient
from web.book import EMPTY, Book, Sealed
from web.sessions import Row
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, compact, expanded, shuffled
from cardgames.game import Game, Phase
from tests.test_cards import RANKS as RANK_NAMES
from tests.test_cards import SUITS as SUIT_NAMES
from tests.test_contract import filled, packed, walk

JSON = {"Accept": "application/json"}
SEEDS = range(3)
TWENTY_ONE = [slug for slug, game in GAMES.items() if isinstance(game, TwentyOne)]
HOLE = {"simple-21": 1, "blackjack": 0, "one-deck": 1}
"""Which of the dealer's first two cards is the hole card, as the contract has it."""


# ---- What is hidden, a line a game ---------------------------------------------------------


def hidden_cards(state: State, hole: int) -> tuple[Card, ...]:
    """Return what is hidden at a twenty-one table: hole card, deck, and holes never shown.

    Before the first deal that is nothing: the deck has not been shuffled, and what a player has
    typed into a refused form may stand there to be mended.
    """
    if state.phase is Phase.READY:
        return ()
    return (*state.dealer[hole:][: 1 * state.hole_down], *state.deck, *state.buried)


def at_twenty_one(hole: int) -> Callable[[State, random.Random], State]:
    """Return what deals the hidden cards of a table anew, as the player may think they lie.

    He knows of no card that it cannot be the hole card, but for those that lay on the discards
    when the deck was refilled in his turn: the hole card had been dealt by then.
    """

    def resampled(state: State, rng: random.Random) -> State:
        old = hidden_cards(state, hole)
        new = list(shuffled(old, rng))
        dealer = list(state.dealer)
        if state.hole_down:
            place = next(n for n, card in enumerate(new) if card not in state.returned)
            new[0], new[place] = new[place], new[0]
        swap = dict(zip(old, new, strict=True))
        if state.hole_down:
            dealer[hole] = swap[dealer[hole]]
        return dataclasses.replace(
            state,
            dealer=tuple(dealer),
            deck=tuple(swap.get(card, card) for card in state.deck),
            buried=tuple(swap[card] for card in state.buried),
            discards=shuffled(state.discards, rng),
            returned=shuffled(state.returned, rng),
        )

    return resampled


def at_war(state: Any, rng: random.Random) -> Any:
    """Return a table whose hands hold other cards; what the last battle showed stays shown."""
    everything = [card for hand in state.hands for card in hand]
    rng.shuffle(everything)
    cards = iter(everything)
    hands = tuple(tuple(next(cards) for _ in hand) for hand in state.hands)
    return dataclasses.replace(state, hands=hands, deck=shuffled(state.deck, rng))


def at_bingo(state: Any, rng: random.Random) -> Any:
    """Return a table with other centres, undealt cards and calls to come; before a deal all."""
    places = (24, 25, 50, 51) if state.round else range(52)
    deck = list(state.bingo_deck)
    for place, card in zip(places, shuffled([deck[place] for place in places], rng), strict=True):
        deck[place] = card
    called, left = state.calling_deck[: state.calls], state.calling_deck[state.calls :]
    return dataclasses.replace(
        state, bingo_deck=tuple(deck), calling_deck=called + shuffled(left, rng)
    )


HIDDEN: dict[str, Callable[[Any, random.Random], Any]] = {
    "simple-21": at_twenty_one(hole=HOLE["simple-21"]),
    "blackjack": at_twenty_one(hole=HOLE["blackjack"]),
    "one-deck": at_twenty_one(hole=HOLE["one-deck"]),
    "war": at_war,
    "bingo": at_bingo,
}
"""What is hidden at each table: a state, and the same with that dealt anew."""

games = pytest.mark.parametrize("slug", GAMES)


def test_every_game_says_what_is_hidden() -> None:
    assert set(GAMES) <= set(HIDDEN)
    assert set(TWENTY_ONE) == set(HOLE)


# ---- Nothing that is sent depends on it ----------------------------------------------------


def seen(game: Game[Any, Any], state: Any) -> tuple[Any, ...]:
    view, moves = game.view(state), game.moves(state)
    sent = msgspec.json.encode([view, moves], enc_hook=str)
    return view, moves, game.verdict(state), game.phase(state), sent


@games
@pytest.mark.parametrize("seed", SEEDS)
def test_view_moves_and_verdict_do_not_depend_on_what_is_hidden(slug: str, seed: int) -> None:
    game, rng = GAMES[slug], random.Random(1000 + seed)
    states = different = 0
    for state in walk(game, seed):
        other = HIDDEN[slug](state, rng)
        assert Counter(game.cards(other)) == Counter(game.cards(state))
        assert seen(game, other) == seen(game, state)
        states += 1
        different += other != state
    assert different > 0.7 * states, "hardly anything was resampled: this test proves nothing"


@pytest.mark.parametrize("slug", TWENTY_ONE)
def test_the_hole_card_can_be_any_hidden_card(slug: str) -> None:
    """The resampling itself: each hidden card comes to lie as the hole card."""
    game, rng = GAMES[slug], random.Random(3)
    state = game.play(game.start(), "deal", {}, rng)
    hole = HOLE[slug]
    holes = {HIDDEN[slug](state, rng).dealer[hole] for _ in range(1000)}
    assert holes == {*state.deck, state.dealer[hole]}
    assert len(holes) == 49


# ---- The same over HTTP, for everything that a table answers -------------------------------


def kept(client: FlaskClient, slug: str) -> Any:
    """Read a table's state out of the store, through the site's own sessions."""
    with client.session_transaction() as session:
        row = session[slug]
    return msgspec.msgpack.decode(row.state, type=GAMES[slug].state_type)


def book_of(client: FlaskClient, slug: str) -> Book:
    """Read what a table keeps beside its state out of the store."""
    with client.session_transaction() as session:
        book: Book = session[slug].book
    return book


def put(
    app: flask.Flask, client: FlaskClient, slug: str, state: Any, book: Book | None = None
) -> None:
    """Write another state over a table's, at the same step, and another book if there is one."""
    interface: Any = app.session_interface
    with client.session_transaction() as session:
        row = session[slug]
        session[slug] = Row(row.step, msgspec.Raw(packed(state)), book or row.book)
        assert interface.commit(session)


def book_anew(book: Book, rng: random.Random) -> Book:
    """Return a book with other luck: other salts, other orders sealed, another deck taken over.

    What was opened stays: the player has seen it. So do the moves, which are his own.
    """
    salts = {salt: rng.randbytes(len(salt)) for salt in book.salts}
    sealed = tuple(
        Sealed(
            salts.setdefault(one.salt, rng.randbytes(len(one.salt))),
            compact(shuffled(one.order, rng)),
        )
        for one in book.sealed
    )
    taken = expanded(book.began.cards) if book.began.cards else ()
    began = msgspec.structs.replace(
        book.began, cards=compact(shuffled(taken, rng)) if taken else book.began.cards
    )
    return msgspec.structs.replace(
        book, sealed=sealed, salts=tuple(salts[salt] for salt in book.salts), began=began
    )


def looks(client: FlaskClient, slug: str) -> Iterator[TestResponse]:
    """Look at all that can be looked at without a move."""
    for path in (f"/{slug}", "/", f"/{slug}/odds", f"/{slug}/rules"):
        yield client.get(path)
        yield client.get(path, headers=JSON)


def refusals(client: FlaskClient, slug: str, step: int, state: Any) -> Iterator[TestResponse]:
    """Send what must be refused: old pages, moves and fields that are none, decks that are none."""
    game = GAMES[slug]
    forms: list[dict[str, Any]] = [
        {"move": "new", "step": str(step - 1)},
        {"move": "fold", "step": str(step)},
    ]
    for move in game.moves(state):
        form = {**filled(move, random.Random(1)), "move": move.name, "step": str(step)}
        forms.append({**form, "card": ""})
        for field in (field for field in move.fields if field.endswith("deck")):
            # Made of the very cards that are hidden, so that an echo would name them.
            unseen = list(game.cards(state))[::-1][:52]
            bad = "\n".join([*unseen[:20], *unseen[:20], *unseen[1:3], "??"])
            forms.append({**form, field: bad})
            forms.append({**form, field: bad.lower().encode()})
            forms.append({**form, field: "\r\n".join([*map(str, FULL_DECK), *unseen])})
    for form in forms:
        for headers in ({}, JSON):
            files = {
                name: (io.BytesIO(value), "my deck.txt") if isinstance(value, bytes) else value
                for name, value in form.items()
                if not hasattr(value, "content")
            }
            answer = client.post(f"/{slug}", data=files, headers=headers)
            assert answer.status_code in (409, 422)
            yield answer


def whole(answer: TestResponse, book: Book = EMPTY) -> tuple[Any, ...]:
    """Return all of an answer but the number of its request, and the seals that are closed.

    A seal is of other luck another number, and as good as random to whoever does not know the salt.
    """
    headers = [header for header in answer.headers if header[0] != "X-Request-Id"]
    body = answer.get_data()
    for number, sealed in enumerate(book.sealed):
        body = body.replace(sealed.digest.encode(), f"seal {number}".encode())
    return answer.status_code, headers, body


def secrets_of(book: Book) -> set[str]:
    """Return the salts that nobody may see yet, and the beginnings of them."""
    opened = {one.salt for one in book.opened}
    closed = {one.salt for one in book.sealed} | (set(book.salts) - opened)
    return {salt.hex()[:12] for salt in closed}


def at_random(
    client: FlaskClient, slug: str, rng: random.Random, moves: int, *, own_decks: bool = True
) -> Iterator[Any]:
    """Play a table over HTTP; yield each move's answer, the step, and the state behind it.

    Every deck that can be sent is sent, or none; a game is begun anew only when it is over.
    """
    game = GAMES[slug]
    state = game.start()
    for step in range(moves):
        legal = [move for move in game.moves(state) if move.name != "new"] or game.moves(state)
        weights = [1 if move.name == "deal" else 5 for move in legal]
        (move,) = rng.choices(legal, weights)
        form: dict[str, Any] = {"move": move.name, "step": str(step)}
        for field, options in move.fields.items():
            if options is not None:
                form[field] = rng.choice(list(options))
            elif field.endswith("deck") and own_decks:
                deck = "\n".join(shuffled(FULL_DECK, rng))
                form[field] = (io.BytesIO(deck.encode()), "deck.txt")
        as_json = rng.random() < 0.5
        answer = client.post(f"/{slug}", data=form, headers=JSON if as_json else {})
        assert answer.status_code == (200 if as_json else 303)
        state = kept(client, slug)
        yield answer, step + 1, state


@games
@pytest.mark.parametrize("own_decks", [True, False])
def test_no_answer_depends_on_what_is_hidden(
    slug: str,
    own_decks: bool,  # noqa: FBT001 - pytest passes it by name
    app: flask.Flask,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Pages, JSON, odds, lobby, refusals and headers: the same bytes whatever is hidden."""
    rng = random.Random(20)
    monkeypatch.setattr("web.tables.RNG", random.Random(21))
    client = app.test_client()
    different = other_luck = 0
    for _, step, state in at_random(client, slug, rng, 40, own_decks=own_decks):
        if step == 1 and slug in TWENTY_ONE:
            client.post("/coach", data={"table": slug, "on": "yes"})  # where there is one
        book = book_of(client, slug)
        other, other_book = HIDDEN[slug](state, rng), book_anew(book, rng)
        different += other != state
        other_luck += other_book.sealed != book.sealed
        answers = []
        for table, luck in ((state, book), (other, other_book)):
            put(app, client, slug, table, luck)
            assert kept(client, slug) == table
            found = [*looks(client, slug)]
            if step % 4 == 0:
                found += refusals(client, slug, step, state)
            for answer in found:
                text = f"{answer.headers}{answer.text}".lower()
                assert not [salt for salt in secrets_of(luck) if salt in text]
            answers.append([whole(answer, luck) for answer in found])
            assert kept(client, slug) == table
        assert answers[0] == answers[1]
        put(app, client, slug, state, book)
    assert different > 25
    assert other_luck > 10 or own_decks


def test_after_a_refill_under_the_hands_the_odds_know_what_the_player_knows(
    app: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hole card was dealt before the discards came back, so it is none that lay there.

    It is itself or the hole card that was buried before, and nothing tells which.
    """
    monkeypatch.setattr("web.tables.RNG", random.Random(22))
    client, slug, rng = app.test_client(), "simple-21", random.Random(23)
    top = ["TC", "9C", "TD", "8C", "TH", "2C", "9D", "3C", "4D"]
    deck = "\n".join([*top, *(card for card in FULL_DECK if card not in top)])
    form = {"move": "deal", "step": "0", "deck": deck}
    moves = [form, {"move": "hit"}, {"move": "deal"}]  # the third ten busts, and 8C is buried
    for step, move in enumerate(moves):
        client.post(f"/{slug}", data={**move, "step": str(step)})
    state = kept(client, slug)
    assert (state.player, state.dealer) == (("2C", "3C"), ("9D", "4D"))
    put(
        *(app, client, slug),
        dataclasses.replace(state, deck=(), discards=(*state.discards, *state.deck)),
    )
    client.post(f"/{slug}", data={"move": "hit", "step": "3"})
    state = kept(client, slug)
    assert state.phase is Phase.PLAYING
    assert (len(state.deck), len(state.player), state.discards) == (47, 3, ())

    answers, holes = [], set()
    for _ in range(20):
        put(app, client, slug, state)
        answers.append([whole(answer) for answer in looks(client, slug)])
        holes.add(state.dealer[1])
        state = HIDDEN[slug](state, rng)
    assert all(answer == answers[0] for answer in answers)
    assert holes == ({"4D", "8C"} if "8C" in {*state.deck, state.dealer[1]} else {"4D"})


# ---- No answer names a hidden card ---------------------------------------------------------

SYMBOLS = {"C": "♣♧", "D": "♦♢", "H": "♥♡", "S": "♠♤"}
ONE_CHARACTER = {
    chr(row + place): rank + suit
    for suit, row in {"S": 0x1F0A0, "H": 0x1F0B0, "D": 0x1F0C0, "C": 0x1F0D0}.items()
    for rank, place in zip("A23456789TJQK", (*range(1, 12), 13, 14), strict=True)
}
"""Unicode's playing cards; its knights are no cards of ours."""

_RANK_OF = {name: rank for rank, name in RANK_NAMES.items()} | {
    **{rank.lower(): rank for rank in RANK_NAMES},
    "10": "T",
}
_SUIT_OF = {name: suit for suit, name in SUIT_NAMES.items()} | {
    symbol: suit for suit, symbols in SYMBOLS.items() for symbol in symbols
}
_ANY_RANK = "|".join(RANK_NAMES.values()) + "|10|[2-9atjqk]"
_ANY_SYMBOL = "".join(SYMBOLS.values())
_CODE = re.compile(r"(?=([A2-9TJQK][CDHS]))")
_WORDS = re.compile(rf"\b({_ANY_RANK})[\W_]{{0,3}}of[\W_]{{0,3}}(clubs|diamonds|hearts|spades)")
_SYMBOL = re.compile(rf"(?=({_ANY_RANK})\s*([{_ANY_SYMBOL}]))")
_SYMBOL_FIRST = re.compile(rf"([{_ANY_SYMBOL}])\s*(?=({_ANY_RANK}))")


def cards_named(text: str) -> set[str]:
    """Return the codes of all cards that a text names: by code, in words, or by symbol."""
    named: set[str] = set()
    plain = html.unescape(text)
    for form in {text, plain, re.sub(r"<[^>]*>", "", plain)}:
        named.update(_CODE.findall(form))
        named.update(card for sign, card in ONE_CHARACTER.items() if sign in form)
        low = re.sub("[\N{VARIATION SELECTOR-15}\N{VARIATION SELECTOR-16}]", "", form.lower())
        for rank, suit in (*_WORDS.findall(low), *_SYMBOL.findall(low)):
            named.add(_RANK_OF[rank] + _SUIT_OF[suit])
        named.update(_RANK_OF[rank] + _SUIT_OF[suit] for suit, rank in _SYMBOL_FIRST.findall(low))
    return named


def named_by(answer: TestResponse) -> set[str]:
    headers = "\n".join(f"{name}: {value}" for name, value in answer.headers)
    return cards_named(headers) | cards_named(answer.text)


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
    """The reader of answers itself: were it blind, the tests below would prove nothing."""
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


def checked(answers: Iterable[TestResponse], hidden: Iterable[Card]) -> int:
    """Find no hidden card in any answer; return how many answers there were."""
    forbidden, read = set(map(str, hidden)), 0
    for answer in answers:
        leaked = named_by(answer) & forbidden
        assert not leaked, f"{answer.request.method} {answer.request.path}: {leaked}"
        read += 1
    return read


def rules_of(slug: str) -> Rules:
    game = GAMES[slug]
    assert isinstance(game, TwentyOne)
    return game.rules


@pytest.mark.parametrize("slug", TWENTY_ONE)
@pytest.mark.parametrize("coach", ["no", "yes"])
def test_no_answer_names_a_hidden_card(
    slug: str, coach: str, app: flask.Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From a stacked deck to the refill, or the end of the deck, and beyond."""
    assert rules_of(slug).hole == HOLE[slug]
    rng = random.Random(30)
    monkeypatch.setattr("web.tables.RNG", random.Random(31))
    client = app.test_client()
    refills = games_over = revealed = refused = 0
    for answer, step, state in at_random(client, slug, rng, 75):
        if step == 1:
            client.post("/coach", data={"table": slug, "on": coach})  # where there is one
        hidden = hidden_cards(state, HOLE[slug])
        checked([answer], hidden)
        assert checked(looks(client, slug), hidden) == 8
        shown = client.get(f"/{slug}", headers=JSON).get_json()["view"]
        face_up = {card for side in ("player", "dealer") for card in shown[side]["cards"] if card}
        assert face_up == {*state.player, *state.dealer} - {*hidden}
        assert face_up <= cards_named(client.get(f"/{slug}").text)
        if step % 3 == 0:
            refused += checked(refusals(client, slug, step, state), hidden)
            assert kept(client, slug) == state
        refills += "Repopulating deck with cards..." in shown["messages"]
        if not refills:  # later it tells of cards that were seen and have gone back
            checked([client.get(f"/{slug}/transcript")], hidden)
        games_over += state.phase is Phase.GAME_OVER
        revealed += state.phase is not Phase.PLAYING and None not in shown["dealer"]["cards"]
    assert revealed
    assert refused > 50
    assert refills if slug == "simple-21" else not refills
    assert games_over if slug == "one-deck" else not games_over


@pytest.mark.parametrize("slug", TWENTY_ONE)
def test_the_state_behind_the_page_is_the_deck_that_was_sent(
    slug: str, client: FlaskClient
) -> None:
    """What is hidden is read out of the store; this holds that reading against a deck of ours."""
    deck = shuffled(FULL_DECK, random.Random(40))
    client.post(f"/{slug}", data={"move": "deal", "step": "0", "deck": "\n".join(deck)})
    hole = deck[1] if HOLE[slug] == 0 else deck[3]
    hidden = hidden_cards(kept(client, slug), HOLE[slug])
    assert hidden == (hole, *deck[4:])
    page = client.get(f"/{slug}").text
    assert cards_named(page) == set(deck[:4]) - {hole}


def test_a_deck_refused_in_the_middle_of_a_round_names_nothing(client: FlaskClient) -> None:
    """At Blackjack a deck may be sent in every round, and may be the very one being played."""
    deck = shuffled(FULL_DECK, random.Random(41))
    text = "\n".join(deck)
    client.post("/blackjack", data={"move": "deal", "step": "0", "deck": text})
    state = kept(client, "blackjack")
    hidden = hidden_cards(state, HOLE["blackjack"])
    hole = state.dealer[0]
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
        deck_field = (io.BytesIO(bad.encode(encoding)), "deck.txt") if encoding else bad
        form = {"move": "deal", "step": "1", "deck": deck_field}
        answer = client.post("/blackjack", data=form, headers=headers)
        assert answer.status_code == 422
        assert "Cannot populate deck: invalid data in" in answer.text
        checked([answer], hidden)
    assert kept(client, "blackjack") == state
