"""War: the classes, by what they answer."""

__test__ = {
    "cards": """
    S3-6, S3-7, S3-8, S3-9, A3-10, A3-11, A3-15: rank and suit, two texts, three comparisons.

    >>> vars(Card(5, "S")), public(Card)
    ({'rank': 5, 'suit': 'S'}, 'rank_str suit_str')
    >>> {refused(Card, rank, "S") for rank in (1, 15, "5", "K", None, 5.5, [])}
    {'AssertionError'}
    >>> {refused(Card, 5, suit) for suit in ("s", "X", "", "SH", "♠", None, 1, [])}
    {'AssertionError'}
    >>> [str(Card(14, suit)) for suit in "SHCD"], str(Card(10, "D")), repr(Card(10, "D"))
    (['A♠', 'A♡', 'A♣', 'A♢'], '10♢', "Card(10,'D')")
    >>> [(a > b, a < b, a == b, a != b) for a, b in [
    ...     (Card(2, "H"), Card(2, "S")), (Card(3, "H"), Card(2, "H")), (Card(13, "C"), Card(14, "C"))]]
    [(False, False, True, False), (True, False, False, True), (False, True, False, True)]
    >>> two = Card(2, "H")
    >>> refused(hash, two), refused(lambda: two <= two), refused(lambda: two == 5)
    ('TypeError', 'TypeError', 'AttributeError')
    >>> cards = [Card(3, "S"), Card(14, "D"), Card(10, "D"), Card(14, "H")]
    >>> [str(card) for card in (max(cards), min(cards), *sorted(cards), *sorted(cards, reverse=True))]
    ['A♢', '3♠', '3♠', '10♢', 'A♢', 'A♡', 'A♢', 'A♡', '10♢', '3♠']
    """,
    "hands": """
    S3-10, S3-11, S3-12, S3-13, S3-14, S3-15, S3-16, S3-17, A3-1, A3-7: in at the bottom, out at the top; nothing is shared.

    >>> public(Hand), vars(Hand()), refused(lambda: Hand().num_cards())
    ('give_card give_cards num_cards receive_card receive_cards shuffle', {'cards': []}, \
'TypeError')
    >>> mine = [Card(2, "S")]
    >>> hand, other = Hand(mine), Hand(mine)
    >>> hand.receive_card(Card(13, "H")), hand.receive_cards(iter([Card(7, "C"), Card(9, "C")]))
    (None, None)
    >>> hand.num_cards, other.num_cards, len(mine), Hand().num_cards, Player("Pam").num_cards
    (4, 1, 1, 0, 0)
    >>> str(hand), repr(other), Card(7, "D") in hand, len([*hand]), hand.give_card() is mine[0]
    ("['2♠', 'K♡', '7♣', '9♣']", "Hand([Card(2,'S')])", True, 4, True)
    >>> giving = hand.give_cards()
    >>> hand.num_cards, str(next(giving)), hand.num_cards, hand.receive_card(Card(14, "S"))
    (3, 'K♡', 2, None)
    >>> [str(card) for card in giving], [*hand.give_cards()], str(hand), refused(hand.give_card)
    (['7♣', '9♣', 'A♠'], [], '[]', 'AssertionError')
    >>> hand = Hand(Card(rank, "C") for rank in range(2, 15))
    >>> inside, before = hand.cards, str(hand)
    >>> orders = {str(hand) for _ in range(20) if hand.shuffle() is None}
    >>> len(orders), hand.cards is inside, str(Hand(sorted(hand))) == before, Hand().shuffle()
    (20, True, True, None)
    >>> monkeypatch.setattr(random, "shuffle", list.reverse)
    >>> Hand.shuffle(hand), hand.cards is inside, [*map(str, inside)] == orders
    (None, True, False)
    """,
    "decks and players": """
    S3-18, S3-19, S3-20, A3-2, A3-4, A3-12: a hand of 52, shuffled; a hand with a name.

    >>> issubclass(Deck, Hand), public(Deck), issubclass(Player, Hand), public(Player)
    (True, 'build_deck', True, '')
    >>> deck, new = Deck(), Deck.build_deck()
    >>> type(new), len({(card.rank, card.suit) for card in new}), new[0] is not Deck.build_deck()[0]
    (<class 'list'>, 52, True)
    >>> isinstance(vars(Deck)["build_deck"], staticmethod), sorted(map(repr, deck)) == sorted(map(repr, new))
    (True, True)
    >>> deck.give_card() in new, deck.num_cards, deck.size, len({str(Deck()) for _ in range(9)})
    (True, 51, 52, 9)
    >>> asked = []
    >>> monkeypatch.setattr(random, "shuffle", lambda cards: asked.append([*cards]))
    >>> [str(card) for card in Deck()] == [str(card) for card in new], len(asked), len(asked[0])
    (True, 1, 52)
    >>> pam = Player("Pam")
    >>> vars(pam), repr(pam), str(pam)
    ({'cards': [], 'name': 'Pam'}, "Player('Pam', [])", "<'Pam' has []>")
    >>> pam.receive_card(Card(10, "H"))
    >>> repr(pam), str(pam), repr(Player("O'Neil"))
    ("Player('Pam', [Card(10,'H')])", "<'Pam' has ['10♡']>", 'Player("O\\'Neil", [])')
    """,
}
