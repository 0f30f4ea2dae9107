"""How templates print texts: translated, then escaped, and numbers as a language has them."""

import gettext

import flask
import pytest
from flask.templating import Environment

from cardgames import GAMES
from cardgames.text import Text
from web.http.i18n import catalogue, compile_templates, localized


@pytest.fixture
def english(app: flask.Flask) -> Environment:
    found: Environment = app.extensions["languages"]["en"]
    return found


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
