"""The site uses Flask, Werkzeug, Jinja and WhiteNoise as their manuals say: only by their hooks."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

import app
import web

ROOT: Final = Path(__file__).parents[2]
FRAMEWORKS: Final = ("flask", "werkzeug", "jinja2", "whitenoise")

HOOKS: Final = {
    # Jinja, "Extension API": Extension.filter_stream.
    "web.http.i18n.Sentences": {"filter_stream"},
    # Jinja, Environment.make_globals: "the globals map".
    "web.http.i18n.PageEnvironment": {"make_globals"},
    # Flask, API, "Session Interface": SessionInterface.
    "web.storage.sessions.Sessions": {"open_session", "save_session"},
}
"""Our classes of theirs, and what each overrides; above it, where that is offered."""


def modules() -> Iterator[ModuleType]:
    yield app
    for found in pkgutil.walk_packages(web.__path__, "web."):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def is_theirs(module: str) -> bool:
    return module.partition(".")[0] in FRAMEWORKS


def overridden(kind: type) -> set[str]:
    """Return what a class of ours has in the place of something that a framework's has."""
    bases = [base for base in kind.__mro__[1:] if is_theirs(base.__module__)]
    names = {name for name in vars(kind) if any(name in vars(base) for base in bases)}
    return {name for name in names if not name.startswith("__")} - {"_abc_impl"}


def ours() -> dict[str, type]:
    """Return the classes of ours that are subclasses of a framework's."""
    return {
        f"{kind.__module__}.{kind.__qualname__}": kind
        for module in modules()
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if kind.__module__ == module.__name__
        and any(is_theirs(base.__module__) for base in kind.__mro__[1:])
    }


def test_nothing_of_a_framework_is_overridden_but_by_its_hooks() -> None:
    found = {name: changes for name, kind in ours().items() if (changes := overridden(kind))}
    assert found == HOOKS


SOURCES: Final = (
    *(ROOT / "web").rglob("*.py"),
    ROOT / "app.py",
    *(ROOT / "tests").rglob("conftest.py"),
)

ATTRIBUTES: Final = {
    "wsgi_app",  # Flask, Flask.wsgi_app: how middleware is put around it
    "session_interface",  # Flask, API
    "globals",  # Jinja, Environment.globals: "may be modified" until templates are loaded
    "max_content_length",  # Flask, Request: "can be set" for each request, and the next too
    "max_form_memory_size",
    "max_form_parts",
}
"""What the site sets on objects of the frameworks; all else that is set there is its own."""


def test_nothing_private_of_a_framework_is_imported_or_patched() -> None:
    for path in SOURCES:
        theirs = set()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and is_theirs(node.module or ""):
                names = {alias.name for alias in node.names}
                parts = {*(node.module or "").split("."), *names}
                assert not [part for part in parts if part.startswith("_")], path
                theirs |= {alias.asname or alias.name for alias in node.names}
            elif isinstance(node, ast.Import):
                theirs |= {
                    alias.asname or alias.name for alias in node.names if is_theirs(alias.name)
                }
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("setattr"):
                patched = ast.unparse(node.args[0]).partition(".")[0].strip("'\"")
                assert patched not in {*theirs, *FRAMEWORKS}, f"{path}: {ast.unparse(node)}"
            if isinstance(node, ast.Assign | ast.AugAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Attribute):
                        root = ast.unparse(target).partition(".")[0]
                        allowed = target.attr in ATTRIBUTES or ast.unparse(target) == "flask.g.move"
                        assert root not in theirs or allowed or "flask.g." in ast.unparse(target)
