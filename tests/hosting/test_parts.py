"""What is shipped of others: every part is listed, with a licence that is known."""

import json
import tomllib
from typing import Any

import pytest
from click.testing import CliRunner
from cyclonedx.output.json import JsonV1Dot6

from app import command
from cardgames import __version__
from tests.support.serving import ROOT
from tools.sbom import document, pinned

# What the licences of parts may be: all allow to pass the part on unchanged.
ALLOWED = {"MIT", "BSD-3-Clause", "Apache-2.0", "MPL-2.0", "PSF-2.0", "BSD-2-Clause"}


@pytest.fixture(scope="module")
def listed() -> dict[str, Any]:
    """The list of parts as a program reads it."""
    found: dict[str, Any] = json.loads(JsonV1Dot6(document()).output_as_string())
    return found


def test_every_part_has_its_pinned_version_and_a_known_licence(listed: dict[str, Any]) -> None:
    versions = dict(pinned("requirements.txt") + pinned("requirements-browser.txt"))
    assert {"flask", "granian", "flet-web"} <= versions.keys()
    parts = {part["name"].lower(): part for part in listed["components"]}
    assert versions.keys() - parts.keys() <= {"async-timeout"}  # for Python 3.11.2 and older
    for name, part in parts.items():
        assert part["version"] == versions[name]
        (licence,) = part["licenses"]
        named = licence.get("expression") or licence["license"]["id"]
        assert {*named.replace(" OR ", " AND ").split(" AND ")} <= ALLOWED, name


def test_the_version_stands_in_one_place(listed: dict[str, Any]) -> None:
    assert listed["metadata"]["component"]["version"] == __version__
    for project in (ROOT, ROOT / "tools" / "wheel"):
        stated = tomllib.loads((project / "pyproject.toml").read_text())["project"]
        assert "version" in stated["dynamic"]
    cited = (ROOT / "CITATION.cff").read_text()
    assert f"\nversion: {__version__}\n" in cited
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert CliRunner().invoke(command, ["--version"]).output == f"Cardgames {__version__}\n"


def test_what_others_have_made_is_named() -> None:
    notice = (ROOT / "NOTICE").read_text()
    for name in ("Pyodide", "CPython", "Mozilla Public License 2.0", "Jinja", "MarkupSafe"):
        assert name in notice
    assert "drawn by this project" in " ".join(notice.split())
