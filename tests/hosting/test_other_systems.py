"""The site on systems that lack Linux functions, simulated on Linux."""

import os
from pathlib import Path

import pytest

from course.grading.requirements import gradable
from tests.support.commands import ROOT, python
from tests.support.http_client import Client
from tests.support.serving import Server

# Simulates a system without fork and resource for the project's code. Processes are started by the
# spawn method. psutil is imported first, because it has to detect the real system.
ABSENT = """
import multiprocessing, os, psutil, sys
for name in ("resource", "fcntl", "uvloop", "pwd", "grp"):
    sys.modules[name] = None
for name in ("fork", "nice", "setsid", "killpg"):
    delattr(os, name)
multiprocessing.set_start_method("spawn", force=True)
"""


@pytest.fixture
def elsewhere(tmp_path: Path) -> str:
    """A folder for Python's import path that simulates another system."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(ABSENT)
    return os.pathsep.join((str(folder), str(ROOT)))


@pytest.mark.slow
def test_a_class_is_served(elsewhere: str, tmp_path: Path) -> None:
    with Server(tmp_path, PYTHONPATH=elsewhere, CLASSES="open") as server:
        player = Client(server.port)
        status, _ = player.json("/class/new", {"title": "Elsewhere"})
        assert status == 200
        status, table = player.json("/blackjack", {"move": "deal", "step": "0"})
        assert (status, table["step"]) == (200, 1)
        player.close()


@pytest.mark.slow
def test_the_lab_and_the_grader_work(elsewhere: str) -> None:
    """Without ``fork`` and ``resource``, each check has its own process and only a time limit."""
    code = "from cardgames.lab import ask, run; print(run(ask('war', {}, 100, 1)).ends)"
    done = python("-c", code, PYTHONPATH=elsewhere)
    assert done.stdout.startswith("("), done.stderr
    done = python(
        "-m", "course.grade", "war", "course/sheets/war/solution", "--brief", PYTHONPATH=elsewhere
    )
    points = len(gradable("war"))
    assert f"{points} of {points} points" in done.stdout, done.stderr


def test_nothing_of_linux_is_imported_before_it_is_needed(elsewhere: str) -> None:
    done = python("-c", "import app, resource", PYTHONPATH=elsewhere)
    assert "import of resource halted" in done.stderr, done.stderr
