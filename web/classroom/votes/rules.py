"""Pure functions for the questions, the answers and the counts of votes."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from cardgames.text import Text
from web.classroom.core import forms
from web.classroom.core.forms import Fields, NotAllowed, OutOfDate
from web.classroom.core.models import Classroom, Student
from web.classroom.votes.models import CONFIDENCE_LEVELS, Vote, VoteAnswer

MAX_VOTES: Final = 60
"""Maximum number of votes in a class."""


def can_open_vote(classroom: Classroom, newest: Vote | None) -> bool:
    """Return whether a class can start a new vote.

    This is possible if no vote is open and the maximum number of votes is not reached.
    """
    has_room = newest is None or (newest.number < MAX_VOTES and not newest.is_open)
    return has_room and not classroom.closed


def tally_answers(answers: Iterable[VoteAnswer]) -> dict[str, list[int]]:
    """Return the number of students per answer and level of confidence."""
    counts = Counter((answer.choice, answer.sure) for answer in answers)
    choices = sorted({choice for choice, _ in counts})
    return {choice: [counts[choice, sure] for sure in CONFIDENCE_LEVELS] for choice in choices}


def minds_changed(answers: Iterable[VoteAnswer], right: str) -> Counter[tuple[bool, bool]]:
    """Count the students for each combination of right and wrong answers.

    A key has two values: whether the answer before the discussion was correct, and whether the
    answer after it was correct.
    """
    is_right = {(answer.ballot, answer.student): answer.choice == right for answer in answers}
    students = {student for ballot, student in is_right if ballot > 1}
    return Counter(
        (is_right[1, voter], is_right[2, voter]) for voter in students if (1, voter) in is_right
    )


def checked_answer(
    classroom: Classroom, student: Student, vote: Vote | None, sent: Fields
) -> VoteAnswer:
    """Return the answer to the open vote from a form.

    Raises:
        CardGameError: If the vote is not open, or the answer is invalid.
    """
    forms.require(student.state == "in", Text("You have stepped out: step in again to vote."))
    if vote is None or classroom.closed:
        raise NotAllowed(Text("No vote is open."))
    if (sent.get("vote"), sent.get("ballot")) != (str(vote.number), str(vote.ballot)):
        raise OutOfDate(
            Text("Your answer was for another vote. This is the vote that is open now.")
        )
    if not vote.is_open:
        raise OutOfDate(Text("The vote has closed. Your earlier answer counts."))
    return VoteAnswer(
        class_code=vote.class_code,
        vote=vote.number,
        student=student.number,
        ballot=vote.ballot,
        choice=forms.choice_field(sent, "choice", (*vote.choices,)),
        sure=int(forms.choice_field(sent, "sure", (*CONFIDENCE_LEVELS,))),
    )
