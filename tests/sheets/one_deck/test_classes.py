"""One-deck Blackjack: the course's cards and the value of a hand, by what they answer."""

__test__ = {
    "cards": """
    S2-1, S2-3, S2-17: the course's methods, and the names of its later editions.

    >>> print(public(Card), public(Deck), sep="; ")
    get_rank get_suit get_value rank rank_list suit suit_list value; cards_count deal display is_empty shuffle
    >>> [*private(Card(1, 1))], [*private(Deck())], Card.rank_list[:3], Card.suit_list
    (['rank', 'suit'], ['cards'], ['x', 'A', '2'], ['x', 'c', 'd', 'h', 's'])
    >>> card = Card(12, 3)
    >>> card.get_rank(), card.rank(), card.get_suit(), card.suit(), card.get_value(), card.value(), str(card)
    (12, 12, 3, 3, 10, 10, 'Qh')
    >>> [Card(rank, 1).get_value() for rank in range(1, 14)], repr(Card(1, 4))
    ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], 'As')
    >>> wrong = ((), (0, 0), (0, 1), (1, 0), (14, 1), (1, 5), (-1, 1), ("A", "c"), (1.0, 1), (None, 1))
    >>> {(card.get_rank(), card.get_suit(), card.get_value(), str(card)) for card in (Card(*x) for x in wrong)}
    {(0, 0, 0, 'xx')}
    >>> low, other, high = Card(2, 1), Card(2, 4), Card(13, 1)
    >>> low == other, low != other, low != high, low < high, low <= other, high > low, high >= low, low > high
    (True, False, True, True, True, True, True, False)
    >>> low == "2c", refused(lambda: low < 3)
    (False, 'TypeError')
    >>> deck, order = Deck(), [rank + suit for suit in "cdhs" for rank in "A23456789TJQK"]
    >>> str(deck) == repr(deck) == ", ".join(order), len(deck), deck.cards_count(), deck.is_empty()
    (True, 52, 52, False)
    >>> [str(deck.deal()) for _ in range(52)] == order[::-1], deck.deal(), len(deck), deck.is_empty()
    (True, None, 0, True)
    >>> deck = Deck()
    >>> deck.shuffle(), str(deck) != ", ".join(order), sorted(str(deck).split(", ")) == sorted(order)
    (None, True, True)
    >>> monkeypatch.setattr(random, "shuffle", list.reverse)
    >>> deck = Deck()
    >>> deck.shuffle(), str(deck.deal()), deck.display(cols=26)  # doctest: +ELLIPSIS
    <BLANKLINE>
    Ks Qs ... Ah...
    Kd Qd ... 2c...
    <BLANKLINE>
    (None, 'Ac', None)
    """,
    "hands": """
    S2-1, S2-10, S2-30, S2-31: as close to 21 as can be without going over, else the smallest.

    >>> def worth(codes):
    ...     return proj09.worth([Card("A23456789TJQK".index(r) + 1, "cdhs".index(s) + 1) for r, s in codes.split()])
    >>> [worth(codes) for codes in ("Ac", "Ac Ad", "Ac Ad 9h", "Ac Kd", "Ac 6d Th", "Ac Ad Ah As", "Ac 5d 5h")]
    [11, 12, 21, 21, 17, 14, 21]
    >>> [worth(codes) for codes in ("Ac 9d Ah", "Kc Qd 2h", "Ac Ad Kh Qs", "Tc Jd", "Kc Qd Ah", "Kc 5d 7h")]
    [21, 22, 22, 20, 21, 22]
    """,
}
