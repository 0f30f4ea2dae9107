"""Card game 21 for one player against the dealer, in as many rounds as the player likes."""

import os
import sys
from contextlib import suppress

from simple21 import Table


def main() -> None:
    """Greet the player, play, and say goodbye, also after Ctrl-C or the end of the input."""
    print("=======================")
    print("Welcome to CARD GAME 21")
    print("=======================")
    with suppress(EOFError, KeyboardInterrupt):
        playGame()
    print()
    print("Thank you for playing. Goodbye...")


def playGame() -> None:
    """Set up the table, and play rounds until the player quits."""
    try:
        table = Table()
    except EOFError:
        raise
    except Exception as error:  # noqa: BLE001 - the sheet's Deck raises Exception
        print(error)
        return
    number = 1
    playRound(table, number)
    while wantsAnotherRound():
        number += 1
        playRound(table, number)


def playRound(table: Table, number: int) -> None:
    """Play one round, and clear the table."""
    print()
    print("Dealing cards to player and dealer...")
    table.dealHands()
    print(table)
    bust = False
    while not bust and wantsToHit():
        bust = table.playerHit()
        print(table)
    if bust:
        print(f"Player went bust. Dealer wins round {number}!")
    elif table.playerNatural():
        print(f"Player wins round {number} with a NATURAL 21!")
    elif table.dealerHit():
        print(f"Player wins round {number}!")
    else:
        table.whoWon()
        print(f"round {number}!")
    table.clearTable()


def wantsToHit() -> bool:
    """Prompt for a hit or a stay. Any answer that does not start with an H means stay."""
    answer = input("Would you like to HIT (H/h) or STAY (S/s)? >> ")
    return answer.startswith(("H", "h"))


def wantsAnotherRound() -> bool:
    """Prompt for another round until the answer starts with a Y or an N."""
    question = "Would you like to play another round (Y/N)? >> "
    print()
    answer = input(question)
    while not answer.startswith(("Y", "y", "N", "n")):
        print("Invalid entry.  ", end="")
        answer = input(question)
    return answer.startswith(("Y", "y"))


if __name__ == "__main__":
    try:
        main()
        sys.stdout.flush()
    except BrokenPipeError:  # the pipe was closed, as in `python assignment2.py | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
