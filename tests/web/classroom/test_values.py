"""Decisions that depend only on a class, a round and the time, without a request or a database."""

from dataclasses import replace

from cardgames.cards import DECK_SIZE
from cardgames.games.bingo.rules import Mode
from web.classroom.bingo.models import CardInPlay
from web.classroom.bingo.rules import LiveBingo
from web.classroom.core import words
from web.classroom.core.models import PAGES, BingoRound, Classroom, Student
from web.classroom.core.presence import DEAL_IN_SECONDS, PRESENT_SECONDS, is_dealt_in, is_present
from web.classroom.desk.moves import bingo_moves, refusal_reason
from web.classroom.votes.models import VoteAnswer
from web.classroom.votes.rules import minds_changed, tally_answers

ROUND = BingoRound(
    class_code="K7QXB", number=2, mode=Mode.LINE, speed=False, by_hand=True, salt="00ff"
)
LIVE = LiveBingo(ROUND, "playing", 14, 8, {1: CardInPlay(1, 1, 0, "Quiet Otter")}, ())


def a_class(**values: object) -> Classroom:
    """A class with one student and an open round.

    The round's clock calls a card every 8 seconds.
    """
    numbers = {"step": 12, "changes": 3, "claims": 0, "right": 0, "round_number": 2, "members": 1}
    clock = {"is_open": True, "called": 14, "since": 100.0, "every": 8, "stop": DECK_SIZE}
    known = {**numbers, **clock, "has_vote": False, "now": 100.0}
    return Classroom(code="K7QXB", title="CS1", **(known | values))


def names(live: LiveBingo | None, **values: object) -> set[str]:
    return {move.name for move in bingo_moves(a_class(**values), live)}


def test_etag_changes_with_the_page() -> None:
    changes = {"step": 13, "now": 108.0, "right": 1, "changes": 4, "claims": 1}
    before = {page: a_class().etag(page) for page in PAGES}
    changed = {
        name: {page for page in PAGES if a_class(**{name: value}).etag(page) != before[page]}
        for name, value in changes.items()
    }
    every, not_a_students = set(PAGES), {"screen", "dashboard", "insight"}
    assert changed["step"] == changed["now"] == changed["right"] == every
    assert changed["changes"] == not_a_students, "a join is no news to phones"
    assert changed["claims"] == {"dashboard"}


def test_polling_interval_depends_on_round_and_class_size() -> None:
    idle = {"is_open": False, "now": 10_000.0}
    assert [a_class(**each).asks_every for each in ({}, idle, {"has_vote": True})] == [1, 10, 1]
    assert a_class(**idle, has_vote=True).asks_every == a_class(**idle, round_number=0).asks_every
    sizes = (150, 151, 400, 1_000)
    assert [a_class(members=size).asks_every for size in sizes] == [1, 2, 3, 7]


def test_possible_moves_follow_from_the_round() -> None:
    in_round = {"call", "auto", "pause", "paper", "void"}
    assert in_round <= names(LIVE)
    assert "end" not in names(LIVE)
    bingo, all_called = replace(LIVE, phase="bingo"), replace(LIVE, calls=DECK_SIZE)
    assert names(bingo) & {*in_round, "go-on", "end"} == {"go-on", "end", "void"}
    assert refusal_reason(bingo, "call") == words.NO_CALLING
    assert names(all_called) & {"call", "auto", "end"} == {"end"}
    assert refusal_reason(all_called, "auto") == words.ALL_CALLED
    assert "deal" not in names(LIVE)


def test_present_student_is_dealt_in_a_while_longer() -> None:
    student = Student(number=1, state="in", joined=0.0, seen=100.0)
    times = (
        100.0 + PRESENT_SECONDS - 1,
        100.0 + PRESENT_SECONDS,
        100.0 + DEAL_IN_SECONDS - 1,
        100.0 + DEAL_IN_SECONDS,
    )
    assert [is_present(student, at) for at in times] == [True, False, False, False]
    assert [is_dealt_in(student, at) for at in times] == [True, True, True, False]
    student.state = "out"
    assert not is_dealt_in(student, times[0])


def test_vote_counts_choices_and_changes() -> None:
    first = {1: "hit", 2: "stay", 3: "hit", 4: "stay", 6: "stay"}
    second = {1: "hit", 2: "hit", 3: "stay", 5: "hit", 6: "hit"}
    answers = [
        VoteAnswer(student=student, ballot=ballot, choice=choice, sure=1 + student % 3)
        for ballot, chosen in ((1, first), (2, second))
        for student, choice in chosen.items()
    ]
    sums = {"hit": [1, 1, 0], "stay": [1, 1, 1]}
    assert tally_answers(answer for answer in answers if answer.ballot == 1) == sums
    minds = minds_changed(answers, "hit")
    assert minds == {(True, True): 1, (False, True): 2, (True, False): 1}
    assert minds.total() == 4, "who has answered once has changed nothing"
