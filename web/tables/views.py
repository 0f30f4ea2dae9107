"""The addresses of the tables: show one, and play one move.

A browser's move is answered by a redirect to the table, so that reload and back do not play it
again; every page carries the step it was drawn at, so that an old page cannot play either.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

import flask
import msgspec
from werkzeug.exceptions import NotFound, UnprocessableEntity

from cardgames import GAMES
from cardgames.cards import CardGameError
from cardgames.deck_file import MAX_DECK_TEXT, File
from cardgames.moves import Sent
from cardgames.records.record import Record
from cardgames.table import Phase, Table
from cardgames.text import Text
from web.http.requests import sent_files, sent_texts, wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import current_session
from web.http.threads import quick
from web.tables import by_hand
from web.tables.advice import (
    MODES,
    Advice,
    Regret,
    advice,
    advisor_or_404,
    choose_mode,
    public_odds,
    record_move,
    regret_of,
)
from web.tables.charts import progress_of
from web.tables.location import TableLocation, game_or_404, location_for
from web.tables.page import Refusal, ShownTable, TablePage, public_moves, to_refusal
from web.tables.rounds import rounds_over
from web.tables.rows import TableSlot

STALE: Final = Text("That page was out of date. This is the table as it stands now.")
NO_COOKIES: Final = Text(
    "Your browser sent no cookie with that move, so this table is a new one. Allow cookies for "
    "this site to continue a game."
)
LOST: Final = Text("Your last game here could not be read any more, so this is a fresh table.")

blueprint = flask.Blueprint("tables", __name__)


@blueprint.get("/<slug>")
@quick
def show(slug: str) -> flask.Response:
    """Show a table. Nothing is written."""
    return render_table(location_for(slug))


@blueprint.post("/<slug>")
@quick
def move(slug: str) -> flask.Response:
    """Play one move, or refuse it and show the table as it stands."""
    return play_move(location_for(slug))


@blueprint.get("/<slug>/odds")
def odds(slug: str) -> flask.Response:
    """Answer with the exact odds of the decision that is open, for what the player knows."""
    advisor = advisor_or_404(game_or_404(slug))
    if not wants_json():  # at the table the coach says them
        return see_other(location_for(slug).address)
    table = location_for(slug).load(current_session()).table
    if table.phase is not Phase.PLAYING:
        raise UnprocessableEntity
    return json_response(public_odds(advisor.odds(table.state)))


@blueprint.post("/<slug>/card")
def play_by_hand(slug: str) -> flask.Response:
    """Keep what the player has covered of their card, and play on or hear that they have won."""
    location, session = location_for(slug), current_session()
    name, step, sent = parse_move_form(())
    slot = location.load(session)
    own, forward = by_hand.own_card(slot.table), slot.table.game.round_moves[:1]
    known = {"claim", *(move.name for move in forward)}
    if step != str(slot.step) or own is None or name not in known:
        return _answer(location, slot, 409, Refusal(STALE))
    covered = by_hand.positions_in(str(sent.get("covered", "")), own)
    card = msgspec.structs.replace(by_hand.covered_card(session, own), positions=covered)
    if name == "claim" or card.unsaid:
        card = by_hand.after_claim(card, slot.table)
        session.keep(by_hand.ROW, msgspec.structs.replace(card, missed=name != "claim"))
        return see_other(location.address, partial(_answer, location, slot))
    once = {move.repeat.field: next(iter(move.repeat.options)) for move in forward if move.repeat}
    answer = play_move(location, form=(name, step, once))
    # Whether it was accepted shows in the session alone: a refusal is an answer like any other.
    after = location.load(session)
    if after.step != slot.step:
        session.keep(by_hand.ROW, by_hand.after_move(card, after.table))
    return answer


@blueprint.post("/coach")
def coach() -> flask.Response:
    """Choose when the coach speaks, and go back to the table."""
    sent = sent_texts()
    slug, mode = (sent.get(name, "") for name in ("table", "mode"))
    if slug not in GAMES or not GAMES[slug].advisor or mode not in MODES:
        raise NotFound
    choose_mode(current_session(), mode)
    return see_other(location_for(slug).address, lambda: show(slug))


def render_table(location: TableLocation) -> flask.Response:
    """Answer with a table as it stands."""
    return _answer(location, location.load(current_session()))


def refuse(location: TableLocation, why: Text) -> flask.Response:
    """Answer a move with the table as it stands, and with why it cannot be played."""
    return _answer(location, location.load(current_session()), 422, Refusal(why))


def play_move(
    location: TableLocation,
    show: Callable[[], flask.Response] | None = None,
    form: tuple[str, str, Sent] | None = None,
) -> flask.Response:
    """Play a move, and answer.

    Args:
        location: where the table is.
        show: answers with its page after the move, where that needs more than the table.
        form: the move's name, the step at which it was chosen, and its fields; by default what the
            request has sent.
    """
    name, step, sent = form or parse_move_form(location.game.deals.decks)
    flask.g.move = name
    slot = location.load(current_session())
    if step != str(slot.step):
        has_cookies = bool(flask.request.cookies) or step == "0"
        return _answer(location, slot, 409, Refusal(STALE if has_cookies else NO_COOKIES))
    try:
        table, finished = slot.table.play(name, sent, location.new_salt)
    except CardGameError as error:
        return _answer(location, slot, 422, to_refusal(error), sent)
    after = slot.after_move(table)
    _keep_move(location, name, slot, after, finished)
    if wants_json():
        return _document(after)
    return see_other(location.address, show or partial(_answer, location, after))


def _keep_move(
    location: TableLocation,
    name: str,
    slot: TableSlot,
    after: TableSlot,
    finished: tuple[Record, ...],
) -> None:
    """Keep what a move has made of a table, and the rounds that it has ended."""
    session = current_session()
    if location.has_coach:
        record_move(session, slot.table, name, after.table)
    location.save(session, after, finished)
    if finished:
        app: Any = flask.current_app
        rounds_over.send(app._get_current_object(), location=location, records=finished)  # noqa: SLF001 - documented


def parse_move_form(decks: Iterable[str]) -> tuple[str, str, Sent]:
    """Return the move that the request names, its step, and the move's fields.

    A file with a name wins over a text in the same field; one without counts as absent.

    Args:
        decks: the names of the fields that take a deck.

    Raises:
        HTTPException: what was sent is no form of a move, or longer than any.
    """
    texts = sent_texts(dict.fromkeys(decks, MAX_DECK_TEXT))
    name, step = texts.pop("move", ""), texts.pop("step", "")
    sent: dict[str, str | File] = {**texts}
    for field, upload in sent_files():
        if upload.filename and not isinstance(sent.get(field), File):
            sent[field] = File(upload.filename, upload.read())
        else:
            sent.setdefault(field, "")
    return name, step, sent


def _answer(
    location: TableLocation,
    slot: TableSlot,
    status: int = 200,
    refusal: Refusal | None = None,
    sent: Sent | None = None,
) -> flask.Response:
    """Return the table as the player may see it, in JSON or as a page."""
    if wants_json():
        return _document(slot, status, refusal)
    session, table = current_session(), slot.table
    page = location.page(session, table, _page(location, slot, refusal, sent or {}))
    return flask.Response(flask.render_template(page.table.templates, page=page), status)


def _page(
    location: TableLocation, slot: TableSlot, refusal: Refusal | None, sent: Sent
) -> TablePage:
    """Return what every page of a table shows."""
    table = slot.table
    # Only on an empty table: later, a pasted deck would name cards that lie face down.
    repeated = sent if table.phase is Phase.READY else {}
    said = advice(current_session(), table) if location.has_coach else None
    return TablePage(
        table=ShownTable.of(table),
        address=location.address,
        step=slot.step,
        moves={move.name: move for move in table.moves()},
        note=LOST if slot.unreadable else "",
        refusal=refusal,
        advice=said,
        regret=_regret(table, said) if location.has_coach else None,
        typed={name: text for name, text in repeated.items() if isinstance(text, str)},
        usual=_usual(table),
        round_winners=table.round_winners,
        progress=progress_of(table),
    )


def _document(slot: TableSlot, status: int = 200, refusal: Refusal | None = None) -> flask.Response:
    """Return the table as the player may see it, in JSON."""
    table, info = slot.table, slot.table.game.info
    answer = {
        "game": info.slug,
        "title": info.title,
        "step": slot.step,
        "view": table.view(),
        "moves": public_moves(table.moves()),
    }
    return json_response(answer, status, refusal.in_one_line if refusal else "")


def _regret(table: Table, said: Advice | None) -> Regret | None:
    """Return the decision of a lost round to take otherwise, once all its cards may be seen."""
    if table.phase is Phase.PLAYING or table.shown_to < table.finished:
        return None
    return regret_of(table, [decision.cost for decision, _ in said.decisions] if said else [])


def _usual(table: Table) -> dict[str, str]:
    """Return what was chosen for the last deal, but for decks: the next one will want the same."""
    questions = table.game.deals.questions
    dealt = table.record.actions[:1]
    return {name: value for deal in dealt for name, value in deal.choices if name in questions}
