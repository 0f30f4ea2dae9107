"""No response reveals hidden cards: at tables, deals and puzzles, and in a class.

Two tests that search for leaks of hidden cards. The first searches pages, JSON, headers and the log
for the name of a hidden card, in every notation. The second exchanges the hidden cards and compares
every response, because a response that does not depend on a card cannot reveal it. Each kind of
page with a hidden card is a scene in one or both tests, and each URL of the site is a row of
``PAGES``.
"""

import io
import random
import re
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any, NamedTuple
from unittest.mock import patch

import flask
import pytest
from flask.testing import FlaskClient
from werkzeug.exceptions import NotFound
from werkzeug.routing import RequestRedirect
from werkzeug.test import TestResponse

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, Cards, shuffled
from cardgames.class_bingo import card as card_module
from cardgames.class_bingo import decks as decks_module
from cardgames.table import Phase, Table
from tests.support.answers import at_random, look_at, refusals
from tests.support.classroom import Room, open_room, salt_of
from tests.support.hidden import (
    HOLE,
    ONE_CHARACTER,
    RANK_NAMES,
    SUIT_NAMES,
    SYMBOLS,
    cards_named,
    hidden_at_twenty_one,
    other_table,
    said_by,
    secrets_of,
    whole,
)
from tests.support.pages import values
from tests.support.site import (
    JSON,
    add_results,
    finish,
    forget_results,
    kept_deal,
    look,
    made_deal,
    names_of,
    play,
    put,
    seat_at,
    send,
    stacked,
    steps,
)
from tests.support.tournaments import at_random as by_chance
from tests.support.tournaments import kept, make, play_all, shared
from tests.web.classroom.test_votes import SIXTEEN
from tests.web.classroom.test_votes import answer as vote_for
from web import db
from web.classroom.bingo import rules as bingo
from web.classroom.core.presence import NOTES
from web.deals.days import derive_daily_deals
from web.http.sessions import DAY

ONCE = [game.info.slug for game in GAMES.values() if game.info.decks == 1 and game.info.winners]
"""Games in which each card occurs only once, so that a hidden card is nowhere on the page. In War
cards return to hands, and Bingo has two of each card.
"""

PAGES = {
    "around": ("/", "/deals", "/daily"),
    "table": ("/{at}", "/{at}/odds"),
    "past": (
        *("/{at}/history", "/{at}/history?result=tie&page=2", "/history"),
        *("/{at}/history.csv", "/{at}/transcript", "/{at}/what-if?step=1&move=hit"),
    ),
    # The links on these pages are followed.
    "round": ("/{at}/history/{number}", "/replay/{at}", "/what-if/{at}"),
    "deal": ("/deal/{at}", "/deal/{at}/results", "/deal/{at}/link"),
    "student": (
        *("", "/bingo", "/bingo?as=list", "/bingo?said=7", "/bingo?still=yes"),
        *("/projector", "/projector?show=join", "/projector?show=standings"),
        *("/projector?show=vote", "/me.json", "/vote", "/tournaments"),
    ),
    "instructor": (
        *("/dashboard", "/dashboard?names=yes", "/dashboard/students.csv", "/roster"),
        *("/dashboard/tournaments.csv", "/print?from=1&to=60", "/votes"),
        *("/check?card=1", "/check?card=4", "/tournaments"),
        "/insight",
    ),
    "tournament": ("/tournament/1", "/tournament/1?as=student"),
    "tournament's deal": ("/tournament/1/deal/{at}", "/tournament/1/deal/{at}/replay"),
    # These pages have separate scenes, or are equal for everyone.
    "alone": (
        "/{at}/rules",
        "/puzzles",
        "/sheets",
        "/daily/yesterday",
        "/deal/{at}/friend",
    ),
}
"""The URLs of the pages that are shown while a card or a result is hidden."""

NOTHING_HIDDEN = (
    *("/j", "/J", "/class", "/settings", "/lab", "/healthz", "/sheets/", "/class/guide"),
    *("/class/new", "/class/instructor", "/static", "/puzzles/", "/practise"),
)
"""Pages that have no table or are equal for everyone. Other sets of puzzles work like these
puzzles.
"""


def test_every_readable_address_is_a_row(school: flask.Flask) -> None:
    in_class = ("student", "instructor", "tournament", "tournament's deal")
    paths = [f"/class/K7QXB{path}" for kind in in_class for path in PAGES[kind]]
    paths += [path for kind in {*PAGES} - {*in_class} for path in PAGES[kind]]
    urls, found = school.url_map.bind("localhost"), {"class.qr"}
    for path in paths:
        with suppress(NotFound, RequestRedirect):
            plain = path.partition("?")[0].format(at="1", number="1")
            found.add(urls.match(plain, method="GET")[0])
    missing = [
        rule.rule
        for rule in school.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and rule.endpoint not in found
    ]
    assert [path for path in missing if not path.startswith(NOTHING_HIDDEN)] == []


def pages(kind: str, **at: object) -> list[str]:
    return [path.format(**at) for path in PAGES[kind]]


def around(
    client: FlaskClient, address: str, pages_around: Iterable[str] = PAGES["around"]
) -> Iterator[TestResponse]:
    """Open all pages with a table, or with a player's deal, without making a move."""
    kind, _, deal = address.removeprefix("/").partition("/")
    own = [*pages("deal", at=deal), f"{address}/odds"] if deal else pages("table", at=kind)
    yield from look_at(client, *own, *pages_around)
    yield client.get(address, headers={"Accept-Language": "de"})


def lobby_or_all(step: int) -> tuple[str, ...]:
    """Return the pages around a table: the lobby, which shows it, and all at each fourth step."""
    return PAGES["around"] if step % 4 == 0 else ("/",)


def back(client: FlaskClient, slug: str, rounds: Iterable[int]) -> Iterator[TestResponse]:
    """Open every page that shows a played round. Some rounds are shown step by step."""
    yield from look_at(client, f"/{slug}", *pages("past", at=slug))
    for number in rounds:
        answer = client.get(f"/{slug}/history/{number}")
        yield answer
        where = answer.headers["Location"]
        token = where.removeprefix("/replay/")
        beginning = f"/what-if/{token.partition('_result=')[0]}?of={token}"
        yield from look_at(client, f"{where}?step=1", f"{where}?step=99", beginning)


def in_class(room: Room) -> Iterator[TestResponse]:
    """Open all pages of a class, except those of a tournament's deals."""
    both = PAGES["tournament"] if kept_tournaments(room) else ()
    for phone in (*room.phones[:2], room.visitor()):
        yield from look_at(phone, *PAGES["student"], *(both if phone.number else ()))
    yield from look_at(room.boss, *PAGES["instructor"], *both)


def kept_tournaments(room: Room) -> list[Any]:
    document = room.boss.json("/tournaments")
    return list(document["tournaments"])


# ---- The secrets ---------------------------------------------------------------------------


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
    """This test checks that the tests below can fail."""
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


class Moment(NamedTuple):
    """The responses while a card is hidden."""

    answers: Iterable[TestResponse]
    hidden: Iterable[Card | str] = ()
    secrets: Iterable[str] = ()


def encodings(*salts: bytes) -> set[str]:
    """Return the encodings in which a response might contain a salt."""
    found = set[str]()
    for salt in salts:
        found |= {salt.hex(), salt.hex().upper(), str(int.from_bytes(salt, "big"))}
        found |= {f(salt).decode().rstrip("=") for f in (b64encode, urlsafe_b64encode)}
    return found


def face_up(table: dict[str, Any]) -> set[str]:
    """Return the cards of a twenty-one table that the player sees."""
    return {card for who in ("player", "dealer") for card in table["view"][who]["cards"]} - {None}


def unseen(seen: Iterable[str]) -> set[str]:
    return {*map(str, FULL_DECK)} - {*seen}


def at_a_table(app: flask.Flask, slug: str, *, more: bool) -> Iterator[Moment]:
    """Play with the coach from a stacked deck beyond its refill or its end."""
    client, rng, game, address = app.test_client(), random.Random(30), GAMES[slug], f"/{slug}"
    refills = games_over = revealed = 0
    few = 24 if slug == "simple-21" else 12  # The deck is refilled at step 22.
    for answer, slot in at_random(client, slug, rng, 75 if more else few):
        if slot.step == 1:
            # A request without effect at a table that has no coach.
            client.post("/coach", data={"table": slug, "mode": "before"})
        table = slot.table
        hidden = game.hidden(table.state) if table.state else ()
        found = [answer, *around(client, address, lobby_or_all(slot.step))]
        shown = look(client, address)["view"]
        if slug in HOLE and table.state:
            cards = {card for side in ("player", "dealer") for card in shown[side]["cards"]}
            assert cards - {None} <= cards_named(client.get(address).text)
            revealed += table.phase is not Phase.PLAYING and None not in cards
        if slot.step % 3 == 0:
            found += refusals(client, address, slot)
            assert seat_at(client, address) == slot
        refills += "Repopulating deck with cards..." in shown["messages"]
        # Later, the page names cards that were seen and then shuffled into the deck.
        if not refills:
            found.append(client.get(f"{address}/transcript"))
        yield Moment(found, hidden)
        games_over += table.phase is Phase.GAME_OVER
    assert bool(revealed) == (slug in HOLE)
    assert bool(refills) == (slug == "simple-21")
    assert bool(games_over) == (slug == "one-deck")


def at_a_refused_deck(app: flask.Flask, **_: Any) -> Iterator[Moment]:
    """At Blackjack a deck may be sent in every round, even during the open round."""
    client, text = app.test_client(), "\n".join(shuffled(FULL_DECK, random.Random(41)))
    play(client, "/blackjack", "deal", deck=text)
    slot, answers = seat_at(client, "/blackjack"), []
    hole = slot.table.state.dealer[0]
    bad_decks = (text + "\n" + hole, text.replace(hole, f"{hole}x"), "\n".join([hole] * 52), hole)
    for bad, headers, encoding in product(bad_decks, ({}, JSON), (None, "utf-16")):
        deck = (io.BytesIO(bad.encode(encoding)), "deck.txt") if encoding else bad
        answer = send(client, {"move": "deal", "step": "1", "deck": deck}, "/blackjack", headers)
        assert answer.status_code == 422
        assert "Cannot populate deck: invalid data in" in answer.text
        answers.append(answer)
    hidden = hidden_at_twenty_one(slot.table.state, HOLE["blackjack"])
    yield Moment([*answers, *look_at(client, "/blackjack")], hidden)
    assert seat_at(client, "/blackjack") == slot


def at_a_deal(app: flask.Flask, slug: str, source: str, *, more: bool) -> Iterator[Moment]:
    """The creator sees no hidden card, even if other players have finished and know every card."""
    rng, maker, game = random.Random(12), app.test_client(), GAMES[slug]
    for _ in range(4 if more else 1):
        deck = "\n".join(shuffled(FULL_DECK, rng))
        fields = {"deck": deck} if source == "deck" else {}
        answer = maker.post("/deals", data={"table": slug, **fields})
        address = answer.headers["Location"].removesuffix("/link")
        secrets = encodings(kept_deal(app, address).salt)
        yield Moment([answer], FULL_DECK, secrets)
        for _ in range(3):
            finish(app.test_client(), address, rng)
        for client in (maker, app.test_client()):
            table = look(client, address)
            while table["moves"]:
                slot = seat_at(client, address)
                hidden = game.hidden(slot.table.state) if slot.table.state else FULL_DECK
                answers = [*around(client, address), *refusals(client, address, slot)]
                yield Moment(answers, hidden, secrets)
                table = play(client, address, rng.choice(names_of(table)))


def at_the_deal_of_the_day(app: flask.Flask, later: int, **_: Any) -> Iterator[Moment]:
    """Another player has finished and has seen every card."""
    player, other, now = app.test_client(), app.test_client(), time.time() + later * DAY
    with patch.object(db.database(app), "now", lambda: now):
        daily = look(player, "/daily")
        deal_id, address = (daily["deals"][0][name] for name in ("deal", "address"))
        with app.app_context():
            salt = derive_daily_deals(daily["day"])[deal_id].salt
        finish(other, address)
        assert salt.hex() in other.get(address).text
        for move in ("", "deal"):
            table = play(player, address, *move.split())
            answers = [*around(player, address), *back(player, daily["game"], ())]
            yield Moment(answers, unseen(face_up(table)), encodings(salt))
        assert names_of(table) == ["hit", "stay"]
        assert player.get(f"{address}/odds").status_code == 404


def in_the_past(app: flask.Flask, slug: str, **_: Any) -> Iterator[Moment]:
    """No response may name a hidden card, because the player has never seen the card."""
    client, rng, salts = app.test_client(), random.Random(21), 0
    earlier: list[Table] = []
    for rounds in range(4):
        for _ in steps(client, f"/{slug}", rng):
            table = seat_at(client, f"/{slug}").table
            if table.draw_count > (rounds == 0) or table.phase is Phase.GAME_OVER:
                break  # The discards were shuffled into the deck, or no card can follow.
            answers = [*back(client, slug, range(max(1, rounds - 1), rounds + 1))]
            secrets = secrets_of(table, earlier)
            earlier.append(table)
            yield Moment(answers, table.game.hidden(table.state), secrets)
            salts += len(secrets) * len(answers)
    assert salts > 50


def at_puzzles(app: flask.Flask, *, more: bool) -> Iterator[Moment]:
    """In JSON the player's unseen cards are listed in the order of a new deck."""
    client = app.test_client()
    for step in range(40 if more else 10):
        puzzle = look(client, "/puzzles")["puzzle"]
        yield Moment([client.get("/puzzles")], unseen([*puzzle["player"], puzzle["upcard"]]))
        client.post("/puzzles", data={"move": "hit", "step": step})


def beside_a_ghost(app: flask.Flask, **_: Any) -> Iterator[Moment]:
    """A player plays a deal next to another player's moves."""
    friend, client = app.test_client(), app.test_client()
    deal = made_deal(friend, deck=stacked("TC TD 2C 9H 3S 4S 2S KH"))
    play(friend, deal, "deal", "hit", "hit", "stay")
    (sent,) = values(friend.get(f"{deal}/link").text, "*", "data-address")
    ghost = f"?{sent.partition('?')[2]}"
    for move in ("deal", "hit", "hit"):
        seen = face_up(play(client, f"{deal}{ghost}", move))
        found = look_at(client, f"{deal}{ghost}", f"{deal}/results{ghost}", f"{deal}/link")
        yield Moment(found, unseen(seen))


CARD = re.compile(r"\b[A2-9TJQK][CDHS]\b|\b(ace|two|jack|queen|king) of |[♣♧♦♢♥♡♠♤]")
"""A pattern for any notation of a card, for pages that have no reason to name a card."""


def at_a_tournament(app: flask.Flask, slug: str, *, more: bool) -> Iterator[Moment]:
    """No card is revealed even if other players have finished and the costs of decisions are known.

    Pages that do not show the deal are read once, or at each step in the slow run.
    """
    room, rng = open_room(app, 4), random.Random(slug)
    make(room, table=slug, deals=2)
    for number, other in enumerate(room.phones[1:]):
        play_all(other, by_chance(number))
    tournament, phone = kept(room), room.phones[0]
    salts = encodings(tournament.salt, *(tournament.deal(deal).salt for deal in (1, 2)))

    def at_deal(address: str, step: int) -> Iterator[TestResponse]:
        yield from look_at(phone, address, f"{address}/odds", f"{address}/results")
        for form in ({"move": "hit", "step": step + 1}, {"move": "fold", "step": step}):
            yield from (phone.post(address, page=page, **form) for page in (True, False))

    for deal in (1, 2):
        address, table = f"/tournament/1/deal/{deal}", shared(tournament, deal).table
        shown = phone.json(address)
        while shown["moves"]:
            hidden = GAMES[slug].hidden(table.state) if table.state else ()
            yield Moment(at_deal(address, shown["step"]), hidden, salts)
            if more or (deal, shown["step"]) == (2, 1):
                elsewhere = [
                    one for one in in_class(room) if not one.request.path.endswith("/votes")
                ]
                replays = [f"/tournament/1/deal/{one}/replay" for one in (1, 2)]
                elsewhere += [*look_at(phone, *replays), *look_at(phone.client, *PAGES["around"])]
                assert not [one.request.path for one in elsewhere if CARD.search(one.text)]
                yield Moment(elsewhere, (), salts)
            name = rng.choice([move["name"] for move in shown["moves"]])
            table = shared(tournament, deal).play(table, name)
            shown = phone.post(address, move=name, step=shown["step"]).get_json()
        yield Moment(at_deal(address, shown["step"]), (), salts)


def in_a_round_of_class_bingo(app: flask.Flask, **_: Any) -> Iterator[Moment]:
    """No response contains the salt before the end of the round."""
    room = open_room(app, 6)
    room.deal()
    room.call(3)
    early = [*in_class(room)]
    room.call_until()
    room.move("go-on")
    late = [*in_class(room)]
    yield Moment([*early, *late], (), [salt_of(room)])


NAMED: dict[str, Callable[..., Iterator[Moment]]] = {
    **{f"table {slug}": partial(at_a_table, slug=slug) for slug in ONCE},
    "refused deck": at_a_refused_deck,
    "deal at simple 21": partial(at_a_deal, slug="simple-21", source="secret"),
    "deal by deck": partial(at_a_deal, slug="blackjack", source="deck"),
    "deal by chance": partial(at_a_deal, slug="one-deck", source="secret"),
    **{f"today's in {days}": partial(at_the_deal_of_the_day, later=days) for days in range(3)},
    **{f"past {s}": partial(in_the_past, slug=s) for s in ONCE if GAMES[s].carry_type},
    "puzzles": at_puzzles,
    "ghost": beside_a_ghost,
    **{f"tournament {slug}": partial(at_a_tournament, slug=slug) for slug in HOLE},
    "class bingo": in_a_round_of_class_bingo,
}


SIMILAR = {
    *("deal by deck", "today's in 1", "today's in 2", "past lasting-high-card"),
    *("table one-deck", "table high-card", "table lasting-high-card", "past one-deck"),
    *("tournament blackjack", "tournament one-deck"),
}
"""Scenes that resemble other scenes, so only the slow run uses them."""


@pytest.mark.parametrize(
    ("scene", "more"),
    [
        *((scene, False) for scene in NAMED if scene not in SIMILAR),
        *(pytest.param(scene, True, marks=pytest.mark.slow) for scene in NAMED),
    ],
)
@pytest.mark.usefixtures("watch")  # The clock is stopped, so that no day ends during the test.
def test_no_answer_names_a_hidden_card(
    school: flask.Flask, scene: str, capfd: pytest.CaptureFixture[str], *, more: bool
) -> None:
    named, read = set[str](), 0
    for answers, hidden, secrets in NAMED[scene](school, more=more):
        forbidden, kept_back = {*map(str, hidden)}, {*secrets}
        for answer in answers:
            text = said_by(answer)
            cards = cards_named(text)
            assert not cards & forbidden, f"{answer.request.method} {answer.request.path}"
            assert not [one for one in kept_back if one in text], answer.request.path
            named, read = named | cards, read + 1
        logged = "".join(capfd.readouterr())
        assert not cards_named(logged) & forbidden
    assert read > 3
    assert named, "no answer shows a card"


# ---- No answer depends on a hidden card ----------------------------------------------------

Worlds = list[list[Any]]
"""The responses for states that differ only in the hidden cards."""


def with_a_table(
    app: flask.Flask, _: pytest.MonkeyPatch, slug: str, moves: int, *, own_decks: bool = False
) -> Iterator[Worlds]:
    """Pages, JSON, odds, lobby, rejections, exports and headers do not depend on hidden cards."""
    client, rng, address = app.test_client(), random.Random(20), f"/{slug}"
    different = other_luck = 0
    earlier: list[Table] = []
    command_line = app.test_cli_runner()
    for _, slot in at_random(client, slug, rng, moves, own_decks=own_decks):
        if slot.step == 1:
            # A request without effect at a table that has no coach.
            client.post("/coach", data={"table": slug, "mode": "before"})
        other = other_table(slot.table, rng)
        different += other.state != slot.table.state
        other_luck += other.record != slot.table.record
        worlds: Worlds = []
        for table in (slot.table, other):
            put(client, address, table)
            answers = [*around(client, address, lobby_or_all(slot.step))]
            answers += refusals(client, address, slot) if slot.step % 4 == 0 else ()
            for answer, secret in product(answers, secrets_of(table, earlier)):
                assert secret not in f"{answer.headers}{answer.text}".lower()
            worlds.append([whole(answer) for answer in answers])
            if slot.step % 7 == 0:
                output = command_line.invoke(args=["sessions", "export"]).output
                # The number of moves increases with each write.
                worlds[-1].append(re.sub(r'"moves":\d+', "", output))
            assert seat_at(client, address).table == table
        put(client, address, slot.table)
        earlier.append(slot.table)
        yield worlds
    assert different >= (0.5 if GAMES[slug].round_moves else 0.8) * moves
    keeps_record = GAMES[slug].info.reshuffles or own_decks or not GAMES[slug].round_moves
    assert other_luck > 0.25 * moves or keeps_record


def with_results_of_a_deal(app: flask.Flask, _: pytest.MonkeyPatch, slug: str) -> Iterator[Worlds]:
    """A player who has not finished sees only the number of players who have finished."""
    rng, worlds = random.Random(15), []
    address, newcomer = made_deal(app.test_client(), slug), app.test_client()
    play(newcomer, address, "deal")
    for result in ("player", "dealer"):
        forget_results(app)
        for _ in range(5):
            moves = rng.choice(["stay", "hit stay", "hit*2"])
            player = f"{rng.getrandbits(128):032x}"
            add_results(app, address, {player: (result, moves)})
        worlds.append([whole(answer) for answer in around(newcomer, address)])
    yield worlds
    shown = look(newcomer, f"{address}/results")
    assert shown["finished"] == 5
    assert set(shown) == {"deal", "address", "game", "finished"}


CHANCE = re.compile(
    rb'"offers":\[[^]]*\]|name="(offer|receipt)" value="[^"]*"( checked)?> ?[^<]*'
    rb'|(version"?[=:]|name="step" value=|"step":|"last_seen":)"?[\d.-]+"?'
)
"""The parts of a class's pages that differ from one request to the next."""


def still(answers: Iterable[TestResponse]) -> list[Any]:
    """Return responses without random parts and without counters of changes."""
    own = ("X-Request-Id", "ETag", "Content-Length", "Set-Cookie")
    return [
        (
            (answer.request.path, answer.status_code, CHANCE.sub(b"", answer.data)),
            [header for header in answer.headers if header[0] not in own],
        )
        for answer in answers
    ]


def other_order(
    true: Callable[[str, int], Cards], calls: int, cards: int, rng: random.Random
) -> Callable[[str, int], Cards]:
    """Return shuffles that differ from the true shuffles only in unseen cards."""

    def shuffle(salt: str, number: int) -> Cards:
        deck = list(true(salt, number))
        if number == 1:
            hidden = list(range(calls, 52))
        elif number - 1 <= cards:
            hidden = [24, 50, 51, *range(1, 50, 2)]  # the centre, and the undealt cards
        else:
            hidden = list(range(52))
        faces = shuffled([deck[place] for place in hidden], rng)
        for place, face in zip(hidden, faces, strict=True):
            deck[place] = face
        return tuple(deck)

    made: dict[tuple[str, int], Cards] = {}
    return lambda salt, number: made.setdefault((salt, number), shuffle(salt, number))


def with_class_bingo(
    app: flask.Flask,
    patch: pytest.MonkeyPatch,
    by_hand: str,
    mode: str = "L",
    speed: str = "N",
    moments: int = 4,
) -> Iterator[Worlds]:
    """Yield states that differ only in uncalled cards, centres and undealt cards."""
    room, rng = open_room(app, 5, real="may"), random.Random(f"{by_hand} {mode} {speed}")
    true = decks_module._shuffle
    room.deal(mode=mode, speed=speed, by_hand=by_hand)
    for _ in range(moments):
        document = room.call(rng.randint(0, 3))["round"]
        if document["phase"] != "playing":
            break
        if by_hand == "Y":
            room.phones[0].claim()
            room.phones[1].post("/bingo", move="mark", place=rng.randint(0, 11), on="Y")
        worlds: Worlds = []
        calls, cards = len(document["called"]), len(room.phones)
        for shuffle in (true, other_order(true, calls, cards, rng)):
            with patch.context() as here:
                here.setattr(decks_module, "_shuffle", shuffle)
                for known in (card_module.salted_card, bingo._one_away, bingo._places):
                    known.cache_clear()
                worlds.append(still(in_class(room)))
        yield worlds


def with_votes(app: flask.Flask, _: pytest.MonkeyPatch) -> Iterator[Worlds]:
    """Answers to an open vote: only a student's own pages show the student's answer."""
    room = open_room(app, 8)
    room.vote("ask", **SIXTEEN)
    *others, voter = room.phones
    for other in others[2:]:
        vote_for(other, "stay")
    worlds: Worlds = []
    for choice, sure in (("hit", 1), ("stay", 3)):
        assert vote_for(voter, choice, sure).status_code == 200
        worlds.append(still(in_class(room)))
    yield worlds


def slow(scene: Callable[..., Iterator[Worlds]], name: str) -> Any:
    return pytest.param(scene, id=name, marks=pytest.mark.slow)


DEPENDING = [
    *(
        pytest.param(partial(with_a_table, slug=slug, moves=moves), id=f"table {slug}")
        for slug, moves in (("blackjack", 8), ("war", 5), ("bingo", 5), ("high-card", 5))
    ),
    *(slow(partial(with_a_table, slug=s, moves=30), f"table {s}, all") for s in GAMES),
    *(
        slow(partial(with_a_table, slug=s, moves=30, own_decks=True), f"table {s}, own decks")
        for s in GAMES
    ),
    *(
        pytest.param(partial(with_results_of_a_deal, slug=slug), id=f"results {slug}")
        for slug, game in GAMES.items()
        if game.round_moves
    ),
    *(
        pytest.param(partial(with_class_bingo, by_hand=h, moments=2), id=f"bingo by hand {h}")
        for h in "NY"
    ),
    *(slow(partial(with_class_bingo, by_hand=h), f"bingo by hand {h}, longer") for h in "NY"),
    *(
        slow(partial(with_class_bingo, by_hand=h, mode=mode, speed="Y"), f"bingo {mode} {h}")
        for h, mode in product("NY", "CF")
    ),
    pytest.param(with_votes, id="votes"),
]


@pytest.mark.parametrize("scene", DEPENDING)
@pytest.mark.usefixtures("watch")  # The clock is stopped, because a dashboard shows the time.
def test_no_answer_depends_on_a_hidden_card(
    school: flask.Flask,
    monkeypatch: pytest.MonkeyPatch,
    scene: Callable[[flask.Flask, pytest.MonkeyPatch], Iterator[Worlds]],
) -> None:
    # This GET request would record presence, which the pages show.
    monkeypatch.setattr(school.extensions[NOTES], "note", lambda *_: None)
    moments = 0
    for first, *others in scene(school, monkeypatch):
        assert others
        for other in others:
            for one, another in zip(first, other, strict=True):
                assert one == another
        moments += 1
    assert moments
