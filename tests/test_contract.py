"""What every game gets by being registered. Nothing here knows any one game.

``walk`` plays a table at random, as :func:`random_move` finds its moves in ``moves()``; the tests
look at every state on the way.
"""

import dataclasses
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, File, InvalidDeck, shuffled
from cardgames.game import Choices, Game, IllegalMove, Move, Phase

AnyGame = Game[Any, Any]
MOVES = 300
SEEDS = range(4)
OPEN = (Phase.READY, Phase.PLAYING)

NO_LUCK = cast("random.Random", SimpleNamespace())
"""A generator that can do nothing: a refused move must not touch it."""

games = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


def only_shuffling(rng: random.Random) -> random.Random:
    """Return a generator that can do nothing but shuffle."""
    return cast("random.Random", SimpleNamespace(shuffle=rng.shuffle))


def filled(move: Move, rng: random.Random) -> Choices:
    """Fill a move's fields in: required ones from their options, free ones in every way."""
    choices: dict[str, str | File] = {}
    for name, options in move.fields.items():
        if options is not None:
            choices[name] = rng.choice(list(options))
            continue
        text = "\n".join(shuffled(FULL_DECK, rng)) if name.endswith("deck") else ""
        ways: list[str | File | None] = [None, "", text]
        if text:
            ways.append(File("deck.txt", text.encode()))
        way = rng.choice(ways)
        if way is not None:
            choices[name] = way
    return choices


def random_move(game: AnyGame, state: Any, rng: random.Random) -> tuple[str, Choices]:
    """Choose a legal move; one that begins anew comes seldom, so that games get somewhere."""
    moves = game.moves(state)
    weights = [1 if move.name == "new" and len(moves) > 1 else 30 for move in moves]
    (move,) = rng.choices(moves, weights)
    return move.name, filled(move, rng)


def walk(game: AnyGame, seed: int, moves: int = MOVES) -> Iterator[Any]:
    """Yield a table's states from the start through random legal moves."""
    rng = random.Random(seed)
    state = game.start()
    yield state
    for _ in range(moves):
        name, choices = random_move(game, state, rng)
        state = game.play(state, name, choices, only_shuffling(rng))
        yield state


def packed(state: Any) -> bytes:
    return msgspec.msgpack.encode(state)


def moves_of_all_games() -> set[str]:
    return {
        move.name
        for game in GAMES.values()
        for state in walk(game, seed=1, moves=60)
        for move in game.moves(state)
    }


@pytest.fixture(scope="module")
def every_name() -> set[str]:
    return moves_of_all_games() | {
        *("", " ", "HIT", "hit ", "nope", "apply", "play", "start", "moves", "__init__", "0"),
        *("new\n", "new\0", "\N{FULLWIDTH LATIN SMALL LETTER N}ew"),
    }


# ---- Random play ---------------------------------------------------------------------------


@games
@pytest.mark.parametrize("seed", SEEDS)
def test_random_play_keeps_every_promise(game: AnyGame, seed: int) -> None:
    """No card is lost, nothing raises, and each state can be kept, shown and explained."""
    all_cards = Counter(dict.fromkeys(FULL_DECK, game.decks))
    anchors = {rule.anchor for rule in game.house_rules}
    phases = set()
    for state in walk(game, seed):
        assert Counter(game.cards(state)) == all_cards
        assert msgspec.msgpack.decode(packed(state), type=game.state_type) == state

        phase = game.phase(state)
        phases.add(phase)
        sent = msgspec.json.decode(msgspec.json.encode(game.view(state), enc_hook=str))
        assert sent["phase"] == phase.value

        verdict = game.verdict(state)
        assert (verdict is None) == (phase in OPEN)
        if verdict is not None:
            assert verdict.text.strip()
            assert verdict.rule in anchors
    assert Phase.PLAYING in phases
    assert phases - set(OPEN), "no round was ever over: the walk is too short to mean anything"


@games
def test_moves_are_data_that_a_page_can_show(game: AnyGame) -> None:
    for state in walk(game, seed=5):
        moves = game.moves(state)
        names = [move.name for move in moves]
        assert len(names) == len(set(names))
        assert "new" in names
        for move in moves:
            assert move.name.strip()
            assert move.label.strip()
            for field, options in move.fields.items():
                assert field.strip()
                assert field not in ("move", "step")
                assert options is None or options
                for value, label in (options or {}).items():
                    assert value.strip()
                    assert label.strip()
        sent = msgspec.json.decode(msgspec.json.encode(moves, enc_hook=str))
        assert [set(move) for move in sent] == [{"name", "label", "fields"}] * len(moves)


@games
def test_the_same_luck_gives_the_same_game(game: AnyGame) -> None:
    """A game keeps nothing between its questions: all is in the state and the generator."""
    once = [packed(state) for state in walk(game, seed=9, moves=60)]
    for _ in walk(game, seed=10, moves=20):
        pass
    assert [packed(state) for state in walk(game, seed=9, moves=60)] == once


@games
def test_an_empty_table_is_always_the_same_and_ready(game: AnyGame) -> None:
    start = game.start()
    assert game.start() == start
    assert game.phase(start) is Phase.READY
    assert game.verdict(start) is None
    names = {move.name for move in game.moves(start)}
    assert {"deal", "new"} <= names


@games
def test_new_brings_the_empty_table_back_from_anywhere(game: AnyGame) -> None:
    for state in walk(game, seed=6, moves=80):
        assert game.play(state, "new", {}, NO_LUCK) == game.start()


@games
def test_asking_changes_nothing(game: AnyGame) -> None:
    for state in walk(game, seed=7, moves=80):
        before = packed(state)
        asked = [(game.view(state), game.moves(state), game.verdict(state)) for _ in range(2)]
        assert asked[0] == asked[1]
        assert packed(state) == before


# ---- Refusals: IllegalMove, and nothing changes --------------------------------------------


def refuse(game: AnyGame, state: Any, move: str, choices: Mapping[str, Any]) -> None:
    before, given = packed(state), dict(choices)
    with pytest.raises(IllegalMove) as caught:
        game.play(state, move, choices, NO_LUCK)
    sentence = str(caught.value)
    assert sentence.strip()
    assert sentence.isprintable()
    assert packed(state) == before
    assert choices == given


@games
def test_a_move_that_is_not_listed_is_refused(game: AnyGame, every_name: set[str]) -> None:
    elsewhere = set()
    for state in walk(game, seed=11, moves=80):
        listed = {move.name for move in game.moves(state)}
        for name in every_name - listed:
            refuse(game, state, name, {})
        elsewhere |= every_name - listed
    assert elsewhere > {"", "nope"}


@games
def test_a_field_that_the_move_does_not_have_is_refused_even_when_empty(game: AnyGame) -> None:
    rng = random.Random(12)
    seen = set()
    for state in walk(game, seed=12, moves=60):
        fields = {field for move in game.moves(state) for field in move.fields}
        seen |= fields
        for move in game.moves(state):
            right = filled(move, rng)
            for unknown in (seen | {"x", "", "rng", "Deck", "deck "}) - set(move.fields):
                for value in ("", "1", File("deck.txt", b""), File("deck.txt", b"KS")):
                    refuse(game, state, move.name, {**right, unknown: value})


@games
def test_a_required_field_is_required_and_takes_only_what_is_listed(game: AnyGame) -> None:
    rng = random.Random(13)
    for state in walk(game, seed=13, moves=60):
        for move in game.moves(state):
            right = filled(move, rng)
            for field, options in move.fields.items():
                if options is None:
                    continue
                without = {name: value for name, value in right.items() if name != field}
                refuse(game, state, move.name, without)
                value = next(iter(options))
                wrong = ["", " ", f"{value} ", value * 2, f"{value}\0", value.swapcase(), "-1"]
                for other in (*wrong, File("x.txt", value.encode()), File("x.txt", b"")):
                    if other not in options:
                        refuse(game, state, move.name, {**without, field: other})


@games
def test_a_free_field_may_be_left_out_or_empty(game: AnyGame) -> None:
    for state in walk(game, seed=14, moves=60):
        for move in game.moves(state):
            required = {
                field: next(iter(options))
                for field, options in move.fields.items()
                if options is not None
            }
            empty = {field: "" for field, options in move.fields.items() if options is None}
            left_out = game.play(state, move.name, required, random.Random(1))
            assert game.play(state, move.name, required | empty, random.Random(1)) == left_out


@games
def test_a_bad_deck_is_refused_and_changes_nothing(game: AnyGame) -> None:
    rng = random.Random(15)
    tried = 0
    for state in walk(game, seed=15, moves=60):
        before = packed(state)
        for move in game.moves(state):
            for field in (field for field in move.fields if field.endswith("deck")):
                others = {name: way for name, way in filled(move, rng).items() if name != field}
                for bad in ("KS", " ", "\n".join(FULL_DECK[1:]), File("empty.txt", b"")):
                    with pytest.raises(InvalidDeck):
                        game.play(state, move.name, {**others, field: bad}, only_shuffling(rng))
                    tried += 1
        assert packed(state) == before
    takes_a_deck = any(name.endswith("deck") for m in game.moves(game.start()) for name in m.fields)
    assert bool(tried) == takes_a_deck


# ---- States are frozen values --------------------------------------------------------------


def parts(value: Any) -> Iterator[Any]:
    """Yield a value and everything inside it."""
    yield value
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from parts(getattr(value, field.name))
    elif isinstance(value, tuple | frozenset):
        for item in value:
            yield from parts(item)


@games
def test_a_state_is_frozen_through_and_through(game: AnyGame) -> None:
    for state in walk(game, seed=16, moves=40):
        assert isinstance(state, game.state_type)
        for part in parts(state):
            if dataclasses.is_dataclass(part):
                assert hasattr(type(part), "__slots__")
                for field in dataclasses.fields(part):
                    with pytest.raises(dataclasses.FrozenInstanceError):
                        setattr(part, field.name, getattr(part, field.name))
            else:
                assert part is None or isinstance(part, str | int | Enum | tuple | frozenset)
        assert hash(state) == hash(msgspec.msgpack.decode(packed(state), type=game.state_type))


@games
def test_a_kept_state_that_lacks_a_field_is_not_invented(game: AnyGame) -> None:
    *_, state = walk(game, seed=17, moves=20)
    kept = msgspec.msgpack.decode(packed(state))
    assert msgspec.convert(kept, game.state_type) == state
    for name in kept:
        broken = {field: value for field, value in kept.items() if field != name}
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(broken, game.state_type)
    for state in walk(game, seed=17, moves=40):
        for part in parts(state):
            if dataclasses.is_dataclass(part):
                for field in dataclasses.fields(part):
                    assert field.default is field.default_factory is dataclasses.MISSING


# ---- A game is presentable -----------------------------------------------------------------


@games
def test_a_game_says_what_it_is_and_by_which_rules(game: AnyGame) -> None:
    assert GAMES[game.slug] is game
    assert game.slug.replace("-", "").isalnum()
    assert game.slug == game.slug.lower()
    assert game.title.strip()
    assert game.pitch.strip()
    anchors = [rule.anchor for rule in game.house_rules]
    assert anchors
    assert len(anchors) == len(set(anchors))
    for rule in game.house_rules:
        assert rule.anchor.replace("-", "").isalnum()
        assert rule.title.strip()
        assert rule.text.strip()


def test_the_five_tables_stand_at_their_addresses() -> None:
    assert {"simple-21", "blackjack", "one-deck", "war", "bingo"} <= set(GAMES)
