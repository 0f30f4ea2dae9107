"""The URLs of the tables, to show a table and to make a move.

The response to a browser's move is a redirect to the table, so that reloading or going back does
not repeat the move. Every page contains the step at which it was rendered, and a move from an old
page is rejected.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

import flask

from cardgames.cards import CardGameError
from cardgames.deck_file import MAX_DECK_TEXT, File
from cardgames.moves import Sent
from cardgames.records.record import Record
from cardgames.shuffling import random_salt
from cardgames.table import Phase, Table
from cardgames.text import Text
from web import db
from web.http.probe import stores_cookies
from web.http.request_log import MOVE
from web.http.requests import form_fields, form_files, wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import current_session
from web.http.threads import quick
from web.tables.hooks import hooks, show_panels
from web.tables.page import Refusal, ShownTable, TablePage, public_moves, to_refusal
from web.tables.seat import Seat, load_table, save_table

STALE: Final = Text("That page was out of date. This is the table now.")
NO_COOKIES: Final = Text(
    "Your browser sent no cookie with that move, so this table is a new one. Allow cookies for "
    "this site to continue a game."
)
LOST: Final = Text("Your last game here could not be restored, so this is a new table.")

Save = Callable[[Seat, tuple[Record, ...]], None]
"""Function that saves a seat after a move, with the records of the rounds that the move ended."""

Show = Callable[[], flask.Response]

blueprint = flask.Blueprint("tables", __name__)


@blueprint.get("/<slug>")
@quick
def show(slug: str) -> flask.Response:
    """Show a table. Writes nothing."""
    return render_seat(load_table(current_session(), slug))


@blueprint.post("/<slug>")
@quick
def move(slug: str) -> flask.Response:
    """Make a move, or reject the move and show the current table."""
    session = current_session()
    return play_move(load_table(session, slug), partial(save_table, session))


def play_move(
    seat: Seat, save: Save, show: Show | None = None, form: tuple[str, str, Sent] | None = None
) -> flask.Response:
    """Make a move and return the response.

    Args:
        seat: The table before the move.
        save: Function that saves the table after the move.
        show: Function that returns the table's page after the move, if the page needs more than the
            table.
        form: The move's name, the step at which it was chosen, and its fields, or None to read them
            from the request.
    """
    name, step, sent = form or parse_move_form(seat.table.game.deals.decks)
    flask.request.environ[MOVE] = name
    if step != str(seat.step):
        has_cookies = stores_cookies() or step == "0"
        return render_seat(seat, 409, Refusal(STALE if has_cookies else NO_COOKIES))
    new_salt = (lambda: seat.salt) if seat.salt else random_salt
    try:
        table, finished = seat.table.play(name, sent, new_salt)
    except CardGameError as error:
        return render_seat(seat, 422, to_refusal(error), sent)
    after = seat.after_move(table)
    save(after, finished)
    _call_hooks(seat, name, after, finished)
    if wants_json():
        return _document(after)
    return see_other(seat.url, show or partial(render_seat, after))


def _call_hooks(seat: Seat, name: str, after: Seat, finished: tuple[Record, ...]) -> None:
    """Call the hook functions for a move and for any rounds that it ended."""
    joining, slug = hooks(), seat.table.game.info.slug
    for after_move in joining.after_move:
        if seat.kind == "own" and slug in after_move.games:
            after_move.note(current_session(), seat, name, after)
    for note_rounds in joining.after_round if finished else ():
        note_rounds(after, finished)


def parse_move_form(decks: Iterable[str]) -> tuple[str, str, Sent]:
    """Return the name, the step and the fields of the move in a request.

    An uploaded file replaces the text in the same field. A file without a name counts as missing.

    Args:
        decks: Names of the form fields for a deck.

    Raises:
        HTTPException: If the form does not contain a move, or is too long.
    """
    texts = form_fields(dict.fromkeys(decks, MAX_DECK_TEXT))
    name, step = texts.pop("move", ""), texts.pop("step", "")
    sent: dict[str, str | File] = {**texts}
    for field, upload in form_files():
        if upload.filename and not isinstance(sent.get(field), File):
            sent[field] = File(upload.filename, upload.read())
        else:
            sent.setdefault(field, "")
    return name, step, sent


def render_seat(
    seat: Seat, status: int = 200, refusal: Refusal | None = None, sent: Sent | None = None
) -> flask.Response:
    """Return the values of a table that the player may see, as JSON or as a page.

    If a move was rejected, ``refusal`` is the reason, and ``sent`` contains the fields of the move.
    """
    if wants_json():
        return _document(seat, status, refusal)
    if refusal:
        # No data was changed, so the page is rendered without the write lock, for which other
        # requests may wait.
        db.read_only()
    shown, panels = show_panels(current_session(), seat)
    table = shown.table
    # Pasting a deck is possible only on an empty table, because a deck pasted later would reveal
    # face-down cards.
    repeated = (sent or {}).items() if table.phase is Phase.READY else ()
    typed = {name: text for name, text in repeated if isinstance(text, str)}
    page = TablePage(
        table=ShownTable.of(table),
        layout=seat.layout,
        kind=seat.kind,
        address=seat.url,
        step=seat.step,
        moves={move.name: move for move in table.moves()},
        note=LOST if seat.unreadable else "",
        refusal=refusal,
        typed=typed,
        filled={**_last_choices(table), **typed},
        round_winners=table.round_winners,
        panels=panels,
    )
    return flask.Response(flask.render_template(page.table.templates, page=page), status)


def _document(seat: Seat, status: int = 200, refusal: Refusal | None = None) -> flask.Response:
    """Return the values of the table that the player may see, as JSON."""
    table, info = seat.table, seat.table.game.info
    answer = {
        "game": info.slug,
        "title": info.title,
        "step": seat.step,
        "view": table.view(),
        "moves": public_moves(table.moves()),
    }
    return json_response(answer, status, refusal.in_one_line if refusal else "")


def _last_choices(table: Table) -> dict[str, str]:
    """Return the last deal's choices, without decks, as defaults for the next deal."""
    questions = table.game.deals.questions
    dealt = table.record.actions[:1]
    return {name: value for deal in dealt for name, value in deal.choices if name in questions}
