"""The reader's preferences for the pages, such as the suits' colours and dark mode.

The preferences are stored in one plain cookie, next to the cookie for the language. The cookie does
not identify the reader, so it needs neither a session nor a signature. An invalid value in the
cookie is replaced by the default.
"""

from typing import Final, Literal, NamedTuple, Self, get_args, get_type_hints

import flask

COOKIE: Final = "cardgames-look"
"""The cookie with the reader's choices. They are separated by dots, and in the order of
:class:`Preferences`.
"""

_YEAR: Final = 365 * 86_400
_MAX_COOKIE: Final = 60
"""Maximum number of characters of the cookie that are read. The site sets a shorter cookie."""


class Preferences(NamedTuple):
    """The reader's choices. The first value of each choice is the default."""

    suits: Literal["two", "four"] = "two"
    """``two`` for two colours, or ``four`` for blue diamonds and green clubs."""

    theme: Literal["auto", "light", "dark"] = "auto"
    """``light``, ``dark``, or ``auto`` for the setting of the reader's system."""

    cover: Literal["hand", "auto"] = "hand"
    """Whether Bingo cards are covered by the player (``hand``) or by the page (``auto``)."""

    felt: Literal["green", "blue", "wine"] = "green"
    """The colour of the tables."""

    back: Literal["blue", "red"] = "blue"
    """The colour of the cards' backs."""

    sound: Literal["off", "on"] = "off"
    """Whether the tables have sound."""

    clock: Literal["off", "3", "5", "8"] = "off"
    """Seconds until Rosa calls the next Bingo card, or ``off`` if the reader calls with a button.
    """

    @property
    def end(self) -> str:
        """The suffix of the URL of a card's image."""
        return ".svg#four" if self.suits == "four" else ".svg"

    @classmethod
    def of(cls, cookie: str) -> Self:
        """Return the choices that a cookie contains.

        >>> Preferences.of("four.dark.hand").suits, Preferences.of("five.<b>").suits
        ('four', 'two')
        """
        named = dict(zip(CHOICES, cookie.split("."), strict=False))
        return cls._make(
            named[name] if named.get(name) in options else options[0]
            for name, options in CHOICES.items()
        )


CHOICES: Final[dict[str, tuple[str, ...]]] = {
    what: get_args(options) for what, options in get_type_hints(Preferences).items()
}
"""The possible values of each choice, the default first."""


def chosen(request: flask.Request) -> Preferences:
    """Return the preferences of the request's user."""
    cookies = request.cookies
    # The presence of the cookie is checked first, because Werkzeug creates an exception for each
    # missing cookie.
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
