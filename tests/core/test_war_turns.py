"""A turn of War compared with the sheet's samples and class code, and results by hand.

``SheetGame`` is the sheet's two-player turn, rewritten with plain lists.
"""

import pytest

from cardgames.table import Phase
from tests.support.war import Luck, after_turn, at_table, hands, playing

# ---- A turn --------------------------------------------------------------------------------

# The case; the hands before the turn (- for an empty hand); the hands after the turn, with the
# winner's hand in the order before the shuffle; and the log.
TURNS = """
the higher rank takes both
AH 6D | 2D KD
6D AH 2D | KD
war: ['A♡', '2♢'] => Amy

the second player too
3D 9H 4C | JC 7D 2C
9H 4C | 7D 2C 3D JC
war: ['3♢', 'J♣'] => Brad

ten beats nine, and king beats queen
TS KH 2H | 9S 3H 4H
KH 2H TS 9S | 3H 4H
war: ['10♠', '9♠'] => Amy

a tie shows one more card each, laid in front (the sheet's sample)
AH 7H 2S | AD 5D 3S
2S 7H 5D AH AD | 3S
war: ['A♡', 'A♢'] TIE!
war: ['7♡', '5♢', 'A♡', 'A♢'] => Amy

a tie that the second player wins (the sheet's sample)
JH 7D 2S | JD JC 3S
2S | 3S 7D JC JH JD
war: ['J♡', 'J♢'] TIE!
war: ['7♢', 'J♣', 'J♡', 'J♢'] => Brad

a double tie (the sheet's sample)
6C KD TC 2S | 6S KH 8C 3S
2S TC 8C KD KH 6C 6S | 3S
war: ['6♣', '6♠'] TIE!
war: ['K♢', 'K♡', '6♣', '6♠'] TIE!
war: ['10♣', '8♣', 'K♢', 'K♡', '6♣', '6♠'] => Amy

who has no card left for the tie loses it
4H | 4S 2C 3C
- | 2C 3C 4H 4S
Amy has no card left for the tie.
war: ['4♡', '4♠'] => Brad
Brad wins!

the second player can run out too, and shows nothing more
4H 2C 3C | 4S
2C 3C 4H 4S | -
Brad has no card left for the tie.
war: ['4♡', '4♠'] => Amy
Amy wins!

one runs out after the second card
4H 9H | 4S 9S 2S
- | 2S 9H 9S 4H 4S
war: ['4♡', '4♠'] TIE!
Amy has no card left for the tie.
war: ['9♡', '9♠', '4♡', '4♠'] => Brad
Brad wins!

both run out: the second player takes it
4H 9H | 4S 9S
- | 9H 9S 4H 4S
war: ['4♡', '4♠'] TIE!
None of the tied players has a card left: the last of them takes the pile.
war: ['9♡', '9♠', '4♡', '4♠'] => Brad
Brad wins!

three show, the highest takes all
2H 3H | 9C 3C | 8S 3S
3H | 3C 2H 9C 8S | 3S
war: ['2♡', '9♣', '8♠'] => Brad

two of three tie: the third shows no more, and that card goes with the pile
QH 4H 5H | 2C AC 5C | QS 3S 5S
5H 4H 3S QH 2C QS | AC 5C | 5S
war: ['Q♡', '2♣', 'Q♠'] TIE!
war: ['4♡', '3♠', 'Q♡', '2♣', 'Q♠'] => Amy

a tie below the highest is no tie
QH 4H | QC 4C | KS 3S
4H | 4C | 3S QH QC KS
war: ['Q♡', 'Q♣', 'K♠'] => Carl

of three tied, two tie again
QH 4H 5H 6H | QC 4C 7C 6C | QS 3S 8S
6H | 6C 5H 7C 4H 4C 3S QH QC QS | 8S
war: ['Q♡', 'Q♣', 'Q♠'] TIE!
war: ['4♡', '4♣', '3♠', 'Q♡', 'Q♣', 'Q♠'] TIE!
war: ['5♡', '7♣', '4♡', '4♣', '3♠', 'Q♡', 'Q♣', 'Q♠'] => Brad

a tied player without cards drops out while the others go on
QH 4H 5H | QC | QS 9S 8S
5H | - | 8S 4H 9S QH QC QS
war: ['Q♡', 'Q♣', 'Q♠'] TIE!
Brad has no card left for the tie.
war: ['4♡', '9♠', 'Q♡', 'Q♣', 'Q♠'] => Carl
Brad is out of cards and of the game.

one of the tied has cards left: they take it without showing another
QH | QC | QS 9S 8S | 2D 3D
- | - | 9S 8S QH QC QS 2D | 3D
Amy has no card left for the tie.
Brad has no card left for the tie.
war: ['Q♡', 'Q♣', 'Q♠', '2♢'] => Carl
Amy is out of cards and of the game.
Brad is out of cards and of the game.

none of the tied has cards left: the last of the tied, not of the players
QH | QC | 2S 3S
- | QH QC 2S | 3S
None of the tied players has a card left: the last of them takes the pile.
war: ['Q♡', 'Q♣', '2♠'] => Brad
Amy is out of cards and of the game.

who is out of the game is passed over
KH 3H | - | QS 3S
3H KH QS | - | 3S
war: ['K♡', 'Q♠'] => Amy

the last card lost ends the game
KH 3H | - | QS
3H KH QS | - | -
war: ['K♡', 'Q♠'] => Amy
Amy wins!
"""


def split(line: str) -> tuple[str, ...]:
    return tuple(hand.strip(" -") for hand in line.split("|"))


@pytest.mark.parametrize("text", TURNS.strip().split("\n\n"), ids=lambda text: text.split("\n")[0])
def test_a_turn(text: str) -> None:
    _, *lines = text.split("\n")
    before, after, log = split(lines[0]), split(lines[1]), lines[2:]
    luck = Luck()
    state = after_turn(playing(hands(*before)), luck)
    assert state.hands == hands(*after)
    assert list(at_table(state).messages()) == log
    # There is a single shuffle, of the complete hand of the player who takes the pile.
    assert state.battle is not None
    assert luck.asked == [list(state.hands[state.battle.winner_seat])]
    over = sum(map(bool, after)) == 1
    assert at_table(state).phase is (Phase.GAME_OVER if over else Phase.PLAYING)


def test_the_winners_whole_hand_is_shuffled() -> None:
    state = after_turn(playing(hands("AH 6D 7C", "2D KD")), Luck((3, 0, 2, 1)))
    # The order is 6D 7C, followed by the pile AH 2D.
    assert state.hands == hands("2D 6D AH 7C", "KD")
