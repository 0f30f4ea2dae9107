"""The statements of ARCHITECTURE.md about the code: the diagram of imports, and separate parts.

The diagram is parsed from the document. Imports count anywhere in a file, even imports that are
only for types.
"""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final

import flask

from cardgames import GAMES
from cardgames.advice import Odds
from cardgames.registry import RESERVED_SLUGS

ROOT: Final = Path(__file__).parents[2]
SHEETS: Final = ROOT / "course" / "sheets"


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


_FILES: Final = (
    ROOT / "app.py",
    *sorted(ROOT.glob("cardgames/**/*.py")),
    *sorted(ROOT.glob("course/**/*.py")),
    *sorted(ROOT.glob("web/**/*.py")),
)


@cache
def syntax_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def sources() -> dict[str, Path]:
    """Return the modules of the site, the rules and the course kit that contain code."""
    return {
        module_name(path): path
        for path in _FILES
        if not path.is_relative_to(SHEETS) and len(syntax_of(path).body) > 1
    }


def sources_of(package: str) -> dict[str, Path]:
    return {name: path for name, path in sources().items() if name.startswith(package)}


def kit() -> dict[str, Path]:
    course = sources_of("course")
    return {name: path for name, path in course.items() if not name.startswith("course.browser")}


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Return the full name of every import of a file."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(syntax_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: say the whole name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def modules_imported(name: str) -> set[str]:
    """Return the project's modules that a module imports."""
    found = set()
    for whole in imported(sources()[name]):
        module = whole if whole in sources() else whole.rpartition(".")[0]
        found |= {module} & sources().keys()
    return found - {name}


# ---- The drawing ---------------------------------------------------------------------------


def drawing() -> list[list[str]]:
    """Return the rows of the diagram, each with its parts."""
    page = (ROOT / "ARCHITECTURE.md").read_text()
    (block,) = re.findall(r"^```imports\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return [re.split(r" {3,}", line)[0].split() for line in block.splitlines() if line.strip()]


ROWS: Final = {part: number for number, row in enumerate(drawing()) for part in row}


def part_of(module: str) -> str:
    """Return the diagram part that contains a module, by the longest matching name."""
    parts = [part for part in ROWS if f"{module}.".startswith(f"{part}.")]
    assert parts, f"{module} is in no part of the drawing in ARCHITECTURE.md"
    return max(parts, key=len)


def test_imports_point_downwards_as_they_are_drawn() -> None:
    """A part imports only from lower rows, and never from other parts of the same row."""
    for module in sources():
        mine = part_of(module)
        beside = {part for part in ROWS if part != mine and ROWS[part] == ROWS[mine]}
        for other in modules_imported(module):
            part = part_of(other)
            assert part == mine or ROWS[part] > ROWS[mine], f"{module} imports {other}"
            assert not [each for each in beside if f"{other}.".startswith(f"{each}.")], other


def test_every_drawn_part_exists() -> None:
    assert {part_of(module) for module in sources()} == set(ROWS)


def test_no_modules_import_each_other_in_a_circle() -> None:
    imports = {name: modules_imported(name) for name in sources()}
    # This call raises CycleError if there is a cycle, and names the cycle.
    assert list(TopologicalSorter(imports).static_order())


# ---- Separate parts ------------------------------------------------------------------------


def foreign(part: dict[str, Path], *own: str) -> set[tuple[str, str]]:
    """Return the imports of modules that neither Python nor their packages contain."""
    known = {*sys.stdlib_module_names, *own}
    found = ((module, name) for module, path in part.items() for name in imported(path))
    return {(module, name) for module, name in found if name.partition(".")[0] not in known}


def test_the_rules_import_only_python_and_themselves() -> None:
    assert foreign(sources_of("cardgames"), "cardgames") == set()


OPTIONAL: Final = "rich"
"""The grader uses a package for colours if the package is installed."""


def test_the_course_kit_imports_only_python_itself_and_the_words() -> None:
    assert {name for _, name in foreign(kit(), "course", OPTIONAL)} == {"cardgames.text.Text"}


def test_pages_import_only_the_public_part_of_the_course() -> None:
    found = {(module, name, name.partition(".")[0]) for module, name in foreign(sources_of("web"))}
    assert not [one for one in found if one[2] in ("app", "tests", "tools")]
    assert {(module, name) for module, name, top in found if top == "course"} == {*HANDED_OUT}


HANDED_OUT: Final = [
    ("web.sheets.own", "course.handouts.files.starter"),
    *(
        ("web.sheets.own", f"course.handouts.tasks.{name}")
        for name in ("TASKS", "Task", "sheet_task")
    ),
    *(
        ("web.sheets.own", f"course.grading.sheets.{name}")
        for name in ("SHEETS", "Sheet", "SheetError", "load_sheet")
    ),
    ("web.sheets.views", "course.grading.sheets.SHEETS"),
    ("web.sheets.views", "course.handouts.tasks.sample_decks"),
]
"""The pages use the course kit only for the lists of the sheets and the files that the pages offer.
"""


def test_only_the_cards_meet_luck() -> None:
    """`shuffled()` is the only caller of a random generator in the rules, except in the lab."""
    calls = [
        (module, node.func.attr)
        for module, path in sources_of("cardgames").items()
        if module != "cardgames.cards" and not module.startswith("cardgames.lab")
        for node in ast.walk(syntax_of(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("rng", "random")
    ]
    assert calls == []


# ---- No game by name -----------------------------------------------------------------------

OWN: Final = {"twentyone.html", *(f"{slug}.html" for slug in GAMES)}
LAB: Final = "lab.html"
"""The lab's page may name games, because its experiments are specific to games."""

BINGO: Final = {"class", "friends"}
"""The packages that play Bingo by the sheet's own rules: the ones for classes and for friends."""

COACHED: Final = {field.name for field in fields(Odds)}
"""The names of the decisions that the coach compares. The core and the JSON share these names."""

MOVES: Final = {move.name for game in GAMES.values() for move in game.round_moves} - COACHED
OF_GAMES: Final = MOVES | GAMES.keys() | {"twentyone", "twenty-one", "simple21", "one_deck"}


def quoted(text: str) -> set[str]:
    """Return the names in a file: quoted words, values, and parts of paths."""
    words = re.findall(r"""["'`./#=]([a-z][a-z0-9_-]*)""", text)
    return set(words)


TEMPLATES: Final = [
    path
    for path in (*ROOT.glob("templates/**/*.html"), ROOT / "static" / "site.js")
    if path.name not in {*OWN, LAB} and BINGO.isdisjoint(path.relative_to(ROOT).parts)
]


def test_no_shared_template_and_no_script_knows_a_game() -> None:
    titles = "|".join(game.info.title for game in GAMES.values())
    for path in TEMPLATES:
        text = re.sub(r"\{#.*?#\}|//[^\n]*", "", path.read_text(), flags=re.DOTALL)
        assert not quoted(text) & OF_GAMES, path
        assert not re.findall(rf"\b(?:{titles})\b", text), path


ABOUT_GAMES: Final = (
    *("web.classroom", "web.friends"),
    *("web.tables.by_hand", "web.tables.counting", "web.tables.guessing"),
    "web.history.replays",
)
"""Modules that may name a game: Bingo by the sheet's own rules, cards covered by hand, the
questions at One-deck and War, and the ties in a replay of War.
"""


def test_no_module_of_the_pages_knows_a_game() -> None:
    for module, path in sources_of("web").items():
        if module.startswith(ABOUT_GAMES):
            continue
        strings = {
            node.value for node in ast.walk(syntax_of(path)) if isinstance(node, ast.Constant)
        }
        assert not {text for text in strings if isinstance(text, str)} & OF_GAMES, module
        games = [name for name in imported(path) if name.startswith("cardgames.games.")]
        assert games == [], module


# ---- Addresses -----------------------------------------------------------------------------

CONTRACT: Final = {
    *("class", "j", "deal", "deals", "lab", "sheets", "replay", "what-if"),
    *("healthz", "static"),
}
"""The first path segments that no game may use as its slug, according to the contract."""


def test_no_game_can_take_an_address_of_the_site(app: flask.Flask) -> None:
    first = {rule.rule.split("/")[1].lower() for rule in app.url_map.iter_rules()} - {"", "<slug>"}
    assert first | CONTRACT == RESERVED_SLUGS
