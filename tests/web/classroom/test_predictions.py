"""Predictions: guesses by the test's own counting, and what comes out by its own game."""

import random
import re
import statistics
from hashlib import sha256
from math import comb
from typing import Any

import flask
import msgspec
import pytest

from cardgames.cards import FULL_DECK
from tests.support.classroom import JSON, Phone, Room, class_rows, open_room
from tests.support.lab import jobs_of, play_all
from tests.web.classroom.test_votes import press, refused, try_press, votes_page
from web.classroom.class_store import ClassStore
from web.classroom.model import Change
from web.classroom.predictions import WAR_GAMES, WarGame
from web.classroom.state import EXTENSION
from web.simulation.runs import to_run

SALTS = ("00" * 16, "07" * 16, "0f" * 16)
RANKS = "23456789TJQKA"


def guess(phone: Phone, number: Any, choice: str = "", **fields: Any) -> Any:
    vote = phone.json("/vote")["vote"]["number"]
    sent = {"vote": vote, "ballot": 1, "choice": choice, "number": number}
    return phone.post("/vote", **(sent | fields))


def game_of(salt: str) -> tuple[str, int]:
    """Return who wins the game of War that follows from a salt, and after how many turns."""
    draws = 0

    def shuffled(cards: list[str]) -> list[str]:
        nonlocal draws
        draws += 1
        return sorted(cards, key=lambda card: sha256(f"{salt} {draws} {card}".encode()).digest())

    deck = shuffled([str(card) for card in FULL_DECK])
    hands = [deck[0::2], deck[1::2]]
    turns = 0
    while all(hands):
        turns += 1
        pile: list[str] = []
        while True:
            shown = [hand.pop(0) if hand else "" for hand in hands]
            pile += [card for card in shown if card]
            ranks = [RANKS.index(card[0]) if card else -1 for card in shown]
            if ranks[0] != ranks[1] or not (hands[0] or hands[1]):
                break
        taker = 1 if ranks[1] >= ranks[0] else 0
        hands[taker] = shuffled(hands[taker] + pile)
    return "ab"[0 if hands[0] else 1], turns


@pytest.fixture
def many(school: flask.Flask) -> Room:
    return open_room(school, 12)


def stored_game(room: Room) -> WarGame:
    store: ClassStore = room.app.extensions[EXTENSION]
    stored = store.load(room.code)
    assert stored
    assert stored.classroom.vote
    question = stored.classroom.vote.question
    assert isinstance(question, WarGame)
    return question


def test_bets_and_guesses_are_counted_and_the_game_decides(many: Room) -> None:
    rng = random.Random(7)
    press(many, "predict-war")
    bets, numbers = [], []
    for phone in many.phones:
        guess(phone, rng.randint(1, 900), rng.choice("ab"))  # what was answered before counts not
        choice, number = rng.choice("ab"), rng.choice(["", rng.randint(1, 20_000)])
        assert guess(phone, number, choice).status_code == 200
        bets.append(choice)
        numbers += [number] if number else []
    press(many, "close-vote")
    shown = press(many, "solve")["vote"]
    assert {name: bar["number"] for name, bar in shown["bars"]["1"].items()} == {
        name: bets.count(name) for name in "ab"
    }
    assert shown["guesses"] == sorted([value, numbers.count(value)] for value in {*numbers})
    winner, turns = game_of(stored_game(many).salt)
    assert (shown["solution"]["right"], shown["solution"]["number"]) == (winner, turns)
    page = many.phones[0].get("/vote").text
    assert f"Half of the class guessed {statistics.median_low(numbers)} or less." in page
    off = min(abs(number - turns) for number in numbers)
    assert f"The nearest guess is {off} off." in page


def test_guesses_are_shown_as_they_come_from_three_on_and_only_when_told(many: Room) -> None:
    press(many, "predict-bingo", mode="L", speed="N")
    for phone, number in zip(many.phones, (9, 9, 12, 30), strict=False):
        guess(phone, number)
    screen = many.boss.json("/projector")["vote"]
    assert (screen["answered"], screen["guesses"], screen["phase"]) == (4, [], "open")
    assert "<svg" not in re.sub(r"(?s)<nav.*?</nav>", "", many.boss.get("/projector").text)
    press(many, "bars")
    assert many.boss.json("/projector")["vote"]["guesses"] == [[9, 2], [12, 1], [30, 1]]
    guess(many.phones[3], 12)
    guess(many.phones[4], 52)
    assert many.boss.json("/projector")["vote"]["guesses"] == [[9, 2], [12, 2], [52, 1]]
    press(many, "close-vote")
    refused(guess(many.phones[5], 20), 409)
    assert many.boss.json("/projector")["vote"]["guesses"] == [[9, 2], [12, 2], [52, 1]]


def test_two_guesses_are_not_shown(many: Room) -> None:
    press(many, "predict-bingo", mode="L", speed="N")
    press(many, "bars")
    for phone in many.phones[:2]:
        guess(phone, 17)
    assert many.boss.json("/projector")["vote"]["guesses"] == []
    assert "Fewer than three have guessed" in many.boss.get("/projector").text
    guess(many.phones[2], 17)
    assert many.boss.json("/projector")["vote"]["guesses"] == [[17, 3]]


@pytest.mark.parametrize("number", ["", "0", "53", "-1", "7.5", "x", "9" * 300])
def test_a_guess_is_a_number_that_can_come_up(many: Room, number: str) -> None:
    press(many, "predict-bingo", mode="F", speed="N")
    refused(guess(many.phones[0], number), 422)
    assert many.phones[0].json("/vote")["yours"] == {}


def test_at_war_a_winner_is_chosen_and_the_number_may_be_left_out(many: Room) -> None:
    press(many, "predict-war")
    phone = many.phones[0]
    refused(guess(phone, 200), 422)
    refused(guess(phone, 20_001, "a"), 422)
    refused(guess(phone, 5, "c"), 422)
    assert guess(phone, "", "b").status_code == 200
    assert phone.json("/vote")["yours"] == {"1": {"choice": "b", "sure": 1}}
    assert guess(phone, 5, "a").status_code == 200
    assert phone.json("/me.json")["votes"] == [
        {"vote": 1, "ballot": 1, "choice": "a", "sure": 1, "number": 5}
    ]


def test_a_predicted_round_is_the_next_of_its_kind_that_counts(many: Room) -> None:
    press(many, "predict-bingo", mode="C", speed="N")
    for phone in many.phones[:3]:
        guess(phone, 20)
    many.deal(mode="C")
    refused(guess(many.phones[0], 21), 409)  # the first card is dealt: no guess any more
    assert "solve" not in {move["name"] for move in votes_page(many)["moves"]}
    many.call(3)
    many.move("void")
    many.play(mode="L")
    assert "solve" not in {move["name"] for move in votes_page(many)["moves"]}
    meant = many.play(mode="C")
    many.play(mode="C")
    shown = press(many, "solve")["vote"]
    assert shown["solution"]["number"] == meant["places"][0]["call"] == len(meant["called"])
    assert shown["guesses"] == [[20, 3]]


def test_the_chart_at_bingo_is_exact(many: Room) -> None:
    """Twelve cards: nobody has the four corners with a chance that is counted here."""
    press(many, "predict-bingo", mode="C", speed="N")
    press(many, "bars")
    rows = table_rows(many.boss.get("/projector").text)

    def by(call: int) -> float:
        return 1 - (1 - comb(call, 4) / comb(52, 4)) ** 12

    assert len(rows) > 5
    for name, share, _ in rows[:-1]:
        low, _, high = name.partition("-")
        chance = by(int(high or low)) - by(int(low) - 1)
        assert float(share.rstrip("%")) == pytest.approx(100 * chance, abs=0.051)


def test_the_lab_plays_for_all_classes_once_and_fills_the_chart(many: Room) -> None:
    press(many, "predict-war")
    press(many, "bars")
    for phone in many.phones[:4]:
        guess(phone, 100, "a")
    rows = table_rows(many.boss.get("/projector").text)
    assert {share for _, share, _ in rows} == {"0.0%"}
    press(many, "close-vote")
    press(many, "predict-war")
    press(many, "bars")
    jobs = jobs_of(many.app)
    (job,) = jobs.latest(10)
    run = to_run(job)
    assert run
    assert run.experiment == WAR_GAMES
    play_all(jobs)
    rows = table_rows(many.boss.get("/projector").text)
    assert sum(float(share.rstrip("%")) for _, share, _ in rows) == pytest.approx(100, abs=1)
    assert 20 < float(rows[1][1].rstrip("%")) < 35, "a quarter of the games takes 201 to 400 turns"


def table_rows(text: str) -> list[list[str]]:
    """Return the rows of the table of a chart."""
    rows = re.findall(r"<tr><th scope=\"row\">([^<]*)</th><td>([^<]*)</td><td>([^<]*)</td>", text)
    return [list(row) for row in rows]


def test_nothing_that_is_sent_follows_from_the_hidden_game(many: Room) -> None:
    """Another game is put in its place, before its result is shown: every answer stays the same."""
    press(many, "predict-war")
    press(many, "bars")
    for phone in many.phones[:5]:
        guess(phone, 300, "a")
    press(many, "close-vote")
    store: ClassStore = many.app.extensions[EXTENSION]
    seen = []
    for salt in SALTS:
        stored = store.load(many.code)
        assert stored
        *others, vote = stored.classroom.votes
        with many.app.app_context():
            vote = msgspec.structs.replace(vote, question=WarGame.dealt(salt))
        changed = msgspec.structs.replace(stored.classroom, votes=(*others, vote))
        assert store.commit(many.code, stored.counters, Change(changed))
        assert stored_game(many).salt == salt
        answers = [
            one.get(path, headers=how).data
            for one, paths in (
                (many.boss, ("/votes", "/dashboard", "/projector?show=vote", "/votes.csv")),
                (many.phones[0], ("", "/vote", "/me.json", "/projector?show=vote")),
            )
            for path in paths
            for how in ({}, JSON)
        ]
        assert not any(salt.encode() in data for data in answers)
        steps = rb'(version"?[=:]|name="step" value=|"step":|last_seen":)"?[\d.-]+"?'
        seen.append([re.sub(steps, b"", data) for data in answers])
    assert len({game_of(salt) for salt in SALTS}) > 1
    assert seen[0] == seen[1] == seen[2]


def test_a_guess_goes_with_its_student_and_stays_in_the_sum(many: Room) -> None:
    press(many, "predict-bingo", mode="L", speed="N")
    for phone in many.phones[:4]:
        guess(phone, 14)
    press(many, "close-vote")
    press(many, "bars")
    key = f"class/{many.code} answer/0001/{many.phones[0].number:04}"
    assert key in class_rows(many.app)
    many.phones[0].post("/leave", what="forget")
    assert key not in class_rows(many.app)
    assert votes_page(many)["vote"]["guesses"] == [[14, 4]]


def test_the_spreadsheet_has_the_numbers_guessed(many: Room) -> None:
    press(many, "predict-bingo", mode="L", speed="Y")
    for phone, number in zip(many.phones, (3, 4, 4), strict=False):
        guess(phone, number)
    call = len(many.play(mode="L", speed="Y")["called"])
    press(many, "solve")
    lines = many.boss.get("/votes.csv").text.splitlines()[1:]
    assert [line.split(",")[3:] for line in lines] == [
        [str(call), "1", "3", "1", "3"],
        [str(call), "1", "4", "2", "3"],
    ]


def test_no_prediction_begins_in_a_round(many: Room) -> None:
    many.deal()
    for move in ("predict-war", "predict-bingo"):
        refused(try_press(many, move, mode="L"), 422)
