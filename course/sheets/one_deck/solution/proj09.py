"""One-deck Blackjack: rounds against the dealer until the user stops or the deck is empty.

The module ``cards`` can be replaced by any module with the same interface. There are no global
variables; functions take arguments.
"""

from __future__ import annotations

import os
import sys

import cards


def main() -> None:
    """Play the game, and print each player's number of won rounds."""
    rounds = {"user": 0, "dealer": 0, "nobody": 0}
    try:
        play_until_stopped(rounds)
        show_totals(rounds)
        sys.stdout.flush()
    except BrokenPipeError:  # the pipe was closed, as in `python proj09.py | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def play_until_stopped(rounds: dict[str, int]) -> None:
    """Play the game until it ends or the user presses Ctrl-C."""
    try:
        play_game(rounds)
    except KeyboardInterrupt:
        print()


def show_totals(rounds: dict[str, int]) -> None:
    """Print each player's number of won rounds."""
    print()
    print("Game over.")
    print(f"Rounds won by you: {rounds['user']}")
    print(f"Rounds won by the dealer: {rounds['dealer']}")
    print(f"Rounds which were draws: {rounds['nobody']}")


def play_game(rounds: dict[str, int]) -> None:
    """Play rounds with one deck, shuffled once, and count the winners in ``rounds``."""
    print("Blackjack with one deck")
    deck = cards.Deck()
    deck.shuffle()
    playing = True
    while playing:
        print()
        winner = play_round(deck)
        rounds[winner] += 1
        show_winner(winner)
        if deck.is_empty():
            print("The deck is empty.")
            playing = False
        else:
            playing = agrees("Another round (Y/y or Enter)? ", ("Y", "y", ""))


def play_round(deck: cards.Deck) -> str:
    """Play one round; return "user", "dealer", or "nobody" for a tie or if cards run out."""
    user: list[cards.Card] = []
    dealer: list[cards.Card] = []
    if not all(deal_to(hand, deck) for hand in (user, dealer, user, dealer)):
        return "nobody"
    print(f"Your cards: {listed(user)}")
    print(f"Dealer's cards: {dealer[0]} X")
    if not play_user(user, deck):
        return "nobody"
    if is_bust(user):
        print("You have busted.")
    elif not play_dealer(dealer, deck):
        return "nobody"
    return winner_of(user, dealer)


def play_user(hand: list[cards.Card], deck: cards.Deck) -> bool:
    """Deal to the user until they stand or bust; return whether there were enough cards."""
    enough = True
    hits = True
    while enough and hits and not is_bust(hand):
        hits = agrees("Another card (Y/y/H/h or Enter)? ", ("Y", "y", "H", "h", ""))
        enough = not hits or deal_to(hand, deck)
        print(f"Your cards: {listed(hand)}, total {worth(hand)}")
    return enough


def play_dealer(hand: list[cards.Card], deck: cards.Deck) -> bool:
    """Deal to the dealer until they have at least 17; return whether there were enough cards."""
    print(f"The dealer turns over {hand[1]}.")
    while worth(hand) < 17:
        print("The dealer hits.")
        enough = deal_to(hand, deck)
        print(f"Dealer's cards: {listed(hand)}, total {worth(hand)}")
        if not enough:
            return False
    if is_bust(hand):
        print("The dealer has busted.")
    else:
        print("The dealer stands.")
        print(f"Dealer's cards: {listed(hand)}, total {worth(hand)}")
    return True


def deal_to(hand: list[cards.Card], deck: cards.Deck) -> bool:
    """Deal a card to a hand; return whether the deck had a card."""
    card = deck.deal()
    if card is None:
        print("There are not enough cards to complete the round.")
        return False
    hand.append(card)
    return True


def worth(hand: list[cards.Card]) -> int:
    """Return the highest total up to 21, or the lowest total if all totals are over 21."""
    total = sum(min(card.get_rank(), 10) for card in hand)
    has_ace = any(card.get_rank() == 1 for card in hand)
    return total + 10 if has_ace and total + 10 <= 21 else total


def is_bust(hand: list[cards.Card]) -> bool:
    """Return whether a hand is over 21."""
    return worth(hand) > 21


def winner_of(user: list[cards.Card], dealer: list[cards.Card]) -> str:
    """Return the winner with these two hands: "user", "dealer" or "nobody"."""
    if is_bust(user) or (worth(user) < worth(dealer) and not is_bust(dealer)):
        return "dealer"
    if is_bust(dealer) or worth(user) > worth(dealer):
        return "user"
    return "nobody"


def listed(hand: list[cards.Card]) -> str:
    """Return the cards of a hand as a string, separated by spaces."""
    return " ".join(map(str, hand))


def show_winner(winner: str) -> None:
    """Print the winner of the round."""
    if winner == "user":
        print("You win the round.")
    elif winner == "dealer":
        print("The dealer wins the round.")
    else:
        print("The round is a draw.")


def agrees(question: str, answers: tuple[str, ...]) -> bool:
    """Return whether the answer to a prompt is one of ``answers``. The end of input means no."""
    try:
        return input(question).rstrip("\r\n") in answers
    except EOFError:
        print()
        return False


if __name__ == "__main__":
    main()
