"""The pages of deal links: to create a link, to play the deal, and to see all results.

At a deal link, a player plays one round at their own table, as at every other table. Before the
player has finished, no response reveals a card that the player has not been dealt. After that, the
player's result is shown together with all other results, without names.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

import flask
import msgspec
from flask.typing import ResponseReturnValue

from cardgames import GAMES
from cardgames.cards import CardGameError
from cardgames.deck_file import File
from cardgames.game import AnyGame
from cardgames.moves import DeckFile, IllegalMove, Sent
from cardgames.shuffling import random_salt
from cardgames.text import Text
from web import db
from web.deals.days import find_deal, is_over, keep_daily
from web.deals.models import (
    MAX_RESULTS,
    Deal,
    NoRoomForDeals,
    keep_deal,
    keep_next_deal,
    load_results,
    player_key,
)
from web.deals.rules import OUTCOMES
from web.deals.seat import (
    DEAL_ROW,
    MADE_ROW,
    MAX_TABLES,
    CreatedDeals,
    DailyDealOver,
    DealPlace,
    created_deals,
    describe_deal,
    find_own_result,
    has_room,
    load_deal,
    save_deal,
)
from web.friends.models import awaits_guest
from web.friends.rules import TABLE as FRIENDS_TABLE
from web.http.requests import wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import DAY, ESTABLISHED, current_session
from web.reach import public_url
from web.sharing import inline_qr
from web.tables.page import Refusal, to_refusal
from web.tables.seat import Seat
from web.tables.views import parse_move_form, play_move, render_seat

MAX_MADE: Final = 50
"""Maximum number of deals that a session may create per day."""

SHOWN: Final = 10
"""Maximum number of a player's deals that are listed."""

TOO_MANY_TABLES: Final = Text(
    "You are in the middle of {most} other deals. Finish one of them first.", most=MAX_TABLES
)
TOO_MANY_MADE: Final = Text(
    "You have made {most} deal links today. Continue tomorrow.", most=MAX_MADE
)

NO_ROOM: Final = Text("There is no room for another deal link right now. Try again tomorrow.")
NO_ROOM_YET: Final = Text(
    "Many deal links were made lately, so you need {number} moves at a table to make one. Play a "
    "little, then try again.",
    number=ESTABLISHED,
)

NO_NEXT: Final = Text(
    "Only the twenty-one tables have a next deal, and only after you have finished this one."
)

MAX_BYTES: Final = 1_000
"""Maximum size of a stored deal, in bytes."""

NO_TABLE: Final = Text("A deal link is for one of these tables: {tables}.")
TOO_LONG: Final = Text("These names are too long for a deal link. Use shorter names.")

_DECKS: Final = frozenset(name for game in GAMES.values() for name in game.deals.decks)
"""The names of the fields for decks in all games."""

blueprint = flask.Blueprint("deals", __name__)


# ---- Making a deal -------------------------------------------------------------------------------


@blueprint.get("/deals")
def form() -> flask.Response:
    """Show the form, and the deals that the player has created. Writes nothing."""
    return _form(flask.request.args.get("table", ""))


@blueprint.post("/deals")
def make() -> flask.Response:
    """Create a deal and redirect to it, or show the error."""
    name, step, fields = parse_move_form(_DECKS)
    sent = {**fields, **{key: text for key, text in (("move", name), ("step", step)) if text}}
    session = current_session()
    try:
        deal = deal_from(sent)
    except CardGameError as error:
        return _form(str(sent.get("table", "")), 422, to_refusal(error), sent)
    created = created_deals(session)
    today = int(db.now()) // DAY
    count = created.today if created.day == today else 0
    if count >= MAX_MADE:
        return _form(deal.game, 429, Refusal(TOO_MANY_MADE), sent)
    established = session.moves >= ESTABLISHED
    try:
        deal_id = keep_deal(deal, established=established)
    except NoRoomForDeals:
        why = Refusal(NO_ROOM if established else NO_ROOM_YET)
        return _form(deal.game, 503, why, sent)
    session.keep(MADE_ROW, CreatedDeals(today, count + 1, (*created.latest, deal_id)[-SHOWN:]))
    if wants_json():
        return json_response(_document(deal_id, deal))
    return see_other(flask.url_for(".link", deal_id=deal_id))


def deal_from(sent: Sent) -> Deal:
    """Return the deal that a form describes, after dealing it once as a test.

    Raises:
        CardGameError: If the deal is invalid.
    """
    slug = _text(sent, "table").strip()
    if slug not in GAMES:
        raise IllegalMove(NO_TABLE.fill(tables=", ".join(GAMES)))
    fields = {name: value for name, value in sent.items() if name != "table"}
    action = GAMES[slug].deals.read(fields)
    deal = Deal(
        game=slug,
        salt=bytes.fromhex(random_salt()),
        choices=action.choices,
    )
    if len(msgspec.msgpack.encode(deal)) > MAX_BYTES:
        raise IllegalMove(TOO_LONG)
    deal.shared.dealt()  # A test deal raises the table's errors before the link is shared.
    return deal


def _text(sent: Sent, name: str) -> str:
    """Return a text field of the form.

    Raises:
        IllegalMove: If the client sent a file instead of text.
    """
    text = sent.get(name, "")
    if not isinstance(text, str):
        raise IllegalMove(Text("The field {name} takes text, not a file.", name=name))
    return text


def _form(
    slug: str,
    status: int = 200,
    why: Refusal | None = None,
    sent: Sent | None = None,
) -> flask.Response:
    """Return the form of a table and the deals that this player has created."""
    yours = list(_yours())
    if wants_json():
        answer: dict[str, Any] = {"deals": [_document(*your) for your in yours]}
        return json_response({"error": why.in_one_line} if why else answer, status)
    game = GAMES.get(slug) or next(iter(GAMES.values()))
    page = flask.render_template(
        "deals/deals.html",
        game=game,
        refusal=why,
        typed={name: text for name, text in (sent or {}).items() if _may_echo(game, name, text)},
        games=GAMES.values(),
        yours=[(id_, GAMES[deal.game]) for id_, deal in yours],
        most=MAX_MADE,
        results=MAX_RESULTS,
    )
    return flask.Response(page, status)


def _may_echo(game: AnyGame, name: str, text: str | File) -> bool:
    """Return whether a field is shown again for correction.

    A deck is never shown again.
    """
    is_deck = isinstance(game.deals.fields.get(name), DeckFile)
    return isinstance(text, str) and text.isprintable() and not is_deck


def _yours() -> Iterator[tuple[str, Deal]]:
    """Yield the player's deals that have not expired, the newest first."""
    for id_ in reversed(created_deals(current_session()).latest):
        deal = find_deal(id_)
        if deal:
            yield id_, deal


# ---- Playing it ----------------------------------------------------------------------------------


@blueprint.get("/deal/<deal_id>")
def show(deal_id: str) -> flask.Response:
    """Show the player's table at a deal, or the creator's waiting page.

    Writes nothing.
    """
    seat, session = _load_open_deal(deal_id), current_session()
    is_new = seat.step == 0 and "alone" not in flask.request.args
    is_for_two = seat.place.deal.game == FRIENDS_TABLE and not wants_json()
    if is_new and is_for_two and awaits_guest(deal_id, session.sid):
        return see_other(flask.url_for("friends.show", deal_id=deal_id))
    return render_seat(seat)


@blueprint.post("/deal/<deal_id>")
def move(deal_id: str) -> flask.Response:
    """Make a move at a deal, or reject the move and show the current table."""
    seat, session = _load_open_deal(deal_id), current_session()
    key, deal = f"{DEAL_ROW}{deal_id}", seat.place.deal
    is_new = key not in session
    if is_new and not has_room(session, key):
        return render_seat(seat, 422, Refusal(TOO_MANY_TABLES))
    if is_new and deal.day:
        keep_daily(deal_id, deal)
    return play_move(seat, partial(save_deal, session))


@blueprint.post("/deal/<deal_id>/again")
def again(deal_id: str) -> flask.Response:
    """Redirect a player who has finished a deal to the next deal.

    The next deal is the same for all players.
    """
    seat, session = _load_open_deal(deal_id), current_session()
    deal, game = seat.place.deal, seat.table.game
    if deal.day or not game.advisor or not find_own_result(session, deal_id):
        return render_seat(seat, 422, Refusal(NO_NEXT))
    established = session.moves >= ESTABLISHED
    try:
        next_id = keep_next_deal(deal_id, deal, established=established)
    except NoRoomForDeals:
        return render_seat(seat, 503, Refusal(NO_ROOM if established else NO_ROOM_YET))
    if wants_json():
        return json_response(_document(next_id, deal))
    return see_other(flask.url_for(".show", deal_id=next_id))


@blueprint.get("/deal/<deal_id>/link")
def link(deal_id: str) -> ResponseReturnValue:
    """Show the URL of a deal for sharing. The page reveals no card."""
    seat, session = _load_open_deal(deal_id), current_session()
    place: DealPlace = seat.place
    if wants_json():
        return json_response(_document(deal_id, place.deal))
    played, key = load_results(deal_id), player_key(session.sid, deal_id)
    ghost = key if seat.table.game.advisor and key in played else None
    address = public_url(flask.url_for(".show", deal_id=deal_id, ghost=ghost))
    return flask.render_template(
        "deals/link.html",
        game=seat.table.game,
        deal=place.deal,
        address=address,
        has_ghost=bool(ghost),
        deal_id=deal_id,
        qr=inline_qr(address),
        finished=len(played),
        finished_here=find_own_result(session, deal_id) is not None,
        can_wait=place.deal.game == FRIENDS_TABLE and deal_id in created_deals(session).latest,
    )


@blueprint.get("/deal/<deal_id>/results")
def results(deal_id: str) -> flask.Response:
    """Return all results as JSON, or their number if the player has not finished."""
    seat = _load_open_deal(deal_id)
    if not wants_json():
        return see_other(flask.url_for(".show", deal_id=deal_id, _anchor="results"))
    info = describe_deal(current_session(), seat)
    answer: dict[str, Any] = {**_document(deal_id, info.deal), "finished": info.finished}
    if info.ghost:
        answer["ghost"] = info.ghost
    if summary := info.summary:
        answer |= {
            "verdict": summary.verdict,
            "ends": {name: getattr(summary.counts, name) for name in OUTCOMES.values()}
            if summary.counts
            else {},
            "yours": summary.ending or None,
            "decisions": [
                {"hand": hand, "yours": yours or None, "hit": split.hit, "stay": split.stay}
                for hand, split, yours in summary.forks
            ],
            "round": summary.number or None,
            "record": summary.record,
        }
    return json_response(answer)


def _load_open_deal(deal_id: str) -> Seat:
    """Return the player's table at a deal that the player may begin or has begun.

    Raises:
        NoDeal: If there is no such deal, or if the day of a daily deal has ended before the player
            began it.
    """
    session = current_session()
    seat = load_deal(session, deal_id, flask.request.args.get("ghost", ""))
    has_begun = f"{DEAL_ROW}{deal_id}" in session or find_own_result(session, deal_id)
    if is_over(seat.place.deal) and not has_begun:
        raise DailyDealOver
    return seat


def _document(deal_id: str, deal: Deal) -> dict[str, str]:
    address = flask.url_for(".show", deal_id=deal_id)
    return {"deal": deal_id, "address": address, "game": deal.game}
