"""A deal as it is kept, and the results of those who have played it."""

import hashlib
import hmac
import logging
import re
import secrets
from dataclasses import replace
from typing import ClassVar, Final

import flask
import msgspec
from werkzeug.exceptions import NotFound, ServiceUnavailable

from cardgames import GAMES
from cardgames.moves import IllegalMove, Sent
from cardgames.records.line import action_words
from cardgames.records.record import Record
from cardgames.shuffling import SALT_BYTES
from cardgames.text import Text
from web.deals import models
from web.deals.days import daily_deals_of, names_day, today
from web.deals.models import Deal
from web.http.i18n import negotiated

MAX_BYTES: Final = 1_000
"""Maximum number of bytes that are kept of a deal."""

FORM_FIELDS: Final = ("table", "seed")
"""The fields of the form that are not the deal's own."""

NO_TABLE: Final = Text("A deal link is for one of these tables: {tables}.")
TOO_LONG: Final = Text("That is more than a deal link can hold: use shorter names.")

_SEED: Final = "cardgames counted deal link 1"

log = logging.getLogger("cardgames.deals")

_is_id: Final = re.compile(r"[0-9a-f]{16}").fullmatch


class NoDeal(NotFound):
    """There is no deal at an address, or not any more."""

    sentence: ClassVar[Text] = Text(
        "There is no such deal link. It may be over: a link is kept for two weeks. Or a character "
        "of the address is missing."
    )


class DayOver(NoDeal):
    """A daily deal is over, or still to come."""

    sentence = Text("That is not today's deal: each ends with its day, at midnight GMT.")


def deal_from(sent: Sent, maker: str) -> Deal:
    """Read a deal from a form; it is dealt once, so that what a deal refuses is refused here.

    Args:
        sent: the form's fields.
        maker: the id of the maker's session.

    Raises:
        CardGameError: there is no such deal.
    """
    slug, seed = (_text(sent, name).strip() for name in FORM_FIELDS)
    if slug not in GAMES:
        raise IllegalMove(NO_TABLE.fill(tables=", ".join(GAMES)))
    own = {name: value for name, value in sent.items() if name not in FORM_FIELDS}
    action = GAMES[slug].deals.read(own)
    deal = Deal(
        game=slug,
        seeded=bool(seed),
        salt=_salt(slug, seed, maker) if seed else secrets.token_bytes(SALT_BYTES),
        choices=action.choices,
        language=negotiated(),
    )
    if len(msgspec.msgpack.encode(deal)) > MAX_BYTES:
        raise IllegalMove(TOO_LONG)
    deal.shared.dealt()  # raises what the table would refuse, before anybody has the link
    return deal


def keep_deal(deal: Deal, *, established: bool) -> str:
    """Keep a deal under a new id, which is chance alone, and return that.

    Args:
        deal: the deal.
        established: whether its maker has played for a while.

    Raises:
        NoRoomForDeals: there is no room for it.
    """
    deal_id = secrets.token_hex(8)
    # Newcomers cost nothing to make: they leave half of the room to those who play.
    most = _limit() if established else _limit() // 2
    kept = models.keep(deal_id, deal, most)
    return deal_id if kept else keep_deal(deal, established=established)


def publish(deal: Deal) -> str:
    """Keep a deal whose cards were settled before, and return its id: always the same one.

    Raises:
        ServiceUnavailable: there is no room for it.
    """
    deal_id = hashlib.sha256(b"cardgames published deal " + deal.salt).hexdigest()[:16]
    try:
        models.keep(deal_id, deal, _limit())
    except models.NoRoomForDeals:
        raise ServiceUnavailable from None
    return deal_id


def find_deal(deal_id: str) -> Deal | None:
    """Return a deal, if there is one of this id that this version of the site can play.

    A daily deal is there on its day, and afterwards for a week.
    """
    is_daily = names_day(deal_id)
    if not is_daily and not _is_id(deal_id):
        return None
    # A daily one is kept with its first player, and looking writes nothing.
    return models.find(deal_id) or (daily_deals_of(today()).get(deal_id) if is_daily else None)


def results_of(deal_id: str) -> dict[str, Record]:
    """Return the rounds of a deal, by what stands for its players, in the order they finished."""
    return {player_of(sid, deal_id): record for sid, record in models.results(deal_id)}


def player_of(sid: str, deal_id: str) -> str:
    """Return what stands for a session's player at a deal; at another it is something else."""
    return hashlib.sha256(f"{sid} {deal_id}".encode()).hexdigest()[:32]


def moves_after_deal(record: Record) -> str:
    """Return what was done after the deal, as words of a record."""
    return action_words(replace(record, actions=record.actions[1:]))


def _limit() -> int:
    """Return how many bytes deals may take; 0 for any number."""
    limit: int = flask.current_app.config["DEALS_LIMIT"]
    return limit


def _salt(slug: str, seed: str, maker: str) -> bytes:
    """Return what a maker's seed stands for at a table of this server.

    The server's key is in it: without, short seeds could be tried at home until one deals the first
    cards of the deal. It stands for something else for everybody else, who could make two hundred
    deals of guessed seeds to find the hole card.
    """
    key: str = flask.current_app.config["SECRET_KEY"]
    text = f"{_SEED} {maker} {slug} {seed}".encode()
    return hmac.digest(key.encode(), text, "sha256")[:SALT_BYTES]


def _text(sent: Sent, name: str) -> str:
    """Return a text field of the form.

    Raises:
        IllegalMove: a file was sent where only text fits.
    """
    text = sent.get(name, "")
    if not isinstance(text, str):
        raise IllegalMove(Text("The field {name} takes text, not a file.", name=name))
    return text
