"""The ledger and the advisor: the costs of decisions, and the effects of luck and skill."""

import random
from collections.abc import Iterator

import pytest

from cardgames import GAMES
from cardgames.advice import Decision
from cardgames.cards import Card
from cardgames.game import AnyGame
from cardgames.ledger import EMPTY_LEDGER, Ledger, after_move, review_round
from cardgames.records.replay import replay
from cardgames.table import Phase, Table
from tests.support.play import cards, deck_file, play, play_rounds, salts
from tests.support.twentyone import SLUGS, deal

advised = pytest.mark.parametrize("game", [GAMES[slug] for slug in SLUGS], ids=SLUGS)


def follow(slug: str, *moves: str, **sent: str) -> Ledger:
    """Return the ledger after the given moves.

    The moves use the player's own deck or no randomness.
    """
    table, ledger = Table(GAMES[slug]), EMPTY_LEDGER
    for move in moves:
        after = play(table, move, new_salt=salts(1), **(sent if move == "deal" else {}))
        ledger = after_move(ledger, table.game.advisor, table, move, after)
        table = after
    return ledger


def at_random(game: AnyGame, seed: int) -> Iterator[tuple[Table, str, Table]]:
    """Yield random moves: the table before, the move's name, and the table after."""
    rng, new_salt, table = random.Random(seed), salts(seed), Table(game)
    while True:
        names = [move.name for move in table.moves() if move.name not in ("new", "deal")]
        over = table.phase is Phase.GAME_OVER
        name = rng.choice(names or ["new" if over else "deal"])
        after = play(table, name, new_salt=new_salt)
        yield table, name, after
        table = after


def best_ev(table: Table) -> float:
    assert table.game.advisor
    odds = table.game.advisor.odds(table.state)
    return max(odds.hit.ev, odds.stay.ev)


# ---- The ledger ----------------------------------------------------------------------------


def test_hitting_16_against_a_ten_at_blackjack() -> None:
    """In numbers.md, TS 6D against QC has the value -.58026191 for staying, -.60515194 for hitting.

    Therefore a hit costs .02489003. At Blackjack the dealer's first card is the hole card, and the
    second card is the upcard.
    """
    ledger = follow("blackjack", "deal", "hit", deck=deck_file("TS 2C 6D QC KS"))
    (decision,) = ledger.current_decisions
    assert (decision.chosen, decision.best, decision.round) == ("hit", "stay", 1)
    assert (decision.hand, decision.upcard) == (cards("TS 6D"), "QC")
    assert decision.cost == pytest.approx(0.60515194 - 0.58026191, abs=2e-8)
    assert (ledger.rounds, ledger.result, ledger.mistakes, ledger.streak) == (1, -1, 1, 0)
    assert ledger.expected == pytest.approx(-0.58026191, abs=1e-8)
    assert ledger.luck == pytest.approx(-1 + 0.60515194, abs=2e-8)
    assert ledger.costliest == (decision,)


def test_giving_up_costs_the_whole_value_of_the_round() -> None:
    ledger = follow("blackjack", "deal", "deal", deck=deck_file("TS 2C 6D QC"))
    (costly,) = ledger.costliest
    assert costly.chosen == "deal"
    assert costly.cost == pytest.approx(1 - 0.58026191, abs=1e-8)
    assert (ledger.rounds, ledger.result, ledger.current_decisions) == (1, -1, ())
    assert ledger.round_open


@advised
def test_result_is_expected_plus_luck_minus_cost(game: AnyGame) -> None:
    """Each sum equals the test's own sum over the moves."""
    ledger, cost, expected, result, rounds = EMPTY_LEDGER, 0.0, 0.0, 0, 0
    for table, move, after in at_random(game, 4):
        if table.phase is Phase.PLAYING:
            odds = game.advisor.odds(table.state) if game.advisor else None
            assert odds
            cost += best_ev(table) - {"hit": odds.hit.ev, "stay": odds.stay.ev}[move]
        if move == "deal" and after.phase is Phase.PLAYING:
            expected += best_ev(after)
        if after.result is not None:
            rounds += 1
            result += {"player": 1, "dealer": -1, "tie": 0}[after.result.winner]
        ledger = after_move(ledger, game.advisor, table, move, after)
        if rounds == 12:
            break
    assert (ledger.rounds, ledger.result) == (rounds, result)
    assert ledger.cost == pytest.approx(cost, abs=1e-7)
    assert ledger.expected == pytest.approx(expected, abs=1e-9)
    assert ledger.result == pytest.approx(ledger.expected + ledger.luck - ledger.cost, abs=1e-9)
    costs = [one.cost for one in ledger.costliest]
    assert costs == sorted(costs, reverse=True)
    assert 0 < len(costs) <= 5
    assert 0 not in costs


def test_asked_in_the_middle_of_a_round_it_begins_there() -> None:
    table = deal("simple-21", "TS QC 6D 2C")
    after = play(table, "stay")
    ledger = after_move(EMPTY_LEDGER, table.game.advisor, table, "stay", after)
    assert ledger.rounds == 1
    assert ledger.expected == pytest.approx(best_ev(table))
    # A round that has ended has no open decision.
    again = after_move(EMPTY_LEDGER, table.game.advisor, after, "new", play(after, "new"))
    assert again == EMPTY_LEDGER


@pytest.mark.parametrize("moves", [("deal", "hit", "hit"), ("deal", "stay"), ("deal", "deal")])
def test_a_finished_round_is_reviewed_as_it_was_followed(moves: tuple[str, ...]) -> None:
    deck = deck_file("2S 9C 3S TD 4H TH")
    played = play_rounds("blackjack", *moves, deck=deck, new_salt=salts(1))
    if not played.records:
        played = play_rounds(played.table, "stay", new_salt=salts(1))
    record = played.records[0]
    names = [action.name for action in record.single_actions()]
    assert GAMES["blackjack"].advisor
    review = review_round(GAMES["blackjack"].advisor, replay(record).tables, names)
    chosen = ["deal" if name == "forfeit" else name for name in names[1:]]
    assert [decision.chosen for decision in review.current_decisions] == chosen
    assert (review.rounds, review.round_open) == (1, False)
    assert review.result == pytest.approx(review.expected + review.luck - review.cost)


def test_right_decision_extends_the_streak() -> None:
    ledger = follow("blackjack", "deal", "stay", deck=deck_file("TS 2C 6D QC KS"))
    assert (ledger.streak, ledger.mistakes) == (1, 0)
    assert not follow("blackjack", "deal", "new", deck=deck_file("TS 2C 6D QC")).round_open


# ---- The advisor ---------------------------------------------------------------------------


def test_advice_names_the_decision_and_the_helpful_cards() -> None:
    """In numbers.md, hitting 16 against a queen is best at Simple 21.

    The ranks from ace to five help the player.
    """
    state, advisor = deal("simple-21", "TS QC 6D 2C").state, GAMES["simple-21"].advisor
    assert advisor
    situation, odds = advisor.situation(state), advisor.odds(state)
    assert (situation.total, situation.soft) == (16, False)
    assert advisor.situation_text(situation) == "16 against a queen"
    assert advisor.best_text(odds) == "The best play is to hit."
    helping = [advisor.out_text(out) for out in advisor.outs(state, odds)]
    assert helping == ["4 aces", "4 twos", "4 threes", "4 fours", "4 fives"]
    decided = [advisor.decided_text(move) for move in ("hit", "stay", "deal")]
    assert decided == ["You hit.", "You stayed.", "You gave up the round."]
    regrets = [advisor.regret_text(move) for move in ("hit", "stay")]
    assert regrets == ["What if I had hit?", "What if I had stayed?"]


@pytest.mark.parametrize(
    ("slug", "hand", "chosen", "cost", "said"),
    [
        ("simple-21", "TS 6D", "stay", 0.03628191, "Staying on 16 {} was a mistake: −3.6 points."),
        ("simple-21", "TS 6D", "hit", 0.0, "Hitting 16 {} was the best play."),
        ("one-deck", "AS 6D", "stay", 0.1, "Standing on soft 17 {} was a mistake: −10 points."),
        ("one-deck", "AS 6D", "stay", 1e-5, "Standing on soft 17 {} was a mistake: −0.1 points."),
        ("blackjack", "AS 6D", "hit", 0.0, "Hitting soft 17 {} was the best play."),
    ],
)
def test_a_decision_is_judged_in_a_sentence(
    slug: str, hand: str, chosen: str, cost: float, said: str
) -> None:
    decision = Decision(1, cards(hand), Card("QC"), chosen, "stay", cost)
    advisor = GAMES[slug].advisor
    assert advisor
    assert advisor.assessment(decision) == said.format("against a queen")
