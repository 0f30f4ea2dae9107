"""Deal links: the same cards for everyone who opens an address.

A maker chooses a table, its deal's fields, and where the cards come from: a seed, a deck file, or
a secret that nobody knows. What is kept of a deal follows from that alone, so it is a few hundred
bytes; its address is chance and tells nothing of it. Whoever opens it plays one round at a table of
his own (:class:`DealPlace`), by the same steps as at every other, and as :class:`OneDeal` it
cannot be dealt again. No answer tells a card that this player has not been dealt before this player
has finished; then his result stands beside everyone else's, without names.

A result is written in the same moment as the move that finishes the round, one a player. It is
asked when a session has no table for a deal, so that who has finished never begins again, though a
session holds ``MOST_TABLES`` of them only and lets the oldest finished ones go. A *counted* deal is
besides a round in the history of the player's own table, numbered like any other; the tally there
is not changed by it. From the thousandth result on (:data:`web.store.MOST_RESULTS`) none is kept,
and then none is counted either: so none is ever counted twice.
"""

import hashlib
import hmac
import logging
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.cards import CardGameError, File
from cardgames.game import AnyGame, Choices, IllegalMove, Move, chosen_text
from cardgames.luck import SALT_BYTES, Luck
from cardgames.record import as_played, counted_word
from cardgames.words import Text
from web.answers import as_json, as_page, wants_json
from web.book import Book, Kept
from web.dealt import Deal, Outcome, Over, round_of, told_of
from web.sessions import Row, Session, answered, current, rerun_on_conflict
from web.store import MOST_RESULTS, Result, Round
from web.tables import (
    Place,
    Refusal,
    Table,
    moved,
    place_of,
    refusal_of,
    refused,
    sent_form,
    shown,
    table_at,
)

MOST_TABLES: Final = 10
"""At how many deals a session can hold a table: the oldest finished ones make room for others."""

MOST_MADE: Final = 50
"""How many deals a session may make in a day."""

LARGEST: Final = 1_000
"""How many bytes are kept of a deal at most."""

SHOWN: Final = 10
"""Of so many deals their maker is reminded."""

KEY: Final = "deals"
"""What a player has made: a row in the session. No game has this slug."""

TABLE: Final = "deal:"
"""How the row of a table at a deal begins."""

KINDS: Final = {
    "practice": Text("Practice: it is kept in nobody's history"),
    "counted": Text("Counted: it is a round in each player's history"),
}
"""What a deal can be, the usual first."""

NONE: Final = Text(
    "There is no such deal link. It may be over: a link is kept for two weeks. Or a character of "
    "the address is missing."
)
TOO_MANY_TABLES: Final = Text(
    "You are in the middle of {most} other deals. Finish one of them first.", most=MOST_TABLES
)
TOO_MANY_MADE: Final = Text(
    "You have made {most} deal links today. Go on tomorrow.", most=MOST_MADE
)
TOO_LONG: Final = Text("That is more than a deal link can hold: write shorter names.")
NO_TABLE: Final = Text("A deal link is for one of these tables: {tables}.")
NO_KIND: Final = Text("A deal link is one of {kinds}.")

_ABOUT: Final = ("table", "seed", "kind")
"""The fields of the form that are not the deal's own."""

_VERSION: Final = 1
_DAY: Final = 86_400
_SEED: Final = "cardgames deal link 1"
_is_id: Final = re.compile(r"[0-9a-f]{16}").fullmatch

deals = flask.Blueprint("deals", __name__)
log = logging.getLogger("cardgames.deals")


class NoDeal(NotFound):
    """There is no deal at an address, or none any more."""


class Made(msgspec.Struct, frozen=True, array_like=True):
    """What a player has made, as his session keeps it."""

    day: int
    today: int
    """How many deals he has made on that day."""

    latest: tuple[str, ...]
    """The ids of the last ones, oldest first."""


_NOTHING_MADE: Final = Made(0, 0, ())


@dataclass(frozen=True, slots=True)
class DealPlace(Place):
    """A player's own table at a deal."""

    id: str
    deal: Deal

    coached: ClassVar[bool] = False
    """Everyone decides alone; the odds are told when the round is over."""

    def luck(self, book: Book, move: str) -> Luck:
        """Return the luck that all players of the deal have."""
        return book.luck(self.game, move, lambda _: self.deal.salt)

    def keep(self, session: Session, book: Book, finished: tuple[Kept, ...]) -> None:
        """Put the result beside the session, and a counted round into the player's history."""
        for key in _in_the_way(session, self.key):
            del session[key]
        if not finished or book.rounds > 1:  # again only where the table could not be read
            return
        (kept,) = finished
        counts = self.deal.counted and len(_results(self.id)) < MOST_RESULTS
        outcome = Outcome(
            winner=kept.winner(self.game) if self.game.sides else "",
            moves=_decided(book),
            step=session[self.key].step,
            number=self._counted(session, kept) if counts else 0,
        )
        data = msgspec.msgpack.encode(outcome)
        session.beside.append(Result(self.id, _player(session, self.id), data))

    def _counted(self, session: Session, kept: Kept) -> int:
        """Put the round into the history of the player's own table, and return its number."""
        own = place_of(self.game.slug)
        table = own.vacant(session)
        state = msgspec.Raw(msgspec.msgpack.encode(table.state))
        row: Row = session.get(own.key) or Row(table.step, state, table.book)
        book = msgspec.structs.replace(row.book, rounds=row.book.rounds + 1)
        session[own.key] = Row(row.step, row.state, book)
        linked = msgspec.structs.replace(kept, deal=self.id)
        session.beside.append(Round(own.key, book.rounds, linked.packed()))
        return book.rounds

    def vacant(self, session: Session) -> Table:
        """Return the table where the session has none: as the player's result has it, or empty."""
        known = _results(self.id) if session.version else {}
        outcome = known.get(_player(session, self.id))
        if outcome is None:
            return Table(self.game, 0, self.game.start(), lost=session.unreadable)
        _, state = round_of(self.deal, outcome.moves)
        book = Book(rounds=1, moves=tuple((word, 1) for word in ("deal", *outcome.moves.split())))
        return Table(self.game, outcome.step, state, book)

    def beside(self, session: Session, table: Table) -> "About":
        """Return what the page tells of the deal."""
        results = _results(self.id)
        yours = results.get(_player(session, self.id))
        outcomes = list(results.values())
        finished = self.game.spent(table.state)
        return About(
            id=self.id,
            deal=self.deal,
            address=_whole_address(self.id),
            finished=len(outcomes),
            seals=tuple(sealed.digest for sealed in table.book.sealed),
            over=told_of(self.deal, outcomes, yours, _decided(table.book)) if finished else None,
        )


@dataclass(frozen=True, slots=True)
class About:
    """What the page of a table tells of its deal."""

    id: str
    deal: Deal
    address: str
    """The whole address, to be sent on."""

    finished: int
    """How many players have finished."""

    seals: tuple[str, ...]
    over: Over | None
    """All there is to tell, once this player has finished."""

    @property
    def fields(self) -> Mapping[str, str]:
        """What was settled for the deal, but for decks."""
        return {name: value for name, value in self.deal.choices if not name.endswith("deck")}

    @property
    def options(self) -> Mapping[str, Mapping[str, str] | None]:
        """The fields of the deal at the game's own table, with the options of each."""
        return _deal_move(GAMES[self.deal.game]).fields

    @property
    def has_deck(self) -> bool:
        """Whether the maker has sent a deck."""
        return any(name.endswith("deck") for name, _ in self.deal.choices)


@dataclass(frozen=True, slots=True)
class Draft:
    """The form for a deal, and what the maker has typed into it: never a seed or a deck."""

    game: AnyGame
    refusal: Refusal | None
    typed: Mapping[str, str | File]
    note: str = ""
    replay: None = None

    @property
    def move(self) -> Move:
        """The deal of the game's own table."""
        return _deal_move(self.game)

    @property
    def moves(self) -> Mapping[str, Move]:
        """The same as the pieces of the tables want it."""
        return {"deal": self.move}


# ---- Making a deal -------------------------------------------------------------------------


@deals.get("/deals")
def form() -> flask.Response:
    """Show the form, and what this player has made. Nothing is written."""
    return _form(flask.request.args.get("table", ""))


@deals.post("/deals")
@rerun_on_conflict
def make() -> flask.typing.ResponseReturnValue:
    """Make a deal and go to it, or say what is wrong with it."""
    name, step, fields = sent_form()
    sent = {**fields, **{key: text for key, text in (("move", name), ("step", step)) if text}}
    try:
        deal = _asked(sent)
        data = msgspec.msgpack.encode(deal)
        if len(data) > LARGEST:
            raise IllegalMove(TOO_LONG)
    except CardGameError as error:
        return _form(str(sent.get("table", "")), 422, refusal_of(error), sent)
    session = current()
    made = _made(session)
    today = int(time.time()) // _DAY
    count = made.today if made.day == today else 0
    if count >= MOST_MADE:
        return _form(deal.game, 429, Refusal(TOO_MANY_MADE), sent)
    if "deal" not in flask.g:  # this view is run again when the session was saved meanwhile
        flask.g.deal = _kept(data)
    made = Made(today, count + 1, (*made.latest, flask.g.deal)[-SHOWN:])
    session[KEY] = Row(0, msgspec.Raw(msgspec.msgpack.encode(made)))
    if wants_json():
        return as_json(_told(flask.g.deal, deal))
    return flask.Response(status=303, headers={"Location": _address(flask.g.deal)})


def _asked(sent: Choices) -> Deal:
    """Read a deal from a form; it is dealt once, so that what a deal refuses is refused here.

    Raises:
        CardGameError: there is no such deal.
    """
    slug, seed, kind = (chosen_text(sent, name).strip() for name in _ABOUT)
    kind = kind or next(iter(KINDS))
    if slug not in GAMES:
        raise IllegalMove(NO_TABLE.filled(tables=", ".join(GAMES)))
    if kind not in KINDS:
        raise IllegalMove(NO_KIND.filled(kinds=", ".join(KINDS)))
    game, start = GAMES[slug], GAMES[slug].start()
    salt = _salt(slug, seed) if seed else secrets.token_bytes(SALT_BYTES)
    fields: Choices = {name: value for name, value in sent.items() if name not in _ABOUT}
    fields, _ = game.singly(start, fields, game.play(start, "deal", fields, Luck(salt.hex)))
    return Deal(
        version=_VERSION,
        game=slug,
        counted=kind == "counted",
        seeded=bool(seed),
        salt=salt,
        choices=as_played("deal", fields).choices,
    )


def _salt(slug: str, seed: str) -> bytes:
    """Return what a seed stands for at a table of this server.

    The server's key is in it: without, whoever sees a seal could try short seeds at home until one
    fits.
    """
    key: str = flask.current_app.config["SECRET_KEY"]
    text = f"{_SEED} {slug} {seed}".encode()
    return hmac.digest(key.encode(), text, "sha256")[:SALT_BYTES]


def _kept(data: bytes) -> str:
    """Keep a deal under a new id, which is chance alone, and return that."""
    deal_id = secrets.token_hex(8)
    kept = answered(lambda store: store.keep_deal(deal_id, data))
    return deal_id if kept else _kept(data)


def _form(
    slug: str,
    status: int = 200,
    refusal: Refusal | None = None,
    sent: Choices | None = None,
) -> flask.Response:
    """Return the form of a table, and the deals that this player has made."""
    yours = list(_yours())
    if wants_json():
        answer: dict[str, Any] = {"deals": [_told(*one) for one in yours]}
        return as_json({"error": refusal.in_one_line} if refusal else answer, status)
    draft = Draft(
        game=GAMES.get(slug) or next(iter(GAMES.values())),
        refusal=refusal,
        typed={name: text for name, text in (sent or {}).items() if _may_return(name, text)},
    )
    return as_page(
        "deals.html",
        status,
        page=draft,
        games=GAMES.values(),
        kinds=KINDS,
        yours=[(GAMES[deal.game], deal, _address(id_)) for id_, deal in yours],
        most=MOST_MADE,
        results=MOST_RESULTS,
    )


def _may_return(name: str, text: str | File) -> bool:
    """Say whether a field is shown again, to be mended: never what the cards follow from."""
    secret = name == "seed" or name.endswith("deck")
    return isinstance(text, str) and text.isprintable() and not secret


def _made(session: Session) -> Made:
    row: Row | None = session.get(KEY)
    try:
        return msgspec.msgpack.decode(row.state, type=Made) if row else _NOTHING_MADE
    except msgspec.MsgspecError:
        return _NOTHING_MADE


def _yours() -> Iterator[tuple[str, Deal]]:
    """Yield the deals that this player has made and that are still there, the newest first."""
    for id_ in reversed(_made(current()).latest):
        deal = _found(id_)
        if deal:
            yield id_, deal


# ---- Playing it ----------------------------------------------------------------------------


@deals.get("/deal/<deal_id>")
def show(deal_id: str) -> flask.Response:
    """Show the player's table at a deal. Nothing is written."""
    return shown(_place(deal_id))


@deals.post("/deal/<deal_id>")
@rerun_on_conflict
def move(deal_id: str) -> flask.typing.ResponseReturnValue:
    """Play one move at a deal, or refuse it and show the table as it stands."""
    place, session = _place(deal_id), current()
    if place.key in session or _has_room(session, place.key):
        return moved(place)
    return refused(place, TOO_MANY_TABLES)


@deals.get("/deal/<deal_id>/results")
def results(deal_id: str) -> flask.Response:
    """Tell a program how the deal went: to who has not finished it, how many have."""
    place = _place(deal_id)
    if not wants_json():
        return flask.Response(status=303, headers={"Location": f"{_address(deal_id)}#results"})
    about = place.beside(current(), table_at(place))
    answer: dict[str, Any] = {**_told(deal_id, place.deal), "finished": about.finished}
    if over := about.over:
        answer |= {
            "ends": {bar.name: bar.count for bar in over.bars},
            "yours": next((bar.name for bar in over.bars if bar.yours), None),
            "decisions": [
                {"hand": fork.hand, "yours": fork.yours or None, **fork.ends} for fork in over.forks
            ],
            "round": over.number or None,
            "record": over.record,
        }
    return as_json(answer)


@deals.errorhandler(NoDeal)
def _no_deal(_: NoDeal) -> flask.Response:
    """Say why there is nothing to play here."""
    if wants_json():
        return as_json({"error": NONE}, 404)
    return as_page("error.html", 404, sentence=NONE)


def _place(deal_id: str) -> DealPlace:
    """Return the player's table at a deal.

    Raises:
        NoDeal: there is none of this id, or none any more.
    """
    deal = _found(deal_id)
    if deal is None:
        raise NoDeal
    return DealPlace(deal.round, f"{TABLE}{deal_id}", f"/deal/{deal_id}", deal_id, deal)


def _found(deal_id: str) -> Deal | None:
    """Return a deal, if there is one of this id."""
    if not _is_id(deal_id):
        return None
    return _readable(answered(lambda store: store.deal(deal_id)))


def _readable(data: bytes | None) -> Deal | None:
    """Return a deal as it was kept, unless this version of the site cannot play it."""
    try:
        deal = msgspec.msgpack.decode(data, type=Deal) if data else None
    except msgspec.MsgspecError:
        return None
    return deal if deal and deal.game in GAMES else None


def _others(session: Session, key: str) -> list[str]:
    """Return the rows of the other deals at which a session has a table, the oldest first."""
    return [other for other in session if other.startswith(TABLE) and other != key]


def _has_room(session: Session, key: str) -> bool:
    """Say whether a session can have a table at one deal more."""
    stay = len(_others(session, key)) - len(_in_the_way(session, key))
    return stay < MOST_TABLES


def _in_the_way(session: Session, key: str) -> list[str]:
    """Return the rows that must go for a deal to have one: finished first, then of deals gone.

    A result is kept with its deal, so nothing is lost.
    """
    others = _others(session, key)
    too_many = len(others) + 1 - MOST_TABLES
    if too_many <= 0:
        return []
    idle = [other for other in others if session[other].book.rounds]
    if len(idle) < too_many:
        unfinished = (other for other in others if other not in idle)
        idle += [other for other in unfinished if not _found(other.removeprefix(TABLE))]
    return idle[:too_many]


# ---- Results -------------------------------------------------------------------------------


def _results(deal_id: str) -> dict[str, Outcome]:
    """Return what became of a deal, by player, in the order they finished."""
    found = answered(lambda store: store.results(deal_id))
    known = {}
    for one in found:
        with suppress(msgspec.MsgspecError):  # of another version of the site
            known[one.player] = msgspec.msgpack.decode(one.data, type=Outcome)
    return known


def _player(session: Session, deal_id: str) -> str:
    """Return what stands for a player at one deal; at another it is something else."""
    return hashlib.sha256(f"{session.sid} {deal_id}".encode()).hexdigest()[:32]


def _decided(book: Book) -> str:
    """Return what was done after the deal, as words of a record."""
    return " ".join(counted_word(word, times) for word, times in book.moves[1:])


# ---- Small things --------------------------------------------------------------------------


def _deal_move(game: AnyGame) -> Move:
    """Return the deal of a game's empty table."""
    return next(move for move in game.moves(game.start()) if move.name == "deal")


def _address(deal_id: str) -> str:
    return f"{flask.request.script_root}/deal/{deal_id}"


def _whole_address(deal_id: str) -> str:
    return flask.request.host_url.rstrip("/") + _address(deal_id)


def _told(deal_id: str, deal: Deal) -> dict[str, str]:
    """Return what the JSON says of a deal."""
    return {"deal": deal_id, "address": _address(deal_id), "game": deal.game, "kind": deal.kind}
