"""The output of Bingo's program, computed from the sheet: prompts, tables and a complete game."""

from collections.abc import Sequence

from tests.support.sheets import DECKS, Transcript

ASKS_FILE = "Please enter filename to initialize deck: "
ASKS_MODE = "Please select playing mode for this round: (L)ine, (C)orners, (F)ull > "
ASKS_SPEED = "Play speed round (i.e. compare card ranks only) (Y/N)? "
ASKS_AGAIN = "Play another round (Y/N)? "
GOODBYE = "Thank you for playing. Goodbye.\n"
SHOUT = "            BINGO!            \n"


def table(deck: Sequence[str], called: Sequence[str], winners: str, *, speed: bool) -> str:
    """Return both grids after these calls, as the sheet prints them.

    Every second card of the deck belongs to A, starting with the first card.
    """
    named = {code[0] if speed else code for code in called}
    text = ""
    for player, codes in (("A", deck[0:50:2]), ("B", deck[1:50:2])):
        text += f"Player {player}:\n"
        for place, code in enumerate(codes):
            down = place == 12 or (code[0] if speed else code) in named
            text += (" [ ]  " if down else f"[ {code} ]") + "\n" * (place % 5 == 4)
        text += SHOUT if player in winners else "\n"
    return text


def calls(deck: Sequence[str], called: str, winners: str, *, speed: bool = False) -> str:
    """Return the tables of a round up to the call that completes a BINGO!"""
    codes = called.split()
    text = table(deck, [], "", speed=speed)
    for count, code in enumerate(codes, start=1):
        text += f"------------------------\nNow calling [ {code} ]\n"
        text += table(deck, codes[:count], winners * (count == len(codes)), speed=speed)
    return text


DECK = (DECKS / "bingoDeck.txt").read_text().split()
SORTED = sorted(DECK)
"""The deck of a later round, because shuffles sort the cards by their codes."""

WHOLE_GAME = Transcript(
    "******************************\nWelcome to Playing Card Bingo!\n"
    "******************************\nCreating bingo deck...\n"
    f"{ASKS_FILE}«nowhere.txt»\nProblem with filename provided. Creating bingo deck...\n"
    f"{ASKS_FILE}«»\nProblem with filename provided. Creating bingo deck...\n"
    f"{ASKS_FILE}«bingoDeck.txt»\n"
    "Creating calling deck...\n"
    f"{ASKS_FILE}«.»\nProblem with filename provided. Creating calling deck...\n"
    f"{ASKS_FILE}«invalid1.txt»\nDeck created from invalid1.txt is not valid\n"
    f"{ASKS_FILE}«callingDeck_line_Awins.txt»\n"
    f"{ASKS_MODE}« L»\n{ASKS_MODE}«»\n{ASKS_MODE}«q»\n{ASKS_MODE}«1»\n{ASKS_MODE}«line»\n"
    f"{ASKS_SPEED}«»\n{ASKS_SPEED}«maybe»\n{ASKS_SPEED}«nah»\n"
    f"\nRound 1 beginning...\n{calls(DECK, 'KS KC AH JH 6C 5H', 'A')}Round 1: Player A won!\n"
    f"{ASKS_AGAIN}«»\n{ASKS_AGAIN}«what?»\n{ASKS_AGAIN}« y»\n{ASKS_AGAIN}«yes»\n"
    f"{ASKS_MODE}«Lines»\n{ASKS_SPEED}«yup»\n"
    "\nRound 2 beginning...\n"
    + calls(SORTED, "2C 2D 2H 2S 3C 3D 3H 3S 4C", "AB", speed=True)
    + f"Round 2: Tie!\n{ASKS_AGAIN}«Y»\n{ASKS_MODE}«l»\n{ASKS_SPEED}«n»\n"
    "\nRound 3 beginning...\n"
    + calls(SORTED, "2C 2D 2H 2S 3C 3D 3H 3S 4C", "A")
    + f"Round 3: Player A won!\n{ASKS_AGAIN}«n»\n{GOODBYE}"
)
