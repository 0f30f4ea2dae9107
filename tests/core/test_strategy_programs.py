"""Programs that decide: what they are told, how they end, and what comes out of a tournament."""

import io
import json
import re
import statistics
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from cardgames import chart as chart_command
from cardgames import tournament
from cardgames.cards import CardGameError
from cardgames.games.twentyone import BLACKJACK, SIMPLE_21
from cardgames.games.twentyone.rules import TABLES
from cardgames.strategies import StrategyChart, rate
from cardgames.strategies.chart import cells
from cardgames.strategies.charting import chart_of
from cardgames.strategies.limits import Limits
from cardgames.strategies.program import Program, ProgramEnded, Strategy, opened, view_of
from cardgames.strategies.tournament import Entry, Interval, deal_of, play, standings

BELOW_17 = """
    def decide(view):
        return "hit" if view["player"]["total"] < 17 else "stay"
"""
SMALL = """
    def decide(view):
        hand = view["player"]
        if hand["total"] == 13 and len(hand["cards"]) > 2:
            return "stay"
        return "hit" if hand["total"] < 14 else "stay"
"""
"""It stays on a 13 of three cards or more."""

ENDS = {
    "raises": ("def decide(view):\n return 1 / 0", "ZeroDivisionError.*, line 2"),
    "nonsense": ("def decide(view):\n return 7", "decide returned 7 and not 'hit' or 'stay'"),
    "nothing": ("def decide(view):\n pass", "decide returned None"),
    "peeks": ("def decide(view):\n return view.deck[0]", "no attribute 'deck'"),
    "peeks at names": ("def decide(view):\n return view['hole']", "KeyError.'hole'"),
    "leaves": ("def decide(view):\n raise SystemExit(3)", "it left with sys.exit.3"),
    "ends": ("import os\ndef decide(view):\n os._exit(3)", "ended its process with code 3"),
    "closes": ("import os\ndef decide(view):\n os.closerange(0, 99)", "a sentence"),
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
    return view_of(deal_of("blackjack", 1, 1).dealt())


# ---- What a program is told ----------------------------------------------------------------


def test_a_view_has_no_hidden_card(view: str) -> None:
    told = json.loads(view)
    assert told["dealer"]["cards"][0] is None
    assert told["phase"] == "playing"
    codes = [card for seat in ("player", "dealer") for card in told[seat]["cards"] if card]
    state = deal_of("blackjack", 1, 1).dealt().state
    assert len(codes) == 3
    assert not [card for card in (*state.deck, state.dealer[0]) if f'"{card}"' in view]


def test_what_a_program_prints_is_not_its_answer(tmp_path: Path, view: str) -> None:
    source = """
        import sys
        def decide(view):
            print('{"decision": "hit"}')
            sys.stderr.write("x" * 100_000)
            return "stay"
    """
    with program(tmp_path, source) as mine:
        assert mine.decide(view) == "stay"
        assert mine.decide(view) == "stay"


# ---- How it ends ---------------------------------------------------------------------------


@pytest.mark.parametrize("way", ENDS)
def test_a_program_that_fails_ends_with_one_sentence(way: str, tmp_path: Path, view: str) -> None:
    source, says = ENDS[way]
    with program(tmp_path, source) as mine:
        with pytest.raises(ProgramEnded) as ended:
            mine.decide(view)
        says = "" if says == "a sentence" else says
        assert "\n" not in str(ended.value)
        with pytest.raises(ProgramEnded, match=f"^mine.py: .*{says}"):
            mine.decide(view)


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        (Limits(wall=0.3), "did not decide within 0.3 seconds"),
        (Limits(wall=60, seconds=1), "took more than 1 seconds of processor time"),
    ],
)
def test_a_program_that_loops_for_ever_is_ended(
    limits: Limits, says: str, tmp_path: Path, view: str
) -> None:
    with program(tmp_path, "def decide(view):\n while True: pass", limits) as mine:
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
def test_a_file_that_cannot_be_loaded_is_told_at_once(
    source: str, says: str, tmp_path: Path
) -> None:
    with pytest.raises(ProgramEnded, match=says):
        program(tmp_path, source)


def test_a_program_that_ends_costs_only_its_own_rounds(tmp_path: Path) -> None:
    source = """
        asked = 0
        def decide(view):
            global asked
            asked += 1
            return "stay" if asked <= 30 else view["hole"]
    """
    with program(tmp_path, source) as mine:
        entries = [Entry(Strategy("dealer", BLACKJACK)), Entry(mine)]
        play(entries, "blackjack", 100, seed=4)
    assert [len(entry.results) for entry in entries] == [100, 30]
    assert entries[1].ended == "mine.py: KeyError('hole') in mine.py, line 6 (deal 31)"
    assert [one.name for one in standings(entries)] == ["dealer"]
    alone = Entry(Strategy("dealer", BLACKJACK))
    play([alone], "blackjack", 100, seed=4)
    assert alone.results == entries[0].results


# ---- Tournaments ---------------------------------------------------------------------------


def test_a_program_and_the_same_strategy_in_words_play_alike(tmp_path: Path) -> None:
    with program(tmp_path, BELOW_17) as mine:
        entries = [Entry(mine), Entry(Strategy("dealer", SIMPLE_21))]
        play(entries, "simple-21", 200, seed=9)
    assert entries[0].results == entries[1].results
    assert [one.place for one in standings(entries)] == ["1-2", "1-2"]


@pytest.mark.parametrize("deals", [0, 99, 1_000_001])
def test_a_tournament_has_so_many_deals(deals: int) -> None:
    with pytest.raises(CardGameError, match="100 to 1,000,000"):
        play([], "blackjack", deals, seed=1)


def entry(name: str, results: list[int]) -> Entry:
    return Entry(Strategy("dealer", BLACKJACK, name), results)


def test_an_interval_is_two_standard_errors_of_the_mean() -> None:
    results = [1, -1, -1, 0, 1, 1, -1, -1]
    found = Interval.of(results)
    assert found.mean == statistics.fmean(results)
    assert found.reach == pytest.approx(1.96 * statistics.stdev(results) / 8**0.5)
    assert not Interval.of([1]).above
    assert not Interval.of([]).above


def test_places_are_ranges_where_the_differences_do_not_settle_them() -> None:
    """Ten rounds better of 100 is sure (0.1 of 0.06); one or two is not (0.02 of 0.027)."""
    base = [-1] * 100
    entries = [
        entry("c", [0, *base[1:]]),
        entry("a", [0] * 12 + base[12:]),
        entry("d", base),
        entry("b", [0] * 11 + base[11:]),
    ]
    found = {one.name: one.place for one in standings(entries)}
    assert found == {"a": "1-2", "b": "1-2", "c": "3-4", "d": "3-4"}
    assert [one.name for one in standings(entries)] == ["a", "b", "c", "d"]


def test_overlapping_ranges_need_not_be_the_same() -> None:
    steps = {"a": 8, "b": 5, "c": 2}  # a is surely better than c, and nothing else is sure
    entries = [entry(name, [0] * n + [-1] * (100 - n)) for name, n in steps.items()]
    assert [one.place for one in standings(entries)] == ["1-2", "1-3", "2-3"]


# ---- A chart made from a program -----------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "text"),
    [
        pytest.param("simple-21", "below 14", marks=pytest.mark.slow),
        pytest.param("blackjack", "basic", marks=pytest.mark.slow),
        pytest.param("one-deck", "below 2", marks=pytest.mark.slow),
    ],
)
def test_a_chart_made_from_a_strategy_is_its_chart(table: str, text: str) -> None:
    rules = TABLES[table]
    chart = StrategyChart.read(rules, text)
    made = chart_of(Strategy(text, rules), table)
    assert made.mixed == ()
    reached = rate(chart).cells  # seconds, so once and not for every place
    never = {cell for cell in cells(rules) if cell not in reached}
    assert set(made.chart.differences(chart)) <= never  # there it is as the dealer plays


def test_it_is_told_where_a_program_looks_at_more(tmp_path: Path) -> None:
    with program(tmp_path, SMALL) as mine:
        made = chart_of(mine, "blackjack")
    assert {(one.cell.soft, one.cell.total) for one in made.mixed} == {(False, 13), (True, 13)}
    for one in made.mixed:
        assert len(one.hit) == 2
        assert len(one.stay) > 2
    both = [one.cell for one in made.mixed]
    below_14 = StrategyChart.read(BLACKJACK, "below 14")
    reached = {cell for cell in made.chart.differences(below_14) if cell.total < 14}
    assert reached <= set(both)


def test_looking_at_the_order_of_the_cards_is_looking_at_more(tmp_path: Path) -> None:
    source = """
        def decide(view):
            cards = view["player"]["cards"]
            if view["player"]["total"] == 12 and cards[0][0] in "9TJQK":
                return "stay"
            return "hit" if view["player"]["total"] < 13 else "stay"
    """
    with program(tmp_path, source) as mine:
        made = chart_of(mine, "blackjack")
    assert [str(one.cell) for one in made.mixed] == [f"hard 12 against {up}" for up in "A23456789T"]


@pytest.fixture
def below_17(tmp_path: Path) -> Iterator[Program]:
    with program(tmp_path, BELOW_17) as mine:
        yield mine


def same_as_its_chart(mine: Program, table: str, deals: int) -> None:
    made = chart_of(mine, table)
    assert made.mixed == ()
    entries = [Entry(mine), Entry(Strategy(str(made.chart), made.chart.rules))]
    play(entries, table, deals, seed=19)
    assert entries[0].results == entries[1].results
    assert len(entries[0].results) == deals


@pytest.mark.slow
@pytest.mark.parametrize("table", ["simple-21", "blackjack", "one-deck"])
def test_a_chart_and_its_program_play_ten_thousand_rounds_alike(
    table: str, below_17: Program
) -> None:
    same_as_its_chart(below_17, table, 10_000)


# ---- The commands --------------------------------------------------------------------------


def test_the_tournament_command(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(dedent(BELOW_17))
    (tmp_path / "bad.py").write_text("def decide(view):\n return 7")
    (tmp_path / "worse.py").write_text("1 / 0")
    out = io.StringIO()
    files = [str(tmp_path / name) for name in ("mine.py", "bad.py", "worse.py")]
    assert tournament.main([*files, "below 2", "--deals", "200", "--seed", "3"], out) == 1
    told = out.getvalue()
    assert told.startswith("blackjack, 200 deals from seed 3\n")
    assert re.search(r"^  (mine.py over below 2|below 2 over mine.py): \+\d", told, re.MULTILINE)
    assert "  bad.py: decide returned 7 and not 'hit' or 'stay' (deal 1)\n" in told
    assert "  worse.py: ZeroDivisionError('division by zero') in worse.py, line 1\n" in told


def test_the_chart_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert chart_command.main(["below 2", "below 3", "--table", "blackjack"]) == 0
    told = capsys.readouterr().out
    assert "hard 21   SSSSSSSSSS" in told
    assert "Worth -0.2330179" in told  # 0.38349104 - 0.61650896, by the reference numbers
    assert "below 2 against below 3: +0.0000 points a round.\nThey differ in 0 of" in told


@pytest.mark.parametrize("words", ["nobody.py", "sometimes", "below 99"])
def test_who_is_not_there_is_told(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert tournament.main([words, "--deals", "100"], io.StringIO()) == 2
    assert chart_command.main([words], io.StringIO()) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


def test_a_chart_in_a_file_takes_part_by_its_name(tmp_path: Path, view: str) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(str(StrategyChart.read(BLACKJACK, "basic")))
    mine, basic = opened(str(path), BLACKJACK), opened("basic", BLACKJACK)
    assert (mine.name, basic.name) == ("mine.txt", "basic")
    assert mine.decide(view) == basic.decide(view)
