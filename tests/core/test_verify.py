"""The check of an exported history: it finds what is wrong, and nothing that is right."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from cardgames.ledger import review_round
from cardgames.records.record import Record
from cardgames.records.replay import replay
from cardgames.shuffling import commitment
from cardgames.verify import ExitCode, _may_be, main
from tests.support.history import exported
from tests.support.play import cards, deck_file, play_at_random, play_rounds, salts


def verified(data: object, folder: Path) -> tuple[int, list[str]]:
    """Return what the program ends with and the lines that it prints."""
    file, out = folder / "history.json", io.StringIO()
    file.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return main([str(file)], out), out.getvalue().splitlines()


def played(slug: str, *moves: str, seed: int = 1, **sent: str) -> tuple[Record, ...]:
    return play_rounds(slug, *moves, new_salt=salts(seed), **sent).records


def history(*moves: str, slug: str = "simple-21", seed: int = 1) -> dict[str, Any]:
    return exported(slug, played(slug, *moves, seed=seed))


THREE_ROUNDS = ("deal", "stay") * 3

# ---- What is right -------------------------------------------------------------------------


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))]
)
def test_whatever_was_played_is_found_right(slug: str, seed: int, tmp_path: Path) -> None:
    """As far as seals are open, with all still closed, and with all open at the end."""
    steps = [*play_at_random(GAMES[slug], seed, 25 if slug == "war" else 150)]
    records = [record for step in steps for record in step.finished]
    title = GAMES[slug].info.title
    for limit in (steps[-1].table.seals.opened_to, 0, len(records)):
        code, lines = verified(exported(slug, records, limit), tmp_path)
        assert (code, len(lines)) == (ExitCode.OK, 1), lines
        assert lines[0].startswith(f"{title}: {len(records)} rounds and ")
        assert f"{len(records) - limit} rounds not opened yet, 0 problems" in lines[0]
        assert "Signatures are not checked here" in lines[0]


# ---- What is wrong -------------------------------------------------------------------------


def changed(data: dict[str, Any], change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(data))
    change(copy)
    return copy


def first(data: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = data["rounds"][-1]
    return found


def reseal(shuffle: dict[str, Any], **changes: str) -> None:
    """Change what was sealed, and seal it anew: somebody who makes seals of their own."""
    shuffle |= changes
    shuffle["seal"] = commitment(shuffle["salt"], shuffle["order"].split())


SALT = "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda h: first(h).update(result="player"), "Round 1: it did not end as"),
        (lambda h: first(h)["shuffles"][0].update(seal="0" * 64), "not the SHA-256"),
        (lambda h: first(h)["shuffles"][0].update(seal="x"), "a seal is none"),
        (lambda h: first(h)["shuffles"][0].update(salt=SALT), "not the SHA-256"),
        (lambda h: reseal(first(h)["shuffles"][0], salt=SALT), "not the one that its salt gives"),
        (
            lambda h: reseal(first(h)["shuffles"][0], order=" ".join(FULL_DECK)),
            "not those that were sealed",
        ),
        (lambda h: first(h)["shuffles"][0].pop("salt"), "a seal is not opened"),
        (lambda h: first(h).update(shuffles=[]), "not those that were sealed"),
        (lambda h: first(h)["shuffles"].append(first(h)["shuffles"][0]), "not those that were"),
        (lambda h: first(h).update(opened=False), "opened before its time"),
        (lambda h: first(h).update(record="simple-21 1 deal"), "it did not end as"),
        (lambda h: first(h).update(record="nonsense"), "not the record of a round"),
        (lambda h: first(h).update(record=""), "not the record of a round"),
        (
            lambda h: first(h).update(record=first(h)["record"].replace("stay", "stay*2")),
            "Round 1: Step 3 (stay) breaks the rules",
        ),
        (lambda h: h.update(game="one-deck"), "another table"),
        (lambda h: h["rounds"].pop(1), "Round 3 stands after round 1."),
        (lambda h: h["rounds"].append(first(h)), "Round 1 stands after round 1."),
        (lambda h: [one.update(number=one["number"] - 1) for one in h["rounds"]], "from 1"),
        (lambda h: first(h).update(record=first(h)["record"] + "x"), "Round 1: "),
    ],
)
def test_what_is_wrong_is_reported(
    change: Callable[[dict[str, Any]], Any], line: str, tmp_path: Path
) -> None:
    data = next(one for one in map(simple_rounds, range(9)) if first(one)["result"] == "dealer")
    code, lines = verified(changed(data, change), tmp_path)
    assert code == ExitCode.PROBLEMS
    assert any(line in one for one in lines), lines
    assert f"{len(lines) - 1} problems" in lines[-1]


def simple_rounds(seed: int) -> dict[str, Any]:
    return history(*THREE_ROUNDS, seed=seed)


def test_a_deck_that_was_changed_between_two_rounds_is_reported(tmp_path: Path) -> None:
    """Two cards of the undealt deck changed places: each round by itself keeps all the rules."""
    data = history(*THREE_ROUNDS)
    for number in (2, 3):

        def forge(copy: dict[str, Any], number: int = number) -> None:
            one = copy["rounds"][-number]
            before, _, rest = one["record"].partition(" deck=")
            deck, _, rest = rest.partition(" ")
            one["record"] = f"{before} deck={deck[:-4]}{deck[-2:]}{deck[-4:-2]} {rest}"

        code, lines = verified(changed(data, forge), tmp_path)
        assert code == ExitCode.PROBLEMS
        assert f"Round {number}: it does not go on where round {number - 1} stopped." in lines


def test_a_card_that_was_seen_elsewhere_is_in_no_closed_pile() -> None:
    left, shown = cards("AS"), cards("KD")
    assert _may_be(left, shown, cards("2C"))
    assert not _may_be(left, shown, shown)
    assert not _may_be(left, shown, left)


def test_the_salt_of_a_game_of_war_is_the_one_that_was_sealed(tmp_path: Path) -> None:
    """On an own deck the salt is sealed by itself, so there is no order to give it away."""
    records = played("war", "deal players=2", "turn turns=all", deck=deck_file())
    data = exported("war", records)
    (shuffle,) = first(data)["shuffles"]
    assert shuffle["order"] == ""
    assert verified(data, tmp_path)[0] == ExitCode.OK
    reseal(shuffle, salt=SALT)
    code, lines = verified(data, tmp_path)
    assert code == ExitCode.PROBLEMS
    assert lines[0] == "Round 1: its salt is not the one that was sealed."


def test_decisions_are_those_of_the_record_and_have_cost_what_they_cost(tmp_path: Path) -> None:
    """numbers.md: at Simple 21, staying on TS 6D against QC costs 3.6 rounds in 100."""
    (record,) = played("simple-21", "deal", "stay", deck=deck_file("TS QC 6D 2C"))
    advisor = GAMES["simple-21"].advisor
    assert advisor
    ledger = review_round(advisor, replay(record).tables, ["deal", "stay"])
    (decision,) = ledger.current_decisions
    assert decision.cost == pytest.approx(0.54443916 - 0.50815725, abs=2e-8)
    cost = round(decision.cost, 9)
    data = exported("simple-21", (record,))
    right = {"chosen": "stay", "best": "hit", "cost": cost}
    for decisions, said in (
        ([right], ""),
        ([right | {"cost": 0}], "a decision has cost something else."),
        ([right | {"best": "stay"}], "its decisions are not those of its record."),
        ([right, right], "its decisions are not those of its record."),
    ):
        first(data)["decisions"] = decisions
        code, lines = verified(data, tmp_path)
        assert code == (ExitCode.PROBLEMS if said else ExitCode.OK)
        assert lines[0].endswith(said)
    first(data)["decisions"] = [right | {"cost": "0"}]
    assert verified(data, tmp_path)[0] == ExitCode.UNREADABLE


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", "{}"),
        '{"game": "simple-21"}',
        '{"game": "canasta", "rounds": []}',
        '{"game": "simple-21", "rounds": {}}',
        '{"game": "simple-21", "rounds": [1]}',
        '{"game": "simple-21", "rounds": [{}]}',
        '{"game": ["simple-21"], "rounds": []}',
        "[" * 100_000,
        '{"game": "war", "rounds": [{"number": 1' + "0" * 10_000 + "}]}",
        '{"game":"war","rounds":[{"number":true,"result":"","record":"","opened":true,"shuffles":[]}]}',
    ],
    ids=lambda text: text[:20],
)
def test_what_is_no_history_cannot_be_read(text: str, tmp_path: Path) -> None:
    code, lines = verified(text, tmp_path)
    assert (code, len(lines)) == (ExitCode.UNREADABLE, 1)
