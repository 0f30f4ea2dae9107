"""The arrows point one way: app to web to cardgames, and cardgames needs nothing but Python."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CORE = sorted((ROOT / "cardgames").glob("*.py"))
WEB = sorted((ROOT / "web").glob("*.py"))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: say the whole name"
            yield node.module or ""


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.name)
def test_the_rules_import_only_python_and_themselves(path: Path) -> None:
    for name in imported(path):
        top = name.partition(".")[0]
        assert top in sys.stdlib_module_names or top == "cardgames", name
        assert not name.startswith("cardgames.assignments"), name


@pytest.mark.parametrize("path", WEB, ids=lambda path: path.name)
def test_the_pages_do_not_import_the_way_in(path: Path) -> None:
    for name in imported(path):
        assert name.partition(".")[0] not in ("app", "tests", "benchmarks"), name
        assert not name.startswith("cardgames.assignments"), name


@pytest.mark.parametrize("path", [*CORE, *WEB, ROOT / "app.py"], ids=lambda path: path.name)
def test_only_the_cards_meet_luck(path: Path) -> None:
    """`shuffled()` is the only caller of a random generator in the rules."""
    if path.name in ("cards.py", "lab.py") or path in WEB:
        return
    calls = [
        node.func.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id in ("rng", "random")
    ]
    assert calls == []


@pytest.mark.parametrize("path", [*CORE, *WEB], ids=lambda path: path.name)
def test_no_pickle_anywhere(path: Path) -> None:
    assert not {"pickle", "shelve", "marshal"} & set(imported(path))
