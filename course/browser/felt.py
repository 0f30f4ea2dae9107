"""Renders the table with the site's templates, so that it looks like any other table."""

import gettext
import json
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from cardgames import GAMES
from cardgames.game import Result
from cardgames.text import Text, format_number, format_points, plural

ROOT: Final = Path(__file__).parents[2]

Settings = dict[str, str]
"""The page's settings: ``root`` and ``static`` for URLs, ``language``, and ``end`` and ``suits``
for the preferred look of cards.
"""

_settings: Settings = {
    "root": "", "static": "", "language": "en", "end": ".svg", "suits": "two",
}  # fmt: skip


class Shown(NamedTuple):
    """A student's table, with the attributes that the template uses."""

    phase: str
    round: int
    view: Any
    result: Result | None = None
    tally: dict[str, int] = {}  # noqa: RUF012 - never changed


def configure(settings: Settings) -> None:
    """Store the page's settings."""
    _settings.update({name: str(settings[name]) for name in _settings})
    _templates.cache_clear()


def in_words(value: object) -> str:
    """Return a text in the reader's language, and any other value as a string."""
    return value.translated(_catalogue()) if isinstance(value, Text) else str(value)


def dumps(answer: object) -> str:
    """Return a value as JSON, with texts in the reader's language."""
    return json.dumps(_translated(answer))


def _translated(value: Any) -> Any:
    if isinstance(value, Text):
        return in_words(value)
    if isinstance(value, dict):
        return {key: _translated(each) for key, each in value.items()}
    return [*map(_translated, value)] if isinstance(value, list | tuple) else value


def render_felt(slug: str, view: Shown) -> str:
    """Return a game's table as HTML."""
    game = GAMES[slug]
    table = SimpleNamespace(
        game=game, times=1, story=(), stacked=False, last_move="", **view._asdict()
    )
    page = SimpleNamespace(
        table=table, layout="own_table.html", kind=None,
        moves={}, filled={}, refusal=None, panels={}, parts=lambda _: (),
    )  # fmt: skip
    template = _templates().get_template(f"{game.info.template or slug}.html")
    return template.render(page=page, look=SimpleNamespace(**_settings), here="")


def _rule_address(_: str, *, slug: str, _anchor: str) -> str:
    """Return the URL of a rule on the site. A table has no other links."""
    return f"{_settings['root']}/{slug}/rules#{_anchor}"


def _catalogue() -> gettext.NullTranslations:
    if _settings["language"] == "en":
        return gettext.NullTranslations()
    return gettext.translation("cardgames", ROOT / "translations", [_settings["language"]])


@cache
def _templates() -> Environment:
    catalogue = _catalogue()

    def word(text: str, **values: Any) -> str:
        return Text(text, **values).translated(catalogue)

    def counted(one: str, many: str, number: int, **values: Any) -> str:
        return in_words(plural(one, many, number, **values))

    environment = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=lambda value: in_words(value) if isinstance(value, Text) else value,
    )
    environment.filters["points"] = format_points
    environment.globals.update(
        _=word, plural=counted, format_number=format_number, language=_settings["language"],
        static=_settings["static"], url_for=_rule_address,
        remembered=lambda macro, *values: macro(*values),
    )  # fmt: skip
    return environment


def drawn_odds(odds: Any, advisor: Any) -> str:
    """Return the odds of a decision as HTML, in the coach's format."""
    template = _templates().from_string(
        '{% import "_coach.html" as coach %}{{ coach.chances(odds, advisor) }}'
    )
    return template.render(odds=odds, advisor=advisor)
