"""Moves: the fields that a form may send, and the normalized form of actions."""

from collections.abc import Mapping

import pytest

from cardgames.cards import FULL_DECK
from cardgames.deck_file import File, InvalidDeck
from cardgames.moves import MAX_LINES_NAMED, Choice, DeckFile, FreeText, IllegalMove, Move, Repeat
from tests.support.play import deck_file

OPTIONS = {"C": "Corners", "L": "Line"}
DEAL = Move(
    "deal",
    "Deal",
    {
        "names": FreeText("Names", lambda text: text.strip().lower()),
        "mode": Choice("Mode", OPTIONS),
        "deck": DeckFile("Deck", "Play your own deck"),
        "other_deck": DeckFile("Other deck", "Play another", lenient=True),
    },
)
TURN = Move("turn", "Play", repeat=Repeat("turns", {"1": (1, "one"), "all": (99, "to the end")}))


def test_move_lists_its_fields() -> None:
    assert DEAL.form == {"mode": OPTIONS, "names": None, "deck": None, "other_deck": None}
    assert list(DEAL.questions) == ["names", "mode"]
    assert list(DEAL.decks) == ["deck", "other_deck"]
    assert TURN.form == {"turns": {"1": "one", "all": "to the end"}}
    assert Move("hit", "Hit").form == {}


def test_action_has_its_chosen_fields_in_alphabetical_order() -> None:
    sent = {"names": " Amy ", "mode": "L", "deck": "", "other_deck": deck_file("KS").lower()}
    action = DEAL.read(sent)
    assert [name for name, _ in action.choices] == ["mode", "names", "other_deck"]
    assert (action["mode"], action["names"], action["deck"]) == ("L", "amy", "")
    assert action.deck() is None
    assert (action.deck("other_deck") or ())[:2] == ("KS", "AC")
    assert (action.times, action.once) == (1, action)
    assert [TURN.read({"turns": "all"}).times, TURN.said(1), TURN.said(3)] == [
        99,
        "Play",
        "Play x 3",
    ]
    with pytest.raises(InvalidDeck):
        DEAL.read({"mode": "L", "deck": deck_file() + "\n# end"})


@pytest.mark.parametrize(
    ("move", "sent", "sentence"),
    [
        (DEAL, {}, "Deal needs a choice for Mode."),
        (DEAL, {"mode": "l"}, "Mode must be one of C, L."),
        (DEAL, {"mode": ""}, "Mode must be one of C, L."),
        (DEAL, {"mode": File("L", b"L")}, "Mode must be one of C, L."),
        (DEAL, {"mode": "L", "names": File("a", b"")}, "The field Names takes text, not a file."),
        (DEAL, {"mode": "L", "x\n": ""}, r"Deal has no field called 'x\n'."),
        (DEAL, {"mode": "L", "turns": ""}, "Deal has no field called 'turns'."),
        (TURN, {}, "Play needs a choice for turns."),
        (TURN, {"turns": "99"}, "turns must be one of 1, all."),
        (TURN, {"turns": "1", "mode": "L"}, "Play has no field called 'mode'."),
    ],
)
def test_unfitting_form_is_rejected_in_a_sentence(
    move: Move, sent: Mapping[str, str | File], sentence: str
) -> None:
    with pytest.raises(IllegalMove) as refused:
        move.read(sent)
    assert refused.value.text == str(refused.value) == sentence


def test_skipped_lines_of_a_deck_are_reported() -> None:
    """S4-39: the message contains the numbers of the first skipped lines."""
    many = "\n".join(["?"] * 12 + [*FULL_DECK])
    lines = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10"
    assert MAX_LINES_NAMED == 10
    assert DEAL.notes({"other_deck": many}) == (
        f"Other deck: 12 lines are not cards and were left out: {lines}.",
    )
    one = deck_file() + "\n# end"
    assert DEAL.notes({"other_deck": one}) == (
        "Other deck: line 53 is not a card and was left out.",
    )
    assert DEAL.notes({"other_deck": deck_file()}) == ()
    assert DEAL.notes({"deck": one, "other_deck": ""}) == DEAL.notes({}) == ()
