"""The rules are tested without a site: none of it is loaded."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

LOADED = """
import sys, pytest
pytest.main(["-q", "-n", "0", "--collect-only", "-p", "no:cacheprovider", "tests/core"])
site = {"web", "app", "course", "flask", "werkzeug", "jinja2", "redis"}
print("loaded:", *sorted(site.intersection(name.partition(".")[0] for name in sys.modules)))
"""


def test_the_tests_of_the_rules_load_no_site() -> None:
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "test_no_site.py::" in done.stdout
    assert done.stdout.splitlines()[-1] == "loaded:"
