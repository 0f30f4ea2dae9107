"""Predictions: guesses by the test's own counting, and what comes out by its own game."""

import random
import re
import statistics
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from math import comb
from typing import Any

import flask
import pytest

from cardgames.cards import FULL_DECK
from tests.support.classroom import Phone, Room, Watch, class_rows, open_room, refusal
from tests.support.lab import jobs_of, play_all
from web.classes import predictions
from web.classes.class_store import ClassStore
from web.classes.predictions import TICK_TURNS, WarGame
from web.live_class.state import EXTENSION
from web.simulation.runs import to_run
from web.votes import guesses

SALTS = ("00" * 16, "07" * 16, "0f" * 16)
RANKS = "23456789TJQKA"


def guess(phone: Phone, number: Any, choice: str = "", **fields: Any) -> Any:
    vote = phone.json("/vote")["vote"]["number"]
    sent = {"vote": vote, "ballot": 1, "choice": choice, "number": number}
    return phone.post("/vote", **(sent | fields))


def played_turns(salt: str) -> Iterator[tuple[list[int], list[str]]]:
    """Yield the sizes of both hands after each turn of the game of War of a salt, and its pile."""
    draws = 0

    def shuffled(cards: list[str]) -> list[str]:
        nonlocal draws
        draws += 1
        return sorted(cards, key=lambda card: sha256(f"{salt} {draws} {card}".encode()).digest())

    deck = shuffled([str(card) for card in FULL_DECK])
    hands = [deck[0::2], deck[1::2]]
    while all(hands):
        pile: list[str] = []
        while True:
            shown = [hand.pop(0) if hand else "" for hand in hands]
            ranks = [RANKS.index(card[0]) if card else -1 for card in shown]
            if -1 in ranks:  # one alone has a card left: it takes the pile and shows none
                hands[ranks.index(max(ranks))].insert(0, max(shown))
                break
            pile += shown
            if ranks[0] != ranks[1] or not any(hands):
                break
        taker = 1 if ranks[1] >= ranks[0] else 0
        hands[taker] = shuffled(hands[taker] + pile)
        yield [len(hand) for hand in hands], pile


def game_of(salt: str) -> tuple[str, int]:
    """Return who wins the game of War that follows from a salt, and after how many turns."""
    *_, (turns, (sizes, _)) = enumerate(played_turns(salt), 1)
    return "ab"[0 if sizes[0] else 1], turns


def moves_of(room: Room) -> set[str]:
    """Return the moves about votes that are possible now."""
    return {move["name"] for move in room.boss.json("/votes")["moves"]}


@pytest.fixture
def many(school: flask.Flask, monkeypatch: pytest.MonkeyPatch) -> Room:
    """Its games of War all take 567 turns: a shorter one could be over before a test is."""
    monkeypatch.setattr("web.votes.moves.random_salt", lambda: SALTS[0])
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
    many.vote("predict-war")
    bets, numbers = [], []
    for phone in many.phones:
        guess(phone, rng.randint(1, 900), rng.choice("ab"))  # what was answered before counts not
        choice, number = rng.choice("ab"), rng.choice(["", rng.randint(1, 20_000)])
        assert guess(phone, number, choice).status_code == 200
        bets.append(choice)
        numbers += [number] if number else []
    many.vote("close-vote")
    shown = many.vote("solve")["vote"]
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
    many.vote("predict-bingo", mode="L", speed="N")
    for phone in many.phones[:2]:
        guess(phone, 9)
    many.vote("bars")
    assert many.boss.json("/projector")["vote"]["guesses"] == []
    assert "Fewer than three have guessed" in many.boss.get("/projector").text
    many.vote("close-vote")
    many.vote("predict-bingo", mode="L", speed="N")
    for phone, number in zip(many.phones, (9, 9, 12, 30), strict=False):
        guess(phone, number)
    screen = many.boss.json("/projector")["vote"]
    assert (screen["answered"], screen["guesses"], screen["phase"]) == (4, [], "open")
    assert "<svg" not in re.sub(r"(?s)<nav.*?</nav>", "", many.boss.get("/projector").text)
    many.vote("bars")
    assert many.boss.json("/projector")["vote"]["guesses"] == [[9, 2], [12, 1], [30, 1]]
    guess(many.phones[3], 12)
    guess(many.phones[4], 52)
    assert many.boss.json("/projector")["vote"]["guesses"] == [[9, 2], [12, 2], [52, 1]]
    many.vote("close-vote")
    refusal(guess(many.phones[5], 20), 409)
    assert many.boss.json("/projector")["vote"]["guesses"] == [[9, 2], [12, 2], [52, 1]]


@pytest.mark.parametrize("number", ["", "0", "53", "-1", "7.5", "x", "9" * 300])
def test_a_guess_is_a_number_that_can_come_up(many: Room, number: str) -> None:
    many.vote("predict-bingo", mode="F", speed="N")
    said = refusal(guess(many.phones[0], number))
    assert said == "A number from 1 to 52.", "as the page says it, and no field's name"
    assert many.phones[0].json("/vote")["yours"] == {}


def test_at_war_a_winner_is_chosen_and_the_number_may_be_left_out(many: Room) -> None:
    many.vote("predict-war")
    phone = many.phones[0]
    refusal(guess(phone, 200))
    refusal(guess(phone, 20_001, "a"))
    refusal(guess(phone, 5, "c"))
    assert guess(phone, "", "b").status_code == 200
    assert phone.json("/vote")["yours"] == {"1": {"choice": "b", "sure": 1}}
    assert guess(phone, 5, "a").status_code == 200
    assert phone.json("/me.json")["votes"] == [
        {"vote": 1, "ballot": 1, "choice": "a", "sure": 1, "number": 5}
    ]


def test_a_predicted_round_is_the_next_of_its_kind_that_counts(many: Room) -> None:
    many.vote("predict-bingo", mode="C", speed="N")
    for phone in many.phones[:3]:
        guess(phone, 20)
    many.deal(mode="C")
    refusal(guess(many.phones[0], 21), 409)  # the first card is dealt: no guess any more
    assert "solve" not in moves_of(many)
    many.call(3)
    many.move("void")
    many.play(mode="L")
    assert "solve" not in moves_of(many)
    meant = many.play(mode="C")
    many.play(mode="C")
    shown = many.vote("solve")["vote"]
    assert shown["solution"]["number"] == meant["places"][0]["call"] == len(meant["called"])
    assert shown["guesses"] == [[20, 3]]


def test_the_chart_at_bingo_is_exact(many: Room) -> None:
    """Twelve cards: nobody has the four corners with a chance that is counted here."""
    many.vote("predict-bingo", mode="C", speed="N")
    many.vote("bars")
    rows = table_rows(many.boss.get("/projector").text)

    def by(call: int) -> float:
        return 1 - (1 - comb(call, 4) / comb(52, 4)) ** 12

    assert len(rows) > 5
    for name, share, _ in rows[:-1]:
        low, _, high = name.partition("-")
        chance = by(int(high or low)) - by(int(low) - 1)
        assert float(share.rstrip("%")) == pytest.approx(100 * chance, abs=0.051)


def test_the_lab_plays_for_all_classes_once_and_fills_the_chart(
    many: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = replace(guesses.WAR_GAMES, games=1_000)
    monkeypatch.setattr(guesses, "WAR_GAMES", games)
    many.vote("predict-war")
    many.vote("bars")
    for phone in many.phones[:4]:
        guess(phone, 100, "a")
    rows = table_rows(many.boss.get("/projector").text)
    assert {share for _, share, _ in rows} == {"0.0%"}
    many.vote("close-vote")
    many.vote("predict-war")
    many.vote("bars")
    jobs = jobs_of(many.app)
    (job,) = jobs.latest(10)
    run = to_run(job)
    assert run
    assert run.experiment == games
    play_all(jobs)
    rows = table_rows(many.boss.get("/projector").text)
    assert sum(float(share.rstrip("%")) for _, share, _ in rows) == pytest.approx(100, abs=1)
    assert 20 < float(rows[1][1].rstrip("%")) < 35, "a quarter of the games takes 201 to 400 turns"


def table_rows(text: str) -> list[list[str]]:
    """Return the rows of the table of a chart."""
    rows = re.findall(r"<tr><th scope=\"row\">([^<]*)</th><td>([^<]*)</td><td>([^<]*)</td>", text)
    return [list(row) for row in rows]


def test_a_guess_goes_with_its_student_and_stays_in_the_sum(many: Room) -> None:
    many.vote("predict-bingo", mode="L", speed="N")
    for phone in many.phones[:4]:
        guess(phone, 14)
    many.vote("close-vote")
    many.vote("bars")
    key = f"class/{many.code} answer/0001/{many.phones[0].number:04}"
    assert key in class_rows(many.app)
    many.phones[0].post("/leave", what="forget")
    assert key not in class_rows(many.app)
    assert many.boss.json("/votes")["vote"]["guesses"] == [[14, 4]]


def test_the_spreadsheet_has_the_numbers_guessed(many: Room) -> None:
    many.vote("predict-bingo", mode="L", speed="Y")
    for phone, number in zip(many.phones, (3, 4, 4), strict=False):
        guess(phone, number)
    call = len(many.play(mode="L", speed="Y")["called"])
    many.vote("solve")
    lines = many.boss.get("/votes.csv").text.splitlines()[1:]
    assert [line.split(",")[3:] for line in lines] == [
        [str(call), "1", "3", "1", "3"],
        [str(call), "1", "4", "2", "3"],
    ]


# ---- War on the big screen -----------------------------------------------------------------------


def bet(room: Room) -> WarGame:
    """Have a class bet on a game of War, and close the vote."""
    room.vote("predict-war")
    for phone, choice in zip(room.phones, "aaaab", strict=False):
        guess(phone, 400, choice)
    assert "turn" not in moves_of(room)
    room.vote("close-vote")
    return stored_game(room)


def war_of(room: Room) -> dict[str, Any]:
    shown: dict[str, Any] = room.visitor().json("/projector?show=vote")["war"]
    return shown


def test_a_game_is_shown_turn_by_turn_as_the_rules_play_it(many: Room) -> None:
    game = bet(many)
    screen = many.visitor().get("/projector?show=vote").text
    assert "<h1>Who wins, and after how many turns?</h1>" in screen, "whole: the game stands below"
    assert war_of(many)["turn"] == 0
    assert [one["cards"] for one in war_of(many)["players"]] == [26, 26]
    for turns, so_far in (("1", 1), ("10", 11), ("1", 12)):
        many.vote("turn", turns=turns)
        war, (sizes, pile) = war_of(many), table_after(game.salt, so_far)
        assert war["turn"] == so_far
        assert [one["cards"] for one in war["players"]] == sizes
        assert sorted(card for row in war["battle"] for card in row) == sorted(pile)
        assert many.boss.get("/votes").text.count(f"Turn {so_far}") == 1
    many.vote("turn", turns="all")
    assert war_of(many)["turn"] == game.number
    assert sorted(one["cards"] for one in war_of(many)["players"]) == [0, 52]
    assert "turn" not in moves_of(many)
    assert many.vote("solve")["vote"]["solution"]["right"] == game_of(game.salt)[0]


def test_the_clock_turns_and_stops_at_the_end(many: Room, watch: Watch) -> None:
    game = bet(many)
    many.vote("run-war")
    for seconds in (0, 1, 3):
        watch.pass_by(seconds)
    assert war_of(many)["turn"] == 4 * TICK_TURNS
    many.vote("stop-war")
    watch.pass_by(60)
    assert war_of(many)["turn"] == 4 * TICK_TURNS
    many.vote("turn", turns="1")
    many.vote("run-war")
    watch.pass_by(2)
    many.vote("bars")  # whatever is pressed keeps what was shown
    assert war_of(many)["turn"] == 6 * TICK_TURNS + 1
    many.vote("run-war")
    watch.pass_by(9_000)
    assert war_of(many)["turn"] == game.number
    phone = many.phones[0].json("/updates")
    watch.pass_by(5)
    assert many.phones[0].json("/updates")["version"] == phone["version"]
    assert phone["every"] > 1


def test_a_phone_follows_three_seconds_at_a_time_and_the_big_screen_each(
    many: Room, watch: Watch
) -> None:
    """Other pages of a student's have no news of it."""
    game = bet(many)
    many.vote("run-war")
    one, pages, seen = many.phones[0], ("", "?of=vote", "?of=screen"), list[list[str]]()
    for _ in range(7):
        shown = [one.json(f"/updates{page}") for page in pages]
        assert {page["every"] for page in shown} == {1}
        seen.append([page["version"] for page in shown])
        watch.pass_by(1)
    still, phone, screen = zip(*seen, strict=True)
    assert (len({*still}), len({*phone}), len({*screen})) == (1, 3, 7)
    assert phone[:3] == (phone[0],) * 3 != phone[3:6] == (phone[3],) * 3
    watch.pass_by(9_000)
    text, version = one.get("/vote").text, one.json("/updates?of=vote")["version"]
    assert f"Turn {game.number}: " in text, "the end comes at once"
    assert f'data-version="{version}"' in text


def test_a_phone_shows_the_turn_and_the_cards_of_the_big_screen(many: Room) -> None:
    game = bet(many)
    assert "No card has been shown yet." in many.phones[0].get("/vote").text
    for turns, so_far in (("10", 10), ("100", 110), ("100", 210)):
        many.vote("turn", turns=turns)
        text, (sizes, pile) = many.phones[0].get("/vote").text, table_after(game.salt, so_far)
        assert f"Turn {so_far}: " in text
        assert sorted(re.findall(r"/cards/(\w\w)\.svg", text)) == sorted(pile)
        assert re.findall(r"<figcaption>\w+ <b>(\d+)</b>", text) == [str(one) for one in sizes]


def test_a_deal_and_another_vote_keep_what_was_shown(many: Room, watch: Watch) -> None:
    bet(many)
    many.vote("run-war")
    watch.pass_by(3)
    many.deal(every="3")
    watch.pass_by(6)
    assert war_of(many)["turn"] == 3 * TICK_TURNS
    assert len(many.desk()["round"]["called"]) == 2
    many.vote("turn", turns="1")
    watch.pass_by(3)
    assert len(many.desk()["round"]["called"]) == 3, "the clock of the round goes on"
    assert "Bingo" in refusal(many.try_vote("run-war"))
    many.move("void")
    many.vote("run-war")
    watch.pass_by(3)
    many.vote("predict-war")
    many.vote("close-vote")
    assert war_of(many)["turn"] == 0


def table_after(salt: str, turns: int) -> tuple[list[int], list[str]]:
    """Return the sizes of the hands after some turns, and the last pile, by the test's own game."""
    sizes, pile = [26, 26], list[str]()
    for now in played_turns(salt):
        sizes, pile = now
        turns -= 1
        if not turns:
            break
    return sizes, pile


@pytest.mark.parametrize("salt", SALTS)
def test_a_game_played_on_is_the_game_from_its_beginning(salt: str) -> None:
    predictions.war_table.cache_clear()
    for turns in (300, 1, 99, 100, 101, 250, 200, 305):
        shown = predictions.war_table(salt, turns).shown()
        sizes, pile = table_after(salt, turns)
        assert (shown.turn, [player.cards for player in shown.players]) == (turns, sizes)
        assert sorted(str(card) for row in shown.battle for card in row) == sorted(pile)
