"""A table of War: the deal, whole games, what is shown and what is said, moves and names."""

import random
from dataclasses import replace

import pytest

from cardgames import GAMES
from cardgames.cards import FULL_DECK, Card
from cardgames.deck_file import File, InvalidDeck
from cardgames.games.war.rules import MAX_TURNS
from cardgames.moves import IllegalMove, Sent
from cardgames.table import Phase, Table
from tests.support.play import deck_file, play, salts
from tests.support.war import STRONG, Luck, after_turn, at_table, hands, playing

WAR = GAMES["war"]
BY_SUIT = deck_file()
BY_RANK = "\n".join(rank + suit for rank in STRONG for suit in "CDHS")
"""Four of a rank after one another: dealt to two, every pair ties."""

# How the sheet's printed game starts: `at start <'Amy' has [...]>`.
AMY = "AH 6D QH 8D 2H AS 3D 9H KD TC 9S 5H TD 2S 8H 7H 9C QC QD 9D 3S 3C JH 7S KH TS"
BRAD = "2D AD 5D JS 3H JC 7D 2C 8S 4D KC 6C 6S 6H 7C 4H 4C KS 5S TH 4S AC QS 8C 5C JD"
SHEET_DECK = "\n".join(
    f"{mine}\n{yours}" for mine, yours in zip(AMY.split(), BRAD.split(), strict=True)
)


def deal(fields: str = "players=2 names=Amy,Brad", seed: int = 1, **deck: str) -> Table:
    return play("war", f"deal {fields}", new_salt=salts(seed), **deck)


def turn(table: Table, turns: str = "1", seed: int = 2) -> Table:
    return play(table, f"turn turns={turns}", new_salt=salts(seed))


# ---- The deal ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "sizes"),
    [
        (2, [26, 26]),
        (3, [18, 17, 17]),
        (4, [13, 13, 13, 13]),
        (5, [11, 11, 10, 10, 10]),
        (6, [9, 9, 9, 9, 8, 8]),
    ],
)
def test_the_deal_goes_round_one_card_at_a_time(players: int, sizes: list[int]) -> None:
    table = deal(f"players={players}", deck=BY_SUIT)
    left: list[list[Card]] = [[] for _ in sizes]
    for number, card in enumerate(FULL_DECK):
        left[number % players].append(card)
    assert table.state.hands == tuple(map(tuple, left))
    assert [player.cards for player in table.shown().players] == sizes


def test_the_sheets_start_hands_and_first_battle() -> None:
    table = deal(deck=SHEET_DECK)
    assert table.state.hands == hands(AMY, BRAD)
    assert turn(table).messages() == ("war: ['A♡', '2♢'] => Amy",)


def test_a_deal_without_a_deck_is_shuffled() -> None:
    first, again, other = deal(seed=1), deal(seed=1), deal(seed=2)
    assert first == again
    assert first.state.hands != other.state.hands
    assert sorted(sum(first.state.hands, ())) == sorted(FULL_DECK)


# ---- Whole games ---------------------------------------------------------------------------


def test_one_click_is_as_good_as_many() -> None:
    start = deal("players=3", seed=5)
    ends = []
    for turns in ("1", "10", "all"):
        table = start
        while table.phase is Phase.PLAYING:
            table = turn(table, turns)
        ends.append(table)
    one, ten, whole = ends
    assert one.state == ten.state == whole.state
    assert one.record == ten.record == whole.record
    assert one.messages() == whole.messages()[-len(one.messages()) :]
    assert whole.messages()[0] == f"{whole.state.turn} turns were played. The last of them:"


@pytest.mark.parametrize(("turns", "number"), [("1", 1), ("10", 10), ("100", 100)])
def test_a_click_plays_as_many_turns_as_it_says(turns: str, number: int) -> None:
    table = turn(deal(seed=5), turns)
    assert table.state.turn == number
    assert turn(table, turns).state.turn == 2 * number


def test_a_game_ends_with_all_cards_in_one_hand() -> None:
    for seed, players in enumerate("23456"):
        table = turn(deal(f"players={players}", seed=seed), "all")
        view, shown = table.view(), table.shown()
        sizes = {player.name: player.cards for player in view["players"]}
        assert len(sizes) == int(players)
        assert sizes.pop(view["winner"]) == 52
        assert set(sizes.values()) == {0}
        assert (view["phase"], shown.taken_by) == ("game over", view["winner"])
        assert view["messages"][-1] == f"{view['winner']} wins!"
        assert table.result
        turns = view["turn"]
        assert table.result.text == f"{view['winner']} wins with all 52 cards after {turns} turns"


def test_a_deck_of_ties_is_over_in_one_turn() -> None:
    """All 26 pairs tie, both run out, and the second player takes everything (A3-3)."""
    table = turn(deal(deck=BY_RANK), "all")
    view = table.view()
    assert (view["turn"], view["winner"], len(view["battle"])) == (1, "Brad", 26)
    assert sum(line.endswith("TIE!") for line in view["messages"]) == 25
    assert len(view["messages"]) == 25 + 3
    assert table.result
    assert table.result.text == "Brad wins with all 52 cards after 1 turn"
    assert table.result.rule == "running-out"


def test_playing_to_the_end_is_bounded() -> None:
    """The longest of 64 million games took 8,461 turns."""
    move = WAR.move("turn")
    assert move
    assert move.read({"turns": "all"}).times == MAX_TURNS > 8461


def test_messages_are_of_one_turn_and_few() -> None:
    for seed in range(20):
        players = "26"[seed % 2]
        table = deal(f"players={players}", seed=seed)
        for turns in ("1", "10", "100", "all"):
            if table.phase is Phase.GAME_OVER:
                break
            before, table = table.state.turn, turn(table, turns)
            told, played = list(table.messages()), table.state.turn - before
            if played > 1:
                assert told.pop(0) == f"{played} turns were played. The last of them:"
            assert sum("=>" in line for line in told) == 1
            assert not any("were played" in line for line in told)
            # The first line starts a turn: one card of each player, not a pile that grew.
            assert told[0].startswith("war: ") or "left" in told[0]
            assert told[0].count("'") <= 2 * int(players)


def test_a_deal_says_one_thing() -> None:
    over = turn(turn(deal(), "10"), "all")
    again = play(over, "deal players=3", new_salt=salts(1))
    assert again.messages() == ("Dealing 52 cards to 3 players...",)


def test_stacked_until_the_first_pile_is_shuffled() -> None:
    table = deal(deck=SHEET_DECK)
    over = turn(turn(table), "all")
    again = play(over, "deal players=2", deck=SHEET_DECK)
    flags = [one.stacked for one in (deal(), table, turn(table), over, again)]
    assert flags == [False, True, False, False, True]
    assert again.state.hands == hands(AMY, BRAD)


# ---- The view ------------------------------------------------------------------------------


def test_the_view_of_an_empty_table_and_of_one_just_dealt() -> None:
    empty = {"phase": "ready", "players": (), "battle": (), "turn": 0, "winner": None}
    assert Table(WAR).view() == empty | {"tally": {}, "messages": (), "stacked": False}
    view = deal("players=3 names=Amy,Brad,Carl").view()
    sizes = [(player.name, player.cards) for player in view.pop("players")]
    assert sizes == [("Amy", 18), ("Brad", 17), ("Carl", 17)]
    assert view == {
        "phase": "playing",
        "battle": (),
        "turn": 0,
        "winner": None,
        "tally": {"Amy": 0, "Brad": 0, "Carl": 0},
        "messages": ("Dealing 52 cards to 3 players...",),
        "stacked": False,
    }


def test_the_battle_shows_rows_newest_first_and_who_showed_them() -> None:
    state = after_turn(playing(hands("QH 4H 5H", "2C AC 5C", "QS 3S 5S")), Luck())
    shown = at_table(state).shown()
    assert shown.battle == (("4H", "3S"), ("QH", "2C", "QS"))
    assert shown.seats == ((0, 2), (0, 1, 2))
    assert (shown.taken_by, shown.rule, shown.turn) == ("Amy", "ties", 1)
    assert WAR.progress(state) == (6, 2, 1)


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
    assert at_table(after_turn(playing(hands(*before)), Luck())).shown().rule == rule
    assert rule in {one.anchor for one in WAR.info.rules}


def test_who_is_out_stays_listed() -> None:
    table = at_table(after_turn(playing(hands("2H", "AC 3C", "4S 5S")), Luck()))
    sizes = [(player.name, player.cards) for player in table.shown().players]
    assert sizes == [("Amy", 0), ("Brad", 4), ("Carl", 1)]
    assert table.messages()[-1] == "Amy is out of cards and of the game."
    assert table.result is None


def test_whatever_lies_in_the_hands_the_same_is_told() -> None:
    """All of it, not only what is hidden: also where the cards of the last battle lie."""
    rng = random.Random(9)
    for turns in ("1", "10", "all"):
        table = turn(deal("players=4", seed=9), turns)
        pool = list(WAR.cards(table.state))
        rng.shuffle(pool)
        dealt = tuple(tuple(pool.pop() for _ in hand) for hand in table.state.hands)
        other = replace(table, state=replace(table.state, hands=dealt))
        assert other.state.hands != table.state.hands
        assert (other.view(), other.shown()) == (table.view(), table.shown())
        assert WAR.result(other.state) == table.result


# ---- Moves and names -----------------------------------------------------------------------


def test_the_moves_of_each_phase() -> None:
    over = turn(deal(), "all")
    names = [[move.name for move in table.moves()] for table in (Table(WAR), deal(), over)]
    assert names == [["deal", "new"], ["turn", "new"], ["deal", "new"]]
    deal_move, turn_move = over.moves()[0], deal().moves()[0]
    options = {name: found and list(found) for name, found in deal_move.form.items()}
    assert options == {"players": ["2", "3", "4", "5", "6"], "names": None, "deck": None}
    labels = {"1": "1 turn", "10": "10 turns", "100": "100 turns", "all": "To the end"}
    assert turn_move.form == {"turns": labels}
    with pytest.raises(IllegalMove):
        turn(over)


def deal_with(players: str, names: str) -> Table:
    return Table(WAR).play("deal", {"players": players, "names": names}, salts(1)).table


@pytest.mark.parametrize(
    ("players", "text", "names"),
    [
        ("2", "", ("Player 1", "Player 2")),
        ("3", "   ", ("Player 1", "Player 2", "Player 3")),
        ("2", "Amy,Brad", ("Amy", "Brad")),
        ("2", "  Amy ,\tBrad ", ("Amy", "Brad")),
        ("2", f"Amy{' ' * 50_000}, Brad", ("Amy", "Brad")),
        ("4", "Amy, Brad", ("Amy", "Brad", "Player 3", "Player 4")),
        ("2", "Player 2, Player 1", ("Player 2", "Player 1")),
        ("2", "Zoë O'Hara, 李小龍", ("Zoë O'Hara", "李小龍")),
        ("2", f"{'x' * 20}, <b>&amp;", ("x" * 20, "<b>&amp;")),
    ],
)
def test_names(players: str, text: str, names: tuple[str, ...]) -> None:
    """They are recorded without what stands around them."""
    table = deal_with(players, text)
    assert tuple(player.name for player in table.shown().players) == names
    assert table.counts() == dict.fromkeys(names, 0)
    recorded = dict(table.record.actions[0].choices).get("names", "")
    assert recorded == ",".join(names[: text.count(",") + 1] if text.strip() else ())


@pytest.mark.parametrize(
    ("players", "text", "sentence"),
    [
        ("2", "Amy, Brad, Carl", "There are 3 names for 2 players."),
        ("2", "Amy, Amy", "Two players have the same name."),
        ("2", "Player 2", "Two players have the same name."),
        ("2", "x" * 21, "A name has at most 20 characters."),
        *(
            ("2", f"A{odd}my", "A name has a character that cannot be shown.")
            for odd in ("\n", "\u202e", "\x00", "\ud800")
        ),
    ],
)
def test_names_that_are_refused(players: str, text: str, sentence: str) -> None:
    with pytest.raises(IllegalMove) as refusal:
        deal_with(players, text)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    "sent",
    [
        {"players": "1"},
        {"players": "7"},
        {"players": File("2", b"2")},
        {"players": "2", "names": File("names.txt", b"Amy, Brad")},
    ],
)
def test_what_a_deal_refuses(sent: Sent) -> None:
    with pytest.raises(IllegalMove):
        Table(WAR).play("deal", sent)


@pytest.mark.parametrize("turns", ["0", "-1", "1000", "ALL"])
def test_what_a_turn_refuses(turns: str) -> None:
    with pytest.raises(IllegalMove):
        turn(deal(), turns)


def test_a_deck_that_is_none() -> None:
    with pytest.raises(InvalidDeck, match=r"^Cannot populate deck: invalid data in the text$"):
        deal(deck=SHEET_DECK + "\nAS")
    table = play("war", "deal players=2", deck=File("d.txt", SHEET_DECK.encode()))
    assert table.state.hands == hands(AMY, BRAD)
