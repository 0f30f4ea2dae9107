"""What came of the rounds of a class: who played, who won, and what an export tells."""

from collections.abc import Iterable
from dataclasses import dataclass

import flask

from web.classroom.answers import csv_response, iso_time
from web.classroom.model import RealNames, RoundData
from web.classroom.state import ClassState, class_store
from web.http.downloads import Cell


@dataclass(frozen=True, slots=True)
class Score:
    """What a student has done in class Bingo since joining."""

    rounds: int = 0
    """Those that counted."""

    won: int = 0
    """Those in which they had place 1."""


@dataclass(frozen=True, slots=True)
class BingoPlace:
    """Where a student stands at class Bingo."""

    place: int
    """From 1; as many rounds won are the same place."""

    name: str
    """The nickname."""

    score: Score


def finished_rounds(state: ClassState) -> tuple[RoundData, ...]:
    """Return the rounds of a class that are over, the oldest first."""
    return class_store().finished(state.code)


def scores(rounds: Iterable[RoundData]) -> dict[int, Score]:
    """Return what each student has done, by their numbers."""
    found: dict[int, Score] = {}
    for one in rounds:
        if one.void or one.finished is None:
            continue
        first = {card for place, _, cards in one.finished.places if place == 1 for card in cards}
        for card, student, _ in one.finished.cards:
            if student:
                before = found.get(student, Score())
                won = before.won + (card in first)
                found[student] = Score(before.rounds + 1, won)
    return found


def best_players(state: ClassState) -> tuple[BingoPlace, ...]:
    """Return the students of a class who have won at Bingo, who has won most rounds first."""
    known = scores(finished_rounds(state))
    winners = [
        (known[member.number], member.student.name)
        for member in state.students
        if known.get(member.number, Score()).won
    ]
    winners.sort(key=lambda winner: -winner[0].won)
    first: dict[int, int] = {}
    for place, (score, _) in enumerate(winners, 1):
        first.setdefault(score.won, place)
    return tuple(BingoPlace(first[score.won], name, score) for score, name in winners)


def students_csv(state: ClassState, real: RealNames) -> flask.Response:
    """Return the students of a class, a line each, with their real names."""
    known = scores(finished_rounds(state))
    head = ("number", "nickname", "real name", "joined", "state", "bingo rounds", "bingo won")
    lines = []
    for member in state.members.values():
        student, score = member.student, known.get(member.number, Score())
        name = real.given.get(member.number, "")
        joined = iso_time(student.joined)
        row = (member.number, student.name, name, joined, student.state, score.rounds, score.won)
        lines.append(row)
    return csv_response(f"{state.code}-students.csv", head, lines)


def rounds_csv(state: ClassState, real: RealNames) -> flask.Response:
    """Return who played in which round of a class, a line for each card, with the real names."""
    head = (
        *("round", "began", "mode", "speed", "by hand", "ended as", "calls", "card", "student"),
        *("nickname", "real name", "from call", "place", "bingo at call"),
    )
    lines: list[tuple[Cell, ...]] = []
    for one in finished_rounds(state):
        if one.finished is None:
            continue
        placed = {
            card: (place, call) for place, call, cards in one.finished.places for card in cards
        }
        kind = (one.mode.value, *("yes" if yes else "no" for yes in (one.speed, one.by_hand)))
        ended = "void" if one.void else "over"
        began = iso_time(one.began)
        for card, number, from_call in one.finished.cards:
            member = state.members.get(number)
            nickname = member.student.name if member else ""
            who = (number or None, nickname, real.given.get(number, ""))
            place = placed.get(card, (None, None))
            lines.append(
                (one.number, began, *kind, ended, one.finished.calls, card, *who, from_call, *place)
            )
    return csv_response(f"{state.code}-rounds.csv", head, lines)
