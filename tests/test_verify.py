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
from cardgames.luck import seal
from web.book import Kept

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from cardgames.verify import FINE, PROBLEMS, UNREADABLE, main
from tests.test_book import Playing, at_random, seeded

ROOT = Path(__file__).parent.parent


def exported(table: Playing, *, opened_to: int | None = None) -> dict[str, Any]:
    """Return a history as the site sends it, the newest round first."""
    limit = table.book.opened_to if opened_to is None else opened_to
    first = table.book.rounds - len(table.finished) + 1
    rounds = [
        exported_round(table, number, kept, opened=number <= limit)
        for number, kept in enumerate(table.finished, start=first)
    ]
    return {"game": table.game.slug, "rounds": rounds[::-1]}


def exported_round(table: Playing, number: int, kept: Kept, *, opened: bool) -> dict[str, Any]:
    record, state = kept.recorded(table.game)
    shown = record if opened else record.masked(table.game.shown(state))
    shuffles = []
    for sealed in kept.sealed(record):
        shuffles.append({"seal": sealed.digest})
        if opened:
            order = " ".join(sealed.order)
            shuffles[-1] |= {"salt": sealed.salt.hex(), "order": order}
    return {
        "number": number,
        "finished": "2026-11-21T08:00:00+00:00",
        "result": kept.winner(table.game),
        "record": shown.text,
        "signature": "ab" * 32,
        "opened": opened,
        "shuffles": shuffles,
    }


def verified(told: object, folder: Path) -> tuple[int, list[str]]:
    """Return what the program ends with and the lines that it prints."""
    file, out = folder / "history.json", io.StringIO()
    file.write_text(told if isinstance(told, str) else json.dumps(told), "utf-8")
    return main([str(file)], out), out.getvalue().splitlines()


def played(slug: str, moves: str, seed: int = 1, **deal: str) -> Playing:
    table = Playing(slug, seeded(seed))
    fields = {"deal": deal, "turn": {"turns": "all"}, "call": {"calls": "all"}}
    for move in moves.split():
        table.move(move, **fields.get(move, {}))
        fields["deal"].pop("deck", None)  # of the first round alone
    return table


# ---- What is right --------------------------------------------------------------------------


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_whatever_was_played_is_found_right(slug: str, seed: int, tmp_path: Path) -> None:
    *_, table = at_random(slug, seed, 40 if slug == "war" else 200)
    code, lines = verified(exported(table), tmp_path)
    assert (code, len(lines)) == (FINE, 1), lines
    assert lines[0].startswith(f"{table.game.title}: {len(table.finished)} rounds and ")
    assert "Signatures are not checked here" in lines[0]
    # The same with all seals still closed, and with all open when the player has started over.
    for limit in (0, table.book.rounds):
        code, lines = verified(exported(table, opened_to=limit), tmp_path)
        assert (code, len(lines)) == (FINE, 1), lines
        closed = len(table.finished) if limit == 0 else 0
        assert f"{closed} rounds not opened yet, 0 problems" in lines[0]


def test_a_history_without_rounds_is_right(tmp_path: Path) -> None:
    assert verified({"game": "war", "rounds": []}, tmp_path)[0] == FINE


def test_the_program_is_run_with_a_file(tmp_path: Path) -> None:
    table = played("simple-21", "deal stay deal stay new")
    (tmp_path / "good.json").write_text(json.dumps(exported(table)))
    bad = exported(table)
    bad["rounds"][0]["result"] = "nobody"
    (tmp_path / "bad.json").write_text(json.dumps(bad))
    for name, code in (("good.json", FINE), ("bad.json", PROBLEMS), ("none.json", UNREADABLE)):
        done = subprocess.run(
            [sys.executable, "-m", "cardgames.verify", str(tmp_path / name)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (code, "")
        assert done.stdout.count("\n") == 1 + (code == PROBLEMS)
    usage = [sys.executable, "-m", "cardgames.verify"]
    done = subprocess.run(usage, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == UNREADABLE


# ---- What is wrong --------------------------------------------------------------------------


def changed(history: dict[str, Any], change: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
    copy: dict[str, Any] = json.loads(json.dumps(history))
    change(copy)
    return copy


def first(history: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = history["rounds"][-1]
    return found


def reseal(shuffle: dict[str, Any], **changes: str) -> None:
    """Change what was sealed, and seal it anew: somebody who makes his own seals."""
    shuffle |= changes
    shuffle["seal"] = seal(shuffle["salt"], shuffle["order"].split())


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
    ],
)
def test_what_is_wrong_is_told(
    change: Callable[[dict[str, Any]], Any], line: str, tmp_path: Path
) -> None:
    table = played("simple-21", "deal stay deal stay deal stay new", seed=1)
    history = exported(table)
    assert first(history)["result"] == "dealer"
    code, lines = verified(changed(history, change), tmp_path)
    assert code == PROBLEMS
    assert any(line in told for told in lines), lines
    assert f"{len(lines) - 1} problems" in lines[-1]


def test_a_deck_that_was_changed_between_two_rounds_is_told(tmp_path: Path) -> None:
    """Two cards of the undealt deck changed places: each round by itself keeps all the rules."""
    history = exported(played("simple-21", "deal stay deal stay deal stay new", seed=1))
    for number in (2, 3):
        forged: dict[str, Any] = json.loads(json.dumps(history))
        one = forged["rounds"][-number]
        before, _, rest = one["record"].partition(" deck=")
        deck, _, rest = rest.partition(" ")
        one["record"] = f"{before} deck={deck[:-4]}{deck[-2:]}{deck[-4:-2]} {rest}"
        code, lines = verified(forged, tmp_path)
        assert code == PROBLEMS
        assert f"Round {number}: it does not go on where round {number - 1} stopped." in lines


def test_a_tally_that_goes_on_is_checked_where_decks_are_whole(tmp_path: Path) -> None:
    history = exported(played("blackjack", "deal stay deal stay", seed=3))
    text = history["rounds"][0]["record"]
    assert " round=1 " in text
    history["rounds"][0]["record"] = text.replace(" round=1 ", " round=2 ")
    code, lines = verified(history, tmp_path)
    assert (code, lines[0]) == (
        PROBLEMS,
        "Round 2: it does not go on where round 1 stopped.",
    )


def test_the_salt_of_a_game_of_war_is_the_one_that_was_sealed(tmp_path: Path) -> None:
    """On an own deck the salt is sealed by itself, so there is no order to give it away."""
    history = exported(played("war", "deal turn", players="2", deck="\n".join(FULL_DECK)))
    (shuffle,) = first(history)["shuffles"]
    assert shuffle["order"] == ""
    assert verified(history, tmp_path)[0] == FINE
    reseal(shuffle, salt=SALT)
    code, lines = verified(history, tmp_path)
    assert (code, lines[0]) == (PROBLEMS, "Round 1: its salt is not the one that was sealed.")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "{}",
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
    assert (code, len(lines)) == (UNREADABLE, 1)


def test_a_file_that_is_no_text_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "picture.json").write_bytes(b"\x89PNG\xff\xfe")
    assert main([str(tmp_path / "picture.json")], io.StringIO()) == UNREADABLE
    assert main([str(tmp_path)], io.StringIO()) == UNREADABLE


# ---- Every single character -----------------------------------------------------------------


def war() -> Playing:
    """A short game; the names are those of the winner alone, so that every word counts."""
    seed = 0
    while True:
        table = played("war", "deal turn", seed, players="2")
        if table.state.turn < 120:
            break
        seed += 1
    table.move("deal", players="2")
    table.move("turn", turns="all")
    return table


def refill() -> Playing:
    """Three rounds at Simple 21 about a refill, and nothing before them."""
    table = played("simple-21", "deal " + "stay deal " * 30, 4)
    while len(table.finished) < 60 and not table.finished[-1].salts:
        table.move("stay" if table.state.phase == "playing" else "deal")
    table.move("new")
    table.finished = table.finished[-3:]
    return table


GOOD: dict[str, Callable[[], Playing]] = {
    "simple-21": lambda: played("simple-21", "deal hit stay deal hit stay new", 0),
    "refill": refill,
    "own deck": lambda: played("one-deck", "deal stay deal stay new", deck="\n".join(FULL_DECK)),
    "blackjack": lambda: played("blackjack", "deal stay deal stay", 5),
    "bingo": lambda: played("bingo", "deal call deal call", 6, mode="C", speed="N"),
    "war": war,
}


@pytest.mark.parametrize("name", GOOD)
def test_every_flipped_character_is_reported(name: str, tmp_path: Path) -> None:
    """But in the date and the signature, of which the check claims nothing.

    All positions of a file as the site sends it, three changes at each; long decks are sampled.
    """
    table = GOOD[name]()
    history = exported(table, opened_to=table.book.rounds)
    for one in history["rounds"]:
        one["signature"] = "ab"
    text = json.dumps(history, separators=(",", ":"))
    assert verified(text, tmp_path)[0] == FINE
    assert history["rounds"][1:]
    claimless = [
        range(*found.span()) for found in re.finditer(r'"(finished|signature)":"[^"]*",', text)
    ]
    rng, missed, tried = random.Random(1), [], 0
    every = 7 if name == "war" else 1
    for place in range(0, len(text), every):
        if any(place in part for part in claimless):
            continue
        other = rng.choice([c for c in "0123456789ACDHKSTabx" if c != text[place]])
        for new in (chr(ord(text[place]) ^ 1), other, ""):
            tried += 1
            forged = text[:place] + new + text[place + 1 :]
            if verified(forged, tmp_path)[0] == FINE:
                missed.append((text[max(0, place - 30) : place + 30], new))
    assert not missed
    assert tried > 300


def test_what_is_hidden_is_compared_as_far_as_it_can_be(tmp_path: Path) -> None:
    """With seals still closed the piles' sizes have to fit, and every card that was shown."""
    table = played("simple-21", "deal stay deal stay deal stay", seed=7)
    history = exported(table)
    assert [one["opened"] for one in history["rounds"]] == [False] * 3
    assert verified(history, tmp_path)[0] == FINE
    text = history["rounds"][0]["record"]
    hidden = int(text.partition("+")[2].partition(" ")[0])
    history["rounds"][0]["record"] = text.replace(f"+{hidden}", f"+{hidden - 1}")
    assert verified(history, tmp_path)[0] == PROBLEMS
