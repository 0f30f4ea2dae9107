"""The reader's preferences for the pages: the suits' colours, light or dark, the felt.

Kept in one plain cookie, beside the one for the language: it says nothing about who reads, so it
needs neither a session nor a signature. A value in it that nobody can choose is the default.
"""

from typing import Final, Literal, NamedTuple, Self, get_args, get_type_hints

import flask

COOKIE: Final = "cardgames-look"
"""The cookie with the choices, in the order of :class:`Preferences`, separated by dots."""

_YEAR: Final = 365 * 86_400
_MAX_COOKIE: Final = 60
"""Maximum number of characters of the cookie that are read; the site sets a shorter one."""


class Preferences(NamedTuple):
    """The reader's choices; the first value of each is the default."""

    suits: Literal["two", "four"] = "two"
    """``two`` colours or ``four``: then diamonds are blue and clubs green."""

    theme: Literal["auto", "light", "dark"] = "auto"
    """``light``, ``dark``, or ``auto`` for the setting of the reader's system."""

    cover: Literal["hand", "auto"] = "hand"
    """Whether readers cover their card at Bingo by ``hand``, or the page does it (``auto``)."""

    felt: Literal["green", "blue", "wine"] = "green"
    """The colour of the tables."""

    back: Literal["blue", "red"] = "blue"
    """The colour of the cards' backs."""

    sound: Literal["off", "on"] = "off"
    """Whether the tables can be heard."""

    clock: Literal["off", "3", "5", "8"] = "off"
    """The seconds after which Rosa calls the next card at Bingo, or ``off`` to call by a press."""

    @property
    def end(self) -> str:
        """The suffix of the address of a card's picture."""
        return ".svg#four" if self.suits == "four" else ".svg"

    @classmethod
    def of(cls, cookie: str) -> Self:
        """Return the choices that a cookie names.

        >>> Preferences.of("four.dark.hand").suits, Preferences.of("five.<b>").suits
        ('four', 'two')
        """
        named = dict(zip(CHOICES, cookie.split("."), strict=False))
        return cls._make(
            named[what] if named.get(what) in options else options[0]
            for what, options in CHOICES.items()
        )


CHOICES: Final[dict[str, tuple[str, ...]]] = {
    what: get_args(options) for what, options in get_type_hints(Preferences).items()
}
"""The possible choices, the default first."""


def chosen(request: flask.Request) -> Preferences:
    """Return how the reader of a request wants the page to look."""
    cookies = request.cookies
    # Asked for before it is taken: Werkzeug makes a whole error of each cookie that is not there.
    return Preferences.of(cookies[COOKIE][:_MAX_COOKIE]) if COOKIE in cookies else Preferences()


def remember(answer: flask.Response, cookie: str, value: str) -> flask.Response:
    """Return a response that sets the cookie with a preference."""
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
