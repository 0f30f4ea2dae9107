"""Cards on paper: print them, check one; and a round that is over, so that it can be checked."""

from dataclasses import dataclass
from typing import Any, Final

import flask
from werkzeug.exceptions import NotFound

from cardgames.cards import Card
from cardgames.class_bingo.export import exported
from cardgames.games.bingo.rules import CENTRE, Mode
from cardgames.text import Text
from web.classroom import words
from web.classroom.access import led_class
from web.classroom.results import finished_rounds
from web.classroom.state import LiveRound, load_class
from web.classroom.view import in_rows, kind_text, round_view, short_seal, tile_rows
from web.http.addresses import asked_number
from web.http.downloads import as_file
from web.http.requests import wants_json
from web.http.responses import json_response, refusal, render_page

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

blueprint = flask.Blueprint("class-paper", __name__)


@dataclass(frozen=True, slots=True)
class PrintedCard:
    """A card as it is printed."""

    number: int
    rows: tuple[tuple[Card | None, ...], ...]


@blueprint.get("/class/<code>/print")
def show(code: str) -> flask.Response:
    """Show the cards in play from one number to another, to be printed."""
    state, arguments = led_class(code), flask.request.args
    live = state.open_round
    if live is None:
        return refusal(words.NO_ROUND, 409)
    highest = max(live.numbers, default=0)
    first = asked_number("from", 1)
    last = min(asked_number("to", highest), first + MAX_PRINTED - 1)
    cards = [_printed(live, number) for number in live.numbers if first <= number <= last]
    if wants_json():
        listed = [{"number": card.number, "cards": sum(card.rows, ())} for card in cards]
        return json_response({"class": state.code, "round": live.data.number, "cards": listed})
    size, a_page = arguments.get("size", ""), arguments.get("per", "")
    count = int(a_page) if a_page in map(str, A_PAGE) else A_PAGE[0]
    return render_page(
        "class/print.html",
        state=state,
        number=live.data.number,
        mode=SENTENCES[live.data.mode],
        speed=SPEED if live.data.speed else None,
        seal=short_seal(live.seal)[:9],
        size=size if size in SIZES else SIZES[0],
        a_page=count,
        first=first,
        last=last,
        sheets=[cards[start : start + count] for start in range(0, len(cards), count)],
    )


@blueprint.get("/class/<code>/check")
def check(code: str) -> flask.Response:
    """Say whether a card has BINGO!"""
    state, number = led_class(code), asked_number("card", 0)
    live = state.round
    if live is None or number not in live.cards_in_play:
        return refusal(Text("Card {number} is not in play.", number=number), 404)
    card, name = live.card(number), state.name_of(number)
    has_bingo = card.bingo_call <= live.calls
    if has_bingo:
        answer = Text("It has had BINGO! since call {call}.", call=card.bingo_call)
    else:
        answer = Text("Not yet. It lacks {cards}.", cards=words.lacking_text(card, live.calls))
    if wants_json():
        since = card.bingo_call if has_bingo else None
        document = {"class": state.code, "card": number, "name": name, "bingo": has_bingo}
        return json_response(document | {"since": since, "said": answer})
    is_open_by_hand = live.is_open and live.data.by_hand
    is_claimable = live.student_of(number) == 0 and live.claim_of(number) is None
    return render_page(
        "class/check.html",
        state=state,
        number=number,
        name=name,
        has_bingo=has_bingo,
        answer=answer,
        rows=tile_rows(card, live.calls),
        can_count=is_open_by_hand and has_bingo and is_claimable,
    )


@blueprint.get("/class/<code>/round/<int:number>")
def opened(code: str, number: int) -> flask.Response:
    """Show a round that is over as it is, so that anybody can check it; before that, its seal.

    Raises:
        NotFound: there is no such round.
    """
    state = load_class(code)
    page: dict[str, Any] = {"code": state.code, "title": state.classroom.title, "number": number}
    finished = (data for data in finished_rounds(state) if data.number == number)
    data = next(finished, None)
    round_ = data.export() if data else None
    if round_ is None:
        shown = round_view(state)
        if shown is None or shown.number != number:
            raise NotFound
        if wants_json():
            return json_response({"class": state.code, "round": number, "seal": shown.seal})
        return render_page(
            "class/round.html", kind=shown.kind_text, seal=shown.seal, salt="", orders=(), **page
        )
    document = exported(round_)
    if wants_json() or flask.request.args.get("as") == "json":
        return as_file(json_response(document), f"{state.code}-round-{number}.json")
    orders = [(Text("Calling deck"), document["orders"]["calling"])]
    orders += [
        (Text("Bingo deck {number}", number=place), order)
        for place, order in enumerate(document["orders"]["bingo"], 1)
    ]
    kind, seal, salt = kind_text(round_.kind), document["seal"], document["salt"]
    return render_page("class/round.html", kind=kind, seal=seal, salt=salt, orders=orders, **page)


def _printed(live: LiveRound, number: int) -> PrintedCard:
    grid = live.card(number).grid
    return PrintedCard(number, in_rows((*grid[:CENTRE], None, *grid[CENTRE + 1 :])))
