"""The examination of a game: what the site relies on, whoever wrote it.

Each ``check_…`` plays a game at random and raises an AssertionError in one sentence that says what
to do. All of them are run on every registered game, so registering a game is what tests it. What a
game says of itself is checked before that, by the registry (:mod:`cardgames.registry`).
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, FrozenInstanceError, fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache
from itertools import chain
from typing import Any, Final

import msgspec

from cardgames.cards import FULL_DECK, Card, CardGameError, Cards, shuffled
from cardgames.deck_file import File, InvalidDeck
from cardgames.game import AnyGame
from cardgames.moves import IllegalMove, Move
from cardgames.records.line import MAX_LENGTH, InvalidRecord, line, parse, told_line
from cardgames.records.record import Record
from cardgames.records.replay import known_cards, redacted, replay, sealed_orders, told
from cardgames.shuffling import MAX_OPENED, Seal, commitment
from cardgames.table import Phase, Table, cards_in
from tests.support.play import Played, fill, no_salt, play_at_random, reshuffled

SEEDS: Final = (1, 2, 3)
MOVES: Final = 300
LONG_MOVES: Final = 60
"""So many moves of a game whose rounds are long."""

FEW: Final = 80
"""So many moves where each of them is looked at in many ways."""


def check_legal_moves_are_played(game: AnyGame) -> None:
    """Hundreds of legal moves raise nothing, and rounds come to an end."""
    for seed in SEEDS:
        try:
            steps = _walk(game, seed)
        except Exception as error:
            raise AssertionError(
                f"A legal move raised {_named(error)}: deal() and apply() take whatever moves() "
                "lists, with any of its options, and concede() ends the round."
            ) from error
        for table in _tables(steps):
            stuck = table.phase is Phase.PLAYING and not game.moves(table.state)
            assert not stuck, "An open round has no move: moves() lists one, or result() ends it."
        over = any(step.table.result for step in steps)
        assert over, f"No round is over after {len(steps)} moves: result() says when one is."


def check_the_same_luck_gives_the_same_table(game: AnyGame) -> None:
    """A game keeps nothing between its questions: all is in the state, the action and the luck."""
    for seed in SEEDS:
        steps = _walk(game, seed)
        before = [_told(table) for table in _tables(steps)]
        for step in steps:
            again = step.before.play(step.move, step.sent, lambda step=step: step.salt)
            assert again.table == step.table, (
                f"The same {step.move!r} with the same luck gave another table: a game keeps "
                "nothing in itself, so a deck that lasts is left by carry() and taken by deal()."
            )
        after = [_told(table) for table in _tables(steps)]
        assert before == after, (
            "The same table was shown in another way: a game keeps nothing in itself."
        )


def check_every_card_is_somewhere(game: AnyGame) -> None:
    """No card is lost, and none is there twice."""
    whole = Counter(FULL_DECK * game.info.decks)
    for table in _all_tables(game):
        found = Counter(game.cards(table.state))
        lost, extra = whole - found, found - whole
        assert found == whole, (
            f"cards() lacks {len(lost)} cards and has {len(extra)} too often: every card of "
            f"info.decks lies at one place in the state, and cards() has it once."
        )


def check_states_can_be_saved(game: AnyGame) -> None:
    """A state reads back as it was, from the session and with its types checked; or not at all."""
    for table in _all_tables(game):
        try:
            saved = msgspec.msgpack.encode(table.state)
            read = msgspec.msgpack.decode(saved, type=game.state_type)
        except (TypeError, NotImplementedError, msgspec.MsgspecError) as error:
            raise AssertionError(
                f"A state cannot be saved ({error}): it is made of cards, texts, numbers, enums, "
                "tuples and frozen dataclasses, and each field has the type that it says."
            ) from error
        assert read == table.state, (
            "A state reads back as another one: each field has the type that it says."
        )
        for part in filter(is_dataclass, _parts(table.state)):
            defaults = [field.name for field in fields(part) if _has_default(field)]
            assert not defaults, (
                f"{type(part).__name__}.{', '.join(defaults)} has a default, so a saved state that "
                "lacks it would be invented: take the default away."
            )


def check_states_are_frozen(game: AnyGame) -> None:
    """Nothing in a state can be changed, so whoever holds one can rely on it."""
    for table in _all_tables(game, FEW):
        for part in _parts(table.state):
            plain = part is None or isinstance(part, str | int | float | Enum | tuple | frozenset)
            assert plain or is_dataclass(part), (
                f"A state has a {type(part).__name__} in it, which can be changed: use a tuple or "
                "a frozen dataclass."
            )
            if is_dataclass(part):
                name = fields(part)[0].name
                try:
                    setattr(part, name, getattr(part, name))
                except FrozenInstanceError:
                    continue
                raise AssertionError(f"{type(part).__name__} can be changed: make it frozen.")


def check_views_show_what_is_seen(game: AnyGame) -> None:
    """A view has no card that the game has not declared as seen, and can be sent as JSON."""
    for table in _all_tables(game):
        view = game.view(table.state)
        told_too_early = cards_in(view) - set(game.seen(table.state))
        assert not told_too_early, (
            "The view has a card that seen() has not: take it out of the view while it lies face "
            "down, and declare it in seen() when the player may know it."
        )
        assert type(view) is type(game.empty), "view() returns the type that `empty` is of."
        _json(table.view())


def check_nothing_depends_on_what_is_hidden(game: AnyGame) -> None:
    """Deal whatever is hidden anew: nothing that the player is told is another one."""
    rng = random.Random(4)
    different = hidden = 0
    for table in _all_tables(game):
        other = replace(table, state=reshuffled(game, table.state, rng))
        other = replace(other, result=game.result(other.state))
        different += other.state != table.state
        hidden += len(set(game.hidden(table.state))) > 1
        before, after = _told(table), _told(other)
        for part, value in before.items():
            assert after[part] == value, (
                f"{part} changes with cards that are hidden: let it depend on nothing that seen() "
                "does not have."
            )
    assert different >= 0.7 * hidden, (
        "What is hidden cannot be dealt anew: keep it in the state as cards, and each of several "
        "decks in a field of its own."
    )


def check_records_replay(game: AnyGame) -> None:
    """A round's record says all of it, click by click and in either spelling, and is short."""
    for seed in SEEDS:
        clicks: dict[int, Any] = {}
        for number, step in enumerate(_walk(game, seed)):
            record, table = step.table.record, step.table
            clicks = {} if step.move in ("deal", "new") else clicks
            clicks[record.steps] = table.state
            if table.result or (table.state is not None and number % 20 == 0):
                _check_replay(record, table, clicks)


def _check_replay(record: Record, table: Table, clicks: Mapping[int, Any]) -> None:
    """Check that a record, written in both ways, leads to the tables that were played."""
    depend = "deal() and apply() depend on nothing but their arguments."
    try:
        texts = [line(record), told_line(told(record))]
    except InvalidRecord as error:
        raise AssertionError(f"A round cannot be played again ({error}) {depend}") from error
    assert max(map(len, texts)) <= MAX_LENGTH, (
        f"The record of a round has more than {MAX_LENGTH} characters: a game that shuffles again "
        "and again says reshuffles=True in its info."
    )
    assert parse(texts[0]) == record
    for text, write in zip(texts, (line, told_line), strict=True):
        assert write(parse(text)) == text, f"A record has two spellings: {text}."
        replayed = replay(parse(text))
        found = {steps: replayed.tables[steps].state for steps in clicks}
        assert found == clicks, f"A record leads to other tables: {depend}"
        assert replayed.last.result == table.result, f"A record has another end: {depend}"
        one, other = replayed.last.view(), table.view()
        for name in set(one) - {"tally", "messages"}:
            assert one[name] == other[name], f"A record shows another {name}."


def check_seen_was_shown(game: AnyGame) -> None:
    """Whatever the game declares as seen was shown by a view since it was last shuffled.

    Records tell it and seals are opened by it, so a card that is claimed too early is told.
    """
    for seed in SEEDS:
        known, sure = Counter[Card](), set[Card]()
        for record in _records(_walk(game, seed)):
            if record.carry is None:
                known.clear()
                sure.clear()
            else:
                _check_known_piles(record, known)
            replayed = replay(record)
            for table, orders in zip(replayed.tables[1:], replayed.shuffles, strict=True):
                drawn = tuple(chain.from_iterable(orders))
                if drawn:
                    sure = {card for card in drawn if known[card]}
                known -= Counter(drawn)
                known |= _count(cards_in(game.view(table.state)), game)
                known |= _told_by_elimination(game, known, sure, table)
                claimed = Counter(game.seen(table.state)) - known
                assert not claimed, (
                    f"seen() has {min(claimed)} after {table.record.actions[-1].name!r}, and no "
                    "view has shown it since it was shuffled: leave it out until one does."
                )


def check_closed_records_tell_what_was_seen(game: AnyGame) -> None:
    """A record whose cards are still played tells none but those seen, and can be replayed."""
    for seed in SEEDS:
        for table in _at_ends(_walk(game, seed)):
            if table.carry is None:
                continue
            whole = told(table.record)
            record = parse(told_line(redacted(whole, game.seen(table.state))))
            may_tell = {*game.seen(table.state), *_known_piles(whole)}
            assert known_cards(record) <= may_tell, "A closed record tells a card that is hidden."
            if game.info.reshuffles or game.info.decks > 1:
                continue
            for one, other in zip(replay(whole).tables, replay(record).tables, strict=True):
                assert _json(one.view()) == _json(other.view()), (
                    "A closed record shows another round: no rule depends on a card that the "
                    "player has not seen."
                )


def check_illegal_moves_change_nothing(game: AnyGame) -> None:
    """A move that is not listed, and a field that does not fit, are refused and leave no trace."""
    rng = random.Random(5)
    tables = [Table(game), *_all_tables(game, FEW)]
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
    """Free text is whatever a player types: it is refused in a sentence, or recorded for ever."""
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
                    f"The text {text[:9]!r} in {name!r} raised {_named(error)}: refuse it with "
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


def check_any_carry_is_played_or_refused(game: AnyGame) -> None:
    """A record comes from anywhere: what no round can have left is refused in a sentence."""
    if game.carry_type is None:
        return
    rng = random.Random(7)
    for _ in range(300):
        deck = list(shuffled(FULL_DECK, rng)[: rng.choice((0, 1, 2, 5, 51, 52, 52, 52, 52))])
        piles: dict[str, Cards] = {pile.name: () for pile in fields(game.carry_type)}
        for name in piles:
            cut = rng.choice((0, 1, 2, 3, 4, 5, 8, rng.randrange(53), 52))
            piles[name], deck = tuple(deck[:cut]), deck[cut:]
        piles[rng.choice([*piles])] += tuple(deck)
        record = Record(game.info.slug, round=1, carry=game.carry_type(**piles), salt="07")
        record = record.with_action(game.later_deals.read(fill(game.later_deals, rng)))
        try:
            table = replay(record).last
            while table.phase is Phase.PLAYING and rng.random() < 0.9:
                move = rng.choice(game.moves(table.state))
                record = record.with_action(move.read(fill(move, rng)).once)
                table = replay(record).last
                table.view()
        except InvalidRecord:
            continue
        except Exception as error:
            raise AssertionError(
                f"Piles that no round has left raised {_named(error)}: deal() refuses them with "
                "impossible_carry()."
            ) from error


def check_seals_tell_nothing_hidden(game: AnyGame) -> None:
    """A seal is opened when no card that it tells of lies hidden and is still to be played.

    Each card lies where the last shuffle that it was in has put it: that one stays closed.
    """
    for seed in SEEDS:
        made: list[Seal] = []
        made_in: dict[Seal, int] = {}
        for step in _walk(game, seed):
            table, before = step.table, step.before.seals
            if step.move == "deal" and table.record.carry is None:
                made.clear()
            earlier = (*before.closed, *before.opened)
            new = [seal for seal in _seals(table) if seal not in earlier]
            made += new
            made_in |= dict.fromkeys(new, table.finished + (table.phase is Phase.PLAYING))
            played_on = table.phase is Phase.PLAYING or table.carry is not None
            for card in game.hidden(table.state) if played_on else ():
                orders = (seal for seal in reversed(made) if card in seal.order or not seal.order)
                last = next(orders, None)
                assert last not in table.seals.opened, (
                    "An opened seal tells where hidden cards lie: declare in seen() what was seen, "
                    "and leave by carry() whatever is played on."
                )
            assert all(made_in[seal] > table.seals.opened_to for seal in table.seals.closed), (
                "A round is open to all, and a shuffle of it is sealed still."
            )


def check_seals_are_those_that_were_shown(game: AnyGame) -> None:
    """The seals of a round that is over were on the table while it was played."""
    for seed in SEEDS:
        shown: set[str] = set()
        for step in _walk(game, seed):
            shown |= {seal.digest for seal in _seals(step.table)}
            for record in filter(lambda record: record.salt, step.finished):
                orders = sealed_orders(told(record))
                digests = {commitment(record.salt, order) for order in orders}
                assert digests <= shown or len(orders) > MAX_OPENED, (
                    "A round has a seal that was never shown: a game whose moves shuffle again, "
                    "or that has other luck than shuffles, says reshuffles=True in its info."
                )


def check_results(game: AnyGame) -> None:
    """A round is won by somebody who is declared, in a sentence, by a rule of the house."""
    anchors = {rule.anchor for rule in game.info.rules}
    for table in _all_tables(game):
        if table.result is None:
            continue
        winner, declared = table.result.winner, {*game.info.winners, *game.players(table.state)}
        assert winner in declared, (
            f"result() says that {winner!r} has won: name one of info.winners or players()."
        )
        assert table.result.text.strip(), "result() says nothing: write a sentence."
        assert game.winner_text(winner).strip(), "winner_text() says nothing: write who has won."
        assert table.result.rule in anchors, (
            f"result() names the rule {table.result.rule!r}: name an anchor of info.rules."
        )


def check_progress(game: AnyGame) -> None:
    """What is drawn over a long round is a number for each player, or nothing."""
    for table in _all_tables(game):
        numbers, players = game.progress(table.state), game.players(table.state)
        assert all(isinstance(number, int) for number in numbers)
        assert len(numbers) in (0, len(players)), (
            "progress() has a number for each of players(), or none at all."
        )


def check_moves_can_be_shown(game: AnyGame) -> None:
    """Whatever is drawn from a move is there: a label, options with labels, a key of its own."""
    own = {move.name for move in game.round_moves}
    for table in (Table(game), *_all_tables(game)):
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


CHECKS: Final[tuple[Callable[[AnyGame], None], ...]] = tuple(
    value for name, value in list(globals().items()) if name.startswith("check_")
)
"""All of them; a new one above is run on every game."""


# ---- What the checks look at ---------------------------------------------------------------


@lru_cache(maxsize=32)
def _walk(game: AnyGame, seed: int) -> tuple[Played, ...]:
    """Play a game at random; remembered, as all the checks look at the same moves."""
    return tuple(play_at_random(game, seed, LONG_MOVES if game.info.reshuffles else MOVES))


TEXTS: Final = (
    *("0", "-1", "x", ",", " a ", " a , b ", "A,A", "\0", "\n", "é", "{x}", "%s", "%25", "+", "*2"),
    *("a" * 21, "a" * 5_000, "\N{PLAYING CARD BACK}" * 20, "\N{RIGHT-TO-LEFT OVERRIDE}"),
)


def _tables(steps: tuple[Played, ...]) -> Iterator[Table]:
    return (step.table for step in steps if step.table.state is not None)


def _all_tables(game: AnyGame, moves: int = MOVES) -> Iterator[Table]:
    """Yield every table on which a round lies."""
    return chain.from_iterable(_tables(_walk(game, seed)[:moves]) for seed in SEEDS)


def _at_ends(steps: tuple[Played, ...]) -> Iterator[Table]:
    """Yield the tables whose round is over, and the last one."""
    return (table for table in _tables(steps) if table.result or table is steps[-1].table)


def _records(steps: tuple[Played, ...]) -> Iterator[Record]:
    """Yield the records of all rounds, in order; the last may be open, and so may one be left."""
    for step in steps:
        yield from step.finished
        left = step.move == "new" and step.before.phase is Phase.PLAYING
        if left or (step is steps[-1] and step.table.phase is Phase.PLAYING):
            yield (step.before if left else step.table).record


def _parts(value: Any) -> Iterator[Any]:
    """Yield a value and everything inside it."""
    yield value
    if is_dataclass(value):
        inside: Any = (getattr(value, field.name) for field in fields(value))
    else:
        inside = value if isinstance(value, tuple | frozenset | list | set) else ()
    for one in inside:
        yield from _parts(one)


def _has_default(field: Any) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


def _json(value: Any) -> bytes:
    try:
        return msgspec.json.encode(value, enc_hook=str)
    except (TypeError, msgspec.MsgspecError) as error:
        raise AssertionError(
            f"A view cannot be sent as JSON ({error}): it is made of cards, texts, numbers, tuples "
            "and dataclasses."
        ) from error


def _told(table: Table) -> Mapping[str, Any]:
    """Return all that a player is told of a table, by what the game calls it."""
    game, state = table.game, table.state
    return {
        "view()": (game.view(state), _json(game.view(state))),
        "moves()": table.moves(),
        "result()": table.result,
        "messages()": table.messages(),
        "players()": game.players(state),
        "progress()": game.progress(state),
    }


def _count(shown: set[Card], game: AnyGame) -> Counter[Card]:
    return Counter(dict.fromkeys(shown, game.info.decks))


def _told_by_elimination(
    game: AnyGame, known: Counter[Card], sure: set[Card], table: Table
) -> Counter[Card]:
    """Return the only card that is neither known nor sure to lie in the pile that was shuffled.

    When cards that the player knew are shuffled in, all others are known to lie elsewhere.
    """
    left = set(game.cards(table.state)) - set(known) - sure
    return Counter(left if len(left) == 1 and sure else ())


def _known_piles(record: Record) -> Iterator[Card]:
    """Yield the cards of the piles that are marked as known."""
    if record.carry is not None:
        for pile in fields(record.carry):
            if pile.metadata.get("known"):
                yield from getattr(record.carry, pile.name)


def _check_known_piles(record: Record, known: Counter[Card]) -> None:
    unknown = set(_known_piles(record)) - set(known)
    assert not unknown, (
        "A pile that is marked KNOWN has a card that no view has shown, and records tell it: mark "
        "only piles of cards that the player has seen."
    )


def _wrong_forms(
    move: Move, right: Mapping[str, str | File], names: set[str]
) -> Iterator[Mapping[str, str | File]]:
    """Yield forms that do not fit a move, each made of a right one."""
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
    assert sentence.strip(), "A move is refused without a sentence: write one."
    assert sentence.isprintable(), "A refusal has a character that cannot be shown."
    assert sent == given


def _seals(table: Table) -> tuple[Seal, ...]:
    return (*table.seals.opened, *table.seals.closed)


def _named(error: Exception) -> str:
    return f"{type(error).__name__} ({error})"
