"""Programs that make decisions: their input, termination, and tournament results."""

import io
import json
import re
from contextlib import closing
from pathlib import Path
from textwrap import dedent

import pytest

from cardgames import tournament
from cardgames.strategies.program import Limits, NamedStrategy, Program, ProgramEnded, program_view
from cardgames.strategies.strategy import Strategy
from cardgames.table import Phase
from cardgames.tournament import Entry, play, standings, tournament_deal
from tests.support.amounts import few_or_all, slow_but

BELOW_17 = """
    def decide(view):
        return "hit" if view["player"]["total"] < 17 else "stay"
"""

DEALER = NamedStrategy(Strategy.DEALER, "blackjack")

ENDS = {
    "raises": ("def decide(view):\n return 1 / 0", "ZeroDivisionError.*, line 2"),
    "nothing": ("def decide(view):\n pass", "decide returned None"),
    "peeks": ("def decide(view):\n return view.deck[0]", "no attribute 'deck'"),
    "leaves": ("def decide(view):\n raise SystemExit(3)", "it left with sys.exit.3"),
    "ends": ("import os\ndef decide(view):\n os._exit(3)", "ended its process with code 3"),
    "closes": ("import os\ndef decide(view):\n os.closerange(0, 99)", ""),
    "takes long": (
        (
            "import os, resource, signal\n"
            "def decide(view):\n"
            " limit, _ = resource.getrlimit(resource.RLIMIT_CPU)\n"
            " os.kill(os.getpid(), signal.SIGXCPU if limit == 60 else signal.SIGTERM)"
        ),
        "it took more than 60 seconds of processor time",
    ),
    "recurses": ("def decide(view):\n return decide(view)", "RecursionError"),
    "eats memory": ("def decide(view):\n return 'x' * 10**10", "more memory"),
    "bad repr": (
        "class C:\n def __repr__(self): 1/0\ndef decide(view):\n return C()",
        "decide returned <a C whose repr raises",
    ),
}


def program(folder: Path, source: str, limits: Limits | None = None) -> Program:
    path = folder / "mine.py"
    path.write_text(dedent(source))
    return Program(path, limits) if limits else Program(path)


@pytest.fixture
def view() -> str:
    return program_view(tournament_deal("blackjack", 1, 1).dealt())


# ---- The input of a program ----------------------------------------------------------------


def test_a_view_has_no_hidden_card(view: str) -> None:
    sent = json.loads(view)
    assert sent["dealer"]["cards"][0] is None
    assert sent["phase"] == "playing"
    codes = [card for seat in ("player", "dealer") for card in sent[seat]["cards"] if card]
    state = tournament_deal("blackjack", 1, 1).dealt().state
    assert len(codes) == 3
    assert not [card for card in (*state.deck, state.dealer[0]) if f'"{card}"' in view]


@pytest.mark.parametrize("slug", ["simple-21", "blackjack", "one-deck"])
def test_soft_says_whether_an_ace_counts_eleven(slug: str) -> None:
    found = set()
    for number in range(150):
        deal = tournament_deal(slug, 7, number)
        table = deal.dealt()
        while table.phase is Phase.PLAYING:
            sent = json.loads(program_view(table))
            hand = sent["player"]
            soft = hand.pop("soft")
            ranks = [card[0] for card in hand["cards"]]
            hard = sum(1 if rank == "A" else int(rank) if rank.isdigit() else 10 for rank in ranks)
            assert hand["total"] == hard + (10 if soft else 0)
            assert soft == (slug != "simple-21" and "A" in ranks and hard <= 11)
            found.add(soft)
            table = deal.play(table, "hit")
    assert found == ({False} if slug == "simple-21" else {False, True})


def test_the_docs_list_the_keys_of_a_view(view: str) -> None:
    text = (Path(__file__).parents[2] / "docs/strategies.md").read_text()
    sent = json.loads(view)
    keys = {f'view["{key}"]' for key, value in sent.items() if key not in ("player", "dealer")}
    keys |= {f'view["{who}"]["{key}"]' for who in ("player", "dealer") for key in sent[who]}
    assert {*re.findall(r"`(view\[[^`]+)`", text)} == keys


# ---- The end of a program ------------------------------------------------------------------


@pytest.mark.parametrize("way", slow_but(ENDS, *ENDS.keys() - {"nothing", "peeks", "recurses"}))
def test_failing_program_ends_with_one_sentence(way: str, tmp_path: Path, view: str) -> None:
    source, says = ENDS[way]
    with closing(program(tmp_path, source)) as mine:
        with pytest.raises(ProgramEnded) as ended:
            mine.decide(view)
        assert "\n" not in str(ended.value)
        with pytest.raises(ProgramEnded, match=f"^mine.py: .*{says}"):
            mine.decide(view)


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (Limits(wall=0.3), "did not decide within 0.3 seconds"),
        pytest.param(
            Limits(wall=60, seconds=1),
            "took more than 1 seconds of processor time",
            marks=pytest.mark.slow,
        ),
    ],
)
def test_endless_loop_is_stopped(limits: Limits, says: str, tmp_path: Path, view: str) -> None:
    with closing(program(tmp_path, "def decide(view):\n while True: pass", limits)) as mine:
        with pytest.raises(ProgramEnded, match=says):
            mine.decide(view)
        assert mine._process.poll() is not None


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("def decid(view): pass", "it has no function decide"),
        ("def decide(view) pass", "SyntaxError: .* in mine.py, line 1"),
        ("import nothing_like_it", "ModuleNotFoundError"),
    ],
)
def test_unloadable_file_is_reported_at_once(source: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(ProgramEnded, match=says):
        program(tmp_path, source)


def test_ended_program_costs_only_its_own_rounds(tmp_path: Path) -> None:
    source = """
        asked = 0
        def decide(view):
            global asked
            asked += 1
            return "stay" if asked <= 30 else view["hole"]
    """
    with closing(program(tmp_path, source)) as mine:
        entries = [Entry(DEALER), Entry(mine)]
        play(entries, "blackjack", 100, seed=4)
    assert [len(entry.results) for entry in entries] == [100, 30]
    assert entries[1].ended == "mine.py: KeyError('hole') in mine.py, line 6 (deal 31)"
    assert [standing.name for standing in standings(entries)] == ["dealer"]
    alone = Entry(DEALER)
    play([alone], "blackjack", 100, seed=4)
    assert alone.results == entries[0].results


# ---- Tournaments ---------------------------------------------------------------------------


def entry(name: str, results: list[int]) -> Entry:
    decider = NamedStrategy(Strategy.DEALER, "blackjack")
    decider.name = name
    return Entry(decider, results)


def test_unsettled_places_are_ranges() -> None:
    """A lead of 0.1 ± 0.06 per round is significant, and a lead of 0.02 ± 0.027 is not."""
    base = [-1] * 100
    entries = [
        entry("c", [0, *base[1:]]),
        entry("a", [0] * 12 + base[12:]),
        entry("d", base),
        entry("b", [0] * 11 + base[11:]),
    ]
    found = {standing.name: standing.place for standing in standings(entries)}
    assert found == {"a": "1-2", "b": "1-2", "c": "3-4", "d": "3-4"}
    assert [standing.name for standing in standings(entries)] == ["a", "b", "c", "d"]


# ---- The commands --------------------------------------------------------------------------


def test_the_tournament_command(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(dedent(BELOW_17))
    (tmp_path / "bad.py").write_text("def decide(view):\n return 7")
    (tmp_path / "worse.py").write_text("1 / 0")
    out = io.StringIO()
    files = [str(tmp_path / name) for name in ("mine.py", "bad.py", "worse.py")]
    assert tournament.main([*files, "never-bust", "--deals", "200", "--seed", "3"], out) == 1
    printed = out.getvalue()
    assert printed.startswith("blackjack, 200 deals from seed 3\n")
    assert re.search(
        r"^  (mine.py over never-bust|never-bust over mine.py): \+\d", printed, re.MULTILINE
    )
    assert "  bad.py: decide returned 7 and not 'hit' or 'stay' (deal 1)\n" in printed
    assert "  worse.py: ZeroDivisionError('division by zero') in worse.py, line 1\n" in printed


def test_participants_must_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert tournament.main(["basic"]) == 2
    assert capsys.readouterr().err == (
        "There is no file basic; strategies are dealer, never-bust, best.\n"
    )


@few_or_all("deals", 500, 2_000)
def test_best_play_wins_on_the_same_deals(deals: int) -> None:
    entries = [Entry(NamedStrategy(strategy, "blackjack")) for strategy in Strategy]
    play(entries, "blackjack", deals, seed=1)
    assert standings(entries)[0].name == "best"
