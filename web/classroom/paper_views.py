"""Cards on paper: print them, check one, and what is told of a round that is over."""

from dataclasses import dataclass
from typing import Final

import flask
from werkzeug.exceptions import NotFound

from cardgames.cards import Card
from cardgames.class_bingo.export import exported
from cardgames.games.bingo.rules import CENTRE, Mode
from cardgames.text import Text
from web.classroom import words
from web.classroom.access import led_class
from web.classroom.card_page import Tile, in_rows, kind_text, tile_rows
from web.classroom.play import own_claim
from web.classroom.results import finished_rounds
from web.classroom.screen_page import short_seal
from web.classroom.state import ClassState, LiveRound, load_class
from web.http.addresses import asked_number
from web.http.downloads import as_file
from web.http.requests import wants_json
from web.http.responses import json_response, refusal, render_page

SIZES: Final = ("a4", "letter")
A_PAGE: Final = (4, 2)
MAX_PRINTED: Final = 500

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


@dataclass(frozen=True, slots=True)
class PrintPage:
    """A page of cards to be printed."""

    code: str
    title: str
    round: int
    mode: Text
    speed: Text | None
    seal: str
    size: str
    a_page: int
    first: int
    last: int
    cards: tuple[PrintedCard, ...]
    in_play: int
    """The highest number that is in play."""

    @property
    def sheets(self) -> tuple[tuple[PrintedCard, ...], ...]:
        """The cards of each sheet of paper."""
        return tuple(
            self.cards[start : start + self.a_page]
            for start in range(0, len(self.cards), self.a_page)
        )


@dataclass(frozen=True, slots=True)
class CheckPage:
    """Whether a card has BINGO!"""

    code: str
    title: str
    step: int
    number: int
    name: str
    has_bingo: bool
    answer: str
    rows: tuple[tuple[Tile, ...], ...]
    can_count: bool
    """Whether the claim of this card can be counted."""


@dataclass(frozen=True, slots=True)
class OpenedPage:
    """A round that is over, opened."""

    code: str
    title: str
    number: int
    kind: Text | None
    seal: str
    salt: str
    """Empty while the round is on."""

    orders: tuple[tuple[str, str], ...]
    address: str


@blueprint.get("/class/<code>/print")
def show(code: str) -> flask.Response:
    """Show the cards in play from one number to another, to be printed."""
    state = led_class(code)
    live = state.open_round
    if live is None:
        return refusal(words.NO_ROUND, 409)
    numbers = {one.card for one in live.cards_in_play}
    highest = max(numbers, default=0)
    asked = flask.request.args
    first = asked_number("from", 1)
    last = min(asked_number("to", highest), first + MAX_PRINTED - 1)
    cards = tuple(_printed(live, number) for number in sorted(numbers) if first <= number <= last)
    if wants_json():
        told = [{"number": one.number, "cards": sum(one.rows, ())} for one in cards]
        return json_response({"class": state.code, "round": live.data.number, "cards": told})
    size, a_page = asked.get("size", ""), asked.get("per", "")
    page = PrintPage(
        code=state.code,
        title=state.classroom.title,
        round=live.data.number,
        mode=SENTENCES[live.data.mode],
        speed=SPEED if live.data.speed else None,
        seal=short_seal(live.seal)[:9],
        size=size if size in SIZES else SIZES[0],
        a_page=int(a_page) if a_page in map(str, A_PAGE) else A_PAGE[0],
        first=first,
        last=last,
        cards=cards,
        in_play=highest,
    )
    return render_page("class/print.html", page=page)


@blueprint.get("/class/<code>/check")
def check(code: str) -> flask.Response:
    """Say whether a card has BINGO!"""
    state = led_class(code)
    live, number = state.round, asked_number("card", 0)
    if live is None or number not in {one.card for one in live.cards_in_play}:
        return refusal(Text("Card {number} is not in play.", number=number), 404)
    card = live.card(number)
    has_bingo = card.bingo_call <= live.calls
    if has_bingo:
        answer = Text("It has had BINGO! since call {call}.", call=card.bingo_call)
    else:
        answer = Text("Not yet. It lacks {cards}.", cards=words.lacking_text(card, live.calls))
    if wants_json():
        return json_response(
            {
                "class": state.code,
                "card": number,
                "name": state.name_of(number),
                "bingo": has_bingo,
                "since": card.bingo_call if has_bingo else None,
                "said": answer,
            }
        )
    page = CheckPage(
        code=state.code,
        title=state.classroom.title,
        step=state.counters.version,
        number=number,
        name=state.name_of(number),
        has_bingo=has_bingo,
        answer=answer,
        rows=tile_rows(card, live.calls),
        can_count=live.is_open
        and live.data.by_hand
        and has_bingo
        and live.student_of(number) == 0
        and own_claim(live, card) is None,
    )
    return render_page("class/check.html", page=page)


@blueprint.get("/class/<code>/round/<int:number>")
def opened(code: str, number: int) -> flask.Response:
    """Tell a round that is over as it is, so that anybody can check it; before that, its seal."""
    state = load_class(code)
    address = f"{flask.request.script_root}/class/{state.code}/round/{number}"
    data = next((one for one in finished_rounds(state) if one.number == number), None)
    if data is None:
        return _sealed(state, number, address)
    told = exported(data.export())  # type: ignore[arg-type]  # it is over
    if wants_json() or flask.request.args.get("as") == "json":
        return as_file(json_response(told), f"{state.code}-round-{number}.json")
    orders = [(Text("Calling deck"), told["orders"]["calling"])]
    orders += [
        (Text("Bingo deck {number}", number=place), order)
        for place, order in enumerate(told["orders"]["bingo"], 1)
    ]
    page = OpenedPage(
        code=state.code,
        title=state.classroom.title,
        number=number,
        kind=kind_text(data),
        seal=told["seal"],
        salt=told["salt"],
        orders=tuple(orders),
        address=f"{address}?as=json",
    )
    return render_page("class/round.html", page=page)


def _sealed(state: ClassState, number: int, address: str) -> flask.Response:
    """Tell the seal of a round that is on.

    Raises:
        NotFound: there is no such round.
    """
    live = state.round
    if live is None or live.data.number != number:
        raise NotFound
    if wants_json():
        return json_response({"class": state.code, "round": number, "seal": live.seal})
    page = OpenedPage(
        state.code, state.classroom.title, number, kind_text(live.data), live.seal, "", (), address
    )
    return render_page("class/round.html", page=page)


def _printed(live: LiveRound, number: int) -> PrintedCard:
    grid = live.card(number).grid
    cards = (*grid[:CENTRE], None, *grid[CENTRE + 1 :])
    return PrintedCard(number, in_rows(cards))
