"""War against the sheet: its samples, its own class code, and exact odds of small decks.

What is expected comes from the sheet and its samples, from arithmetic done here, or from
``SheetGame``: the sheet's two-player turn, written down again with plain lists. The small decks
are not simulated: every order of the deck and of every shuffle is played through ``apply``.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, MutableSequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations
from math import sqrt
from operator import attrgetter
from statistics import fmean, stdev
from typing import Any

import msgspec
import pytest
from cardgames.war import MOST_TURNS, SAMPLES, Hands, State, View, War, dealt, fight, taken

from cardgames import war
from cardgames.cards import FULL_DECK, Card, Cards, File, InvalidDeck
from cardgames.game import IllegalMove, Phase

TABLE = War()
NAMES = ("Amy", "Brad", "Carl", "Dora", "Emil", "Fay")
BY_SUIT = "\n".join(FULL_DECK)
BY_RANK = "\n".join(sorted(FULL_DECK, key=attrgetter("rank")))
"""Four of a rank after one another: dealt to two, every pair ties."""

# How the sheet's printed game starts: `at start <'Amy' has [...]>`.
AMY = "AH 6D QH 8D 2H AS 3D 9H KD TC 9S 5H TD 2S 8H 7H 9C QC QD 9D 3S 3C JH 7S KH TS"
BRAD = "2D AD 5D JS 3H JC 7D 2C 8S 4D KC 6C 6S 6H 7C 4H 4C KS 5S TH 4S AC QS 8C 5C JD"
SHEET_DECK = "\n".join(
    f"{mine}\n{yours}" for mine, yours in zip(AMY.split(), BRAD.split(), strict=True)
)

STRONG = "23456789TJQKA"


class Luck(random.Random):
    """Luck that puts what it is asked to shuffle into a given order, or leaves it as it is."""

    def __init__(self, order: tuple[int, ...] = ()) -> None:
        super().__init__(0)
        self.order = order
        self.asked: list[list[Card]] = []

    def shuffle(self, x: MutableSequence[Any]) -> None:
        self.asked.append(list(x))
        if self.order:
            x[:] = [x[place] for place in self.order]


def cards(codes: str) -> Cards:
    return tuple(map(Card, codes.split()))


def hands(*codes: str) -> Hands:
    return tuple(map(cards, codes))


def playing(dealt_hands: Hands) -> State:
    """A table just dealt, with these hands instead of 52 cards."""
    names = NAMES[: len(dealt_hands)]
    course = ((0, *map(len, dealt_hands)),)
    state = deal(players=str(len(names)), names=",".join(names))
    return replace(state, hands=dealt_hands, course=course, messages=())


def deal(state: State | None = None, seed: int = 1, **choices: str) -> State:
    return TABLE.play(
        TABLE.start() if state is None else state,
        "deal",
        {"players": "2", "names": "Amy, Brad"} | choices,
        random.Random(seed),
    )


def turn(state: State, turns: str = "1", rng: random.Random | None = None) -> State:
    return TABLE.play(state, "turn", {"turns": turns}, rng or Luck())


def sent(view: View) -> dict[str, Any]:
    """Return a view as a JSON client reads it."""
    read: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(view, enc_hook=str))
    return read


def lines(state: State) -> tuple[str, ...]:
    return TABLE.page_view(state).messages


# --- The deal


@pytest.mark.parametrize(
    ("players", "sizes"),
    [
        ("2", [26, 26]),
        ("3", [18, 17, 17]),
        ("4", [13, 13, 13, 13]),
        ("5", [11, 11, 10, 10, 10]),
        ("6", [9, 9, 9, 9, 8, 8]),
    ],
)
def test_the_deal_goes_round_one_card_at_a_time(players: str, sizes: list[int]) -> None:
    state = deal(players=players, names="", deck=BY_SUIT)
    assert [len(hand) for hand in state.hands] == sizes
    left: list[list[Card]] = [[] for _ in sizes]
    for number, card in enumerate(FULL_DECK):
        left[number % len(sizes)].append(card)
    assert state.hands == tuple(map(tuple, left))
    assert [player.cards for player in TABLE.page_view(state).players] == sizes


def test_the_sheets_start_hands_and_first_battle() -> None:
    state = deal(deck=SHEET_DECK)
    assert state.hands == hands(AMY, BRAD)
    assert lines(turn(state)) == ("war: ['A♡', '2♢'] => Amy",)


def test_a_deal_without_a_deck_is_shuffled() -> None:
    first, again, other = deal(seed=1), deal(seed=1), deal(seed=2)
    assert first == again
    assert first.hands != other.hands
    assert first.hands != dealt(FULL_DECK, 2)


# --- A turn

# hands before; hands after, the winner's as they lie before his shuffle; the log
TURNS = {
    "the higher rank takes both": (
        ("AH 6D", "2D KD"),
        ("6D AH 2D", "KD"),
        ["war: ['A♡', '2♢'] => Amy"],
    ),
    "the second player too": (
        ("3D 9H 4C", "JC 7D 2C"),
        ("9H 4C", "7D 2C 3D JC"),
        ["war: ['3♢', 'J♣'] => Brad"],
    ),
    "ten beats nine, and king beats queen": (
        ("TS KH 2H", "9S 3H 4H"),
        ("KH 2H TS 9S", "3H 4H"),
        ["war: ['10♠', '9♠'] => Amy"],
    ),
    "a tie shows one more card each, laid in front (the sheet's sample)": (
        ("AH 7H 2S", "AD 5D 3S"),
        ("2S 7H 5D AH AD", "3S"),
        ["war: ['A♡', 'A♢'] TIE!", "war: ['7♡', '5♢', 'A♡', 'A♢'] => Amy"],
    ),
    "a tie that the second player wins (the sheet's sample)": (
        ("JH 7D 2S", "JD JC 3S"),
        ("2S", "3S 7D JC JH JD"),
        ["war: ['J♡', 'J♢'] TIE!", "war: ['7♢', 'J♣', 'J♡', 'J♢'] => Brad"],
    ),
    "a double tie (the sheet's sample)": (
        ("6C KD TC 2S", "6S KH 8C 3S"),
        ("2S TC 8C KD KH 6C 6S", "3S"),
        [
            "war: ['6♣', '6♠'] TIE!",
            "war: ['K♢', 'K♡', '6♣', '6♠'] TIE!",
            "war: ['10♣', '8♣', 'K♢', 'K♡', '6♣', '6♠'] => Amy",
        ],
    ),
    "who has no card left for the tie loses it": (
        ("4H", "4S 2C 3C"),
        ("", "2C 3C 4H 4S"),
        ["Amy has no card left for the tie.", "war: ['4♡', '4♠'] => Brad", "Brad wins!"],
    ),
    "the second player can run out too, and shows nothing more": (
        ("4H 2C 3C", "4S"),
        ("2C 3C 4H 4S", ""),
        ["Brad has no card left for the tie.", "war: ['4♡', '4♠'] => Amy", "Amy wins!"],
    ),
    "one runs out after the second card": (
        ("4H 9H", "4S 9S 2S"),
        ("", "2S 9H 9S 4H 4S"),
        [
            "war: ['4♡', '4♠'] TIE!",
            "Amy has no card left for the tie.",
            "war: ['9♡', '9♠', '4♡', '4♠'] => Brad",
            "Brad wins!",
        ],
    ),
    "both run out: the second player takes it": (
        ("4H 9H", "4S 9S"),
        ("", "9H 9S 4H 4S"),
        [
            "war: ['4♡', '4♠'] TIE!",
            "None of the tied has a card left: the last of them takes the pile.",
            "war: ['9♡', '9♠', '4♡', '4♠'] => Brad",
            "Brad wins!",
        ],
    ),
    "three show, the highest takes all": (
        ("2H 3H", "9C 3C", "8S 3S"),
        ("3H", "3C 2H 9C 8S", "3S"),
        ["war: ['2♡', '9♣', '8♠'] => Brad"],
    ),
    "two of three tie: the third shows no more, and his card goes with the pile": (
        ("QH 4H 5H", "2C AC 5C", "QS 3S 5S"),
        ("5H 4H 3S QH 2C QS", "AC 5C", "5S"),
        ["war: ['Q♡', '2♣', 'Q♠'] TIE!", "war: ['4♡', '3♠', 'Q♡', '2♣', 'Q♠'] => Amy"],
    ),
    "a tie below the highest is no tie": (
        ("QH 4H", "QC 4C", "KS 3S"),
        ("4H", "4C", "3S QH QC KS"),
        ["war: ['Q♡', 'Q♣', 'K♠'] => Carl"],
    ),
    "of three tied, two tie again": (
        ("QH 4H 5H 6H", "QC 4C 7C 6C", "QS 3S 8S"),
        ("6H", "6C 5H 7C 4H 4C 3S QH QC QS", "8S"),
        [
            "war: ['Q♡', 'Q♣', 'Q♠'] TIE!",
            "war: ['4♡', '4♣', '3♠', 'Q♡', 'Q♣', 'Q♠'] TIE!",
            "war: ['5♡', '7♣', '4♡', '4♣', '3♠', 'Q♡', 'Q♣', 'Q♠'] => Brad",
        ],
    ),
    "a tied player without cards drops out while the others go on": (
        ("QH 4H 5H", "QC", "QS 9S 8S"),
        ("5H", "", "8S 4H 9S QH QC QS"),
        [
            "war: ['Q♡', 'Q♣', 'Q♠'] TIE!",
            "Brad has no card left for the tie.",
            "war: ['4♡', '9♠', 'Q♡', 'Q♣', 'Q♠'] => Carl",
            "Brad is out of cards and of the game.",
        ],
    ),
    "one of the tied has cards left: he takes it without showing another": (
        ("QH", "QC", "QS 9S 8S", "2D 3D"),
        ("", "", "9S 8S QH QC QS 2D", "3D"),
        [
            "Amy has no card left for the tie.",
            "Brad has no card left for the tie.",
            "war: ['Q♡', 'Q♣', 'Q♠', '2♢'] => Carl",
            "Amy is out of cards and of the game.",
            "Brad is out of cards and of the game.",
        ],
    ),
    "none of the tied has cards left: the last of the tied, not of the players": (
        ("QH", "QC", "2S 3S"),
        ("", "QH QC 2S", "3S"),
        [
            "None of the tied has a card left: the last of them takes the pile.",
            "war: ['Q♡', 'Q♣', '2♠'] => Brad",
            "Amy is out of cards and of the game.",
        ],
    ),
    "who is out of the game is passed over": (
        ("KH 3H", "", "QS 3S"),
        ("3H KH QS", "", "3S"),
        ["war: ['K♡', 'Q♠'] => Amy"],
    ),
    "the last card lost ends the game": (
        ("KH 3H", "", "QS"),
        ("3H KH QS", "", ""),
        ["war: ['K♡', 'Q♠'] => Amy", "Amy wins!"],
    ),
}


@pytest.mark.parametrize("name", TURNS)
def test_a_turn(name: str) -> None:
    before, after, log = TURNS[name]
    luck = Luck()
    state = turn(playing(hands(*before)), rng=luck)
    assert state.hands == hands(*after)
    assert list(lines(state)) == log
    # One shuffle, of the taker's whole hand and of nothing else.
    assert state.battle is not None
    assert luck.asked == [list(state.hands[state.battle.taker])]
    over = sum(map(bool, after)) == 1
    assert TABLE.phase(state) is (Phase.GAME_OVER if over else Phase.PLAYING)


def test_the_winners_whole_hand_is_shuffled() -> None:
    state = turn(playing(hands("AH 6D 7C", "2D KD")), rng=Luck((3, 0, 2, 1)))
    # As it lay: 6D 7C, then the pile AH 2D.
    assert state.hands == hands("2D 6D AH 7C", "KD")


def test_every_rank_beats_those_below_it() -> None:
    for low, high in pairwise(STRONG):
        state = turn(playing(hands(f"{low}S 2H", f"{high}C 3H")))
        assert state.battle is not None
        assert state.battle.taker == 1, (low, high)


def test_the_first_battle_ties_in_one_of_seventeen() -> None:
    """3/51 of the pairs have the same rank, and 8/17 are left for each player."""
    takers = Counter(
        fight(((mine, Card.TWO_OF_CLUBS), (yours, Card.THREE_OF_CLUBS))).cards[1:] != ()
        for mine, yours in permutations(FULL_DECK, 2)
    )
    assert Fraction(takers[True], takers.total()) == Fraction(1, 17)
    wins = Counter(
        fight(((mine,), (yours,))).taker
        for mine, yours in permutations(FULL_DECK, 2)
        if mine.rank is not yours.rank
    )
    assert Fraction(wins[0], 52 * 51) == Fraction(wins[1], 52 * 51) == Fraction(8, 17)


# --- The sheet's own code


class SheetGame:
    """The sheet's ``turn``, for two, with lists of codes and its own way of comparing."""

    def __init__(self, first: Iterable[str], second: Iterable[str]) -> None:
        self.players = [list(first), list(second)]
        self.names = ["Amy", "Brad"]
        self.log: list[str] = []

    def say(self, pile: list[str], ending: str) -> None:
        symbols = {"S": "♠", "H": "♡", "C": "♣", "D": "♢"}
        shown = [("10" if rank == "T" else rank) + symbols[suit] for rank, suit in map(tuple, pile)]
        self.log.append(f"war: {shown} {ending}")

    def turn(self, rng: random.Random) -> None:
        pile = [player.pop(0) for player in self.players]

        def tie() -> bool:
            return pile[0][0] == pile[1][0]

        while tie() and all(self.players):
            self.say(pile, "TIE!")
            for place, player in enumerate(self.players):
                pile.insert(place, player.pop(0))
        if tie():
            winner = 0 if self.players[0] else 1
        else:
            winner = 0 if STRONG.index(pile[0][0]) > STRONG.index(pile[1][0]) else 1
        self.players[winner].extend(pile)
        rng.shuffle(self.players[winner])
        self.say(pile, f"=> {self.names[winner]}")
        if len(self.players[winner]) == 52:
            self.log.append(f"{self.names[winner]} wins!")


def test_whole_games_go_as_the_sheets_code_plays_them() -> None:
    ran_out = 0
    for seed in range(12):
        state = deal(seed=seed)
        sheet = SheetGame(*state.hands)
        ours, theirs = random.Random(seed), random.Random(seed)
        while TABLE.phase(state) is Phase.PLAYING:
            sheet.log.clear()
            sheet.turn(theirs)
            state = turn(state, rng=ours)
            assert list(map(list, state.hands)) == sheet.players
            log = [line for line in lines(state) if " left" not in line]
            assert log == sheet.log
        verdict = TABLE.verdict(state)
        assert verdict is not None
        ran_out += verdict.rule == "running-out"
    assert ran_out  # so that this way to end was among them


# --- Small decks, exactly

Key = tuple[int, tuple[str, ...], tuple[str, ...]]
"""A table after a turn: who took the pile, his ranks in no order, and the others' in order."""

Row = dict[Key, Fraction]


def ranks(hand: Cards) -> str:
    return "".join(card.rank for card in hand)


def key(state: State) -> Key:
    """All that the rest of the game depends on: the taker's hand is in random order."""
    assert state.battle is not None
    taker = state.battle.taker
    others = tuple(ranks(hand) for seat, hand in enumerate(state.hands) if seat != taker)
    return taker, tuple(sorted(ranks(state.hands[taker]))), others


def shuffles(state: State) -> list[tuple[State, int]]:
    """Play one turn with every order that its shuffle can leave, each with how often it comes.

    Orders that differ only in suits are the same: suits do not count.
    """
    luck = Luck()
    turn(state, rng=luck)
    size = len(luck.asked[0])
    counts: Counter[tuple[str, ...]] = Counter()
    found: dict[tuple[str, ...], State] = {}
    for order in permutations(range(size)):
        after = turn(state, rng=Luck(order))
        shown = tuple(map(ranks, after.hands))
        counts[shown] += 1
        found.setdefault(shown, after)
    return [(found[shown], count) for shown, count in counts.items()]


def exact(starts: list[State]) -> tuple[Fraction, list[Fraction]]:
    """Return the mean number of turns, and how likely each player wins, from equally likely deals.

    Every table after a turn is an unknown; the equations are solved by elimination.
    """
    players = len(starts[0].hands)
    rows: dict[Key, Row] = {}
    known: dict[Key, list[Fraction]] = {}
    before: dict[Key, State] = {}
    todo: list[Key] = []

    def averaged(tables: list[tuple[State, int]]) -> tuple[Row, list[Fraction]]:
        """Play one turn from each: what comes next, and the turns and wins that are sure."""
        row: Row = {}
        sure = [Fraction(1)] + [Fraction(0)] * players
        total = sum(weight for _, weight in tables)
        for table, weight in tables:
            after, share = turn(table), Fraction(weight, total)
            if TABLE.phase(after) is Phase.GAME_OVER:
                assert after.battle is not None
                sure[1 + after.battle.taker] += share
                continue
            name = key(after)
            row[name] = row.get(name, Fraction(0)) + share
            if name not in before:
                before[name] = table
                todo.append(name)
        return row, sure

    start, answer = averaged([(state, 1) for state in starts])
    while todo:
        name = todo.pop()
        rows[name], known[name] = averaged(shuffles(before[name]))

    def put_in(name: Key, row: Row, sure: list[Fraction]) -> None:
        share = row.pop(name, None)
        if share is not None:
            for other, part in rows[name].items():
                row[other] = row.get(other, Fraction(0)) + share * part
            for place, value in enumerate(known[name]):
                sure[place] += share * value

    # Those with many cards in the others' hands come last: few tables lead to them.
    order = sorted(rows, key=lambda name: len(name[1]))
    for place, name in enumerate(order):
        stays = 1 - rows[name].pop(name, Fraction(0))
        rows[name] = {other: part / stays for other, part in rows[name].items()}
        known[name] = [value / stays for value in known[name]]
        for other in order[place + 1 :]:
            put_in(name, rows[other], known[other])
        put_in(name, start, answer)
    assert not start
    return answer[0], answer[1:]


def every_deal(codes: str, sizes: tuple[int, ...] | None = None) -> list[State]:
    """Every order of a small deck: dealt alternately to two, or cut into hands of these sizes."""
    states = []
    for order in permutations(cards(codes)):
        if sizes is None:
            states.append(playing(dealt(order, 2)))
        else:
            ends = [sum(sizes[:seat]) for seat in range(len(sizes) + 1)]
            states.append(playing(tuple(order[a:b] for a, b in pairwise(ends))))
    return states


@pytest.mark.parametrize(
    ("codes", "turns", "first"),
    [
        ("2S 2H 3S 3H", Fraction(13, 6), Fraction(1, 4)),
        ("2S 2H 3S 3H 4S 4H", Fraction(7732453, 1521450), Fraction(617, 1470)),
    ],
    ids=["2x2", "3x2"],
)
def test_small_decks_exactly(codes: str, turns: Fraction, first: Fraction) -> None:
    assert exact(every_deal(codes)) == (turns, [first, 1 - first])


@pytest.mark.parametrize("sizes", [(1, 1), (2, 1), (1, 3), (2, 2), (3, 1), (4, 1), (2, 3), (3, 3)])
def test_without_ties_it_is_gamblers_ruin(sizes: tuple[int, int]) -> None:
    """With a and b cards of different ranks: a*b turns, and the first wins a of a + b times."""
    codes = " ".join(f"{rank}S" for rank in STRONG[-sum(sizes) :])
    a, b = sizes
    wins = [Fraction(a, a + b), Fraction(b, a + b)]
    assert exact(every_deal(codes, sizes)) == (Fraction(a * b), wins)


@pytest.mark.parametrize(
    ("sizes", "turns"),
    [
        # Each of k players takes a pile of k equally often; two with a and b cards go on a*b turns.
        ((1, 1, 1), Fraction(1)),
        ((2, 1, 1), 1 + Fraction(1 * 3 + 1 * 3, 3)),
        ((1, 1, 3), 1 + Fraction(3 * 2 + 3 * 2, 3)),
        ((2, 2, 1), 1 + Fraction(4 * 1 + 4 * 1 + 5, 3)),
        ((1, 2, 1, 1), 1 + Fraction(4 * 1 * 3, 4)),
    ],
)
def test_more_players_without_ties(sizes: tuple[int, ...], turns: Fraction) -> None:
    """The mean gain of a turn is nothing, so everyone wins as often as his share of the cards."""
    codes = " ".join(f"{rank}S" for rank in STRONG[: sum(sizes)])
    wins = [Fraction(size, sum(sizes)) for size in sizes]
    assert exact(every_deal(codes, sizes)) == (turns, wins)


# --- Whole games


def test_one_click_is_as_good_as_many() -> None:
    start = deal(players="3", names="", seed=5)
    one, ten, whole = start, start, turn(start, "all", random.Random(7))
    luck, more_luck = random.Random(7), random.Random(7)
    while TABLE.phase(one) is Phase.PLAYING:
        one = turn(one, "1", luck)
        assert one.turn <= whole.turn
    while TABLE.phase(ten) is Phase.PLAYING:
        ten = turn(ten, "10", more_luck)
    assert replace(one, messages=()) == replace(whole, messages=())
    assert replace(ten, messages=()) == replace(whole, messages=())
    assert whole.turn > 2 * SAMPLES  # so that the course was thinned
    assert one.messages == whole.messages[-len(one.messages) :]


@pytest.mark.parametrize(("turns", "number"), [("1", 1), ("10", 10), ("100", 100)])
def test_a_click_plays_as_many_turns_as_it_says(turns: str, number: int) -> None:
    luck = random.Random(5)
    state = turn(deal(seed=5), turns, luck)
    assert state.turn == number
    assert turn(state, turns, luck).turn == 2 * number


def test_a_game_ends_with_all_cards_in_one_hand() -> None:
    for seed, players in enumerate("23456"):
        state = turn(deal(seed=seed, players=players, names=""), "all", random.Random(seed))
        assert TABLE.phase(state) is Phase.GAME_OVER
        view = TABLE.page_view(state)
        sizes = {player.name: player.cards for player in view.players}
        assert len(sizes) == int(players)
        assert view.winner is not None
        assert sizes.pop(view.winner) == 52
        assert set(sizes.values()) == {0}
        assert view.taken_by == view.winner
        assert view.messages[-1] == f"{view.winner} wins!"
        verdict = TABLE.verdict(state)
        assert verdict is not None
        expected = f"{view.winner} wins with all 52 cards after {view.turn} turns"
        assert verdict.text == expected


def test_a_deck_of_ties_is_over_in_one_turn() -> None:
    """All 26 pairs tie, both run out, and the second player takes everything (A3-3)."""
    state = turn(deal(deck=BY_RANK), "all")
    view = TABLE.page_view(state)
    assert (view.turn, view.winner, len(view.battle)) == (1, "Brad", 26)
    assert sum(line.endswith("TIE!") for line in view.messages) == 25
    assert len(view.messages) == 25 + 3
    verdict = TABLE.verdict(state)
    assert verdict is not None
    assert verdict.text == "Brad wins with all 52 cards after 1 turn"
    assert verdict.rule == "running-out"


def test_playing_to_the_end_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_TURNS > 8461  # the longest of 64 million games
    monkeypatch.setitem(war.TURNS, "all", 50)
    luck = random.Random(4)
    state = turn(deal(seed=4), "all", luck)
    assert (state.turn, TABLE.phase(state)) == (50, Phase.PLAYING)
    assert TABLE.verdict(state) is None
    assert turn(state, "all", luck).turn == 100


def test_nothing_is_lost_in_random_play() -> None:
    luck = random.Random(52)
    state = TABLE.start()
    seen: set[Phase] = set()
    for _ in range(600):
        assert Counter(TABLE.cards(state)) == Counter(FULL_DECK)
        packed = msgspec.msgpack.encode(state)
        assert len(packed) < 4000
        assert msgspec.msgpack.decode(packed, type=State) == state
        msgspec.json.encode(TABLE.page_view(state), enc_hook=str)
        seen.add(TABLE.phase(state))
        legal = [move for move in TABLE.moves(state) if move.name != "new" or luck.random() < 0.05]
        move = luck.choice(legal)
        choices = {
            name: luck.choice(list(options)) if options is not None else ""
            for name, options in move.fields.items()
        }
        state = TABLE.play(state, move.name, choices, luck)
    assert seen == {Phase.READY, Phase.PLAYING, Phase.GAME_OVER}


# --- The view


def test_an_empty_table() -> None:
    view = sent(TABLE.page_view(TABLE.start()))
    assert view == {
        "phase": "ready",
        "players": [],
        "battle": [],
        "seats": [],
        "taken_by": None,
        "rule": None,
        "turn": 0,
        "winner": None,
        "tally": {},
        "course": [],
        "messages": [],
        "stacked": False,
    }


def test_a_table_just_dealt() -> None:
    view = sent(TABLE.page_view(deal(players="3", names="Amy, Brad, Carl")))
    assert view == {
        "phase": "playing",
        "players": [
            {"name": "Amy", "cards": 18},
            {"name": "Brad", "cards": 17},
            {"name": "Carl", "cards": 17},
        ],
        "battle": [],
        "seats": [],
        "taken_by": None,
        "rule": None,
        "turn": 0,
        "winner": None,
        "tally": {"Amy": 0, "Brad": 0, "Carl": 0},
        "course": [[0, 18, 17, 17]],
        "messages": ["Dealing 52 cards to 3 players..."],
        "stacked": False,
    }


def test_the_battle_shows_rows_newest_first_and_who_showed_them() -> None:
    state = turn(playing(hands("QH 4H 5H", "2C AC 5C", "QS 3S 5S")))
    view = sent(TABLE.page_view(state))
    assert view["battle"] == [["4H", "3S"], ["QH", "2C", "QS"]]
    assert view["seats"] == [[0, 2], [0, 1, 2]]
    assert (view["taken_by"], view["rule"], view["turn"]) == ("Amy", "ties", 1)
    assert view["course"] == [[0, 3, 3, 3], [1, 6, 2, 1]]


@pytest.mark.parametrize(
    ("before", "rule"),
    [
        (("AH 2H", "KS 2S"), "turn"),
        (("AH 2H 5H", "AS 3S"), "ties"),
        (("AH 2H", "AS"), "running-out"),
        (("AH", "AS", "2S 3S"), "running-out"),
    ],
)
def test_the_rule_that_decided_a_turn(before: tuple[str, ...], rule: str) -> None:
    assert TABLE.page_view(turn(playing(hands(*before)))).rule == rule


def test_the_rules_named_are_house_rules() -> None:
    anchors = [rule.anchor for rule in TABLE.house_rules]
    assert len(set(anchors)) == len(anchors)
    assert {"deal", "turn", "ties", "running-out", "shuffle", "end"} <= set(anchors)


def test_who_is_out_stays_listed() -> None:
    view = TABLE.page_view(turn(playing(hands("2H", "AC 3C", "4S 5S"))))
    assert [(player.name, player.cards) for player in view.players] == [
        ("Amy", 0),
        ("Brad", 4),
        ("Carl", 1),
    ]
    assert "Amy is out of cards and of the game." in view.messages
    assert view.winner is None


def test_the_hands_are_hidden() -> None:
    """Deal what is in the hands out again, and nothing that can be seen changes."""
    luck = random.Random(9)
    for turns in ("1", "10", "all"):
        state = turn(deal(seed=9, players="4", names=""), turns, luck)
        pool = list(TABLE.cards(state))
        luck.shuffle(pool)
        other = replace(state, hands=tuple(tuple(pool.pop() for _ in hand) for hand in state.hands))
        assert other.hands != state.hands
        assert TABLE.page_view(other) == TABLE.page_view(state)
        assert TABLE.moves(other) == TABLE.moves(state)
        assert TABLE.verdict(other) == TABLE.verdict(state)


def test_messages_are_whole_turns_and_few() -> None:
    for seed in range(20):
        luck = random.Random(seed)
        players = "26"[seed % 2]
        state = deal(seed=seed, players=players, names="")
        for turns in ("1", "10", "100", "all"):
            if TABLE.phase(state) is Phase.GAME_OVER:
                break
            played = -state.turn
            state = turn(state, turns, luck)
            played += state.turn
            told = list(lines(state))
            shown = sum("=>" in line for line in told)
            assert shown == 1
            if played > 1:
                assert told.pop(0) == f"{played} turns were played. The last of them:"
            assert not any("were played" in line for line in told)
            # The first line starts a turn: one card of each player, not a pile that grew.
            assert told[0].startswith("war: ") or "left" in told[0]
            assert told[0].count("'") <= 2 * int(players)


def test_a_deal_says_one_thing() -> None:
    state = turn(deal(), "10", random.Random(1))
    assert len(lines(state)) >= 2
    over = turn(state, "all", random.Random(1))
    assert lines(deal(over)) == ("Dealing 52 cards to 2 players...",)


def test_the_course_is_thinned_evenly() -> None:
    luck = random.Random(2)
    sizes: dict[int, tuple[int, ...]] = {}
    state = deal(seed=2)
    longest = 0
    while TABLE.phase(state) is Phase.PLAYING:
        sizes[state.turn] = tuple(map(len, state.hands))
        course = TABLE.page_view(state).course
        longest = max(longest, len(course))
        assert all(sizes[number] == tuple(counts) for number, *counts in course)
        numbers = [number for number, *_ in course]
        assert numbers[0] == 0
        assert numbers[-1] == state.turn
        steps = {later - sooner for sooner, later in pairwise(numbers[:-1])}
        assert len(steps) <= 1
        assert all(numbers[-1] - number > 0 for number in numbers[:-1])
        state = turn(state, "1", luck)
    assert state.turn > 2 * SAMPLES
    assert SAMPLES / 2 < longest <= SAMPLES + 1


def test_stacked_until_the_first_pile_is_shuffled() -> None:
    assert not TABLE.page_view(deal()).stacked
    state = deal(deck=SHEET_DECK)
    assert TABLE.page_view(state).stacked
    state = turn(state, "1", random.Random(1))
    assert not TABLE.page_view(state).stacked
    over = turn(state, "all", random.Random(1))
    again = deal(over, deck=SHEET_DECK)
    assert TABLE.page_view(again).stacked
    assert again.hands == hands(AMY, BRAD)
    assert not TABLE.page_view(deal(over)).stacked


# --- Moves, names and the tally


def test_the_moves_of_each_phase() -> None:
    ready, playing_, over = TABLE.start(), deal(), turn(deal(), "all", random.Random(1))
    names = [[move.name for move in TABLE.moves(state)] for state in (ready, playing_, over)]
    assert names == [["deal", "new"], ["turn", "new"], ["deal", "new"]]
    deal_move, turn_move = TABLE.moves(over)[0], TABLE.moves(playing_)[0]
    assert {name: options and list(options) for name, options in deal_move.fields.items()} == {
        "players": ["2", "3", "4", "5", "6"],
        "names": None,
        "deck": None,
    }
    assert turn_move.fields == {
        "turns": {"1": "1 turn", "10": "10 turns", "100": "100 turns", "all": "To the end"}
    }
    assert TABLE.play(playing_, "new", {}, Luck()) == TABLE.start()
    assert TABLE.play(over, "new", {}, Luck()) == TABLE.start()


@pytest.mark.parametrize(
    ("players", "text", "names"),
    [
        ("2", "", ("Player 1", "Player 2")),
        ("3", "   ", ("Player 1", "Player 2", "Player 3")),
        ("2", "Amy,Brad", ("Amy", "Brad")),
        ("2", "  Amy ,\tBrad ", ("Amy", "Brad")),
        ("4", "Amy, Brad", ("Amy", "Brad", "Player 3", "Player 4")),
        ("2", "Player 2, Player 1", ("Player 2", "Player 1")),
        ("2", "Zoë O'Hara, 李小龍", ("Zoë O'Hara", "李小龍")),
        ("2", f"{'x' * 20}, <b>&amp;", ("x" * 20, "<b>&amp;")),
    ],
)
def test_names(players: str, text: str, names: tuple[str, ...]) -> None:
    view = TABLE.page_view(deal(players=players, names=text))
    assert tuple(player.name for player in view.players) == names
    assert view.tally == dict.fromkeys(names, 0)


@pytest.mark.parametrize(
    ("players", "text", "sentence"),
    [
        ("2", "Amy, Brad, Carl", "There are 3 names for 2 players."),
        ("2", "Amy, Amy", "Two players have the same name."),
        ("2", "Player 2", "Two players have the same name."),
        ("3", "Amy,, Carl", "A name is empty: names are separated by single commas."),
        ("3", "Amy, Brad,", "A name is empty: names are separated by single commas."),
        ("2", ",", "A name is empty: names are separated by single commas."),
        ("2", "x" * 21, "A name has at most 20 characters."),
        ("2", "A\nmy", "A name has a character that cannot be shown."),
        ("2", "A\u202emy", "A name has a character that cannot be shown."),
        ("2", "A\x00my", "A name has a character that cannot be shown."),
        ("2", "A\ud800my", "A name has a character that cannot be shown."),
    ],
)
def test_names_that_are_refused(players: str, text: str, sentence: str) -> None:
    with pytest.raises(IllegalMove) as refusal:
        deal(players=players, names=text)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("move", "choices"),
    [
        ("turn", {"turns": "1"}),
        ("hit", {}),
        ("deal", {}),
        ("deal", {"players": "1"}),
        ("deal", {"players": "7"}),
        ("deal", {"players": ""}),
        ("deal", {"players": "2", "deal": ""}),
        ("deal", {"players": "2", "names": File("names.txt", b"Amy, Brad")}),
        ("deal", {"players": File("2", b"2")}),
        ("new", {"players": "2"}),
    ],
)
def test_what_an_empty_table_refuses(move: str, choices: Mapping[str, str | File]) -> None:
    with pytest.raises(IllegalMove):
        TABLE.play(TABLE.start(), move, choices, Luck())


@pytest.mark.parametrize(
    ("move", "choices"),
    [
        ("deal", {"players": "2"}),
        ("turn", {}),
        ("turn", {"turns": "0"}),
        ("turn", {"turns": "-1"}),
        ("turn", {"turns": "1000"}),
        ("turn", {"turns": "ALL"}),
        ("turn", {"turns": "1", "deck": ""}),
    ],
)
def test_what_a_game_refuses(move: str, choices: Mapping[str, str]) -> None:
    with pytest.raises(IllegalMove):
        TABLE.play(deal(), move, choices, Luck())


def test_a_game_that_is_over_has_no_turn() -> None:
    with pytest.raises(IllegalMove):
        turn(turn(deal(), "all", random.Random(1)))


def test_a_deck_that_is_none() -> None:
    with pytest.raises(InvalidDeck, match=r"^Cannot populate deck: invalid data in the text$"):
        deal(deck=SHEET_DECK + "\nAS")
    file = File("d.txt", SHEET_DECK.encode())
    choices: dict[str, str | File] = {"players": "2", "deck": file}
    assert TABLE.play(TABLE.start(), "deal", choices, Luck()).hands == hands(AMY, BRAD)


def test_the_tally_goes_on_while_the_same_players_do() -> None:
    luck = random.Random(6)
    won: Counter[str] = Counter()
    state = TABLE.start()
    for number in range(1, 7):
        state = deal(state, seed=number)
        assert TABLE.page_view(state).tally == {"Amy": won["Amy"], "Brad": won["Brad"]}
        state = turn(state, "all", luck)
        view = TABLE.page_view(state)
        won[str(view.winner)] += 1
        assert view.tally == {"Amy": won["Amy"], "Brad": won["Brad"]}
        assert sum(view.tally.values()) == number
    assert len(won) == 2
    assert TABLE.page_view(deal(state, names="Amy, Carl")).tally == {"Amy": 0, "Carl": 0}
    assert TABLE.page_view(deal(state, names="Brad, Amy")).tally == {"Brad": 0, "Amy": 0}
    three = TABLE.page_view(deal(state, players="3"))
    assert three.tally == {"Amy": 0, "Brad": 0, "Player 3": 0}
    new = TABLE.play(state, "new", {}, luck)
    assert TABLE.page_view(deal(new)).tally == {"Amy": 0, "Brad": 0}


# --- Thousands of games


def near(found: list[float], expected: float, errors: float = 4) -> bool:
    return abs(fmean(found) - expected) < errors * stdev(found) / sqrt(len(found))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("players", "mean", "wins"),
    [
        ("2", 574.0, [0.5, 0.5]),
        ("3", 588.5, [0.3465, 0.3266, 0.3269]),
        ("4", 587.9, [0.25, 0.25, 0.25, 0.25]),
    ],
)
def test_long_run_means(players: str, mean: float, wins: list[float]) -> None:
    luck = random.Random(574)
    turns: list[float] = []
    winners: list[int] = []
    ran_out: list[float] = []
    for _ in range(4000):
        state = TABLE.play(TABLE.start(), "deal", {"players": players}, luck)
        state = turn(state, "all", luck)
        verdict = TABLE.verdict(state)
        assert state.battle is not None
        assert verdict is not None
        turns.append(state.turn)
        winners.append(state.battle.taker)
        ran_out.append(verdict.rule == "running-out")
    assert near(turns, mean)
    for seat, share in enumerate(wins):
        assert near([winner == seat for winner in winners], share)
    if players == "2":
        assert near(ran_out, 0.1147)
        assert 470 * 0.9 < stdev(turns) < 470 * 1.1
        for quantile, share in ((114, 0.05), (434, 0.5), (1509, 0.95)):
            assert near([number <= quantile for number in turns], share)


@pytest.mark.slow
def test_long_run_ties() -> None:
    """35.96 ties a game of two, and a tie in one turn of 17.02."""
    luck = random.Random(17)
    ties: list[float] = []
    tied: list[float] = []
    for _ in range(2000):
        table = deal(seed=luck.randrange(2**32)).hands
        steps = 0
        while all(table):
            battle = fight(table)
            table = taken(table, battle, luck)
            top = {card.rank for card in battle.cards[0]}
            steps += len(battle.cards) - (len(top) > 1)
            tied.append(battle.cards[-1][0].rank is battle.cards[-1][1].rank)
        ties.append(steps)
    assert near(ties, 35.96)
    assert near(tied, 1 / 17.02)
