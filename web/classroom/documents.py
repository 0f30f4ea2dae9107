"""A class in JSON: what programs are told. None of it has a place for a hidden card."""

from collections.abc import Mapping
from typing import Any

from cardgames.class_bingo.card import BingoCard
from cardgames.class_bingo.export import told_orders
from cardgames.games.bingo.rules import CENTRE
from cardgames.text import Text
from web.classroom.access import rejoin_code_of
from web.classroom.insight import kept_play
from web.classroom.legal import available_moves
from web.classroom.model import FinishedData, Member, RoundData
from web.classroom.moves import ClassMove
from web.classroom.play import marked_places, own_claim
from web.classroom.presence import is_here
from web.classroom.results import finished_rounds
from web.classroom.state import ClassState, LiveRound, class_store
from web.classroom.strategies import kept_charts
from web.classroom.tournament_summary import kept_entries
from web.classroom.tournament_table import played_before


def round_document(state: ClassState) -> dict[str, Any] | None:
    """Return the newest round as everybody sees it."""
    live = state.round
    if live is None:
        return None
    near = live.one_away
    document: dict[str, Any] = {
        "number": live.data.number,
        "mode": live.data.mode,
        "speed": live.data.speed,
        "by_hand": live.data.by_hand,
        "phase": live.phase,
        "called": list(live.called),
        "left": live.left,
        "every": live.every,
        "seal": live.seal,
        "one_away": {
            "students": near.cards_in_play,
            "cards": len(near.ending),
            "chance": near.chance,
        },
        "places": [
            {
                "place": one.place,
                "call": one.call,
                "names": [state.name_of(card) for card in one.cards],
            }
            for one in live.places
        ],
    }
    return document if live.is_open else document | _opened(live)


def _opened(live: LiveRound) -> dict[str, Any]:
    """Return what is told of a round when it is over: its salt, and what follows from it."""
    secret = live.data.secret
    orders = told_orders(secret, [one.card for one in live.cards_in_play])
    reason = {"reason": live.data.reason} if live.phase == "void" else {}
    return {"salt": secret, "orders": orders, **reason}


def card_document(live: LiveRound, card: BingoCard, member: Member) -> dict[str, Any]:
    """Return a student's card as they may see it."""
    covered = card.covered(live.calls)
    winning = card.winning(live.calls)
    if live.data.by_hand:
        covered = marked_places(member.student, live.data.number)
        if live.is_open and own_claim(live, card) is None:
            winning = ()  # found by who holds the card, and not by asking
    return {
        "number": card.number,
        "cards": [None if place == CENTRE else one for place, one in enumerate(card.grid)],
        "covered": list(covered),
        "winning": list(winning),
        "one_away": list(card.needed(live.calls)),
    }


def student_document(state: ClassState, member: Member) -> dict[str, Any]:
    """Return what a class's page tells a student of themselves."""
    return {
        "class": state.code,
        "title": state.classroom.title,
        "version": state.version,
        "student": {
            "number": member.number,
            "name": member.student.name,
            "rejoin": rejoin_code_of(state, member),
            "state": member.student.state,
        },
        "round": round_document(state),
    }


def bingo_document(state: ClassState, member: Member) -> dict[str, Any]:
    """Return a student's card, and what they can do with it."""
    live, card = state.round, state.card_of(member)
    moves = []
    if live and card and live.data.by_hand and live.is_open and own_claim(live, card) is None:
        call = str(live.calls)
        moves.append({"name": "claim", "label": Text("BINGO!"), "fields": {"call": {call: call}}})
    return {
        "class": state.code,
        "title": state.classroom.title,
        "version": state.version,
        "student": {"number": member.number, "name": member.student.name},
        "round": round_document(state),
        "card": card_document(live, card, member) if live and card else None,
        "moves": moves,
    }


def dashboard_document(
    state: ClassState, seen: Mapping[int, float], real: Mapping[int, str] | None
) -> dict[str, Any]:
    """Return a class as its instructor sees it.

    Args:
        state: the class.
        seen: when each student was last seen.
        real: the real names, where they are asked for.
    """
    students = []
    for member in state.members.values():
        one: dict[str, Any] = {
            "number": member.number,
            "name": member.student.name,
            "here": is_here(seen.get(member.number), state.counters.now),
        }
        if member.student.state != "in":
            one["state"] = member.student.state
        if real is not None:
            one["real"] = real.get(member.number)
        students.append(one)
    return {
        "class": state.code,
        "title": state.classroom.title,
        "step": state.counters.version,
        "students": students,
        "round": round_document(state),
        "moves": move_documents(available_moves(state)),
    }


def move_documents(moves: Mapping[str, ClassMove]) -> list[dict[str, Any]]:
    """Return the moves that an instructor has now."""
    return [
        {"name": move.name, "label": move.label, "fields": move.fields} for move in moves.values()
    ]


def kept_document(state: ClassState, member: Member) -> dict[str, Any]:
    """Return all that is kept of a student; of the real name that there is one."""
    student, store = member.student, class_store()
    seen = store.presence(state.code).get(member.number)
    return {
        "class": state.code,
        "title": state.classroom.title,
        "number": member.number,
        "nickname": student.name,
        "offered": student.offered,
        "real_name": store.has_real_name(state.code, member.number),
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
            for card, number, from_call in one.finished.cards
            if number == member.number
        ],
        "tables": kept_play(store.insight.play_of(state.code, member.number).play),
        "strategy_charts": kept_charts(store.charts.charts(state.code, member.number)),
        "tournaments": kept_entries(state, member),
        "deals_played_before": {
            str(number): deals for number, deals in played_before(state, member).items()
        },
        "kept_until": state.counters.expires,
    }


def _kept_round(
    round_: RoundData, finished: FinishedData, card: int, from_call: int
) -> dict[str, Any]:
    """Return what is kept of a student's card in a round that is over."""
    return {
        "round": round_.number,
        "card": card,
        "from_call": from_call,
        "place": next((place for place, _, cards in finished.places if card in cards), None),
        "void": round_.void,
        "claims": [
            {"call": call, "right": since > 0}
            for claimed, call, _, since in finished.claims
            if claimed == card
        ],
    }
