"""``/class/CODE/tournament/N/deal/D`` for homework of puzzles: a student's answer to a puzzle.

Only the first answer counts. The cost of the answer, the reason and the odds are shown after the
homework ends.
"""

from dataclasses import replace
from functools import partial
from typing import Any, Final

import flask

from cardgames.advice import POINTS, posed_text
from cardgames.cards import CardGameError
from cardgames.moves import Sent
from cardgames.puzzles import why
from cardgames.text import Text, format_points
from web import db
from web.classroom.core import access
from web.classroom.core.codes import note_deals
from web.classroom.core.forms import NotAllowed
from web.classroom.homework.models import TournamentPlay
from web.classroom.homework.queries import TOO_LATE, Participant
from web.classroom.homework.rules import TIE_TOLERANCE
from web.http.request_log import MOVE
from web.http.requests import wants_json
from web.http.responses import json_response, see_other
from web.puzzles.views import known_cards, legal_move, shown_table
from web.tables.advice import advisor_or_404, public_odds
from web.tables.page import Refusal, TablePage, public_moves, to_refusal
from web.tables.views import STALE, parse_move_form

ANSWERED: Final = Text("You have answered this puzzle already. Your first answer counts.")
NOT_ANSWERED: Final = Text("You did not answer this puzzle.")
BEST: Final = Text("The best play is to {move}; the other play gives away {points} points.")
COST: Final = Text("Not the best play: {points} points given away.")
RIGHT: Final = Text("The best play.")


def answer_puzzle(participant: Participant, number: int) -> flask.Response:
    """Save a student's answer and redirect to the next puzzle, or reject the answer."""
    chosen, step, sent = parse_move_form(())
    flask.request.environ[MOVE] = chosen
    if participant.has_played(number) or step != "0":
        return render_puzzle(
            participant, number, 409, Refusal(ANSWERED if participant.has_played(number) else STALE)
        )
    try:
        after = _save_answer(participant, number, chosen, sent)
    except NotAllowed:
        raise
    except CardGameError as error:
        return render_puzzle(participant, number, 422, to_refusal(error))
    if wants_json():
        return render_puzzle(after, number)
    if after.is_done:
        return see_other(participant.address)
    following = after.next_deal
    return see_other(after.deal_address(following), partial(render_puzzle, after, following))


def _save_answer(participant: Participant, number: int, chosen: str, sent: Sent) -> Participant:
    """Save an answer, and return the student's homework with this answer.

    Raises:
        NotAllowed: If the homework has ended since the request began.
        IllegalMove: If the answer is invalid.
    """
    legal_move(_moves(participant, number), chosen).read(sent)
    now, student = db.now(), participant.student
    # The end of the homework is checked again before the answer is saved.
    if participant.tournament.is_over(now):
        raise NotAllowed(TOO_LATE)
    score = participant.tournament.score(number, chosen)
    play = TournamentPlay(
        class_code=student.class_code,
        tournament=participant.tournament.number,
        student=student.number,
        deal=number,
        moves=chosen,
        winner="right" if score <= TIE_TOLERANCE * POINTS else "wrong",
        score=score,
        finished=now,
    )
    db.session().merge(play)
    note_deals(student.class_code, student.number, {play.tournament: number})
    after = replace(participant, plays=(*participant.plays, play))
    if after.is_done:
        access.save_students(participant.classroom)  # The big screen and the dashboards reload.
    return after


def render_puzzle(
    participant: Participant, number: int, status: int = 200, refusal: Refusal | None = None
) -> flask.Response:
    """Return the part of a puzzle that the student may see, as JSON or as a page."""
    if wants_json():
        return _document(participant, number, status, refusal)
    position = participant.tournament.puzzle(number)
    advisor = advisor_or_404(participant.tournament.game)
    page = TablePage(
        table=shown_table(participant.tournament.game, position),
        layout="class/tournament_puzzle.html",
        address=participant.deal_address(number),
        step=_step(participant, number),
        moves=_moves(participant, number),
        refusal=refusal,
    )
    html = flask.render_template(
        page.table.templates,
        page=page,
        seat=participant,
        number=number,
        position=position,
        advisor=advisor,
        situation=posed_text(advisor, position.player, position.upcard),
        known=known_cards(position, advisor),
        answer=_answer(participant, number),
    )
    return flask.Response(html, status)


def _step(participant: Participant, number: int) -> int:
    """Return the number of a student's answers to a puzzle: 0 or 1."""
    return int(participant.has_played(number))


def _moves(participant: Participant, number: int) -> dict[str, Any]:
    """Return the possible answers, keyed by name.

    After the first answer, or if the homework has ended, no answer is possible.
    """
    if participant.has_played(number) or participant.is_over:
        return {}
    return {move.name: move for move in participant.tournament.game.round_moves}


def _answer(participant: Participant, number: int) -> dict[str, Any] | None:
    """Return a student's answer, or None.

    If the homework has ended, the answer includes the solution.
    """
    play, advisor = participant.play(number), advisor_or_404(participant.tournament.game)
    decided = advisor.decided_text(play.moves) if play else NOT_ANSWERED
    if not participant.is_over:
        return {"decided": decided} if play else None
    position = participant.tournament.puzzle(number)
    solution = {"decided": decided, "why": why(position, position.odds), "odds": position.odds}
    if play is None:
        return solution | {"is_right": None, "verdict": _best_play(participant, number)}
    is_right = play.winner == "right"
    cost = COST.fill(points=format_points(play.score or 0.0))
    return solution | {"is_right": is_right, "verdict": RIGHT if is_right else cost}


def _best_play(participant: Participant, number: int) -> Text:
    """Return the best play of a puzzle, and the cost of the other play."""
    best = participant.tournament.puzzle(number).odds.best
    other = "stay" if best == "hit" else "hit"
    stop = advisor_or_404(participant.tournament.game).stop_text()
    price = format_points(participant.tournament.score(number, other))
    return BEST.fill(move=Text("hit") if best == "hit" else stop, points=price)


def _document(
    participant: Participant, number: int, status: int, refusal: Refusal | None
) -> flask.Response:
    """Return a puzzle as JSON.

    The cost of an answer is included only after the homework has ended.
    """
    position, play = participant.tournament.puzzle(number), participant.play(number)
    values = {name: getattr(position, name) for name in ("table", "player", "upcard", "discards")}
    document: dict[str, Any] = {
        "tournament": participant.tournament.number,
        "deal": number,
        "step": _step(participant, number),
        "puzzle": values,
        "moves": public_moves(_moves(participant, number).values()),
        "next": participant.next_document(),
    }
    if play:
        document["answer"] = play.moves
    if play and participant.is_over:
        document["points"] = play.score
    if participant.is_over:
        document["odds"] = public_odds(position.odds)
    return json_response(document, status, refusal.in_one_line if refusal else "")
