"""The reader's preferences for the pages: the suits' colours, light or dark, the felt.

The preferences are stored in one plain cookie, next to the one for the language. It does not
identify the reader, so it needs neither a session nor a signature. An invalid value in it is
replaced by the default.
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
    """Whether readers cover their card at Bingo by ``hand``, or the page covers it (``auto``)."""

    felt: Literal["green", "blue", "wine"] = "green"
    """The colour of the tables."""

    back: Literal["blue", "red"] = "blue"
    """The colour of the cards' backs."""

    sound: Literal["off", "on"] = "off"
    """Whether the tables have sound."""

    clock: Literal["off", "3", "5", "8"] = "off"
    """Seconds until Rosa calls the next card at Bingo, or ``off`` to call by a button."""

    @property
    def end(self) -> str:
        """The suffix of the URL of a card's image."""
        return ".svg#four" if self.suits == "four" else ".svg"

    @classmethod
    def of(cls, cookie: str) -> Self:
        """Return the choices in a cookie.

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
    """Return the preferences of a request's reader."""
    cookies = request.cookies
    # Checked before it is read, because Werkzeug creates an exception for each missing cookie.
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
