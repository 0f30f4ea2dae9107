"""Exports: cards on paper, rounds to be checked, spreadsheets, and what is kept of a student."""

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import flask
from werkzeug.exceptions import NotFound

from cardgames.advice import POINTS
from cardgames.class_bingo.export import exported
from cardgames.games.bingo.rules import CENTRE, Mode
from cardgames.text import Text
from web.classroom import words
from web.classroom.answers import csv_response, iso_time
from web.classroom.insight import Play, total_of
from web.classroom.live_round import in_rows, tile_rows
from web.classroom.model import Member, RoundData
from web.classroom.roster import Person, joined
from web.classroom.standings import scores
from web.classroom.state import ClassState, class_store, led_class, load_class
from web.classroom.tournament_table import TournamentState, played_before, seats_of, tournaments_of
from web.classroom.votes import kept_answers
from web.http.addresses import asked_number
from web.http.downloads import Cell, as_file
from web.http.requests import wants_json
from web.http.responses import json_response, refusal, render_page
from web.http.turns import takes_long

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

blueprint = flask.Blueprint("class-exports", __name__)


@blueprint.get("/class/<code>/print")
def print_cards(code: str) -> flask.Response:
    """Show the cards in play from one number to another, to be printed."""
    state, arguments = led_class(code), flask.request.args
    live = state.open_round
    if live is None:
        return refusal(words.NO_ROUND, 409)
    first = asked_number("from", 1)
    last = min(asked_number("to", max(live.numbers, default=0)), first + MAX_PRINTED - 1)
    cards = []
    for number in live.numbers:
        if first <= number <= last:
            grid = live.card(number).grid
            cards.append((number, in_rows((*grid[:CENTRE], None, *grid[CENTRE + 1 :]))))
    if wants_json():
        listed = [{"number": number, "cards": sum(rows, ())} for number, rows in cards]
        return json_response({"class": state.code, "round": live.data.number, "cards": listed})
    size, a_page = arguments.get("size", ""), arguments.get("per", "")
    count = int(a_page) if a_page in map(str, A_PAGE) else A_PAGE[0]
    return render_page(
        "class/print.html",
        state=state,
        mode=SENTENCES[live.data.mode],
        speed=SPEED if live.data.speed else None,
        size=size if size in SIZES else SIZES[0],
        a_page=count,
        first=first,
        last=last,
        sheets=[cards[start : start + count] for start in range(0, len(cards), count)],
    )


@blueprint.get("/class/<code>/check")
def check_card(code: str) -> flask.Response:
    """Say whether a card has BINGO!"""
    state, number = led_class(code), asked_number("card", 0)
    live = state.round
    if live is None or number not in live.cards_in_play:
        return refusal(Text("Card {number} is not in play.", number=number), 404)
    card, name = live.card(number), live.name_of(number)
    has_bingo = card.bingo_call <= live.calls
    if has_bingo:
        answer = Text("It has had BINGO! since call {call}.", call=card.bingo_call)
    else:
        lacks = words.lacking_text(card, card.nearest(live.calls)[1])
        answer = Text("Not yet. It lacks {cards}.", cards=lacks)
    if wants_json():
        since = card.bingo_call if has_bingo else None
        document = {"class": state.code, "card": number, "name": name, "bingo": has_bingo}
        return json_response(document | {"since": since, "said": answer})
    is_on_paper = not live.cards_in_play[number].student
    is_claimable = is_on_paper and live.claim_of(number) is None
    return render_page(
        "class/check.html",
        state=state,
        number=number,
        name=name,
        has_bingo=has_bingo,
        answer=answer,
        rows=tile_rows(card, card.covered(live.calls), card.winning(live.calls)),
        can_count=live.is_open and live.data.by_hand and has_bingo and is_claimable,
    )


@blueprint.get("/class/<code>/round/<int:number>")
def show_round(code: str, number: int) -> flask.Response:
    """Show a round that is over as it is, so that anybody can deal it again."""
    state = load_class(code)
    live = state.round
    past = (data for data in class_store().finished(state.code) if data.number == number)
    data = next(past, live.data if live and live.data.number == number else None)
    if data is None:
        raise NotFound
    finished = data.export()
    if finished is None:
        document: dict[str, Any] = {}
        if wants_json():
            return json_response({"class": state.code, "round": number})
    else:
        document = exported(finished)
        if wants_json() or flask.request.args.get("as") == "json":
            return as_file(json_response(document), f"{state.code}-round-{number}.json")
    kind = words.kind_text(data.kind)
    return render_page("class/round.html", state=state, number=number, kind=kind, **document)


@blueprint.get("/class/<code>/dashboard/students.csv")
@takes_long
def students_csv(code: str) -> flask.Response:
    """Return the students of a class, a line each, with their real names.

    The first columns are those of the instructor's list, by which a course system's import finds
    them; points and participation come last.
    """
    state, store = led_class(code), class_store()
    real, bingo, tournaments = store.real_names(state.code), scores(state), tournaments_of(state)
    people = joined(real.roster, real.given)
    counts = Counter(people.values())  # one who may be two is nobody: an import would take either
    people = {number: person for number, person in people.items() if counts[person] == 1}
    played = {one.student: total_of(one.play) for one in store.insight.plays(state.code)}
    titles = [f"{at.tournament.number}. {at.tournament.heading}" for at in tournaments]
    head = (
        *("name", "login", "email", "number", "nickname", "real name", "joined", "state"),
        *(f"{title}: {what}" for title in titles for what in ("points", "deals")),
        *("table rounds", "table won", "bingo rounds", "bingo won", "rounds"),
    )
    lines: list[tuple[Cell, ...]] = []
    for number, member in state.members.items():
        student, rounds = member.student, (*played.get(number, (0, 0)), *bingo[number])
        lines.append(
            (
                *people.get(number, Person("")),
                *(number, student.name, real.given.get(number, "")),
                *(iso_time(student.joined), student.state),
                *(cell for at in tournaments for cell in _points_in(at, number)),
                *(*rounds, rounds[0] + rounds[2]),
            )
        )
    return csv_response(f"{state.code}-students.csv", head, lines)


def _points_in(at: TournamentState, student: int) -> tuple[Cell, Cell]:
    """Return the rounds of a tournament that a student has won, and the deals played.

    A tie is half a round. Points given away are no grade: there, fewer are better.
    """
    row, advisor = at.standings.by_student.get(student), at.tournament.game.advisor
    if row is None or advisor is None:
        return None, None
    winners = [play.winner for play in row.entry.plays if play.winner]
    return sum((1 + advisor.points[winner]) / 2 for winner in winners), row.played


@blueprint.get("/class/<code>/dashboard/rounds.csv")
def rounds_csv(code: str) -> flask.Response:
    """Return who played in which round of a class, a line for each card, with the real names."""
    state = led_class(code)
    real = class_store().real_names(state.code)
    head = (
        *("round", "began", "mode", "speed", "by hand", "ended as", "calls", "card", "student"),
        *("nickname", "real name", "from call", "place", "bingo at call"),
    )
    lines: list[tuple[Cell, ...]] = []
    for data in class_store().finished(state.code):
        if data.finished is None:
            continue
        yes_no = ("yes" if yes else "no" for yes in (data.speed, data.by_hand))
        ended = "void" if data.void else "over"
        which = data.number, iso_time(data.began), data.mode.value
        round_: tuple[Cell, ...] = (*which, *yes_no, ended)
        placed = {card: (place, at) for place, at, cards in data.finished.places for card in cards}
        for card, number, from_call in data.finished.cards:
            member = state.members.get(number)
            nickname = member.student.name if member else ""
            who = (number or None, nickname, real.given.get(number, ""))
            place = placed.get(card, (None, None))
            lines.append((*round_, data.finished.calls, card, *who, from_call, *place))
    return csv_response(f"{state.code}-rounds.csv", head, lines)


@blueprint.get("/class/<code>/me.json")
def kept(code: str) -> flask.Response:
    """Return all that is kept of the student of the browser; of the real name that there is one."""
    state, store = load_class(code), class_store()
    member = state.own_member()
    if member is None:
        return json_response({}, 403, words.JOIN_FIRST)
    student, number, code = member.student, member.number, state.code
    seen, rounds = store.presence(code).get(number), store.finished(code)
    played = store.insight.play_of(code, number)
    return json_response(
        {
            "class": state.code,
            "title": state.classroom.title,
            "number": number,
            "nickname": student.name,
            "offered": student.offered,
            "real_name": store.has_real_name(state.code, number),
            "joined": student.joined,
            "state": student.state,
            "renamed": student.renamed or None,
            "rejoin_codes": student.generation + 1,
            "wrong_rejoin_codes": student.wrong_codes,
            "browsers": list(student.browsers),
            "last_seen": seen.at if seen else None,
            "last_seen_at": seen.place if seen else None,
            "late_card": student.late,
            "marks": student.marks,
            "rounds": [kept for data in rounds for kept in _kept_cards(data, number)],
            "tables": _kept_play(played.play),
            "days": {
                day or "earlier": _kept_play(play) for day, play in sorted(played.days.items())
            },
            "shown_sheets": store.shown.of(state.code, number),
            "votes": kept_answers(store.votes.all_of(state.code, number)),
            "tournaments": _kept_entries(state, member),
            "deals_played_before": {
                str(which): deals for which, deals in played_before(state, member).items()
            },
            "kept_until": state.counters.expires,
        }
    )


def _kept_play(play: Play) -> dict[str, Any]:
    """Return all that is kept of how a student has played at the tables."""
    return {
        slug: {
            "rounds": one.rounds,
            "won": one.won,
            "decisions": one.decisions,
            "points_given_away": one.cost * POINTS,
            "not_the_best": [
                {
                    "move": mistake.chosen,
                    "total": mistake.total,
                    "soft": mistake.soft,
                    "upcard": mistake.upcard.value,
                    "times": mistake.times,
                    "points": mistake.cost * POINTS,
                    "record": mistake.record,
                }
                for mistake in one.mistakes
            ],
        }
        for slug, one in play.items()
    }


def _kept_entries(state: ClassState, member: Member) -> list[dict[str, Any]]:
    """Return all that is kept of a student's tournaments, as JSON for that student."""
    return [
        {
            "tournament": seat.tournament.number,
            "plays": [
                {"moves": play.moves, "winner": play.winner or None} for play in seat.entry.plays
            ],
            "finished": seat.entry.finished or None,
        }
        for seat in seats_of(state, member)
        if seat.revision
    ]


def _kept_cards(data: RoundData, student: int) -> Iterator[dict[str, Any]]:
    """Yield what is kept of a student's card in a round that is over."""
    for card, owner, from_call in data.finished.cards if data.finished else ():
        if data.finished and owner == student:
            places = (place.place for place in data.finished.places if card in place.cards)
            claims = (claim for claim in data.finished.claims if claim.card == card)
            yield {
                "round": data.number,
                "card": card,
                "from_call": from_call,
                "place": next(places, None),
                "void": data.void,
                "claims": [{"call": claim.call, "right": claim.right} for claim in claims],
            }
