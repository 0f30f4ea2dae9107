"""Queries and updates of a class's votes and their answers."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import func, select

from web import db
from web.classroom.core.models import Classroom, Student
from web.classroom.votes.models import Vote, VoteAnswer
from web.classroom.votes.rules import minds_changed, tally_answers


def _in_vote(vote: Vote) -> tuple[Any, ...]:
    """Return the SQL condition for the answers to a vote."""
    return VoteAnswer.class_code == vote.class_code, VoteAnswer.vote == vote.number


def votes_in(code: str) -> list[Vote]:
    """Return the votes of a class, the oldest first."""
    return [
        *db.session().scalars(select(Vote).where(Vote.class_code == code).order_by(Vote.number))
    ]


def newest_vote(classroom: Classroom) -> Vote | None:
    """Return the newest vote of a class."""
    if not classroom.vote_phase:
        return None
    of_class = select(Vote).where(Vote.class_code == classroom.code)
    return db.session().scalar(of_class.order_by(Vote.number.desc()).limit(1))


def answers_to(vote: Vote | None, student: Student) -> dict[int, VoteAnswer]:
    """Return a student's answers to a vote, keyed by ballot."""
    if vote is None:
        return {}
    query = select(VoteAnswer).where(*_in_vote(vote), VoteAnswer.student == student.number)
    return {answer.ballot: answer for answer in db.session().scalars(query)}


def save_answer(answers: Mapping[int, VoteAnswer], answer: VoteAnswer) -> dict[int, VoteAnswer]:
    """Save an answer, and return the student's answers.

    An earlier answer in the same ballot is replaced.
    """
    saved = answers.get(answer.ballot, answer)
    saved.choice, saved.sure = answer.choice, answer.sure
    db.session().add(saved)
    db.session().flush()
    return {**answers, answer.ballot: saved}


def answered(vote: Vote) -> int:
    """Return the number of answers in the newest ballot of a vote."""
    if len(vote.counts) >= vote.ballot:
        return vote.total(vote.ballot)
    here = *_in_vote(vote), VoteAnswer.ballot == vote.ballot
    return db.session().scalar(select(func.count()).select_from(VoteAnswer).where(*here)) or 0


def count_answers(vote: Vote) -> None:
    """Count the answers in the closed ballot, unless they are already counted."""
    if len(vote.counts) < vote.ballot:
        query = select(VoteAnswer).where(*_in_vote(vote), VoteAnswer.ballot == vote.ballot)
        vote.counts = [*vote.counts, tally_answers(db.session().scalars(query))]


def count_changes(vote: Vote) -> None:
    """Count the students who changed to or from the right answer between the ballots."""
    answers = db.session().scalars(select(VoteAnswer).where(*_in_vote(vote)))
    minds = minds_changed(answers, vote.question.right)
    vote.better, vote.worse, vote.twice = minds[False, True], minds[True, False], minds.total()


def close_vote(classroom: Classroom) -> dict[str, str]:
    """Close the vote, and return the changed columns of the class.

    The caller saves these columns together with the round that it deals.
    """
    vote = newest_vote(classroom)
    if vote is None or not vote.is_open:
        return {}
    vote.is_open = False
    return {"vote_phase": vote.phase}
