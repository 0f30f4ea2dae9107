"""Generated mutants: ``make mutants``, or ``make mutants MUTANTS="odds records"`` for some groups.

mutmut makes the changes and runs, for each, the tests that reach the changed function. All tests
for all modules would take days; so a group names modules and the test files that are theirs, and
takes minutes to an hour of one processor. Each works in a copy of the project in ``.mutants``,
where ``mutmut show NAME`` prints a change that survived. ``SAMPLE="*[05]"`` tries one in five,
those whose numbers end so.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

ROOT: Final = Path(__file__).parents[1]
FOLDER: Final = ROOT / ".mutants"
SURVIVED: Final = (0, 33)
"""What mutmut notes of a change that no test noticed, or that none reaches."""

NOT_RUN: Final = (None, -1, 255, -24, 24, 36, 152)
"""What it notes of one that was not tried, whose tests could not be started, or took too long: on a
busy machine that says nothing of the change."""


class Group(NamedTuple):
    """Modules that are changed, and the tests that should notice."""

    modules: tuple[str, ...]
    tests: tuple[str, ...]


def _tests(folder: str, *names: str) -> tuple[str, ...]:
    return tuple(f"tests/{folder}/test_{name}.py" for name in names)


def _core(*names: str) -> tuple[str, ...]:
    return _tests("core", *names)


_RECORDS: Final = _core("records", "records_refused", "verify", "seals", "shuffling")

_STORE: Final = (
    *("jobs", "memory", "rounds", "session_rows", "sessions", "side_effects"),
    *("signing_keys", "sqlite", "store"),
)
_LAYERS: Final = (
    "class_store",
    "insight",
    "reactions",
    "rows",
    "strategies",
    "tournaments",
    "votes",
)

GROUPS: Final = {
    "odds": Group(
        ("cardgames/odds/*", "cardgames/ways.py"),
        _core("odds", "odds_of_every_order", "ways"),
    ),
    "table": Group(
        ("cardgames/table.py", "cardgames/shuffling.py", "cardgames/game.py", "cardgames/view.py"),
        (*_core("table", "careless_games", "every_game", "twentyone_decks"), *_RECORDS),
    ),
    "records": Group(
        ("cardgames/records/line.py", "cardgames/records/record.py", "cardgames/records/replay.py"),
        (*_RECORDS, *_core("every_game", "shared_deal")),
    ),
    "twentyone": Group(
        ("cardgames/games/twentyone/engine.py", "cardgames/games/twentyone/rules.py"),
        _core("twentyone", "twentyone_decks", "twentyone_rules", "records", "every_game"),
    ),
    "war": Group(
        ("cardgames/games/war/__init__.py", "cardgames/games/war/rules.py"),
        _core("war", "war_turns", "records", "every_game"),
    ),
    "bingo": Group(
        ("cardgames/games/bingo/__init__.py", "cardgames/games/bingo/rules.py"),
        _core("bingo", "bingo_rules", "records", "every_game"),
    ),
    "class-bingo": Group(
        ("cardgames/class_bingo/*",),
        _core("class_bingo", "class_bingo_export", "bingo_chances", "verify"),
    ),
    "decks": Group(
        ("cardgames/cards.py", "cardgames/deck_file.py", "cardgames/moves.py"),
        _core("cards", "deck_file", "moves", "records_refused", "simulation_runs"),
    ),
    "decisions": Group(
        ("cardgames/ledger.py", "cardgames/shared_deal.py", "cardgames/games/twentyone/advisor.py"),
        _core("ledger", "shared_deal", "odds", "puzzles"),
    ),
    # A cluster's servers take seconds to start: what only Redis has is tried by itself.
    "storage": Group(
        tuple(f"web/storage/{name}.py" for name in _STORE),
        _tests("storage", "deals", "jobs", "keys", "rounds", "sessions", "sqlite", "store")
        + _tests("web/classroom", "joining"),
    ),
    "redis": Group(
        ("web/storage/breaker.py", "web/storage/redis.py", "web/storage/redis_client.py"),
        _tests("storage", "cluster", "redis", "rounds", "store", "waiting"),
    ),
    "layers": Group(
        ("web/storage/hints.py", *(f"web/classes/{name}.py" for name in _LAYERS)),
        _tests("storage", "class_layers", "class_store", "joins", "room", "votes")
        + _tests(
            "web/classroom", "dashboard", "guide", "insight", "joining", "lessons", "predictions"
        )
        + _tests("web/classroom", "reactions", "roster", "strategies", "tournament_places")
        + _tests("web/classroom", "tournaments", "votes"),
    ),
    "tables": Group(
        ("web/tables/*",),
        _tests(
            "web",
            "advice",
            "bets",
            "by_hand",
            "charts",
            "responses",
            "rows",
            "table_pages",
            "tables",
        ),
    ),
}


def main(names: Sequence[str]) -> int:
    """Run groups, all by default, and print for each module how many changes were noticed.

    Returns:
        0; 2 where a group is not known or cannot be run.
    """
    if unknown := set(names).difference(GROUPS):
        print(f"No group {min(unknown)}: there are {', '.join(GROUPS)}.", file=sys.stderr)
        return 2
    for name in names or GROUPS:
        folder = _copy(name)
        command = [str(Path(sys.executable).with_name("mutmut")), "run", "--max-children", "1"]
        command += [os.environ["SAMPLE"]] * ("SAMPLE" in os.environ)
        log = folder / "log.txt"
        with log.open("w") as out:
            status = subprocess.run(command, cwd=folder, stdout=out, stderr=out, check=False)
        if status.returncode:
            print(f"{name} could not be run: {log} says why.", file=sys.stderr)
            return 2
        report(folder)
    return 0


def _copy(name: str) -> Path:
    """Copy the project's files into a folder of the group's own, with its configuration."""
    folder = FOLDER / name
    shutil.rmtree(folder, ignore_errors=True)
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True)
    for path in listed.splitlines():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / path, folder / path)
    pyproject, group = folder / "pyproject.toml", GROUPS[name]
    others = [path.name for path in folder.iterdir() if path.name not in ("cardgames", "web")]
    settings = {
        "source_paths": ["cardgames", "web"],
        "only_mutate": [*group.modules],
        "also_copy": others,
        "pytest_add_cli_args_test_selection": [*group.tests],
        "pytest_add_cli_args": ["-pno:cacheprovider", "-ptools.mutants", "--numprocesses=0"],
        # A worker forked from the process that has run the tests would have its caches, and a
        # remembered answer tries nothing.
        "process_isolation": "forkserver",
        "timeout_constant": 30.0,  # seconds for pytest itself to start, on a machine with others
        "timeout_multiplier": 4.0,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in settings.items()]
    text = pyproject.read_text("utf-8") + "\n[tool.mutmut]\n" + "\n".join(lines) + "\n"
    pyproject.write_text(text, "utf-8")
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put quick tests first, once mutmut has timed them: most changes fail one of those."""
    timed = Path("mutmut-stats.json")
    if timed.exists():
        seconds = json.loads(timed.read_text("utf-8"))["duration_by_test"]
        items.sort(key=lambda item: seconds.get(item.nodeid, 0.0))


def report(folder: Path) -> None:
    """Print how many changes of each module were noticed, and the names of those that were not."""
    survivors: list[str] = []
    for meta in sorted((folder / "mutants").rglob("*.meta")):
        codes = json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
        if not codes:
            continue
        tried = {name: code for name, code in codes.items() if code not in NOT_RUN}
        left = [name for name, code in tried.items() if code in SURVIVED]
        survivors += left
        module = meta.relative_to(folder / "mutants").with_suffix("")
        print(f"{module!s:44} {len(tried) - len(left):5} of {len(tried):5} noticed", flush=True)
    print(*(f"  {name}" for name in survivors), sep="\n", flush=True)


if __name__ == "__main__":
    os.nice(19)
    sys.exit(main(sys.argv[1:]))
