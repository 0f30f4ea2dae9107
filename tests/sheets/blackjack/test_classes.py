"""The Blackjack mini-project: its classes and its handlers, by what they answer."""

__test__ = {
    "classes": """
    S1-1, S1-10, S1-11, S1-12, S1-13, S1-14, S1-15, S1-16, S1-17, S1-19, S1-39, S1-40: the template's.

    >>> public(Card), public(Hand), public(Deck)
    ('draw get_rank get_suit', 'add_card draw get_value', 'deal_card shuffle')
    >>> SUITS, "".join(RANKS), VALUES["A"], VALUES["9"], VALUES["T"], VALUES["K"], CARD_SIZE, CARD_CENTER
    (('C', 'S', 'H', 'D'), 'A23456789TJQK', 1, 9, 10, 10, (72, 96), (36, 48))
    >>> card = Card("X", "A")
    Invalid card:  X A
    >>> card.get_suit(), card.get_rank(), str(Card("S", "T"))
    (None, None, 'ST')
    >>> def hand(codes):
    ...     made = Hand()
    ...     for suit, rank in codes.split():
    ...         made.add_card(Card(suit, rank))
    ...     return made
    >>> str(hand("")), str(hand("SA C2 DT")), [type(card).__name__ for card in hand("SA").cards], Hand().cards
    ('Hand contains ', 'Hand contains SA C2 DT ', ['Card'], [])
    >>> [hand(codes).get_value() for codes in ("", "C2 C7 DT SK", "SA", "SA DA", "SA DA SK C7", "SJ DQ")]
    [0, 29, 11, 12, 19, 20]
    >>> [hand(codes).get_value() for codes in ("SA DK", "SA D6 CT", "SA DA CA HA", "SA D5 C5", "SA D9 CA")]
    [21, 17, 14, 21, 21]
    >>> fresh = [suit + rank for suit in SUITS for rank in RANKS]
    >>> deck = Deck()
    >>> str(deck) == f"Deck contains {' '.join(fresh)} ", str(deck.deal_card()), str(deck.deal_card())
    (True, 'DK', 'DQ')
    >>> deck = Deck()
    >>> deck.shuffle(), str(deck) != str(Deck())
    (None, True)
    >>> sorted(str(deck.deal_card()) for _ in range(52)) == sorted(fresh), str(deck), refused(deck.deal_card)
    (True, 'Deck contains ', 'IndexError')
    >>> monkeypatch.setattr(random, "shuffle", list.reverse)
    >>> deck = Deck()
    >>> deck.shuffle(), str(deck.deal_card())
    (None, 'CA')
    """,
    "handlers": """
    S1-2, S1-3, S1-4, S1-5, S1-6, S1-7, S1-8, S1-9, S1-18, S1-20, S1-21, S1-22, S1-23, S1-24, S1-26,
    S1-31, S1-32, S1-33, S1-35, S1-36, S1-37, S1-43: score, message and hands after each.

    >>> game = blackjack
    >>> def state(*handlers):
    ...     for handler in handlers:
    ...         getattr(game, handler)()
    ...     hands = "/".join(" ".join(map(str, hand.cards)) for hand in (game.player, game.dealer))
    ...     print(game.score, game.in_play, len(game.deck.cards), hands, game.outcome, sep="|")
    >>> def dealt(codes, *handlers):
    ...     order = [str(card) for card in Deck().cards if str(card) not in codes] + codes.split()[::-1]
    ...     key = lambda card: order.index(str(card))
    ...     monkeypatch.setattr(random, "shuffle", lambda cards: cards.sort(key=key))
    ...     state("deal", *handlers)
    >>> state("hit", "stand")
    0|False|52|/|
    >>> dealt("C2 S2 H3 D3 C4 HQ D2 SA", "hit", "hit", "hit")
    0|True|45|C2 H3 C4 HQ D2/S2 D3|Hit or stand?
    >>> state("hit")
    -1|False|44|C2 H3 C4 HQ D2 SA/S2 D3|You have busted. Dealer wins. New deal?
    >>> state("hit")
    -1|False|44|C2 H3 C4 HQ D2 SA/S2 D3|You have busted. Dealer wins. New deal?
    >>> state("stand", "stand")
    -1|False|44|C2 H3 C4 HQ D2 SA/S2 D3|You have busted already. New deal?
    >>> dealt("C9 S2 H8 D3")
    -1|True|48|C9 H8/S2 D3|Hit or stand?
    >>> dealt("CT S2 H8 D3")
    -2|True|48|CT H8/S2 D3|You lost the round by dealing. Hit or stand?
    >>> dealt("CT S2 H8 D3", "stand", "stand", "hit", "deal")  # doctest: +ELLIPSIS
    -...|True|48|CT H8/S2 D3|Hit or stand?
    >>> game.score, game.in_play = 0, False
    >>> for codes in ("CT ST H7 D7", "CT SA H8 D6", "CT SA H8 D5 CJ C2", "CT ST H7 D6 CA", "C2 ST H3 D6 CK",
    ...               "CT ST HT D9", "CT ST H9 DQ", "CA SA HK DK", "CA S7 HK D7 C7", "CA ST HK DQ"):
    ...     dealt(codes, "stand", "stand", "hit")
    -1|False|48|CT H7/ST D7|Dealer wins. New deal?
    0|False|48|CT H8/SA D6|You win! New deal?
    -1|False|46|CT H8/SA D5 CJ C2|Dealer wins. New deal?
    -2|False|47|CT H7/ST D6 CA|Dealer wins. New deal?
    -1|False|47|C2 H3/ST D6 CK|Dealer has busted. You win! New deal?
    0|False|48|CT HT/ST D9|You win! New deal?
    -1|False|48|CT H9/ST DQ|Dealer wins. New deal?
    -2|False|48|CA HK/SA DK|Dealer wins. New deal?
    -3|False|47|CA HK/S7 D7 C7|Dealer wins. New deal?
    -2|False|48|CA HK/ST DQ|You win! New deal?
    """,
}
