"""Verdicts and events for recordings that were written by hand, so that no program runs."""

from course.grading.recordings import Event, Recording, verdicts
from course.grading.trial import Outcome
from course.sheets.blackjack.checks.canvas import Screen, Text
from course.sheets.blackjack.checks.events import events_in, score_change, situation, split_rounds
from course.sheets.blackjack.checks.scenarios import Hand, Layout, Moment
from course.sheets.one_deck.checks import events as one_deck
from course.sheets.one_deck.checks.game import Game, Played, coded

NEEDS = {"S1-6": ("stands",), "S1-7": ("ace",), "S1-22": ("draws",), "S1-8": ("bust",)}


RIGHT, WRONG = True, False


def event(name: str, right: bool | None, *blames: str, cause: str = "") -> Event:
    return Event(name, blames, right, "17", "19", cause=cause)


def test_one_fault_is_charged_to_its_best_explanation() -> None:
    found = verdicts(
        NEEDS,
        [
            event("ace", WRONG, "S1-7", "S1-6"),
            event("stands", WRONG, "S1-6"),
            event("draws", RIGHT, "S1-22"),
        ],
    )
    assert found["S1-6"].expected == "17"
    assert (found["S1-7"].unseen != "", found["S1-7"].because) == (True, "S1-6")
    assert found["S1-22"].passed
    assert (found["S1-8"].passed, found["S1-8"].expected) == (False, "")


def test_unknown_is_not_seen_and_never_lost() -> None:
    found = verdicts({"S1-8": ("bust",)}, [event("bust", None, "S1-8")])
    assert found["S1-8"].unseen
    assert not found["S1-8"].expected


def test_same_line_is_one_fault() -> None:
    error = "NameError('x') in game.py, line 7"
    found = verdicts(
        {"S1-6": ("stands",), "S1-7": ("ace",)},
        [
            event("stands", WRONG, "S1-6", cause=error),
            event("ace", WRONG, "S1-7", cause=error),
        ],
    )
    assert found["S1-6"].cause == error
    assert found["S1-7"].because == "S1-6"


# ---- Blackjack -----------------------------------------------------------------------------------

LAYOUT = Layout("mine", "theirs", {0: ("player", 0)})


def moment(step: str, mine: str, theirs: str, *texts: str, hides: bool = False) -> Moment:
    """Return the observations after a click.

    During the round the dealer's first card is hidden.
    """
    codes = [*mine.split(), *theirs.split()]
    seen = [code for code in codes if not (hides and code == theirs.split(maxsplit=1)[0])]
    pictures = [(code, 80.0 * n, 100.0, 72.0, 96.0) for n, code in enumerate(seen)]
    hands = {
        "mine": Hand(tuple(mine.split()), None),
        "theirs": Hand(tuple(theirs.split()), None),
    }
    calls = {"deal_card": 4, "add_card": 4, "shuffle": 1} if step == "deal" else {}
    screen = Screen([Text(text, 0, 0) for text in texts], pictures)
    return Moment(step, screen, hands=hands, calls=calls, buttons=("Deal", "Hit", "Stand"))


def recording(*moments: Moment) -> Recording:
    return Recording([*moments], Outcome())


def played(theirs: str, message: str, score: int, *, mine: str = "CT H9") -> Recording:
    """Return a round in which the player stands, and the deal of the next round."""
    before = ("Blackjack", "Score 0", "Hit or stand?")
    return recording(
        moment("deal", mine, theirs, *before, hides=True),
        moment("stand", mine, theirs, "Blackjack", f"Score {score}", f"{message} New deal?"),
        moment("deal", mine, theirs, "Blackjack", f"Score {score}", "Hit or stand?", hides=True),
    )


def rights(found: dict[str, Recording]) -> dict[str, bool | None]:
    """Return whether each event was always correct, keyed by the event's name."""
    first = {"first": played("ST D8", "You win!", 1)}
    result: dict[str, bool | None] = {}
    for each in events_in(LAYOUT, first | found):
        if result.get(each.name) is not False:
            result[each.name] = each.is_right
    return result


def test_tie_won_by_the_player_is_wrong() -> None:
    loss = played("ST D9", "The dealer wins.", -1, mine="CT H8")
    said = {"win": played("ST D8", "You win!", 1), "loss": loss}
    for message, score, right in (("The dealer wins.", -1, True), ("You win!", 1, False)):
        found = rights(said | {"tie": played("ST D9", message, score)})
        assert (found["the winner/tie"], found["the winner/win"]) == (right, True)


def test_words_nobody_knows_are_read_by_the_score() -> None:
    loss = played("ST D9", "Ouch.", -1, mine="CT H8")
    found = rights({"win": played("ST D8", "Hooray!", 1), "loss": loss})
    assert found["the winner/win"] is found["the winner/loss"] is True


def test_score_without_losses_is_wrong() -> None:
    loss = played("ST D9", "The dealer wins.", 0, mine="CT H8")
    found = rights({"win": played("ST D8", "You win!", 1), "loss": loss})
    assert found["the score/win and loss"] is False


def test_values_of_hands_are_no_score() -> None:
    before = moment("deal", "CT H9", "ST D8", "Player 19", "Points 3", hides=True)
    end = moment("stand", "CT H9", "ST D8", "Player 19", "Points 4")
    after = moment("deal", "C2 H3", "S4 D8", "Player 5", "Points 4", hides=True)
    (first, _) = split_rounds("win", recording(before, end, after), LAYOUT)
    assert situation(first) == "win"
    assert score_change(first) == {("points", 1): 1}


def test_unrevealed_hole_card_is_wrong() -> None:
    hidden = recording(
        moment("deal", "CT H9", "ST D8", "Blackjack", hides=True),
        moment("stand", "CT H9", "ST D8", "Blackjack", "You win!", hides=True),
    )
    assert rights({"win": hidden})["the hole card is shown"] is False


# ---- One-deck ------------------------------------------------------------------------------------


def one(codes: str, text: str, *, left: int = 48) -> Played:
    return Played(Game(codes, ("s", "n")), ["", coded(text), "Bye"], 2, decks=(left,))


def test_dealer_is_judged_by_the_remaining_cards() -> None:
    for left, right in ((48, True), (47, False)):
        games = {"9h 8d 2h": one("Kc 9h Qc 8d 2h", "", left=left)}
        (event_,) = one_deck.dealer(games)
        assert (event_.name, event_.is_right) == ("the dealer stands", right)


def test_any_distinct_words_name_the_winner() -> None:
    texts = {"win": "Hooray", "loss": "Ouch", "tie": "Meh"}
    for changed, right in (({}, True), ({"tie": "Ouch"}, False)):
        games = {name: one("Kc Th 9c 8d", text) for name, text in (texts | changed).items()}
        told = {e.name: e.is_right for e in one_deck.messages(games)}
        assert told["the winner is told"] is right


def test_cards_are_read_in_other_spellings() -> None:
    assert coded("ten of Hearts, KING OF CLUBS, 10♦ and QS") == "Th, Kc, Td and Qs"
    assert coded("as a house, 3 hits") == "as a house, 3 hits"
