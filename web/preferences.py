"""How a reader wants the pages to look: the suits' colours, light or dark, the felt.

Kept in one plain cookie, beside the one for the language: it says nothing about who reads, so it
needs neither a session nor a signature. A value in it that nobody can choose is the default.
"""

from typing import Final, Literal, NamedTuple, Self, get_args, get_type_hints

import flask

COOKIE: Final = "cardgames-look"
"""Where the choices are kept, in the order of :class:`Preferences`, with dots between."""

_YEAR: Final = 365 * 86_400
_MAX_COOKIE: Final = 60
"""Maximum number of characters of the cookie that are read: what the site has set is shorter."""


class Preferences(NamedTuple):
    """What a reader has chosen; of each choice the default is named first."""

    suits: Literal["two", "four"] = "two"
    """``two`` colours or ``four``: then diamonds are blue and clubs green."""

    theme: Literal["auto", "light", "dark"] = "auto"
    """``light``, ``dark``, or ``auto`` for what the reader's system says."""

    cover: Literal["hand", "auto"] = "hand"
    """Who covers the reader's card at Bingo: they do by ``hand``, or it is done (``auto``)."""

    felt: Literal["green", "blue", "wine"] = "green"
    """The colour of the tables."""

    back: Literal["blue", "red"] = "blue"
    """The colour of the cards' backs."""

    sound: Literal["off", "on"] = "off"
    """Whether the tables can be heard."""

    @property
    def end(self) -> str:
        """What the address of a card's picture ends in."""
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
"""What can be chosen, the default first."""


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
