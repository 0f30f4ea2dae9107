"""The runner: a check without a separate process, and invalid responses."""

import gc
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from course.grading.answers import ProcessEnded, RemoteObject, decoded, strictly_equal
from course.grading.recordings import Event, Recordings, recorded
from course.grading.runner import Runner
from course.grading.sheets import SHEETS, Sheet
from course.grading.syntax import parsed
from course.grading.trial import Outcome, Trial
from tests.course.support import SHORT, copy_of, grading, lost, run
from tests.support.amounts import slow_but

IN_ONE_PROCESS = """
import builtins, io, os, random, subprocess, sys, tempfile
from pathlib import Path
from course.grading.checks import load_checks
from course.grading.recordings import Recorded, Recordings
from course.grading.sandbox.child import Executor
from course.grading.sheets import SHEETS
from course.grading.trial import Trial, run_outcome

os.fork = subprocess.Popen = None
os.chdir(tempfile.mkdtemp())
sheet = SHEETS[sys.argv[1]]
folder = Path(sys.argv[2])
modules, path, shuffle = dict(sys.modules), sys.path[:], random.shuffle

def tried(check):
    sys.modules.clear(), sys.modules.update(modules)
    sys.path[:], random.shuffle = path, shuffle
    executor = Executor(folder, sheet.given, sheet.own_probes)
    return run_outcome(check, Trial(sheet, folder, executor.ask, {}))

recordings = Recordings(tried)
for name, check in load_checks(sheet).items():
    outcome = check.outcome(recordings) if isinstance(check, Recorded) else tried(check)
    print(name, "passed" if outcome.passed else f"{outcome.problem}{outcome.got}")
"""


def outcomes(slug: str, folder: Path) -> dict[str, str]:
    done = run(sys.executable, "-c", IN_ONE_PROCESS, slug, folder)
    assert done.returncode == 0, done.stderr
    return dict(line.split(" ", 1) for line in done.stdout.splitlines())


@pytest.mark.parametrize("slug", slow_but(SHEETS, "war"))
def test_a_check_needs_no_process_of_its_own(slug: str) -> None:
    """A browser cannot fork or start processes, but the outcomes must be the same."""
    found = outcomes(slug, SHEETS[slug].solution)
    assert found
    assert {name: outcome for name, outcome in found.items() if outcome != "passed"} == {}


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("while True:\n    print('x' * 10**4)", "it showed more than 200,000 characters"),
        ("while True:\n    try: input()\n    except EOFError: pass", "it asked again"),
        ("raise ValueError(3)", "ValueError(3) in war.py, line 1"),
    ],
)
def test_faults_are_reported_without_a_process_too(program: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "war.py").write_text(program)
    found = outcomes("war", tmp_path)
    assert "passed" not in found.values()
    assert [outcome for outcome in found.values() if outcome.startswith(said)]


BROKEN_PROBES = """
def place_in(cards):
    return cards.index("C2")

def place_of(card):
    return ["AS"].index(card)
"""

UNUSUAL = """
class Card:
    def __eq__(self, other): raise ValueError("'C2' is not in list")
    def index(self, code): return ["AS"].index(code)
"""


@pytest.mark.parametrize(
    ("probe", "value", "is_ours"),
    [
        ("place_in", "[]", True),
        ("place_in", "Card()", False),
        ("place_in", "Card", False),
        ("place_of", "Card()", False),
    ],
)
def test_an_error_of_our_own_probes_takes_no_point(
    probe: str,
    value: str,
    is_ours: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The grader's error is logged.

    If a student's class raises an exception inside a probe, the student's code is at fault.
    """
    (tmp_path / "war.py").write_text(UNUSUAL)
    monkeypatch.setattr(Sheet, "own_probes", BROKEN_PROBES)

    def check(trial: Trial) -> None:
        trial.load("war")
        trial.probe(probe, value)

    with Runner(SHEETS["war"], tmp_path, SHORT) as runner:
        outcome = runner.try_check(check, {})
    assert bool(outcome.unseen) == is_ours
    assert not outcome.passed
    assert ["ValueError" in text for text in caplog.messages] == [True] * is_ours


def test_unreadable_events_take_no_point(caplog: pytest.LogCaptureFixture) -> None:
    """If the grader fails to read a recording, the student loses no points."""

    def events(_: Recordings) -> Iterable[Event]:
        texts: list[str] = []
        return [Event(texts[0], ("S1-24",), is_right=True)]

    check = recorded({"S1-24": ("a winner",)}, events)["S1-24"]
    outcome = check.outcome(Recordings(lambda _: Outcome()))
    assert outcome.unseen == "the grader itself failed here, which takes no point"
    assert "S1-24" in caplog.text
    assert "IndexError" in caplog.text


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        (3, 3),
        (["list", [1, ["tuple", ["a", None]]]], [1, ("a", None)]),
        (["dict", [["a", ["set", [1]]]]], {"a": {1}}),
        (["type", "int"], int),
        (["thing", [7, "Card", "KS"]], RemoteObject(7, "Card", "KS")),
    ],
)
def test_a_value_comes_as_it_was(sent: Any, value: Any) -> None:
    assert decoded(sent) == value


ALIKE = [(1, True), (0, False), (0, None), ("", None), (True, 1), (2.0, 2), ("2", 2)]


@pytest.mark.parametrize(("got", "expected"), ALIKE)
def test_similar_values_are_not_equal(got: Any, expected: Any) -> None:
    assert strictly_equal(expected, expected)
    assert not strictly_equal(got, expected)


NO_VALUES = [
    *([], ["list"], ["list", 3], ["odd", []], ["type", "Card"], {"list": []}),
    *(["dict", [[["list", []], 1]]], ["thing", ["x", 1, 1]]),
]


@pytest.mark.parametrize("sent", NO_VALUES)
def test_non_values_are_rejected(sent: Any) -> None:
    with pytest.raises(ProcessEnded, match="what is no value"):
        decoded(sent)


def test_a_missing_file_is_one_fault(tmp_path: Path) -> None:
    """The fault is the same whether the check or the student's program imports the file."""
    folder = copy_of(SHEETS["bingo"], tmp_path / "files")
    (folder / "playingCards.py").unlink()
    report = grading()("bingo", folder)
    assert lost(report) == ["S4-1"]
    (first, *_) = report.results
    assert (first.outcome.expected, first.outcome.got) == (
        "a file playingCards.py",
        "there is no such file",
    )


def test_grading_threads_parse_one_file_at_a_time() -> None:
    """Python 3.11 raises an error if garbage is collected while two syntax trees are built."""
    source = (SHEETS["bingo"].solution / "bingo.py").read_text()
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50)
    gc.callbacks.append(lets_others_run := lambda *_: None)
    try:
        with ThreadPoolExecutor(6) as threads:
            trees = [*threads.map(lambda _: parsed(source), range(40))]
    finally:
        sys.setswitchinterval(interval)
        gc.set_threshold(*threshold)
        gc.callbacks.remove(lets_others_run)
    assert {len(tree.body) for tree in trees} == {len(parsed(source).body)}
