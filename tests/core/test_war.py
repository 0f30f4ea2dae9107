"""Tables of War: the deal, complete games, views and messages, moves and names."""

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK
from cardgames.moves import Action, IllegalMove
from cardgames.table import Table
from tests.support.play import play, salts
from tests.support.war import Luck, after_turn, at_table, hands, playing

WAR = GAMES["war"]

# The start of the sheet's printed game: `at start <'Amy' has [...]>`.
AMY = "AH 6D QH 8D 2H AS 3D 9H KD TC 9S 5H TD 2S 8H 7H 9C QC QD 9D 3S 3C JH 7S KH TS"
BRAD = "2D AD 5D JS 3H JC 7D 2C 8S 4D KC 6C 6S 6H 7C 4H 4C KS 5S TH 4S AC QS 8C 5C JD"
SHEET_DECK = "\n".join(
    f"{mine}\n{yours}" for mine, yours in zip(AMY.split(), BRAD.split(), strict=True)
)


def deal(fields: str = "players=2 names=Amy,Brad", seed: int = 1, **deck: str) -> Table:
    return play("war", f"deal {fields}", new_salt=salts(seed), **deck)


def turn(table: Table, turns: str = "1", seed: int = 2) -> Table:
    return play(table, f"turn turns={turns}", new_salt=salts(seed))


# ---- The first deal ------------------------------------------------------------------------


def test_first_deal_is_the_shuffled_deck_halved() -> None:
    """The players get the cards of the shuffled deck in turn (S3-1)."""
    luck = Luck(tuple(reversed(range(52))))
    state = WAR.deal(None, Action("deal", (("players", "2"), ("names", "Amy,Brad"))), luck)
    assert luck.asked == [[*FULL_DECK]]
    assert state.hands == (FULL_DECK[51::-2], FULL_DECK[50::-2])


# ---- Complete games ------------------------------------------------------------------------


def test_the_last_of_many_turns_is_told() -> None:
    table = turn(deal("players=3", seed=5), "all")
    first, *last = table.messages()
    assert first == f"{table.state.turn} turns were played. The last turn:"
    assert last[-1].endswith("wins!")


def test_stacked_until_the_first_pile_is_shuffled() -> None:
    table = deal(deck=SHEET_DECK)
    over = turn(turn(table), "all")
    again = play(over, "deal players=2", deck=SHEET_DECK)
    flags = [one.stacked for one in (deal(), table, turn(table), over, again)]
    assert flags == [False, True, False, False, True]
    assert again.state.hands == hands(AMY, BRAD)


def test_page_names_shown_cards_and_the_winner() -> None:
    tied = at_table(after_turn(playing(hands("AH 7H 2S", "AD 5D 3S")), Luck()))
    assert tied.story() == (
        "Amy: ace of hearts, Brad: ace of diamonds.",
        "War! Amy: seven of hearts, Brad: five of diamonds.",
        "Amy takes 4 cards.",
    )
    out = at_table(after_turn(playing(hands("4H", "4S 2C 3C")), Luck()))
    assert out.story()[1:] == ("Brad takes 2 cards.", "Amy has no card left for the tie.")
    assert out.result
    assert out.result.text == "Brad wins with all 52 cards after 1 turn"
    unnamed = turn(deal("players=2", deck=SHEET_DECK))
    assert unnamed.story() == ("You: ace of hearts, Mona: two of diamonds.", "You take 2 cards.")
    later = turn(unnamed, "10")
    assert later.story()[0] == "10 turns were played. The last turn:"
    assert len(later.shown().latest) == 6
    assert not WAR.had_tie(unnamed.state)


# ---- The view ------------------------------------------------------------------------------


def test_battle_rows_are_newest_first_with_their_players() -> None:
    state = after_turn(playing(hands("QH 4H 5H", "2C AC 5C", "QS 3S 5S")), Luck())
    shown = at_table(state).shown()
    assert shown.battle == (("4H", "3S"), ("QH", "2C", "QS"))
    assert shown.seats == ((0, 2), (0, 1, 2))
    assert (shown.taken_by, shown.rule, shown.turn) == ("Amy", "ties", 1)
    assert shown.people == ("Amy", "Brad", "Carl")
    assert WAR.had_tie(state)
    assert WAR.progress(state) == (6, 2, 1)


@pytest.mark.parametrize(
    ("before", "rule"),
    [
        (("AH 2H", "KS 2S"), "turn"),
        (("AH 2H 5H", "AS 3S"), "ties"),
        (("AH 2H", "AS"), "running-out"),
        (("AH", "AS", "2S 3S"), "running-out"),
    ],
)
def test_turn_names_its_deciding_rule(before: tuple[str, ...], rule: str) -> None:
    assert at_table(after_turn(playing(hands(*before)), Luck())).shown().rule == rule
    assert rule in {one.anchor for one in WAR.info.rules}


# ---- Moves and names -----------------------------------------------------------------------


def deal_with(players: str, names: str) -> Table:
    return Table(WAR).play("deal", {"players": players, "names": names}, salts(1)).table


@pytest.mark.parametrize(
    ("players", "text", "names"),
    [
        ("2", "", ("Player 1", "Player 2")),
        ("3", "   ", ("Player 1", "Player 2", "Player 3")),
        ("2", "Amy,Brad", ("Amy", "Brad")),
        ("2", "  Amy ,\tBrad ", ("Amy", "Brad")),
        ("2", f"Amy{' ' * 50_000}, Brad", ("Amy", "Brad")),
        ("4", "Amy, Brad", ("Amy", "Brad", "Player 3", "Player 4")),
        ("2", "Player 2, Player 1", ("Player 2", "Player 1")),
        ("2", "Zoë O'Hara, 李小龍", ("Zoë O'Hara", "李小龍")),
        ("2", f"{'x' * 20}, <b>&amp;", ("x" * 20, "<b>&amp;")),
    ],
)
def test_names(players: str, text: str, names: tuple[str, ...]) -> None:
    """The names are recorded without the spaces around them."""
    table = deal_with(players, text)
    assert tuple(player.name for player in table.shown().players) == names
    assert table.counts() == dict.fromkeys(names, 0)
    recorded = dict(table.record.actions[0].choices).get("names", "")
    assert recorded == ",".join(names[: text.count(",") + 1] if text.strip() else ())


@pytest.mark.parametrize(
    ("players", "text", "sentence"),
    [
        ("2", "Amy, Brad, Carl", "There are 3 names for 2 players."),
        ("2", "Amy, Amy", "Two players have the same name."),
        ("2", "Player 2", "Two players have the same name."),
        ("2", "x" * 21, "A name has at most 20 characters."),
        *(
            ("2", f"A{odd}my", "A name contains a character that cannot be displayed.")
            for odd in ("\n", "\u202e", "\x00", "\ud800")
        ),
    ],
)
def test_invalid_names_are_rejected(players: str, text: str, sentence: str) -> None:
    with pytest.raises(IllegalMove) as refusal:
        deal_with(players, text)
    assert str(refusal.value) == sentence
