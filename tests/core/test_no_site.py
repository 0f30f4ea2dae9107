"""The rules are tested without loading any module of the site."""

from tests.support.commands import python

LOADED = """
import importlib, sys, tests.conftest
from pathlib import Path
for file in Path("tests/core").glob("test_*.py"):
    importlib.import_module(f"tests.core.{file.stem}")
site = {"web", "app", "course", "flask", "werkzeug", "jinja2", "redis"}
print("loaded:", *sorted(site.intersection(name.partition(".")[0] for name in sys.modules)))
"""


def test_the_tests_of_the_rules_load_no_site() -> None:
    done = python("-c", LOADED)
    assert done.stdout == "loaded:\n", done.stderr
