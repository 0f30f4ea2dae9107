"""One-deck Blackjack: rounds against the dealer until the user stops or the deck is empty.

The cards come from ``cards``, whichever module of that interface it is. What a hand is worth, when
the dealer hits and who wins are the rules of the project, which know a card by its rank.
"""

from __future__ import annotations

import sys
from pathlib import Path

import cards

sys.path.append(str(Path(__file__, "../../../..").resolve()))

from cardgames.cards import Card, Rank, Suit
from cardgames.games.twentyone import rules as twentyone


def main() -> None:
    """Play the game, and show who won how many rounds."""
    rounds = dict.fromkeys(twentyone.Winner, 0)
    try:
        play_game(rounds)
    except KeyboardInterrupt:
        print()
    print()
    print("Game over.")
    print(f"Rounds won by you: {rounds[twentyone.Winner.PLAYER]}")
    print(f"Rounds won by the dealer: {rounds[twentyone.Winner.DEALER]}")
    print(f"Rounds which were draws: {rounds[twentyone.Winner.TIE]}")


def play_game(rounds: dict[twentyone.Winner, int]) -> None:
    """Play rounds with one deck, shuffled once, and count in ``rounds`` who won them."""
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


def play_round(deck: cards.Deck) -> twentyone.Winner:
    """Play one round and return who won it; one that lacks cards is a tie."""
    user: list[cards.Card] = []
    dealer: list[cards.Card] = []
    if not all(deal_to(hand, deck) for hand in (user, dealer, user, dealer)):
        return twentyone.Winner.TIE
    print(f"Your cards: {listed(user)}")
    print(f"Dealer's cards: {dealer[0]} X")
    if not play_user(user, deck):
        return twentyone.Winner.TIE
    if is_bust(user):
        print("You have busted.")
    elif not play_dealer(dealer, deck):
        return twentyone.Winner.TIE
    return twentyone.winner_of(known(user), known(dealer), twentyone.ONE_DECK)


def play_user(hand: list[cards.Card], deck: cards.Deck) -> bool:
    """Let the user hit until he stands or is bust; say whether there were enough cards."""
    enough = True
    hits = True
    while enough and hits and not is_bust(hand):
        hits = agrees("Another card (Y/y/H/h or Enter)? ", ("Y", "y", "H", "h", ""))
        enough = not hits or deal_to(hand, deck)
        print(f"Your cards: {listed(hand)}, total {worth(hand)}")
    return enough


def play_dealer(hand: list[cards.Card], deck: cards.Deck) -> bool:
    """Play the dealer's hand by the rules; say whether there were enough cards."""
    print(f"The dealer turns over {hand[1]}.")
    while twentyone.dealer_draws(known(hand), twentyone.ONE_DECK):
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
    """Deal a card to a hand; say whether there was one."""
    card = deck.deal()
    if card is None:
        print("There are not enough cards to complete the round.")
        return False
    hand.append(card)
    return True


def worth(hand: list[cards.Card]) -> int:
    """Return the total closest to 21 without going over, or the smallest one if all do."""
    return twentyone.total(known(hand), twentyone.ONE_DECK)


def is_bust(hand: list[cards.Card]) -> bool:
    """Say whether a hand is over 21."""
    return worth(hand) > twentyone.TARGET


def known(hand: list[cards.Card]) -> list[Card]:
    """Return cards of the same ranks as the project's rules know them; suits do not count."""
    return [Card(list(Rank)[card.get_rank() - 1] + Suit.CLUBS) for card in hand]


def listed(hand: list[cards.Card]) -> str:
    """Return the cards of a hand as text."""
    return " ".join(map(str, hand))


def show_winner(winner: twentyone.Winner) -> None:
    """Say who won the round."""
    if winner is twentyone.Winner.PLAYER:
        print("You win the round.")
    elif winner is twentyone.Winner.DEALER:
        print("The dealer wins the round.")
    else:
        print("The round is a draw.")


def agrees(question: str, answers: tuple[str, ...]) -> bool:
    """Ask a question; say whether the answer is exactly one of ``answers``. No input is a no."""
    try:
        return input(question).rstrip("\r\n") in answers
    except EOFError:
        print()
        return False


if __name__ == "__main__":
    main()
