"""The tables: load one, play one move, show it.

A browser's move is answered by a redirect to the table, so that reload and back do not play it
again; every page carries the step it was drawn at, so that an old page cannot play either.
"""

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

import flask
import msgspec
from werkzeug.exceptions import NotFound, UnprocessableEntity

from cardgames import GAMES
from cardgames.cards import CardGameError, File, InvalidDeck
from cardgames.coach import asked
from cardgames.game import AnyGame, Choices, IllegalMove, Move, Phase, Verdict
from cardgames.luck import Luck
from cardgames.transcript import TRANSCRIPTS
from cardgames.words import Text
from web import coach
from web.answers import as_json, as_page, sent_texts, wants_json
from web.book import EMPTY, Book, Kept, Turn, written
from web.coach import Advice
from web.course import Course, drawn
from web.sessions import Row, Session, current, rerun_on_conflict
from web.store import Round

if TYPE_CHECKING:  # they show tables themselves
    from web.deals import About
    from web.history import Replay

STALE: Final = Text("That page was out of date. This is the table as it stands now.")
LOST: Final = Text("Your last game here could not be read any more, so this is a fresh table.")
SHOWN_FAULTS: Final = 3
"""How many bad lines of a deck file a refusal names."""

RNG: Final = secrets.SystemRandom()
"""The luck of every live table. Nothing can seed it."""

log = logging.getLogger("cardgames.tables")
tables = flask.Blueprint("tables", __name__)


@dataclass(frozen=True, slots=True)
class Table:
    """One table of one player: the game, how many moves it has accepted, and its state."""

    game: AnyGame
    step: int
    state: Any
    book: Book = EMPTY
    lost: bool = False
    """Whether an older table was there that could not be read."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a move was not accepted: one sentence, and for a deck file its first bad lines."""

    sentence: str
    faults: tuple[str, ...] = ()
    more: int = 0
    """How many further lines are bad."""

    @property
    def in_one_line(self) -> str:
        """The whole of it without line breaks, as the JSON says it."""
        if not self.faults:
            return self.sentence
        more = (f"and {self.more} more",) * bool(self.more)
        return f"{self.sentence}: {'; '.join((*self.faults, *more))}"


@dataclass(frozen=True, slots=True)
class Page:
    """All that the template of a table receives. It has no place for a state."""

    game: AnyGame
    root: str
    """Where the site's addresses begin: empty, or the prefix behind a proxy."""

    path: str
    """The table's own address below it."""

    step: int
    phase: Phase
    view: Any
    moves: Mapping[str, Move]
    verdict: Verdict | None
    note: str
    refusal: Refusal | None
    advice: Advice | None
    """What the coach says, at the tables that have one."""

    typed: Mapping[str, str]
    """What the player had typed into a refused form, to be mended instead of typed again."""

    course: tuple[str, ...]
    """Who won each round since the tally was last cleared, oldest first, as the tally names him."""

    seals: tuple[str, ...] = ()
    """What seals the shuffles that nobody may see yet."""

    replay: "Replay | None" = None
    """Where a replay stands, when this is no table at which anything is played."""

    deal: "About | None" = None
    """What there is to tell of the deal link (:mod:`web.deals`) that is played here, if any."""

    @property
    def chart(self) -> Course | None:
        """The course as a line, once a round is over."""
        return drawn(self.course) if self.course and not self.deal else None

    @property
    def has_transcript(self) -> bool:
        """Whether the game so far can be had as the sheet's program prints it."""
        known = self.game.slug in TRANSCRIPTS and not self.deal
        return known and self.phase is not Phase.READY

    @property
    def address(self) -> str:
        """The table's address. The contract fixes it, so it is not asked of the router."""
        return f"{self.root}{self.path}"

    @property
    def pages(self) -> str:
        """Where the pages about the game are, its rules for one."""
        return f"{self.root}/{self.game.slug}"


@dataclass(frozen=True, slots=True)
class Seat:
    """A table as the lobby shows it."""

    game: AnyGame
    step: int
    phase: Phase
    round: int
    """The number of the round on the table; 0 where there is none, or a game counts no rounds."""


def seats() -> tuple[Seat, ...]:
    """Return every table, and where the player left it."""
    found = (table_at(place_of(slug)) for slug in GAMES)
    return tuple(
        Seat(
            game=table.game,
            step=table.step,
            phase=table.game.phase(table.state),
            round=getattr(table.state, "round", 0),
        )
        for table in found
    )


def game_called(slug: str) -> AnyGame:
    """Return a game by its slug.

    Raises:
        NotFound: there is no such table.
    """
    if slug not in GAMES:
        raise NotFound
    return GAMES[slug]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a table stands: its game, its row in a session, and its address below the root."""

    game: AnyGame
    key: str
    path: str

    coached: ClassVar[bool] = True
    """Whether the coach can be asked there."""

    def luck(self, book: Book, move: str) -> Luck:
        """Return what the next move is played with."""
        return book.luck(self.game, move, RNG.randbytes)

    def keep(self, session: Session, book: Book, finished: tuple[Kept, ...]) -> None:
        """Put finished rounds beside the session, to be written with it."""
        for back, kept in enumerate(reversed(finished)):
            session.beside.append(Round(self.key, book.rounds - back, kept.packed()))

    def vacant(self, session: Session) -> Table:
        """Return the table where the session has none for it."""
        return Table(self.game, 0, self.game.start(), lost=session.unreadable)

    def beside(self, session: Session, table: Table) -> "About | None":  # noqa: ARG002
        """Return what the page tells beside the table; nothing at a game's own table."""
        return None


def place_of(slug: str) -> Place:
    """Return where a game's own table stands.

    Raises:
        NotFound: there is no such game.
    """
    return Place(game_called(slug), slug, f"/{slug}")


@tables.get("/<slug>")
def show(slug: str) -> flask.Response:
    """Show a table. Nothing is written."""
    return shown(place_of(slug))


@tables.post("/<slug>")
@rerun_on_conflict
def move(slug: str) -> flask.typing.ResponseReturnValue:
    """Play one move, or refuse it and show the table as it stands."""
    return moved(place_of(slug))


def shown(place: Place) -> flask.Response:
    """Answer with a table as it stands."""
    return _answer(place, table_at(place))


def refused(place: Place, why: Text) -> flask.Response:
    """Answer a move with the table as it stands, and with why it cannot be played."""
    return _answer(place, table_at(place), 422, Refusal(why))


def moved(place: Place) -> flask.Response:
    """Play the move that the request asks for at a table, and answer; not saved yet."""
    game, session = place.game, current()
    name, step, choices = sent_form()
    flask.g.move = name  # for the log
    table = table_at(place)
    if step != str(table.step):
        return _answer(place, table, 409, Refusal(STALE))
    luck = place.luck(table.book, name)
    try:
        state = game.play(table.state, name, choices, luck)
    except CardGameError as error:
        return _answer(place, table, 422, refusal_of(error), choices)
    turn = Turn(game, table.state, name, choices, state, luck)
    book, finished = written(table.book, turn)
    after = Table(game, table.step + 1, state, book)
    session[place.key] = Row(after.step, msgspec.Raw(msgspec.msgpack.encode(state)), book)
    place.keep(session, book, finished)
    if place.coached:
        coach.follow(session, game, table.state, name, state)
    if wants_json():
        return _answer(place, after)
    where = {"Location": f"{flask.request.script_root}{place.path}"}
    return flask.Response(status=303, headers=where)


@tables.get("/<slug>/odds")
def odds(slug: str) -> flask.Response:
    """Show the exact odds of the decision that is open, for what the player knows."""
    game = game_called(slug)
    if not coach.offered(game):
        raise NotFound
    try:
        answer = asked(game.rules, table_at(place_of(slug)).state)
    except IllegalMove as error:
        raise UnprocessableEntity(str(error)) from None
    if not wants_json():
        return as_page("odds.html", game=game, odds=answer)
    shown = ("stay", "hit", "bust", "dealer", "best")
    return as_json({name: getattr(answer, name) for name in shown})


def table_at(place: Place) -> Table:
    """Read one table; what cannot be read is begun anew, at the step where it was."""
    session, game = current(), place.game
    row: Row | None = session.get(place.key)
    if row is None:
        return place.vacant(session)
    try:
        state = msgspec.msgpack.decode(row.state, type=game.state_type)
    except msgspec.MsgspecError as error:
        log.warning("a table of %s could not be read: %s", game.slug, type(error).__name__)
        book = row.book.anew()
        return Table(game, row.step, game.start(), book, lost=True)
    return Table(game, row.step, state, row.book)


def sent_form() -> tuple[str, str, Choices]:
    """Return the move, the step and the fields of the request, from a form or a JSON object.

    Raises:
        BadRequest: JSON was sent that is no object.
    """
    texts = sent_texts()
    name, step = texts.pop("move", ""), texts.pop("step", "")
    choices: dict[str, str | File] = {**texts}
    for field, upload in flask.request.files.items(multi=True):
        if upload.filename and not isinstance(choices.get(field), File):
            upload.seek(0)  # the view may be run again
            choices[field] = File(upload.filename, upload.read())
        else:
            choices.setdefault(field, "")
    return name, step, choices


def refusal_of(error: CardGameError) -> Refusal:
    """Return why a move is refused, as it is shown."""
    if isinstance(error, InvalidDeck):
        faults = error.faults
        return Refusal(error.text, faults[:SHOWN_FAULTS], len(faults[SHOWN_FAULTS:]))
    return Refusal(error.text)


def _answer(
    place: Place,
    table: Table,
    status: int = 200,
    refusal: Refusal | None = None,
    typed: Choices | None = None,
) -> flask.Response:
    """Return the table as the player may see it, in JSON or as a page."""
    game, state = table.game, table.state
    moves = game.moves(state)
    if wants_json():
        answer = {
            "game": game.slug,
            "title": game.title,
            "step": table.step,
            "view": game.view(state),
            "moves": moves,
        }
        if refusal:
            answer["error"] = refusal.in_one_line
        return as_json(answer, status)
    phase = game.phase(state)
    page = Page(
        game=GAMES[game.slug],  # whose rules are shown, also where one deal of it is played
        root=flask.request.script_root,
        path=place.path,
        step=table.step,
        phase=phase,
        view=game.page_view(state),
        moves={move.name: move for move in moves},
        verdict=game.verdict(state),
        note=LOST if table.lost else "",
        refusal=refusal,
        advice=coach.advice(current(), game, state) if place.coached else None,
        # Only on an empty table: later, a pasted deck would name cards that lie face down.
        typed=_texts(typed) if typed and phase is Phase.READY else {},
        course=table.book.winners(game),
        seals=tuple(sealed.digest for sealed in table.book.sealed),
        deal=place.beside(current(), table),
    )
    return as_page(f"{game.slug}.html", status, page=page)


def _texts(choices: Choices) -> dict[str, str]:
    return {name: text for name, text in choices.items() if isinstance(text, str)}
