"""No answer names a hidden card: by its code, in words, by a symbol, in a header or in the log.

Where every card is on the table once, a card that is hidden stands nowhere at all. (War's cards go
back into hands, and Bingo has two of each: there the tests in test_hidden.py say more.)
"""

import io
import random
from itertools import product

import pytest
from flask.testing import FlaskClient

from cardgames import GAMES
from cardgames.cards import FULL_DECK, shuffled
from cardgames.table import Phase
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
    secrets_of,
)
from tests.support.site import JSON, finish, look, play, send, slot_at, steps

ONCE = [game.info.slug for game in GAMES.values() if game.info.decks == 1 and game.info.winners]


# ---- The reader of answers -----------------------------------------------------------------


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


# ---- At the table --------------------------------------------------------------------------


@few_or_all("moves", 30, 75)
@pytest.mark.parametrize("slug", ONCE)
def test_no_answer_names_a_hidden_card(
    slug: str, client: FlaskClient, capfd: pytest.CaptureFixture[str], moves: int
) -> None:
    """From a stacked deck to the refill, or the end of the deck, and beyond; with the coach."""
    rng, game = random.Random(30), GAMES[slug]
    refills = games_over = revealed = refused = 0
    for answer, slot in at_random(client, slug, rng, moves):
        if slot.step == 1:
            client.post("/coach", data={"table": slug, "mode": "before"})  # where there is one
        table = slot.table
        hidden = game.hidden(table.state) if table.state else ()
        found = [answer, *looks(client, slug)]
        if table.seals.opened:  # which tell where cards lay before they were shuffled again
            found = [one for one in found if not one.request.path.endswith("/seals")]
        assert check_names(found, hidden) >= 10
        shown = look(client, f"/{slug}")["view"]
        if slug in HOLE and table.state:
            assert set(hidden) == set(hidden_at_twenty_one(table.state, HOLE[slug]))
            face_up = {card for side in ("player", "dealer") for card in shown[side]["cards"]}
            assert face_up - {None} <= cards_named(client.get(f"/{slug}").text)
            revealed += table.phase is not Phase.PLAYING and None not in face_up
        if slot.step % 3 == 0:
            refused += check_names(refusals(client, slug, slot), hidden)
            assert slot_at(client, f"/{slug}") == slot
        refills += "Repopulating deck with cards..." in shown["messages"]
        if not refills:  # later it tells of cards that were seen and are back
            check_names([client.get(f"/{slug}/transcript")], hidden)
        games_over += table.phase is Phase.GAME_OVER
        if hidden and not refills:
            logged = capfd.readouterr()
            assert not cards_named(logged.out + logged.err) & set(hidden)
    assert refused > moves
    assert revealed if slug in HOLE else not revealed
    assert refills if slug == "simple-21" else not refills
    assert games_over if slug == "one-deck" else not games_over


@pytest.mark.parametrize("slug", HOLE)
def test_the_state_behind_the_page_is_the_deck_that_was_sent(
    slug: str, client: FlaskClient
) -> None:
    """What is hidden is read out of the store; this holds that reading against a deck of ours."""
    deck = shuffled(FULL_DECK, random.Random(40))
    play(client, f"/{slug}", "deal", deck="\n".join(deck))
    hole = deck[1] if HOLE[slug] == 0 else deck[3]
    assert hidden_at_twenty_one(slot_at(client, f"/{slug}").table.state, HOLE[slug]) == (
        hole,
        *deck[4:],
    )
    assert cards_named(client.get(f"/{slug}").text) == set(deck[:4]) - {hole}


def test_a_deck_refused_in_the_middle_of_a_round_names_nothing(client: FlaskClient) -> None:
    """At Blackjack a deck may be sent in every round, and may be the very one being played."""
    text = "\n".join(shuffled(FULL_DECK, random.Random(41)))
    play(client, "/blackjack", "deal", deck=text)
    slot = slot_at(client, "/blackjack")
    hidden = hidden_at_twenty_one(slot.table.state, HOLE["blackjack"])
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
        form = {"move": "deal", "step": "1", "deck": deck}
        answer = send(client, form, "/blackjack", headers)
        assert answer.status_code == 422
        assert "Cannot populate deck: invalid data in" in answer.text
        check_names([answer], hidden)
    assert slot_at(client, "/blackjack") == slot


# ---- In the past ---------------------------------------------------------------------------


@pytest.mark.parametrize("slug", [slug for slug in ONCE if GAMES[slug].carry_type])
def test_no_page_about_the_past_names_a_card_that_is_still_hidden(
    slug: str, client: FlaskClient
) -> None:
    """While one deck lasts, what is hidden has never been seen, and so stands nowhere."""
    rng, salts = random.Random(21), 0
    for rounds in range(5):
        for _ in steps(client, f"/{slug}", rng):
            table = slot_at(client, f"/{slug}").table
            if table.draw_count > (rounds == 0) or table.phase is Phase.GAME_OVER:
                break  # the discards have come back, or nothing can follow
            secrets = secrets_of(table)
            for answer in looks_back(client, slug, range(max(1, rounds - 2), rounds + 1)):
                check_names([answer], table.game.hidden(table.state))
                assert not any(salt in answer.text for salt in secrets)
                salts += len(secrets)
    assert salts > 50


def test_when_a_deck_is_done_with_all_is_told(client: FlaskClient) -> None:
    for slug in ("blackjack", "high-card"):
        finish(client, f"/{slug}")
        told = client.get(f"/{slug}/history.json").text
        assert cards_named(told) == set(map(str, FULL_DECK))
