"""Bingo: the classes, by what they answer."""

__test__ = {
    "cards": """
    S4-1, S4-2, S4-3, S4-4, S4-5, S4-6, S4-7, S4-8, S4-9, S4-10, A4-1, A4-27, A4-31, A4-32, A4-36.

    >>> public(Card), private(Card("t", "h", False))
    ('getRank getSuit isFaceUp turnOver', {'rank': 'T', 'suit': 'H', 'faceUp': False})
    >>> ten = Card("t", "h", True)
    >>> ten.getRank(), ten.getSuit(), ten.isFaceUp(), str(ten), ten.turnOver()
    ('T', 'H', True, '[ TH ]', None)
    >>> ten.isFaceUp(), str(ten), ten.turnOver(), ten.isFaceUp(), str(ten)
    (False, '[ ]', None, True, '[ TH ]')
    >>> wrong = ("", "1", "0", "10", "X", "23", "TJ", " ", "A ", "K\u0307", "\u212a", 2, None, ["A"])
    >>> {refused(Card, rank, "S", True) for rank in wrong}
    {'AssertionError'}
    >>> wrong = ("", "X", "SH", "HD", "SHDC", "S ", "\u017f", "♠", 1, None, False, ["S"])
    >>> {refused(Card, "A", suit, True) for suit in wrong}
    {'AssertionError'}
    >>> {refused(Card, "A", "S", face) for face in (0, 1, None, "True", "", [])}
    {'AssertionError'}
    >>> codes = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    >>> [(a, b) for a in codes for b in codes if (Card(*a, True) == Card(*b, False)) is not (a == b)]
    []
    >>> ten == "TH", ten != None, ten == 10
    (False, True, False)
    """,
    "decks": """
    S4-12, S4-13, S4-14, S4-15, S4-16, S4-17, S4-18, S4-19, S4-20, S4-21, A4-5, A4-6, A4-33, A4-34.

    >>> deck = Deck()
    >>> public(Deck), [type(queue).__name__ for queue in private(deck).values()]
    ('addCard dealCard deckSize isComplete', ['CircularQueue'])
    >>> (queue,) = private(deck).values()
    >>> queue.capacity(), deck.deckSize(), str(deck), why(deck.dealCard)
    (52, 0, 'top ->  <- bottom', 'Exception: Cannot deal card from empty deck')
    >>> {why(deck.addCard, thing) for thing in ("KS", None, 13, ["K", "S"])}
    {'AssertionError: Can only add cards to deck'}
    >>> cards = [Card(*code, code[0] in "A23") for code in
    ...          [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]]
    >>> [deck.isComplete() or deck.addCard(card) for card in cards] == [None] * 52
    True
    >>> deck.isComplete(), deck.deckSize(), {card.isFaceUp() for card in cards}
    (True, 52, {False})
    >>> for face in (True, False):
    ...     extra = Card("k", "s", face)
    ...     why(deck.addCard, extra), extra.isFaceUp()
    ('Exception: Cannot add [ KS ]: Deck is full', True)
    ('Exception: Cannot add [ KS ]: Deck is full', False)
    >>> str(deck) == f"top -> {''.join(f'[ {c.getRank() + c.getSuit()} ]' for c in cards)} <- bottom"
    True
    >>> {card.isFaceUp() for card in cards}
    {False}
    >>> dealt = [deck.dealCard() for _ in range(52)]
    >>> all(a is b for a, b in zip(dealt, cards)), {card.isFaceUp() for card in dealt}
    (True, {True})
    >>> for card in [*cards[1:], cards[1]]:
    ...     deck.addCard(card)
    >>> deck.deckSize(), deck.isComplete()
    (52, False)
    >>> before = [*queue._CircularQueue__places]
    >>> card = deck.dealCard()
    >>> sum(a is not b for a, b in zip(before, queue._CircularQueue__places))
    1
    """,
    "grids": """
    S4-23, S4-24, S4-25, S4-26, S4-27, S4-28, S4-29, S4-30, S4-31, S4-32, S4-33, S4-34, S4-67,
    A4-2, A4-3, A4-4, A4-10, A4-11, A4-12, A4-13: a grid of 25, by row and column.

    >>> grid = Bingo()
    >>> public(Bingo), [*private(grid)], grid.isBingo(), grid.clear(), str(grid).strip()
    ('clear isBingo populate search', ['grid', 'playMode'], False, [], '')
    >>> codes = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    >>> dealt = [Card(*code, code[1] == "C") for code in codes[:27]]
    >>> grid.search(dealt[0], True), grid.populate(dealt, "L"), [c.isFaceUp() for c in dealt[25:]]
    (False, None, [False, False])
    >>> shown = str(grid)
    >>> shown.split("\\n")[2], [len(row) for row in shown.split("\\n")]
    ('[ JC ][ QC ] [ ]  [ AD ][ 2D ]', [30, 30, 30, 30, 30, 0])
    >>> {refused(Bingo().populate, dealt, mode) for mode in ("", "l", "X", "LC", " L", None, 1)}
    {'AssertionError'}
    >>> bad = (dealt[:24], [], tuple(dealt), [*dealt[:24], "KS"], codes, None, "KS" * 25)
    >>> {refused(Bingo().populate, cards, "L") for cards in bad}
    {'AssertionError'}
    >>> [refused(grid.search, *wrong) for wrong in (("KS", False), (None, True), (dealt[0], 0))]
    ['AssertionError', 'AssertionError', 'AssertionError']
    >>> str(grid) == shown
    True
    >>> def down(grid):
    ...     rows = str(grid).split("\\n")[:5]
    ...     cells = [row[at : at + 6] for row in rows for at in range(0, 30, 6)]
    ...     return {place for place, cell in enumerate(cells) if cell == " [ ]  "}
    >>> down(grid), grid.search(Card("K", "C", True), False), str(grid) == shown
    ({12}, True, True)
    >>> grid.search(Card("5", "D", False), False), down(grid), grid.search(Card("5", "H", True), False)
    (True, {17, 12}, False)
    >>> grid.search(Card("5", "D", True), False), grid.search(Card("5", "H", True), True)
    (True, True)
    >>> sorted(down(grid)), grid.search(Card("K", "S", True), True), sorted(down(grid))
    ([4, 12, 17], True, [4, 12, 17])
    >>> cleared = grid.clear()
    >>> len(cleared), all(a is b for a, b in zip(cleared, dealt)), grid.clear(), grid.isBingo()
    (25, True, [], False)
    >>> side = range(5)
    >>> lines = [[5 * row + column for column in side] for row in side]
    >>> lines += [[5 * row + column for row in side] for column in side]
    >>> lines += [[0, 6, 12, 18, 24], [4, 8, 12, 16, 20]]
    >>> def verdicts(mode, pattern):
    ...     "Whether it is a BINGO before each of its cards is called, and after the last."
    ...     grid.populate(grid.clear() or dealt, mode)
    ...     for place in [place for place in pattern if place != 12]:
    ...         yield grid.isBingo(), "BINGO!" in str(grid)
    ...         grid.search(Card(*codes[place], True), False)
    ...     yield grid.isBingo(), str(grid).endswith("\\n            BINGO!            ")
    >>> for mode, patterns in (("L", lines), ("C", [[0, 4, 20, 24]]), ("F", [[*range(25)]])):
    ...     for pattern in patterns:
    ...         for turned in (pattern, pattern[::-1]):
    ...             *before, last = verdicts(mode, turned)
    ...             assert {*before} == {(False, False)} and last == (True, True), turned
    >>> [*verdicts("L", [0, 4, 20, 24])][-1], [*verdicts("C", [0, 1, 2, 3, 4])][-1]
    ((False, False), (False, False))
    """,
    "tables": """
    S4-36, S4-37, S4-38, S4-39, S4-40, S4-41, S4-42, S4-43, S4-45, S4-46, S4-47, S4-48, S4-49,
    S4-50, S4-64, S4-65, S4-68, A4-7, A4-8, A4-11, A4-14, A4-15, A4-16, A4-19, A4-20, A4-21, A4-22, A4-28,
    A4-30, A4-35.

    >>> print(public(Table))
    callCard clearTable dealBingo displayTable isWinner populateDeck resetDecks updateTable whoWon
    >>> table = Table()
    >>> [type(value).__name__ for value in private(table).values()]
    ['Deck', 'Deck', 'list', 'list', 'Bingo', 'Bingo']
    >>> table.isWinner(), why(table.whoWon), why(table.callCard)
    (False, 'Exception: Neither player has won', 'Exception: Cannot deal card from empty deck')
    >>> codes = [rank + suit for suit in "CDHS" for rank in "A23456789TJQK"]
    >>> def file(*lines, name=tmp_path / "deck.txt"):
    ...     name.write_text("\\n".join(lines).replace("\\n", " \\n"))
    ...     return str(name)
    >>> for number in (0, 1):
    ...     for lines in ([], codes[1:], [*codes[1:], "2c"], [*codes, "KS"], codes * 2):
    ...         why(table.populateDeck, number, file(*lines)).endswith("/deck.txt is not valid")
    ...     why(table.populateDeck, number, file(*codes[:9])).startswith("Exception: Deck created from ")
    True
    True
    True
    True
    True
    True
    True
    True
    True
    True
    True
    True
    >>> wrong = ((2, "x"), (-1, "x"), ("0", "x"), (0.0, "x"), (None, "x"), (0, None), (1, 3))
    >>> {refused(table.populateDeck, *arguments) for arguments in wrong}
    {'AssertionError'}
    >>> refused(table.populateDeck, 0, str(tmp_path / "none")), [*private(table).values()][0].deckSize()
    ('FileNotFoundError', 0)
    >>> table.populateDeck(0, file("10S", *[code.lower() for code in codes], "K S"))
    Not a card, and not added to the deck: '10S'
    Not a card, and not added to the deck: 'K S'
    >>> table.populateDeck(1, file(*codes[::-1]))
    >>> {refused(table.dealBingo, mode) for mode in ("l", "X", "", None)}, table.dealBingo("L")
    ({'AssertionError'}, None)
    >>> table.displayTable()  # doctest: +ELLIPSIS
    Player A:
    [ AC ][ 3C ][ 5C ][ 7C ][ 9C ]
    ...
    Player B:
    [ 2C ][ 4C ][ 6C ][ 8C ][ TC ]
    ...
    >>> [card.getRank() + card.getSuit() for card in private(table)["bingoDiscards"]]
    ['QS', 'KS']
    >>> card = table.callCard()
    >>> str(card), private(table)["callingDiscards"] == [card], private(table)["callingDeck"].deckSize()
    ('[ KS ]', True, 51)
    >>> {refused(table.updateTable, *wrong) for wrong in (("KS", False), (None, True), (card, 1))}
    {'AssertionError'}
    >>> why(table.dealBingo, "C")
    'Exception: Cannot deal card from empty deck'
    >>> def turn(*codes, rank_only=False):
    ...     for code in codes:
    ...         table.updateTable(Card(*code, True), rank_only)
    ...     return table.isWinner(), table.whoWon() if table.isWinner() else why(table.whoWon)
    >>> turn("AC", "3C", "5C", "7C")
    (False, 'Exception: Neither player has won')
    >>> turn("9C"), turn("2C", "4C", "6C", "8C", "TC")
    ((True, 'Player A won!'), (True, 'Tie!'))
    >>> table.clearTable(), len(private(table)["bingoDiscards"]), len(private(table)["callingDiscards"])
    (None, 52, 52)
    >>> asked = []
    >>> monkeypatch.setattr(random, "shuffle", lambda cards: (asked.append(len(cards)), cards.sort(key=
    ...     lambda card: codes.index(card.getRank() + card.getSuit()))))
    >>> table.resetDecks(), asked, private(table)["bingoDiscards"], private(table)["callingDiscards"]
    (None, [52, 52], [], [])
    >>> private(table)["bingoDeck"].isComplete(), str(private(table)["callingDeck"])[:13]
    (True, 'top -> [ AC ]')
    >>> table.dealBingo("C"), turn("2C", "TC", "QS"), turn("2D", rank_only=True)
    (None, (False, 'Exception: Neither player has won'), (False, 'Exception: Neither player has won'))
    >>> b = private(table)["gridB"].clear()
    >>> private(table)["gridB"].populate(b, "C"), turn(*(c.getRank() + c.getSuit() for c in b[::4]))
    (None, (True, 'Player B won!'))
    """,
}
