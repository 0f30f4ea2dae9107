"""How templates print values: as Jinja does, escaped, and in the reader's language."""

import gettext
from typing import Any

import flask
import pytest
from flask.templating import Environment
from jinja2.exceptions import UndefinedError
from markupsafe import Markup, escape

from cardgames import GAMES
from cardgames.cards import Card
from cardgames.table import Phase
from cardgames.text import Text, format_number, plural
from web.http.i18n import catalogue, compile_templates, localized, remembered


class Drawn:
    """Something that says itself how it is written in HTML."""

    def __html__(self) -> str:
        return "<i>drawn</i>"


VALUES: list[Any] = [
    *("", "plain", "a & b", "<script>", "it's", 'say "x"', "&amp;", "\u2013 \u00e4 \U0001f0a1"),
    *(0, 17, -2.5, None, True, ("<", "a"), ["&"]),
    *(Markup("<b>&amp;</b>"), Markup(""), Drawn(), Card("TH"), Phase.ROUND_OVER),
    *(Text("{who} & co", who="<Ann>"), plural("{number} card", "{number} cards", 3)),
    format_number(0.4826, ".1%"),
]


@pytest.fixture
def english(app: flask.Flask) -> Environment:
    found: Environment = app.extensions["languages"]["en"]
    return found


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("code", ["en", "loud"])
def test_a_value_is_printed_as_markupsafe_escapes_it(
    english: Environment, value: Any, code: str
) -> None:
    """In another language too, which has none of these sentences."""
    silent = localized("silent", gettext.NullTranslations())
    environment = english if code == "en" else silent
    page = "{{ a }}{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m(a) }}"
    rendered = environment.from_string(page).render(a=value)
    assert rendered == f"{escape(value)}[{escape(value)}]"


class _Shouting(gettext.NullTranslations):
    """A language that has every sentence in capitals."""

    def gettext(self, message: str) -> str:
        return message.replace("hit", "HIT")


@pytest.mark.parametrize(
    "page", ["{{ text }} {{ text }}", "{{ _('hit {x}', x='<i>') }} {{ text }}"]
)
def test_a_text_is_translated_and_then_escaped(page: str) -> None:
    loud = localized("loud", _Shouting())
    rendered = loud.from_string(page).render(text=Text("hit {x}", x="<i>"))
    assert rendered == "HIT &lt;i&gt; HIT &lt;i&gt;"


def test_a_sentence_of_a_template_is_translated_before_it_is_put_together() -> None:
    loud = localized("loud", _Shouting())
    assert loud.from_string("{{ _('hit') ~ '!' }}{{ [_('hit')] | join }}").render() == "HIT!HIT"


def test_numbers_are_written_as_the_language_has_them(english: Environment) -> None:
    german = localized("de", catalogue("de"))
    page = "{{ format_number(0.4826, '.1%') }}"
    assert english.from_string(page).render() == "48.3%"
    assert german.from_string(page).render() == "48,3\u00a0%"


def test_a_name_that_is_not_there_is_a_fault(english: Environment) -> None:
    with pytest.raises(UndefinedError):
        english.from_string("{{ nothing }}").render()


def test_a_macro_is_remembered_by_what_it_is_given(english: Environment) -> None:
    module: Any = english.from_string("{% macro m(x) %}<{{ x }}>{% endmacro %}").module
    assert remembered(module.m, "a") is remembered(module.m, "a")
    assert remembered(module.m, "a") != remembered(module.m, "b")


def test_a_worker_has_the_templates_of_its_tables_before_it_is_asked(app: flask.Flask) -> None:
    def compiled() -> dict[str, set[str]]:
        """Return the names of the templates that each language has."""
        return {code: {name for _, name in found.cache} for code, found in environments.items()}

    compile_templates()
    environments = app.extensions["languages"]
    before = compiled()
    client = app.test_client()
    for code in environments:
        headers = {"Accept-Language": code}
        for path in ("/", *(f"/{slug}" for slug in GAMES)):
            assert client.get(path, headers=headers).status_code == 200
    client.post("/simple-21", data={"move": "deal", "step": "0"})
    client.get("/simple-21")
    assert before == compiled()
