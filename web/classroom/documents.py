"""A class in JSON: what programs are sent. None of it has a place for a hidden card."""

from collections.abc import Mapping
from typing import Any

from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.export import disclosed_orders
from cardgames.games.bingo.rules import CENTRE, GRID_SIZE
from cardgames.text import Text
from web.classroom.access import rejoin_code_of
from web.classroom.insight import kept_play
from web.classroom.model import FinishedData, Member, RoundData
from web.classroom.moves import ClassMove
from web.classroom.results import finished_rounds
from web.classroom.state import ClassState, LiveRound, class_store
from web.classroom.strategies import kept_charts
from web.classroom.tournament_table import kept_entries, played_before
from web.classroom.updates import is_here
from web.classroom.view import round_view


def round_document(state: ClassState) -> dict[str, Any] | None:
    """Return the newest round as everybody sees it."""
    shown = round_view(state)
    if shown is None or state.round is None:
        return None
    document: dict[str, Any] = {
        "number": shown.number,
        "mode": shown.kind.mode,
        "speed": shown.kind.speed,
        "by_hand": shown.by_hand,
        "phase": shown.phase,
        "called": list(shown.called),
        "left": shown.left,
        "every": shown.every,
        "seal": shown.seal,
        "one_away": {
            "students": shown.near.cards_in_play,
            "cards": len(shown.near.ending),
            "chance": shown.near.chance,
        },
        "places": [
            {"place": one.place, "call": one.call, "names": list(one.names)}
            for one in shown.winners
        ],
    }
    if shown.is_open:
        return document
    orders = disclosed_orders(shown.salt, state.round.numbers)
    reason = {"reason": shown.reason} if shown.phase == "void" else {}
    return document | {"salt": shown.salt, "orders": orders, **reason}


def card_document(live: LiveRound, card: BingoCard, member: Member) -> dict[str, Any]:
    """Return a student's card as they may see it."""
    covered, winning = card.covered(live.calls), card.winning(live.calls)
    if live.data.by_hand:
        covered = marked_places(member.student.marks_in(live.data.number))
        if live.is_open and live.claim_of(card.number) is None:
            winning = ()  # found by who holds the card, and not by asking
    return {
        "number": card.number,
        "cards": [None if place == CENTRE else one for place, one in enumerate(card.grid)],
        "covered": list(covered),
        "winning": list(winning),
        "one_away": list(card.needed(live.calls)),
    }


def marked_places(bits: int) -> tuple[int, ...]:
    """Return the positions that are covered by hand, the free centre included."""
    bits |= 1 << CENTRE
    return tuple(place for place in range(GRID_SIZE) if bits >> place & 1)


def class_document(state: ClassState) -> dict[str, Any]:
    """Return what every document of a student begins with."""
    return {"class": state.code, "title": state.classroom.title, "version": state.version}


def student_document(state: ClassState, member: Member) -> dict[str, Any]:
    """Return what a class's page says to a student of themselves."""
    student = {
        "number": member.number,
        "name": member.student.name,
        "rejoin": rejoin_code_of(state, member),
        "state": member.student.state,
    }
    return class_document(state) | {"student": student, "round": round_document(state)}


def bingo_document(state: ClassState, member: Member) -> dict[str, Any]:
    """Return a student's card, and what they can do with it."""
    live, card = state.round, state.card_of(member)
    moves = []
    if live and card and live.data.by_hand and live.is_open and not live.claim_of(card.number):
        call = str(live.calls)
        moves.append({"name": "claim", "label": Text("BINGO!"), "fields": {"call": {call: call}}})
    return class_document(state) | {
        "student": {"number": member.number, "name": member.student.name},
        "round": round_document(state),
        "card": card_document(live, card, member) if live and card else None,
        "moves": moves,
    }


def dashboard_document(
    state: ClassState,
    moves: Mapping[str, ClassMove],
    seen: Mapping[int, float],
    real: Mapping[int, str] | None,
) -> dict[str, Any]:
    """Return a class as its instructor sees it.

    Args:
        state: the class.
        moves: what is possible now.
        seen: when each student was last seen.
        real: the real names, where they are asked for.
    """
    students = []
    for number, member in state.members.items():
        here = is_here(seen.get(number), state.counters.now)
        row: dict[str, Any] = {"number": number, "name": member.student.name, "here": here}
        if member.student.state != "in":
            row["state"] = member.student.state
        if real is not None:
            row["real"] = real.get(number)
        students.append(row)
    return {
        "class": state.code,
        "title": state.classroom.title,
        "step": state.counters.version,
        "students": students,
        "round": round_document(state),
        "moves": move_documents(moves),
    }


def move_documents(moves: Mapping[str, ClassMove]) -> list[dict[str, Any]]:
    """Return the moves that an instructor has now."""
    return [
        {"name": move.name, "label": move.label, "fields": move.fields} for move in moves.values()
    ]


def kept_document(state: ClassState, member: Member) -> dict[str, Any]:
    """Return all that is kept of a student; of the real name that there is one."""
    student, store, number = member.student, class_store(), member.number
    seen = store.presence(state.code).get(number)
    return {
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
        "rounds": [
            _kept_round(one, one.finished, card, from_call)
            for one in finished_rounds(state)
            if one.finished
            for card, owner, from_call in one.finished.cards
            if owner == number
        ],
        "tables": kept_play(store.insight.play_of(state.code, number).play),
        "strategy_charts": kept_charts(store.charts.charts(state.code, number)),
        "tournaments": kept_entries(state, member),
        "deals_played_before": {
            str(which): deals for which, deals in played_before(state, member).items()
        },
        "kept_until": state.counters.expires,
    }


def _kept_round(
    data: RoundData, finished: FinishedData, card: int, from_call: int
) -> dict[str, Any]:
    """Return what is kept of a student's card in a round that is over."""
    claims = (claim for claim in finished.claims if claim[0] == card)
    return {
        "round": data.number,
        "card": card,
        "from_call": from_call,
        "place": next((place for place, _, cards in finished.places if card in cards), None),
        "void": data.void,
        "claims": [{"call": call, "right": since > 0} for _, call, _, since in claims],
    }
