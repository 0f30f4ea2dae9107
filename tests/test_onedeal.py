"""One deal for many: the same cards for everyone, once, and the decisions where players part."""

import random
from hashlib import sha256
from typing import Any

import pytest
from cardgames.luck import Luck
from cardgames.onedeal import Ends, OneDeal, Path, best_played, partings
from cardgames.record import as_played, recorded
from cardgames.twentyone import SIMPLE_21, TwentyOne

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card, InvalidDeck
from cardgames.game import Game, IllegalMove, Phase
from tests.high_card import HighCard

SALT = "00112233445566778899aabbccddeeff"
FIELDS: dict[str, dict[str, str]] = {
    "war": {"players": "3", "names": "Amy,Brad"},
    "bingo": {"mode": "C", "speed": "Y"},
}
games = pytest.mark.parametrize("slug", GAMES)


def one_deal(slug: str, **fields: str) -> OneDeal[Any, Any]:
    return OneDeal(GAMES[slug], FIELDS.get(slug, {}) | fields)


def stacked(*codes: str) -> str:
    """A deck file that begins with these cards."""
    first = [Card(code) for code in codes]
    return "\n".join([*first, *(card for card in FULL_DECK if card not in first)])


def choices(game: Game[Any, Any], state: Any, rng: random.Random) -> tuple[str, dict[str, str]]:
    move = rng.choice(game.moves(state))
    return move.name, {
        field: rng.choice(list(options or ())) for field, options in move.fields.items()
    }


def played(game: Game[Any, Any], seed: int) -> list[Any]:
    """Play a deal to its end with random decisions; return every table on the way."""
    rng, luck = random.Random(seed), Luck(lambda: SALT)
    states = [game.start()]
    while game.moves(states[-1]):
        name, fields = choices(game, states[-1], rng)
        states.append(game.play(states[-1], name, fields, luck))
    return states


@games
def test_a_deal_is_dealt_once_and_never_given_up(slug: str) -> None:
    game = one_deal(slug)
    for seed in range(20):
        states = played(game, seed)
        assert [move.name for move in game.moves(states[0])] == ["deal"]
        assert game.moves(states[0])[0].fields == {}
        for state in states[1:-1]:
            assert not {"deal", "new"} & {move.name for move in game.moves(state)}
            assert not game.spent(state)
        over = states[-1]
        assert game.phase(over) in (Phase.ROUND_OVER, Phase.GAME_OVER)
        assert game.spent(over)
        for move in ("deal", "new", "hit", "stay", "turn", "call", "forfeit"):
            with pytest.raises(IllegalMove):
                game.play(over, move, {}, Luck(lambda: SALT))
        if len(states) > 2:
            with pytest.raises(IllegalMove):
                game.play(states[1], "new", {}, Luck(lambda: SALT))
            with pytest.raises(IllegalMove):
                game.given_up(game.start())


@games
def test_the_same_decisions_meet_the_same_cards(slug: str) -> None:
    for seed in range(5):
        once, again = played(one_deal(slug), seed), played(one_deal(slug), seed)
        assert once == again
        assert len(once) > 2


def test_the_cards_are_those_that_the_salt_gives() -> None:
    """By the recipe on the page: sorted by the SHA-256 of "salt number card"."""
    first = sorted(FULL_DECK, key=lambda card: sha256(f"{SALT} 1 {card}".encode()).digest())
    second = sorted(FULL_DECK, key=lambda card: sha256(f"{SALT} 2 {card}".encode()).digest())
    state, decks = one_deal("simple-21").dealt(SALT)
    assert decks == {"deck": tuple(first)}
    assert (state.player, state.dealer) == ((first[0], first[2]), (first[1], first[3]))
    state, decks = one_deal("bingo").dealt(SALT)
    assert decks == {"bingo_deck": tuple(first), "calling_deck": tuple(second)}
    assert state.bingo_deck == tuple(first)


def test_a_deck_of_the_makers_is_given_to_everyone() -> None:
    deck = stacked("KS", "2C")
    state, decks = one_deal("one-deck", deck=deck).dealt(SALT)
    assert decks["deck"] == tuple(map(Card, deck.split("\n")))
    assert state.player[0] == "KS"
    first = sorted(FULL_DECK, key=lambda card: sha256(f"{SALT} 1 {card}".encode()).digest())
    _, decks = one_deal("bingo", bingo_deck=deck).dealt(SALT)
    assert decks == {"bingo_deck": tuple(map(Card, deck.split("\n"))), "calling_deck": tuple(first)}


def test_the_players_fields_are_refused_and_the_makers_are_checked() -> None:
    with pytest.raises(IllegalMove, match="no field called 'players'"):
        one_deal("war").play(GAMES["war"].start(), "deal", {"players": "2"}, Luck(lambda: SALT))
    with pytest.raises(InvalidDeck):
        one_deal("war", deck="KS").dealt(SALT)
    with pytest.raises(IllegalMove, match="same name"):
        one_deal("war", names="Amy,Amy").dealt(SALT)


@games
def test_a_deal_is_recorded_as_a_round_of_the_games_own_table(slug: str) -> None:
    game = one_deal(slug)
    for seed in range(5):
        rng, luck = random.Random(seed), Luck(lambda: SALT)
        state, moves = game.start(), []
        while game.moves(state):
            name, fields = choices(game, state, rng)
            after = game.play(state, name, fields, luck)
            moves.append(as_played(name, *game.singly(state, fields, after)))
            state = after
        record, end = recorded(slug, game.before(game.start()), [SALT], tuple(moves))
        assert record.is_whole
        seen, known = game.view(end), game.view(state)
        assert seen.phase == known.phase
        assert game.won(end) == game.won(state) == record.result


@games
def test_it_is_a_game_like_the_one_it_is_of(slug: str) -> None:
    game, inner = one_deal(slug), GAMES[slug]
    for state in played(game, 3):
        assert game.view(state) == inner.view(state)
        assert game.page_view(state) == inner.page_view(state)
        assert game.hidden(state) == inner.hidden(state)
        assert game.shown(state) == inner.shown(state)
        assert game.cards(state) == inner.cards(state)
        assert game.verdict(state) == inner.verdict(state)
    assert (game.slug, game.title, game.decks) == (inner.slug, inner.title, inner.decks)
    assert (game.sides, game.reshuffles, game.state_type) == (
        inner.sides,
        inner.reshuffles,
        inner.state_type,
    )


# ---- Where players part --------------------------------------------------------------------

# Simple 21: you TC 6C, the dealer TD 9H (face down); then 2S 3S KH. Worked out by hand:
# stay on 16: 19 beats it. Hit to 18, stay: 19 beats it. Hit to 21, stay: won at once (S0).
# Hit again: 31, bust.
BY_HAND = stacked("TC", "TD", "6C", "9H", "2S", "3S", "KH")
LOST, WON = "dealer", "player"
PATHS = [
    *[Path(0, stayed=True, winner=LOST)] * 8,
    *[Path(1, stayed=True, winner=LOST)] * 5,
    *[Path(2, stayed=True, winner=WON)] * 4,
    *[Path(3, stayed=False, winner=LOST)] * 3,
]


def test_the_decisions_and_how_each_ended() -> None:
    found = partings(one_deal("simple-21", deck=BY_HAND), SALT, PATHS)
    hands = [
        sum(10 if card[0] in "TJQK" else int(card[0]) for card in one.table.player) for one in found
    ]
    assert hands == [16, 18, 21]
    assert [(one.hit, one.stay) for one in found] == [
        (Ends(12, won=4, tied=0, lost=8), Ends(8, won=0, tied=0, lost=8)),
        (Ends(7, won=4, tied=0, lost=3), Ends(5, won=0, tied=0, lost=5)),
        (Ends(3, won=0, tied=0, lost=3), Ends(4, won=4, tied=0, lost=0)),
    ]


def test_nobody_is_shown_a_decision_that_nobody_came_to() -> None:
    game = one_deal("simple-21", deck=BY_HAND)
    assert len(partings(game, SALT, PATHS[:8])) == 1
    assert len(partings(game, SALT, PATHS[:9])) == 2
    assert partings(game, SALT, []) == ()


def test_the_rounds_are_those_that_are_really_played() -> None:
    game = one_deal("simple-21", deck=BY_HAND)
    for path in set(PATHS):
        state = game.play(game.start(), "deal", {}, Luck(lambda: SALT))
        for move in ("hit",) * path.hits + ("stay",) * path.stayed:
            state = game.play(state, move, {}, Luck(lambda: SALT))
        assert game.won(state) == path.winner
        assert not game.moves(state)


def test_the_best_play_of_a_deal() -> None:
    """16 against a ten is hit where aces count 1, and 18 is not: the coach's figures."""
    assert best_played(one_deal("simple-21", deck=BY_HAND), SIMPLE_21, SALT) == PATHS[8]
    game = GAMES["blackjack"]
    assert isinstance(game, TwentyOne)
    # Blackjack, TS 6D against QC: stay (numbers.md); the hole card 2C, then the dealer takes KS.
    deck = stacked("TS", "2C", "6D", "QC", "KS")
    assert best_played(one_deal("blackjack", deck=deck), game.rules, SALT) == Path(
        0, stayed=True, winner=WON
    )


def test_a_sixth_game_can_be_one_deal_as_it_is() -> None:
    game: OneDeal[Any, Any] = OneDeal(HighCard(), {})
    assert [move.name for move in game.moves(game.start())] == ["deal"]
    ends = {str(game.play(game.start(), "deal", {}, Luck(lambda: SALT))) for _ in range(3)}
    assert len(ends) == 1
