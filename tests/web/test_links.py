"""No URL is built by hand, because only ``url_for`` and ``web.http`` add the site's prefix."""

import ast
import re
from typing import Final

import flask

from tests.web.test_architecture import ROOT, sources_of

PREFIXES: Final = {"script_root", "root_path", "url_root"}
"""The attributes of a request that contain the site's prefix."""

TEMPLATES: Final = sorted((ROOT / "templates").rglob("*.html"))

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
    asking = {
        name
        for name, path in sources_of("web").items()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in PREFIXES
    }
    assert {name for name in asking if not name.startswith("web.http.")} == set()


def test_every_named_endpoint_exists(app: flask.Flask) -> None:
    known = {rule.endpoint for rule in app.url_map.iter_rules()}
    texts = (path.read_text() for path in (*TEMPLATES, *sources_of("web").values()))
    named = {name for text in texts for name in NAMED.findall(text)}
    assert named <= known
    assert len(named) > len(known) // 2
