"""How templates print values: as Jinja would, escaped, and in the reader's language."""

import gettext
from typing import Any

import flask
import pytest
from jinja2.exceptions import UndefinedError
from jinja2.utils import missing
from markupsafe import Markup, escape

from cardgames.cards import Card
from cardgames.table import Phase
from cardgames.text import Text, format_number, plural
from web.http.i18n import ENGLISH, LocalizedEnvironment, catalogue, printer, remembered


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


@pytest.mark.parametrize("value", VALUES)
def test_a_value_is_printed_as_markupsafe_escapes_it(value: Any) -> None:
    assert str(printer(ENGLISH)(value)) == str(escape(value))


@pytest.fixture
def english(app: flask.Flask) -> LocalizedEnvironment:
    found: LocalizedEnvironment = app.extensions["languages"]["en"]
    return found


def test_every_output_of_a_template_goes_through_it(english: LocalizedEnvironment) -> None:
    page = (
        "{{ a }}{% macro m(x) %}[{{ x }}]{% endmacro %}{{ m(a) }}"
        "{% set s %}{{ a }}{% endset %}{{ s }}"
    )
    compiled = english._generate(english.parse(page), "x.html", None)
    assert compiled.count("environment.print_value(") == 5
    assert " escape(" not in compiled
    rendered = english.from_string(page).render(a="<&>")
    assert rendered == "&lt;&amp;&gt;[&lt;&amp;&gt;]&lt;&amp;&gt;"


def test_a_text_is_translated_and_then_escaped(english: LocalizedEnvironment) -> None:
    german = english.localized("loud", _Shouting())
    rendered = german.from_string("{{ text }} {{ text }}").render(text=Text("hit {x}", x="<i>"))
    assert rendered == "HIT &lt;i&gt; HIT &lt;i&gt;"


class _Shouting(gettext.NullTranslations):
    """A language that has every sentence in capitals."""

    def gettext(self, message: str) -> str:
        return message.replace("hit", "HIT")


def test_numbers_are_written_as_the_language_has_them() -> None:
    assert printer(catalogue("de"))(format_number(0.4826, ".1%")) != "48.3%"


def test_a_name_that_is_not_there_is_still_a_fault(english: LocalizedEnvironment) -> None:
    with pytest.raises(UndefinedError):
        english.from_string("{{ nothing }}").render()


def test_a_macro_is_remembered_by_what_it_is_given(english: LocalizedEnvironment) -> None:
    module: Any = english.from_string("{% macro m(x) %}<{{ x }}>{% endmacro %}").module
    assert remembered(module.m, "a") is remembered(module.m, "a")
    assert remembered(module.m, "a") != remembered(module.m, "b")


def test_jinja_still_asks_what_is_overridden_here(app: flask.Flask) -> None:
    """A block of the outermost template is one piece, and a template is looked for only once."""
    client = app.test_client()
    client.get("/simple-21")
    english: LocalizedEnvironment = app.extensions["languages"]["en"]
    base = english._generate(english.parse("a{% block x %}b{% endblock %}"), "x.html", None)
    assert "yield concat(context.blocks['x'][0](context))" in base
    assert "yield from" not in base
    assert english.get_template("base.html") is english.loaded["base.html"]
    page = "{% macro m() %}<b>{% endmacro %}{% for n in [1, 2] %}{{ m() }}{{ f(n) }}{% endfor %}"
    compiled = english._generate(english.parse(page), "x.html", None)
    assert compiled.count("environment.call(") == 2
    assert "context.call(" not in compiled
    assert english.from_string(page).render(f=str) == "<b>1<b>2"


def test_a_template_knows_its_names_from_one_dictionary(english: LocalizedEnvironment) -> None:
    """What it is given, what all know, and what it has set; a name that is not there is missing."""
    template = english.from_string("{% set a = 1 %}{% block x %}{{ a }}{{ b }}{% endblock %}")
    context = template.new_context({"a": 0, "b": 2})
    assert "".join(template.root_render_func(context)) == "12"
    assert context.resolve_or_missing("a") == 1
    assert context.resolve_or_missing("language") == "en"
    assert context.resolve("c") is not missing
    assert context.resolve_or_missing("c") is missing
    assert context.get_exported() == {"a": 1}


def test_no_function_of_ours_wants_to_be_told_of_the_context(app: flask.Flask) -> None:
    for environment in app.extensions["languages"].values():
        for name in environment.globals.keys() - {"g", "request", "session"}:  # Flask's proxies
            assert not hasattr(environment.globals[name], "jinja_pass_arg"), name


def test_a_macro_is_called_like_a_function(english: LocalizedEnvironment) -> None:
    page = "{% macro m(a, b='<') %}[{{ a }}{{ b }}]{% endmacro %}"
    calls = "{{ m(1) }}{{ m(1, 2) }}{{ m(b=2, a=1) }}{{ m(1, b='&') }}"
    assert english.from_string(page + calls).render() == "[1&lt;][12][12][1&amp;]"
    assert "environment.macro(" in english._generate(english.parse(page), "x.html", None)
    for wrong in ("{{ m(1, 2, 3) }}", "{{ m(1, c=2) }}", "{{ m(1, a=2) }}"):
        with pytest.raises(TypeError):
            english.from_string(page + wrong).render()
    with pytest.raises(UndefinedError):
        english.from_string(page + "{{ m() }}").render()


def test_what_takes_more_than_it_names_is_left_to_jinja(english: LocalizedEnvironment) -> None:
    page = "{% macro m(a) %}{{ a }}{{ varargs | join }}{{ caller() }}{% endmacro %}"
    call = "{% call m(1, 2, 3) %}<b>{% endcall %}"
    assert english.from_string(page + call).render() == "123<b>"


def test_an_attribute_is_what_jinja_finds(english: LocalizedEnvironment) -> None:
    """An attribute, or else an item; of what is not there, a fault."""
    page = "{{ a.real.imag }}{{ b.x.y }}{{ b.items() | length }}{% if b.z is defined %}!{% endif %}"
    compiled = english._generate(english.parse(page), "x.html", None)
    assert compiled.count("getattr(of := ") == 6
    assert english.from_string(page).render(a=7, b={"x": {"y": "<"}}) == "0&lt;1"
    with pytest.raises(UndefinedError):
        english.from_string("{{ b.z }}").render(b={})
    with pytest.raises(UndefinedError):
        english.from_string("{{ b.z.y }}").render(b={})
