"""No URL is built by hand, because only ``url_for`` and ``web.http`` add the site's prefix."""

import re
from typing import Final

import flask

from tests.support.commands import ROOT

PREFIXES: Final = re.compile(r"\.(script_root|root_path|url_root)\b")
"""The attributes of a request that contain the site's prefix."""

TEMPLATES: Final = sorted((ROOT / "templates").rglob("*.html"))

MODULES: Final = sorted((ROOT / "web").rglob("*.py"))

NAMED: Final = re.compile(r'url_for\(\s*"([a-z_]+\.[a-z_]+)"')
"""The endpoint of another module, in a call of url_for."""

QUERIES: Final = {"_site.html", "replay.html"}
"""Templates whose queries contain values that ``url_for`` would percent-encode.
"""

BY_HAND: Final = ("{{ root }}/", "{{ root ~", "script_root", 'href="/', 'action="/', 'src="/')


def test_no_template_puts_an_address_together() -> None:
    texts = {path.name: path.read_text() for path in TEMPLATES}
    assert not [(name, part) for name, text in texts.items() for part in BY_HAND if part in text]


def test_no_template_puts_a_query_behind_an_address() -> None:
    query = re.compile(r'\}\}\?\w|~ \(?"[?&]')
    assert {path.name for path in TEMPLATES if query.search(path.read_text())} == QUERIES


def test_only_http_knows_the_sites_root() -> None:
    others = [path for path in MODULES if not path.is_relative_to(ROOT / "web" / "http")]
    assert [path for path in others if PREFIXES.search(path.read_text())] == []


def test_every_named_endpoint_exists(app: flask.Flask) -> None:
    known = {rule.endpoint for rule in app.url_map.iter_rules()}
    texts = (path.read_text() for path in (*TEMPLATES, *MODULES))
    named = {name for text in texts for name in NAMED.findall(text)}
    assert named <= known
    assert len(named) > len(known) // 2
