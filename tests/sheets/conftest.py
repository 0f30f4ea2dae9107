"""What the doctests of the sheets' classes use, besides the names of the sheet's own files."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.sheets import SHEETS_ROOT, public_names, sheet


def refused(act: Callable[..., Any], *arguments: Any) -> str:
    """Return the name of the class of what a call raises."""
    return why(act, *arguments).partition(":")[0]


def why(act: Callable[..., Any], *arguments: Any) -> str:
    """Return what a call raises, as its class and its text."""
    try:
        act(*arguments)
    except Exception as error:  # noqa: BLE001 - of any class
        return f"{type(error).__name__}: {error}".rstrip(": ")
    return "nothing"


def private(thing: object) -> dict[str, Any]:
    """Return the attributes of an object; each must be private."""
    start = f"_{type(thing).__name__}__"
    assert all(name.startswith(start) for name in vars(thing))
    return {name.removeprefix(start): value for name, value in vars(thing).items()}


@pytest.fixture(autouse=True)
def names(
    request: pytest.FixtureRequest,
    doctest_namespace: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> Iterator[None]:
    """Give a doctest the public names of its sheet's modules, loaded anew."""
    if request.node.path.name != "test_classes.py":
        yield
        return
    helpers = {
        "refused": refused,
        "why": why,
        "private": private,
        "monkeypatch": monkeypatch,
        "tmp_path": tmp_path,
    }
    helpers["public"] = lambda kind: " ".join(sorted(public_names(kind)))
    folder = {"simple_21": "simple21"}.get(*[request.node.path.parent.name] * 2)
    with sheet(folder) as load:
        doctest_namespace.clear()
        doctest_namespace.update(helpers)
        for file in sorted(SHEETS_ROOT.joinpath(folder).glob("*.py"), reverse=True):
            if file.stem not in ("__init__", "bingoTests", "simplegui", "codeskulptor", "python2"):
                module = load(file.stem)
                doctest_namespace |= {k: v for k, v in vars(module).items() if k[:1] != "_"}
                doctest_namespace[file.stem] = module
        yield
        doctest_namespace.clear()  # it is the whole session's, and the rules have a Card too
