"""The check of an exported history: it finds what is wrong, and nothing that is right."""

import io
import json
import random
import re
import subprocess
import sys
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
from cardgames.table import Phase, Table
from cardgames.verify import ExitCode, main
from tests.support.amounts import few_or_all
from tests.support.history import exported
from tests.support.play import deck_file, play_at_random, play_rounds, salts

ROOT = Path(__file__).parent.parent.parent


def verified(told: object, folder: Path) -> tuple[int, list[str]]:
    """Return what the program ends with and the lines that it prints."""
    file, out = folder / "history.json", io.StringIO()
    file.write_text(told if isinstance(told, str) else json.dumps(told), "utf-8")
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


def test_a_history_without_rounds_is_right(tmp_path: Path) -> None:
    assert verified({"game": "war", "rounds": []}, tmp_path)[0] == ExitCode.OK


def test_the_program_is_run_with_a_file(tmp_path: Path) -> None:
    good = history(*THREE_ROUNDS)
    bad = changed(good, lambda h: h["rounds"][0].update(result="nobody"))
    for name, told in (("good.json", good), ("bad.json", bad)):
        (tmp_path / name).write_text(json.dumps(told))
    for name, code in (("good.json", 0), ("bad.json", 1), ("none.json", 2), ("", 2)):
        done = subprocess.run(
            [sys.executable, "-m", "cardgames.verify", *((str(tmp_path / name),) * bool(name))],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code
        assert bool(done.stderr) == (not name)
        assert done.stdout.count("\n") == (1 + (code == 1) if name else 0)


# ---- What is wrong -------------------------------------------------------------------------


def changed(told: dict[str, Any], change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(told))
    change(copy)
    return copy


def first(told: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = told["rounds"][-1]
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
def test_what_is_wrong_is_told(
    change: Callable[[dict[str, Any]], Any], line: str, tmp_path: Path
) -> None:
    told = next(one for one in map(simple_rounds, range(9)) if first(one)["result"] == "dealer")
    code, lines = verified(changed(told, change), tmp_path)
    assert code == ExitCode.PROBLEMS
    assert any(line in one for one in lines), lines
    assert f"{len(lines) - 1} problems" in lines[-1]


def simple_rounds(seed: int) -> dict[str, Any]:
    return history(*THREE_ROUNDS, seed=seed)


def test_a_deck_that_was_changed_between_two_rounds_is_told(tmp_path: Path) -> None:
    """Two cards of the undealt deck changed places: each round by itself keeps all the rules."""
    told = history(*THREE_ROUNDS)
    for number in (2, 3):

        def forge(copy: dict[str, Any], number: int = number) -> None:
            one = copy["rounds"][-number]
            before, _, rest = one["record"].partition(" deck=")
            deck, _, rest = rest.partition(" ")
            one["record"] = f"{before} deck={deck[:-4]}{deck[-2:]}{deck[-4:-2]} {rest}"

        code, lines = verified(changed(told, forge), tmp_path)
        assert code == ExitCode.PROBLEMS
        assert f"Round {number}: it does not go on where round {number - 1} stopped." in lines


def test_a_tally_that_goes_on_is_checked_where_decks_are_whole(tmp_path: Path) -> None:
    told = history("deal", "stay", "deal", "stay", slug="blackjack", seed=3)
    text = told["rounds"][0]["record"]
    assert " round=1 " in text
    told["rounds"][0]["record"] = text.replace(" round=1 ", " round=2 ")
    code, lines = verified(told, tmp_path)
    assert code == ExitCode.PROBLEMS
    assert lines[0] == "Round 2: it does not go on where round 1 stopped."


def test_rounds_of_a_deal_link_have_cards_of_their_own(tmp_path: Path) -> None:
    """They stand between the table's own rounds, and those go on over them."""
    told = history(*THREE_ROUNDS)
    link = {**first(history("deal", "stay", seed=9)), "number": 2, "deal": "j/abc"}
    for number, one in enumerate(told["rounds"][:2]):
        one["number"] = 4 - number
    told["rounds"].insert(2, link)
    assert verified(told, tmp_path)[0] == ExitCode.OK
    del link["deal"]
    assert verified(told, tmp_path)[0] == ExitCode.PROBLEMS


def test_the_salt_of_a_game_of_war_is_the_one_that_was_sealed(tmp_path: Path) -> None:
    """On an own deck the salt is sealed by itself, so there is no order to give it away."""
    records = played("war", "deal players=2", "turn turns=all", deck=deck_file())
    told = exported("war", records)
    (shuffle,) = first(told)["shuffles"]
    assert shuffle["order"] == ""
    assert verified(told, tmp_path)[0] == ExitCode.OK
    reseal(shuffle, salt=SALT)
    code, lines = verified(told, tmp_path)
    assert code == ExitCode.PROBLEMS
    assert lines[0] == "Round 1: its salt is not the one that was sealed."


def test_decisions_are_those_of_the_record_and_have_cost_what_they_cost(tmp_path: Path) -> None:
    """numbers.md: at Simple 21, staying on TS 6D against QC costs 3.6 points in a hundred."""
    (record,) = played("simple-21", "deal", "stay", deck=deck_file("TS QC 6D 2C"))
    advisor = GAMES["simple-21"].advisor
    assert advisor
    ledger = review_round(advisor, replay(record).tables, ["deal", "stay"])
    (decision,) = ledger.current_decisions
    assert decision.cost == pytest.approx(0.54443916 - 0.50815725, abs=2e-8)
    cost = round(decision.cost, 9)
    told = exported("simple-21", (record,))
    right = {"chosen": "stay", "best": "hit", "cost": cost}
    for decisions, said in (
        ([right], ""),
        ([right | {"cost": 0}], "a decision has cost something else."),
        ([right | {"best": "stay"}], "its decisions are not those of its record."),
        ([right, right], "its decisions are not those of its record."),
    ):
        first(told)["decisions"] = decisions
        code, lines = verified(told, tmp_path)
        assert code == (ExitCode.PROBLEMS if said else ExitCode.OK)
        assert lines[0].endswith(said)
    first(told)["decisions"] = [right | {"cost": "0"}]
    assert verified(told, tmp_path)[0] == ExitCode.UNREADABLE


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


def test_a_file_that_is_no_text_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "picture.json").write_bytes(b"\x89PNG\xff\xfe")
    assert main([str(tmp_path / "picture.json")], io.StringIO()) == ExitCode.UNREADABLE
    assert main([str(tmp_path)], io.StringIO()) == ExitCode.UNREADABLE


# ---- Every single character ----------------------------------------------------------------


def short_war() -> dict[str, Any]:
    """Return two games, the first a short one, with names of which the winner's alone count."""
    for seed in range(100):
        table, records = play_rounds("war", *WAR, new_salt=salts(seed))
        if table.state.turn < 120:
            return exported("war", records + play_rounds(table, *WAR, new_salt=salts(9)).records)
    raise AssertionError


WAR = ("deal players=2", "turn turns=all")


def refill() -> dict[str, Any]:
    """Return three rounds at Simple 21 about a refill, and nothing before them."""
    table, records, new_salt = Table(GAMES["simple-21"]), list[Record](), salts(4)
    while len(records) < 9 or not records[-1].salt:
        move = "stay" if table.phase is Phase.PLAYING else "deal"
        table, ended = play_rounds(table, move, new_salt=new_salt)
        records += ended
    return exported("simple-21", records[-3:], first=7)


BINGO = ("deal mode=C speed=N", "call calls=all")
GOOD: dict[str, Callable[[], dict[str, Any]]] = {
    "simple-21": lambda: history("deal", "stay", "deal", "stay", seed=2),
    "refill": refill,
    "own deck": lambda: exported(
        "one-deck", played("one-deck", "deal", "stay", "deal", "stay", deck=deck_file())
    ),
    "blackjack": lambda: history("deal", "stay", "deal", "stay", slug="blackjack", seed=5),
    "bingo": lambda: history(*BINGO, *BINGO, slug="bingo", seed=6),
    "war": short_war,
}


@few_or_all("every", 41, 1)
@pytest.mark.parametrize("name", GOOD)
def test_every_flipped_character_is_reported(name: str, every: int, tmp_path: Path) -> None:
    """But in the date and the signature, of which the check claims nothing.

    Positions of a file as the site sends it, three changes at each.
    """
    told = GOOD[name]()
    for one in told["rounds"]:
        one["signature"] = "ab"
    text = json.dumps(told, separators=(",", ":"))
    assert verified(text, tmp_path)[0] == ExitCode.OK
    assert told["rounds"][1:]
    claimless = [
        range(*found.span()) for found in re.finditer(r'"(finished|signature)":"[^"]*",', text)
    ]
    rng, missed, tried = random.Random(1), [], 0
    for place in range(0, len(text), every):
        if any(place in part for part in claimless):
            continue
        other = rng.choice([c for c in "0123456789ACDHKSTabx" if c != text[place]])
        for new in (chr(ord(text[place]) ^ 1), other, ""):
            tried += 1
            forged = text[:place] + new + text[place + 1 :]
            if verified(forged, tmp_path)[0] == ExitCode.OK:
                missed.append((text[max(0, place - 30) : place + 30], new))
    assert not missed
    assert tried > 30


def test_what_is_hidden_is_compared_as_far_as_it_can_be(tmp_path: Path) -> None:
    """With seals still closed the piles' sizes have to fit, and every card that was shown."""
    told = exported("simple-21", played("simple-21", *THREE_ROUNDS, seed=7), opened_to=0)
    assert [one["opened"] for one in told["rounds"]] == [False] * 3
    assert verified(told, tmp_path)[0] == ExitCode.OK
    text = told["rounds"][0]["record"]
    hidden = int(text.partition("+")[2].partition(" ")[0])
    told["rounds"][0]["record"] = text.replace(f"+{hidden}", f"+{hidden - 1}")
    assert verified(told, tmp_path)[0] == ExitCode.PROBLEMS


def test_a_seen_card_that_was_changed_is_told_though_no_seal_is_open(tmp_path: Path) -> None:
    """One that a round takes over is put in the place of one that it never shows, or of another."""
    told = exported("simple-21", played("simple-21", *THREE_ROUNDS, seed=7), opened_to=0)
    for place, number in ((0, 3), (1, 2)):
        text = told["rounds"][place]["record"]
        (seen,) = re.findall(r" seen=(\w+)", text)
        codes = [seen[at : at + 2] for at in range(0, len(seen), 2)]
        untold = next(
            card for card in FULL_DECK if card not in re.findall(r"[A2-9TJQK][CDHS]", text)
        )
        for old in codes:
            forged = text.replace(seen, seen.replace(old, untold))
            code, lines = verified(
                changed(told, lambda h, n=place, f=forged: h["rounds"][n].update(record=f)),
                tmp_path,
            )
            assert code == ExitCode.PROBLEMS, old
            assert f"Round {number}: it does not go on where round {number - 1} stopped." in lines
