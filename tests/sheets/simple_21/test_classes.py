"""Simple 21: the classes, by what they answer."""

__test__ = {
    "queues": """
    S0-29: both hold a limited number of items; the circular one moves none of them.

    >>> public(BoundedQueue), public(CircularQueue) == public(BoundedQueue)
    ('capacity clear dequeue enqueue isEmpty isFull peek size', True)
    >>> for kind in (BoundedQueue, CircularQueue):
    ...     queue = kind(3)
    ...     why(queue.peek), why(queue.dequeue), queue.isEmpty(), queue.isFull(), queue.capacity()
    ...     for item in "abc":
    ...         queue.enqueue(item)
    ...     why(queue.enqueue, "d"), queue.dequeue(), queue.enqueue("d"), queue.size(), queue.isFull()
    ...     str(queue), repr(queue), queue.peek(), queue.clear(), queue.isEmpty(), str(queue)
    ('Exception: Error: Queue is empty', 'Exception: Error: Queue is empty', True, False, 3)
    ('Exception: Error: Queue is full', 'a', None, 3, True)
    ('b c d ', 'b c d  Max=3', 'b', None, True, '')
    ('Exception: Error: Queue is empty', 'Exception: Error: Queue is empty', True, False, 3)
    ('Exception: Error: Queue is full', 'a', None, 3, True)
    (']b c d ]', "CircularQueue(3): ['b', 'c', 'd']", 'b', None, True, ']]')
    >>> why(BoundedQueue, "3"), why(BoundedQueue, -1)
    ("AssertionError: Error: Type error: <class 'str'>", 'AssertionError: Error: Illegal capacity: -1')
    >>> {why(CircularQueue, capacity) for capacity in (0, -1, "3", 3.0, True)}
    {'Exception: Capacity Error'}
    >>> queue, model = CircularQueue(5), []
    >>> for step in range(500):
    ...     if step * 7 % 11 < 6 and len(model) < 5:
    ...         model.append(step)
    ...         queue.enqueue(step)
    ...     elif model:
    ...         assert queue.dequeue() == model.pop(0)
    ...     assert queue.size() == len(model)
    >>> for item in range(5 - queue.size()):
    ...     queue.enqueue(item)
    >>> before = [*queue._CircularQueue__places]
    >>> queue.dequeue() in before, sum(a is not b for a, b in zip(before, queue._CircularQueue__places))
    (True, 1)
    """,
    "cards": """
    S0-2, S0-3, S0-4, S0-5, S0-6, S0-16, S0-17, S0-18, S0-19, S0-20, S0-21, S0-22, S0-23, S0-24, S0-25, S0-27.

    >>> public(Card), private(Card("jd", False))
    ('getRank getSuit getValue isFaceUp turnOver', {'rank': 'J', 'suit': 'D', 'faceUp': False})
    >>> [Card(rank + "s", False).getValue() for rank in "A23456789TJQKtjqk"]
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 10, 10, 10, 10]
    >>> card = Card("jD", True)
    >>> str(card), card.getRank(), card.getSuit(), card.turnOver(), card.isFaceUp(), str(card)
    ('[ JD ]', 'J', 'D', None, False, '[ xx ]')
    >>> card.turnOver(), card.isFaceUp(), str(card)
    (None, True, '[ JD ]')
    >>> codes = ("", "J", "JDD", "1D", "0D", "XD", "JX", "DJ", " J", "J ", "10D", "k\u017f", "\xdfS")
    >>> {refused(Card, code, True) for code in (*codes, None, 11, b"JD", ["J", "D"], ("J", "D"))}
    {'AssertionError'}
    >>> {refused(Card, "JD", face) for face in (0, 1, None, "True", "", [])}
    {'AssertionError'}
    >>> EmptyDeckException().args, refused(EmptyDeckException, "text")
    (('Cannot deal card from an empty deck.',), 'TypeError')
    """,
    "decks": """
    S0-28, S0-30, S0-31, S0-32, S0-33, S0-34, S0-35, S0-36, S0-37, S0-38, S0-39, S0-40.

    >>> codes = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    >>> names, prompts, opened, real = [], [], [], open
    >>> def answer(prompt=""):
    ...     prompts.append(prompt)
    ...     return names.pop(0)
    >>> def remember(*arguments, **named):
    ...     opened.append(real(*arguments, **named))
    ...     return opened[-1]
    >>> monkeypatch.setattr("builtins.input", answer)
    >>> monkeypatch.setattr("builtins.open", remember)
    >>> def deck_of(content, *wrong):
    ...     (tmp_path / "deck.txt").write_bytes(content)
    ...     names[:] = [*wrong, str(tmp_path / "deck.txt")]
    ...     return Deck()
    >>> def dealt(deck):
    ...     return [str(deck.deal())[2:4] for _ in range(52)] == codes and why(deck.deal)
    >>> good = "\\n".join(codes)
    >>> same = (good, good + "\\n", good.replace("\\n", "\\r\\n"), good.lower(), good.replace("\\n", " \\t\\n"))
    >>> {dealt(deck_of(text.encode())) for text in same}
    {'EmptyDeckException: Cannot deal card from an empty deck.'}
    >>> bad = ["", "KS", good + "\\nKS", good + "\\njunk", good + "\\n\\n", good[3:], good[:-2] + "AC"]
    >>> bad += [good[:-2] + "ac", "# mine\\n" + good, good.replace("\\n", "\\n\\n", 1)]
    >>> bad += [good.replace("TS", wrong) for wrong in ("1S", "TX", "10S")] + [good.replace("\\n", "", 1)]
    >>> reasons = [why(deck_of, text) for text in (b"\\x89PNG\\xff\\xfe", *map(str.encode, bad))]
    >>> [*{reason.replace(str(tmp_path), "") for reason in reasons}], {file.closed for file in opened}
    (['Exception: Cannot populate deck: invalid data in /deck.txt'], {True})
    >>> prompts.clear()
    >>> deck = deck_of(good.encode(), "", "no such file", "with\\0nul")  # doctest: +NORMALIZE_WHITESPACE
    Cannot read from .
    Cannot read from no such file.
    Cannot read from with\0nul.
    >>> len(prompts), {*prompts}
    (4, {'Name of file that should be used to populate the deck of cards: '})
    >>> (queue,) = private(deck).values()
    >>> public(Deck), type(queue).__name__, queue.capacity(), queue.peek().isFaceUp()
    ('deal repopulate', 'CircularQueue', 52, False)
    >>> cards = [deck.deal() for _ in range(50)]
    >>> {card.isFaceUp() for card in cards}, str(deck), str(deck)
    ({True}, 'front -> [ QS ][ KS ] <- rear', 'front -> [ QS ][ KS ] <- rear')
    >>> cards += [deck.deal(), deck.deal()]
    >>> monkeypatch.setattr(random, "shuffle", list.reverse)
    >>> pile = cards[:]
    >>> deck.repopulate(pile), pile == cards, queue.peek().isFaceUp(), str(deck)[:16]
    Repopulating deck with cards...
    (None, True, False, 'front -> [ KS ][')
    >>> [deck.deal() for _ in range(52)] == cards[::-1], str(deck)
    (True, 'front ->  <- rear')
    """,
    "players": """
    S0-8, S0-42, S0-43, S0-44, S0-45, S0-46, S0-47, S0-48: a hand, its value and its text.

    >>> player = Player()
    >>> public(Player), private(player), str(player)
    ('addToHand clearHand getHandValue revealAllCards', {'hand': [], 'value': 0}, 'hand:, value = 0')
    >>> {refused(player.addToHand, thing) for thing in ("9S", None, 9, ["9S"])}, str(player)
    ({'AssertionError'}, 'hand:, value = 0')
    >>> mine = [Card("9S", True), Card("AD", False)]
    >>> [player.addToHand(card) for card in mine], player.getHandValue(), str(player)
    ([None, None], 10, 'hand:[ 9S ][ xx ]')
    >>> player.revealAllCards(), str(player), player.revealAllCards(), str(player)
    (None, 'hand:[ 9S ][ AD ], value = 10', None, 'hand:[ 9S ][ AD ], value = 10')
    >>> removed = player.clearHand()
    >>> removed == mine, player.getHandValue(), str(player), player.addToHand(Card("2C", True))
    (True, 0, 'hand:, value = 0', None)
    >>> len(removed), len(player.clearHand()), player.clearHand()
    (2, 1, [])
    """,
    "tables": """
    S0-1, S0-7, S0-9, S0-10, S0-11, S0-12, S0-13, S0-14, S0-15, S0-50, S0-51, S0-52, S0-53, S0-54,
    S0-55, S0-56, S0-57, S0-58, S0-59, S0-60, S0-61, S0-62, S0-63, S0-75, S0-77.

    >>> codes = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    >>> def table_with(*first):
    ...     file = tmp_path / "deck.txt"
    ...     file.write_text("\\n".join([*first, *(code for code in codes if code not in first)]))
    ...     monkeypatch.setattr("builtins.input", lambda _: str(file))
    ...     return Table()
    >>> public(Table), sorted(type(value).__name__ for value in private(table_with()).values())
    ('clearTable dealHands dealerHit playerHit playerNatural whoWon', ['Deck', 'Player', 'Player', 'list'])
    >>> (tmp_path / "bad").touch()
    >>> monkeypatch.setattr("builtins.input", lambda _: str(tmp_path / "bad"))
    >>> why(Table).startswith("Exception: Cannot populate deck: invalid data in ")
    True
    >>> table = table_with("KS", "2C", "5S", "3C", "6D", "AH")
    >>> print(table)
    Player's hand:, value = 0
    Dealer's hand:, value = 0
    >>> table.dealHands(), print(table), table.playerNatural(), table.playerHit()
    Player's hand:[ KS ][ 5S ], value = 15
    Dealer's hand:[ 2C ][ xx ]
    (None, None, False, False)
    >>> table.playerNatural(), table.playerHit(), table.playerNatural(), str(table)[:60]
    (True, True, False, "Player's hand:[ KS ][ 5S ][ 6D ][ AH ], value = 22\\nDealer's ")
    >>> table.clearTable(), len(private(table)["discardPile"]), print(table)
    Player's hand:, value = 0
    Dealer's hand:, value = 0
    (None, 6, None)
    >>> def dealer(first, second, *drawn):
    ...     table = table_with("KC", first, "QC", second, *drawn)
    ...     table.dealHands()
    ...     return table.dealerHit()
    >>> dealer("TH", "7D")
    Player's hand:[ KC ][ QC ], value = 20
    Dealer's hand:[ TH ][ 7D ], value = 17
    False
    >>> dealer("6D", "AH", "9S", "KS")
    Player's hand:[ KC ][ QC ], value = 20
    Dealer's hand:[ 6D ][ AH ], value = 7
    Dealer must take a card...
    Player's hand:[ KC ][ QC ], value = 20
    Dealer's hand:[ 6D ][ AH ][ 9S ], value = 16
    Dealer must take a card...
    Player's hand:[ KC ][ QC ], value = 20
    Dealer's hand:[ 6D ][ AH ][ 9S ][ KS ], value = 26
    Dealer went bust. True
    >>> dealer("TH", "6D", "5S")
    Player's hand:[ KC ][ QC ], value = 20
    Dealer's hand:[ TH ][ 6D ], value = 16
    Dealer must take a card...
    Player's hand:[ KC ][ QC ], value = 20
    Dealer's hand:[ TH ][ 6D ][ 5S ], value = 21
    Dealer has a natural 21! False
    >>> def who_won(*hands):
    ...     table = table_with()
    ...     for name, hand in zip(("player", "dealer"), hands):
    ...         for code in hand.split():
    ...             private(table)[name].addToHand(Card(code, True))
    ...     before = str(table)
    ...     assert table.whoWon() is None and str(table) == before
    ...     print("|")
    >>> who_won("KS QS", "KH 9H"), who_won("KS 9S", "KH QH"), who_won("KS 9S", "QH 9H")
    Player wins |
    Dealer wins |
    Tie! No one wins |
    (None, None, None)
    >>> who_won("KS 9S 8S", "2H 3H"), who_won("2S 3S", "KH 9H 8H"), who_won("KS 9S 8S", "KH 9H 8H")
    Dealer wins |
    Player wins |
    Dealer wins |
    (None, None, None)
    >>> for left in range(4):
    ...     table = table_with()
    ...     table.dealHands()
    ...     for _ in range(48 - left):
    ...         _ = table.playerHit()
    ...     table.clearTable()
    ...     table.dealHands()
    Repopulating deck with cards...
    Repopulating deck with cards...
    Repopulating deck with cards...
    Repopulating deck with cards...
    >>> for _ in range(47):
    ...     _ = table.playerHit()
    >>> table.playerHit(), refused(table.playerHit)
    Repopulating deck with cards...
    (True, 'EmptyDeckException')
    """,
}
