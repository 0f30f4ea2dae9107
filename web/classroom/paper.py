"""Cards on paper, and how to check a card or a round.

An instructor prints cards for those without a phone, and checks one that is held up. Anybody can
deal a round again that is over.
"""

from typing import Any, Final

import flask
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from cardgames.cards import Card
from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.export import exported
from cardgames.games.bingo.rules import CENTRE, Mode
from cardgames.text import Text
from web.classroom import bingo, words
from web.classroom.access import led_class, load_class
from web.classroom.bingo import LiveBingo
from web.classroom.card import in_rows, tile_rows
from web.classroom.rounds import find_round
from web.http.addresses import asked_number
from web.http.downloads import as_file
from web.http.requests import wants_json
from web.http.responses import json_response, refusal

SIZES: Final = ("a4", "letter")
A_PAGE: Final = (4, 2)
MAX_PRINTED: Final = 500
"""Maximum number of cards on a page to be printed."""

SENTENCES: Final = {
    Mode.LINE: Text("A line makes a BINGO!"),
    Mode.CORNERS: Text("The four corners make a BINGO!"),
    Mode.FULL: Text("The full card makes a BINGO!"),
}
SPEED: Final = Text("A call covers every card of its rank.")

blueprint = flask.Blueprint("paper", __name__)


@blueprint.get("/class/<code>/print")
def print_cards(code: str) -> ResponseReturnValue:
    """Show the cards in play from one number to another, to be printed."""
    classroom, arguments = led_class(code), flask.request.args
    live = bingo.open_bingo(classroom)
    if live is None:
        return refusal(words.NO_ROUND, 409)
    first = asked_number("from", 1)
    last = min(asked_number("to", max(live.numbers, default=0)), first + MAX_PRINTED - 1)
    cards = [(number, _rows(live, number)) for number in live.numbers if first <= number <= last]
    if wants_json():
        listed = [{"number": number, "cards": sum(rows, ())} for number, rows in cards]
        return json_response({"class": classroom.code, "round": live.round.number, "cards": listed})
    size, count = arguments.get("size", ""), asked_number("per", 0)
    count = count if count in A_PAGE else A_PAGE[0]
    return flask.render_template(
        "class/print.html",
        classroom=classroom,
        mode=SENTENCES[live.round.mode],
        speed=SPEED if live.round.speed else None,
        size=size if size in SIZES else SIZES[0],
        a_page=count,
        first=first,
        last=last,
        sheets=[cards[start : start + count] for start in range(0, len(cards), count)],
    )


def _rows(live: LiveBingo, number: int) -> tuple[tuple[Card | None, ...], ...]:
    """Return the rows of a card, with nothing in its centre."""
    grid = live.card(number).grid
    return in_rows((*grid[:CENTRE], None, *grid[CENTRE + 1 :]))


@blueprint.get("/class/<code>/check")
def check_card(code: str) -> ResponseReturnValue:
    """Say whether a card has BINGO!"""
    classroom, number = led_class(code), asked_number("card", 0)
    live = bingo.live_bingo(classroom)
    if live is None or number not in live.held:
        return refusal(Text("Card {number} is not in play.", number=number), 404)
    card, name = live.card(number), live.name_of(number)
    has_bingo = card.bingo_call <= live.calls
    answer = _checked_text(card, live.calls)
    if wants_json():
        since = card.bingo_call if has_bingo else None
        document = {"class": classroom.code, "card": number, "name": name, "bingo": has_bingo}
        return json_response(document | {"since": since, "said": answer})
    is_on_paper = not live.held[number].student
    is_claimable = is_on_paper and live.claim_of(number) is None
    return flask.render_template(
        "class/check.html",
        classroom=classroom,
        number=number,
        name=name,
        has_bingo=has_bingo,
        answer=answer,
        rows=tile_rows(card, card.covered(live.calls), card.winning(live.calls)),
        can_count=live.is_open and live.round.by_hand and has_bingo and is_claimable,
    )


def _checked_text(card: BingoCard, calls: int) -> Text:
    """Say whether a card has BINGO! after some calls, and since when or what it lacks."""
    if card.bingo_call <= calls:
        return Text("It has had BINGO! since call {call}.", call=card.bingo_call)
    return Text(
        "Not yet. It lacks {cards}.", cards=words.lacking_text(card, card.nearest(calls)[1])
    )


@blueprint.get("/class/<code>/round/<int:number>")
def show_round(code: str, number: int) -> ResponseReturnValue:
    """Show a round that is over as it is, so that anybody can deal it again."""
    classroom = load_class(code)
    data = find_round(classroom.code, number)
    if data is None:
        raise NotFound
    finished = bingo.export_of(data)
    document: dict[str, Any] = exported(finished) if finished else {}
    if finished and (wants_json() or flask.request.args.get("as") == "json"):
        return as_file(json_response(document), f"{classroom.code}-round-{number}.json")
    if wants_json():
        return json_response({"class": classroom.code, "round": number})
    kind = words.kind_text(data.kind)
    return flask.render_template(
        "class/round.html", classroom=classroom, number=number, kind=kind, **document
    )
