"""How a reader wants the pages to look: the suits' colours, light or dark, keys or none.

Kept in one plain cookie, beside the one for the language: it says nothing about who reads, so it
needs neither a session nor a signature. A value in it that nobody can choose is the default.
"""

from typing import Final, NamedTuple, Self

import flask

COOKIE: Final = "look"
"""Where the choices are kept: their names in the order of :data:`CHOICES`, with dots between."""

CHOICES: Final = {
    "suits": ("two", "four"),
    "theme": ("auto", "light", "dark"),
    "keys": ("on", "off"),
    "cover": ("hand", "auto"),
    "focus": ("off", "on"),
    "felt": ("green", "blue", "wine"),
    "back": ("blue", "red"),
    "sound": ("off", "on"),
}
"""What can be chosen, the default first."""

_YEAR: Final = 365 * 86_400
_MAX_COOKIE: Final = 60
"""Maximum number of characters of the cookie that are read: what the site has set is shorter."""


class Preferences(NamedTuple):
    """What a reader has chosen, in the order of :data:`CHOICES`."""

    suits: str = "two"
    """``two`` colours or ``four``: then diamonds are blue and clubs green."""

    theme: str = "auto"
    """``light``, ``dark``, or ``auto`` for what the reader's system says."""

    keys: str = "on"
    """Whether single letters play moves."""

    cover: str = "hand"
    """Who covers the reader's card at Bingo: they do by ``hand``, or it is done (``auto``)."""

    focus: str = "off"
    """Whether the focus stays on the choice that was made last, so that Enter makes it again."""

    felt: str = "green"
    """The colour of the tables."""

    back: str = "blue"
    """The colour of the cards' backs."""

    sound: str = "off"
    """Whether the tables can be heard."""

    @property
    def end(self) -> str:
        """What the address of a card's picture ends in."""
        return ".svg#four" if self.suits == "four" else ".svg"

    @property
    def cookie(self) -> str:
        """The choices as the cookie has them."""
        return ".".join(self)

    @classmethod
    def of(cls, cookie: str) -> Self:
        """Return the choices that a cookie names.

        >>> Preferences.of("four.dark.on").suits, Preferences.of("five.<b>").suits
        ('four', 'two')
        """
        named = zip(CHOICES, cookie.split("."), strict=False)
        return cls(**{what: value for what, value in named if value in CHOICES[what]})


def chosen(request: flask.Request) -> Preferences:
    """Return how the reader of a request wants the page to look."""
    cookies = request.cookies
    # Asked for before it is taken: Werkzeug makes a whole error of each cookie that is not there.
    return Preferences.of(cookies[COOKIE][:_MAX_COOKIE]) if COOKIE in cookies else Preferences()


def remember(answer: flask.Response, cookie: str, value: str) -> flask.Response:
    """Return an answer that has the reader's browser keep a choice."""
    answer.set_cookie(
        cookie,
        value,
        max_age=_YEAR,
        path=flask.current_app.config["SESSION_COOKIE_PATH"],
        httponly=True,
        samesite="Lax",
        secure=flask.request.is_secure,
    )
    return answer
