"""The Blackjack mini-project: its classes and its handlers."""

import random
from collections.abc import Callable
from types import ModuleType

import pytest

from cardgames.games.twentyone.rules import POINTS
from tests.sheets.blackjack.support import FRESH, RANKS, codes, drawn, hand_of
from tests.support.sheets import public_names


def test_the_names_of_the_template(game: ModuleType) -> None:
    """S1-10, S1-14, S1-26: constants, and a table where nothing is dealt yet."""
    assert (game.CARD_SIZE, game.CARD_CENTER) == ((72, 96), (36, 48))
    assert (game.CARD_BACK_SIZE, game.CARD_BACK_CENTER) == ((72, 96), (36, 48))
    assert (("C", "S", "H", "D"), tuple(RANKS)) == (game.SUITS, game.RANKS)
    assert {rank.value: points for rank, points in POINTS.items()} == game.VALUES
    assert [game.VALUES[rank] for rank in "A9TK"] == [1, 9, 10, 10]
    assert (game.in_play, game.outcome, game.score) == (False, "", 0)
    assert (game.player.cards, game.dealer.cards) == ([], [])
    drawn(game)


def test_the_public_names(game: ModuleType) -> None:
    """S1-10, S1-11, S1-14: the methods of the template, no more."""
    assert public_names(game.Card) == {"get_suit", "get_rank", "draw"}
    assert public_names(game.Hand) == {"add_card", "get_value", "draw"}
    assert public_names(game.Deck) == {"shuffle", "deal_card"}


def test_cards(game: ModuleType) -> None:
    """S1-10: suit first, rank second, in the template's own form."""
    for suit in "CSHD":
        for rank in RANKS:
            card = game.Card(suit, rank)
            assert (card.get_suit(), card.get_rank(), str(card)) == (suit, rank, suit + rank)


@pytest.mark.parametrize(("suit", "rank"), [("X", "A"), ("S", "1"), ("A", "S"), ("SH", "A")])
def test_invalid_cards(
    game: ModuleType, capsys: pytest.CaptureFixture[str], suit: str, rank: str
) -> None:
    """S1-10: the template's message, and neither suit nor rank."""
    card = game.Card(suit, rank)
    assert capsys.readouterr().out == f"Invalid card:  {suit} {rank}\n"
    assert (card.get_suit(), card.get_rank()) == (None, None)


def test_hands(game: ModuleType) -> None:
    """S1-11, S1-12, S1-13: a list of the Card objects that were added, as the template shows it."""
    hand = game.Hand()
    assert (hand.cards, str(hand)) == ([], "Hand contains ")
    cards = [game.Card("S", "A"), game.Card("C", "2"), game.Card("D", "T")]
    for card in cards:
        hand.add_card(card)
    assert all(mine is card for mine, card in zip(hand.cards, cards, strict=True))
    assert str(hand) == "Hand contains SA C2 DT "
    assert game.Hand().cards == []


VALUES = {
    "": 0, "C2 C7 DT SK": 29, "SA": 11, "SA DA": 12, "SA DA SK": 12, "SA DA SK C7": 19,
    "C2 C7": 9, "SA DK": 21, "SA D6": 17, "SA D6 CT": 17, "SA DA CA HA": 14, "SA D5 C5": 21,
    "SA D9 CA": 21, "SK DQ C2": 22, "SJ DQ": 20,
}  # fmt: skip


@pytest.mark.parametrize(("cards", "value"), VALUES.items())
def test_values_of_hands(game: ModuleType, cards: str, value: int) -> None:
    """S1-1, S1-19: the template's own examples, and others; one ace at most counts 11."""
    assert hand_of(game, cards).get_value() == value


def test_decks(game: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """S1-14, S1-15, S1-16, S1-17, S1-40: in order until shuffled, and dealt from the end."""
    deck = game.Deck()
    assert str(deck) == f"Deck contains {FRESH} "
    assert (str(deck.deal_card()), str(deck.deal_card())) == ("DK", "DQ")
    assert str(deck) == f"Deck contains {FRESH.removesuffix(' DQ DK')} "
    deck = game.Deck()
    deck.shuffle()
    assert str(deck) != f"Deck contains {FRESH} "
    cards = [deck.deal_card() for _ in range(52)]
    assert all(isinstance(card, game.Card) for card in cards)
    assert sorted(map(str, cards)) == sorted(FRESH.split())
    assert str(deck) == "Deck contains "
    with pytest.raises(IndexError):
        deck.deal_card()
    monkeypatch.setattr(random, "shuffle", list.reverse)
    deck = game.Deck()
    deck.shuffle()
    assert str(deck.deal_card()) == "CA"


def test_the_deal(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-2, S1-3, S1-18, S1-39, S1-40: two cards each; hands and deck are 52 different cards."""
    dealt("C9 S2 H8 D3")
    assert (codes(game.player), codes(game.dealer)) == ("C9 H8", "S2 D3")
    assert len(game.deck.cards) == 48
    everything = game.deck.cards + game.player.cards + game.dealer.cards
    assert sorted(map(str, everything)) == sorted(FRESH.split())
    assert (game.in_play, game.score, game.outcome) == (True, 0, "Hit or stand?")
    assert drawn(game).words.count("Player 17") == 1


def test_a_new_deck_for_each_deal(game: ModuleType) -> None:
    """S1-18, S1-32, S1-39: the deck never runs empty, however often it is dealt."""
    orders = set()
    for _ in range(60):
        before = (game.deck, game.player, game.dealer)
        game.deal()
        assert not any(game.deck is old or game.player is old for old in before)
        assert (len(game.deck.cards), len(game.player.cards), len(game.dealer.cards)) == (48, 2, 2)
        orders.add(str(game.deck))
    assert len(orders) == 60


def test_dealing_in_mid_round_loses_it(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-33, S1-35, S1-43: one point and a message; a new round is on; the first deal is free."""
    dealt("C9 S2 H8 D3")
    assert game.score == 0
    dealt("CT S2 H8 D3")
    assert (game.score, game.in_play) == (-1, True)
    assert game.outcome == "You lost the round by dealing. Hit or stand?"
    assert codes(game.player) == "CT H8"
    dealt("CT S2 H8 D3")
    assert game.score == -2
    game.stand()
    score = game.score
    game.deal()
    assert (game.score, game.outcome) == (score, "Hit or stand?")


def test_hitting(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-4, S1-20, S1-40: one card each time, also on exactly 21, from the deck to the hand."""
    dealt("C2 S2 H3 D3 C4 HQ D2 SA")
    for expected in ("C2 H3 C4", "C2 H3 C4 HQ", "C2 H3 C4 HQ D2"):
        game.hit()
        assert codes(game.player) == expected
        assert (game.in_play, game.score, game.outcome) == (True, 0, "Hit or stand?")
    assert game.player.get_value() == 21
    game.hit()
    assert (game.player.get_value(), game.in_play) == (22, False)
    assert len(game.deck.cards) == 52 - 6 - 2


def test_busting(game: ModuleType, dealt: Callable[[str], None]) -> None:
    """S1-5, S1-20, S1-21, S1-31, S1-35, S1-36: lost at once, once, and standing is a reminder."""
    dealt("CT S2 HT D3 C4 HQ")
    game.hit()
    assert (game.in_play, game.score) == (False, -1)
    assert game.outcome == "You have busted. Dealer wins. New deal?"
    hands = codes(game.player), codes(game.dealer), str(game.deck)
    assert hands[:2] == ("CT HT C4", "S2 D3")
    game.hit()
    assert game.outcome == "You have busted. Dealer wins. New deal?"
    for _ in range(2):
        game.stand()
        assert game.outcome == "You have busted already. New deal?"
    assert (game.in_play, game.score) == (False, -1)
    assert (codes(game.player), codes(game.dealer), str(game.deck)) == hands


ENDS = {
    "dealer stands on 17, ties": ("CT ST H7 D7", "ST D7", "Dealer wins. New deal?", -1),
    "dealer stands on soft 17": ("CT SA H8 D6", "SA D6", "You win! New deal?", 1),
    "dealer ace 11 busts, so 1": ("CT SA H8 D5 CJ C2", "SA D5 CJ C2", "Dealer wins. New deal?", -1),
    "dealer draws at 16": ("CT ST H7 D6 CA", "ST D6 CA", "Dealer wins. New deal?", -1),
    "dealer busts": ("C2 ST H3 D6 CK", "ST D6 CK", "Dealer has busted. You win! New deal?", 1),
    "player higher": ("CT ST HT D9", "ST D9", "You win! New deal?", 1),
    "dealer higher": ("CT ST H9 DQ", "ST DQ", "Dealer wins. New deal?", -1),
    "tie at 21": ("CA SA HK DK", "SA DK", "Dealer wins. New deal?", -1),
    "two-card 21 against three": ("CA S7 HK D7 C7", "S7 D7 C7", "Dealer wins. New deal?", -1),
    "21 wins once": ("CA ST HK DQ", "ST DQ", "You win! New deal?", 1),
}


@pytest.mark.parametrize(("cards", "dealer", "outcome", "score"), ENDS.values(), ids=ENDS)
def test_standing(  # the ends of a round
    game: ModuleType,
    dealt: Callable[[str], None],
    cards: str,
    dealer: str,
    outcome: str,
    score: int,
) -> None:
    """S1-1, S1-2, S1-6, S1-7, S1-8, S1-9, S1-22, S1-23, S1-24, S1-35, S1-37: who wins, and why."""
    dealt(cards)
    player = codes(game.player)
    game.stand()
    assert (codes(game.player), codes(game.dealer)) == (player, dealer)
    assert (game.in_play, game.outcome, game.score) == (False, outcome, score)
    after = str(game.deck)
    for handler in (game.stand, game.hit, game.stand):
        handler()
    assert (codes(game.player), codes(game.dealer), str(game.deck)) == (player, dealer, after)
    assert (game.in_play, game.outcome, game.score) == (False, outcome, score)


def test_nothing_happens_before_the_first_deal(game: ModuleType) -> None:
    """S1-26, S1-36: hit and stand on an empty table."""
    game.hit()
    game.stand()
    assert (game.in_play, game.outcome, game.score) == (False, "", 0)
    assert len(game.deck.cards) == 52
