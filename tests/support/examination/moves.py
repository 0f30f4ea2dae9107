"""Checks that legal moves can be played, that others are rejected, and that rounds have winners."""

import random
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from cardgames.cards import FULL_DECK, CardGameError
from cardgames.deck_file import File, InvalidDeck
from cardgames.game import AnyGame
from cardgames.moves import IllegalMove, Move
from cardgames.records.line import MAX_LENGTH, line, parse
from cardgames.records.replay import replay
from cardgames.table import Phase, Table
from cardgames.text import Text
from tests.support.examination.walks import (
    FEW,
    SEEDS,
    all_tables,
    named,
    public_state,
    tables_of,
    walk,
)
from tests.support.play import fill, no_salt
from tests.support.sentences import translatable

TEXTS: Final = (
    *("0", "-1", "x", ",", " a ", " a , b ", "A,A", "\0", "\n", "é", "{x}", "%s", "%25", "+", "*2"),
    *("a" * 21, "a" * 5_000, "\N{PLAYING CARD BACK}" * 20, "\N{RIGHT-TO-LEFT OVERRIDE}"),
)


def check_legal_moves_are_played(game: AnyGame) -> None:
    """Check that hundreds of legal moves raise no error, and that rounds end."""
    for seed in SEEDS:
        try:
            steps = walk(game, seed)
        except Exception as error:
            raise AssertionError(
                f"A legal move raised {named(error)}: deal() and apply() take whatever moves() "
                "lists, with any of its options, and concede() ends the round."
            ) from error
        for table in tables_of(steps):
            stuck = table.phase is Phase.PLAYING and not game.moves(table.state)
            assert not stuck, "An open round has no move: moves() lists one, or result() ends it."
        over = any(step.table.result for step in steps)
        assert over, f"No round is over after {len(steps)} moves: result() says when one is."


def check_the_same_luck_gives_the_same_table(game: AnyGame) -> None:
    """Check that only the state and the shuffles determine a game's next state."""
    for seed in SEEDS:
        steps = walk(game, seed)
        before = [public_state(table) for table in tables_of(steps)]
        for step in steps:
            again = step.before.play(step.move, step.sent, lambda step=step: step.salt)
            assert again.table == step.table, (
                f"The same {step.move!r} with the same luck gave another table: a game keeps "
                "nothing in itself, so a deck that lasts is left by carry() and taken by deal()."
            )
        after = [public_state(table) for table in tables_of(steps)]
        assert before == after, (
            "The same table was shown in another way: a game keeps nothing in itself."
        )


def check_illegal_moves_change_nothing(game: AnyGame) -> None:
    """Check that an unlisted move or an invalid field is rejected and changes nothing."""
    rng = random.Random(5)
    tables = [Table(game), *all_tables(game, FEW)]
    names = {"", "HIT", "hit ", "nope", "apply", "forfeit", "__init__", "new\0"}
    names |= {move.name for table in tables for move in table.moves()}
    names |= {field for table in tables for move in table.moves() for field in move.form}
    for table in tables:
        before = msgspec.msgpack.encode(table.state)
        for name in names - {move.name for move in table.moves()}:
            _check_refused(table, name, {})
        for move in table.moves():
            right = fill(move, rng)
            for wrong in _wrong_forms(move, right, names):
                _check_refused(table, move.name, wrong)
        assert msgspec.msgpack.encode(table.state) == before, "A refused move has changed a state."


def check_any_text_is_played_or_refused(game: AnyGame) -> None:
    """Check that free text is rejected with a message or recorded."""
    move, rng = game.deals, random.Random(6)
    for name in set(move.questions) - {name for name, options in move.form.items() if options}:
        for text in TEXTS:
            try:
                sent = {**fill(move, rng, own_decks=False), name: text}
                table, _ = Table(game).play(move.name, sent, lambda: "06")
            except CardGameError:
                continue
            except Exception as error:
                raise AssertionError(
                    f"The text {text[:9]!r} in {name!r} raised {named(error)}: refuse it with "
                    "IllegalMove and a sentence."
                ) from error
            short = line(table.record)
            assert len(short) <= MAX_LENGTH, (
                f"A long text in {name!r} makes a record that is too long: refuse it with "
                "IllegalMove and a sentence."
            )
            assert replay(parse(short)).last.state == table.state, (
                f"The text {text[:9]!r} in {name!r} is not recorded as it is played: tidy() gives "
                "the one spelling of a text, also of its own."
            )


def check_results(game: AnyGame) -> None:
    """Check that each round's winner is declared, with a message and a house rule."""
    anchors = {rule.anchor for rule in game.info.rules}
    for table in all_tables(game):
        if table.result is None:
            continue
        winner, declared = table.result.winner, {*game.info.winners, *game.players(table.state)}
        assert winner in declared, (
            f"result() says that {winner!r} has won: name one of info.winners or players()."
        )
        assert winner.strip(), (
            "A winner has no name: a record could not say that the round is over."
        )
        assert table.result.text.strip(), "result() says nothing: write a sentence."
        for sentence in (table.result.text, *table.messages(), *table.story()):
            if isinstance(sentence, Text):
                translatable(sentence)
        assert game.winner_text(winner).strip(), "winner_text() says nothing: write who has won."
        assert table.result.rule in anchors, (
            f"result() names the rule {table.result.rule!r}: name an anchor of info.rules."
        )


def check_progress(game: AnyGame) -> None:
    """Check that a chart of a long round has a number for each player."""
    for table in all_tables(game):
        numbers, players = game.progress(table.state), game.players(table.state)
        assert all(isinstance(number, int) for number in numbers)
        assert len(numbers) in (0, len(players)), (
            "progress() has a number for each of players(), or none at all."
        )


def check_moves_can_be_shown(game: AnyGame) -> None:
    """Check that a move has a label, option labels and a unique key, as pages require."""
    own = {move.name for move in game.round_moves}
    for table in (Table(game), *all_tables(game)):
        moves = table.moves()
        keys = [move.key for move in moves if move.key]
        assert len(keys) == len(set(keys)), "Two moves have the same key: give each its own."
        playing = game.moves(table.state) if table.phase is Phase.PLAYING else ()
        for move in playing:
            assert move.name in own, f"moves() has {move.name!r}: list it in round_moves too."
        for move in moves:
            labels = [move.label, move.said(1), move.said(2)]
            for options in filter(None, move.form.values()):
                labels += [*options, *options.values()]
            labels += [field.title for field in move.fields.values()]
            assert all(label.strip() for label in labels), (
                f"{move.name!r} or one of its fields has an empty label: write one."
            )


def _wrong_forms(
    move: Move, right: Mapping[str, str | File], names: set[str]
) -> Iterator[Mapping[str, str | File]]:
    """Yield invalid forms of a move, each derived from a valid form."""
    for unknown in {"x", "", "rng", "Deck", "deck ", *names} - set(move.form):
        for value in ("", "1", File("deck.txt", b"")):
            yield {**right, unknown: value}
    for name, options in move.form.items():
        others = {field: value for field, value in right.items() if field != name}
        if options is not None:
            yield others
            value = next(iter(options))
            wrong = ("", " ", f"{value} ", value * 2, f"{value}\0", value.swapcase(), "-1")
            for other in (*(set(wrong) - set(options)), File("x.txt", value.encode())):
                yield {**others, name: other}
        elif name in move.decks:
            for bad in ("KS", " ", "\n".join(FULL_DECK[1:]), File("empty.txt", b"")):
                yield {**others, name: bad}


def _check_refused(table: Table, name: str, sent: Mapping[str, str | File]) -> None:
    given = dict(sent)
    try:
        table.play(name, sent, no_salt)
    except (IllegalMove, InvalidDeck) as error:
        sentence = error.text
    else:
        raise AssertionError(f"The move {name!r} with {list(sent)} is none, and was played.")
    if isinstance(sentence, Text):
        translatable(sentence)
    assert sentence.strip(), "A move is refused without a sentence: write one."
    assert sentence.isprintable(), "A refusal has a character that cannot be shown."
    assert sent == given
