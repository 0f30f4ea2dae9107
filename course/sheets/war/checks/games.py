"""War: the class Game."""

import re

from course.grading.checks import check
from course.grading.checks.tools import interface
from course.grading.trial import Failed, Trial

FILE = "war.py"
NAMES = ("Amy", "Brad", "Carl", "Dora")
SUIT_OF = {"♠": "S", "♡": "H", "♣": "C", "♢": "D"}
RANKS = {**{str(number): number for number in range(2, 11)}, "J": 11, "Q": 12, "K": 13, "A": 14}


def a_game(trial: Trial, *hands: str) -> None:
    """Create ``game``, whose players have these cards and whose deck is empty."""
    trial.load("war")
    names = NAMES[: max(2, len(hands))]
    trial.do(f"players = [Player(name) for name in {list(names)}]; game = Game(players)")
    if hands:
        trial.do("empty = list(game.deck.give_cards())")
        for place, hand in enumerate(hands):
            cards = ", ".join(made(card) for card in hand.split())
            trial.do(f"players[{place}].receive_cards([{cards}])")


def made(card: str) -> str:
    """Return the code that creates a card from its text, as in ``10♡``."""
    return f"Card({RANKS[card[:-1]]},'{SUIT_OF[card[-1]]}')"


def small_deck(trial: Trial, cards: str) -> None:
    """Replace the game's deck by a deck of these cards."""
    trial.do("empty = list(game.deck.give_cards())")
    made_cards = ", ".join(made(card) for card in cards.split())
    trial.do(f"game.deck.receive_cards([{made_cards}]); game.deck.size = {len(cards.split())}")


def held(trial: Trial, seat: int) -> list[str]:
    """Return a player's cards, top card first."""
    cards: list[str] = trial.look(f"[str(card) for card in players[{seat}]]")
    return cards


def expect_cards(trial: Trial, seat: int, cards: str, *, ordered: bool = False) -> None:
    """Fail unless a player has these cards, in any order or in the given order."""
    got, wanted = held(trial, seat), cards.split()
    same = got == wanted if ordered else sorted(got) == sorted(wanted)
    trial.expect(same, f"{NAMES[seat]} holds {cards or 'nothing'}", " ".join(got) or "nothing")


def expect_winner(trial: Trial, seat: int, statement: str = "game.turn()") -> None:
    """Fail unless a turn or a game returns this player."""
    trial.do(f"winner = {statement}")
    is_it = trial.look(f"winner is players[{seat}]")
    got = trial.look("getattr(winner, 'name', winner)")
    trial.expect(is_it, f"{statement} returns {NAMES[seat]}", got)


@check("S3-1")
def s3_1(trial: Trial) -> None:
    """Each player gets 26 cards, alternately, starting with Amy."""
    a_game(trial)
    order = trial.value("[str(card) for card in game.deck]")
    trial.do("game.deal()")
    expect_cards(trial, 0, " ".join(order[0::2]), ordered=True)
    expect_cards(trial, 1, " ".join(order[1::2]), ordered=True)


@check("S3-2")
def s3_2(trial: Trial) -> None:
    """The player with the higher card takes both cards.

    Only the winner's hand is shuffled.
    """
    first = "9♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 10♠ J♠ Q♠ K♠"
    second = first.replace("♠", "♡").replace("9♡", "8♢", 1)
    a_game(trial, first, second)
    expect_winner(trial, 0)
    expect_cards(trial, 0, f"{first} 8♢")
    expect_cards(trial, 1, second.removeprefix("8♢ "), ordered=True)
    a_game(trial, "2♠ 3♠", "A♡ 3♡")
    expect_winner(trial, 1)
    expect_cards(trial, 1, "2♠ A♡ 3♡")


@check("S3-3")
def s3_3(trial: Trial) -> None:
    """After a tie the winner takes four cards."""
    a_game(trial, "9♠ 2♠ 3♠", "9♡ 5♡ 4♡")
    expect_winner(trial, 1)
    expect_cards(trial, 1, "9♠ 9♡ 2♠ 5♡ 4♡")
    expect_cards(trial, 0, "3♠")


@check("S3-4")
def s3_4(trial: Trial) -> None:
    """After three ties the winner takes eight cards."""
    a_game(trial, "9♠ 2♠ J♠ A♠ 3♠", "9♡ 2♡ J♡ 5♡ 4♡")
    expect_winner(trial, 0)
    expect_cards(trial, 0, "9♠ 9♡ 2♠ 2♡ J♠ J♡ A♠ 5♡ 3♠")
    expect_cards(trial, 1, "4♡")


@check("S3-5")
def s3_5(trial: Trial) -> None:
    """The game ends when a player has all cards, and not before."""
    a_game(trial)
    small_deck(trial, "9♠ 2♡ 10♠ 3♡ J♠ 4♡")
    expect_winner(trial, 0, "game.play()")
    expect_cards(trial, 0, "9♠ 2♡ 10♠ 3♡ J♠ 4♡")


@check("S3-21")
def s3_21(trial: Trial) -> None:
    """A game has players and a deck."""
    a_game(trial)
    trial.equal("list(game.players) == players", expected=True)
    trial.equal("isinstance(game.deck, Deck)", expected=True)
    interface(FILE, "Game", exactly=False)(trial)


@check("S3-22")
def s3_22(trial: Trial) -> None:
    """Cards are dealt until the deck is empty."""
    a_game(trial)
    small_deck(trial, "9♠ 2♡ 10♠ 3♡")
    trial.do("game.deal()")
    trial.equal("game.deck.num_cards - 0", 0)
    trial.equal("[player.num_cards - 0 for player in players]", [2, 2])


@check("S3-23")
def s3_23(trial: Trial) -> None:
    """Players without cards do not take part, and the winner's hand is shuffled."""
    a_game(trial)
    trial.raises("game.turn()", AssertionError)
    first = "A♠ 2♠ 3♠ 4♠ 5♠ 6♠ 7♠ 8♠ 10♠ J♠ Q♠ K♠"
    a_game(trial, first, "2♡ 3♡")
    text = trial.do("winner = game.turn()")
    trial.equal("winner.name", "Amy")
    trial.expect(not text, "nothing is printed", text)
    plain_order = [*first.split()[1:], "A♠", "2♡"]
    shuffled = held(trial, 0) not in (plain_order, [*plain_order[:-2], "2♡", "A♠"])
    trial.expect(shuffled, "the winner's hand is shuffled", " ".join(held(trial, 0)))


@check("S3-24")
def s3_24(trial: Trial) -> None:
    """New cards are added in front of the pile."""
    a_game(trial, "A♡ 7♡ 2♠", "A♢ 5♢ 3♠")
    text = trial.do("game.turn(True)")
    wanted = "war: ['A♡', 'A♢'] TIE!\nwar: ['7♡', '5♢', 'A♡', 'A♢'] => Amy\n"
    trial.expect(text == wanted, wanted, text)


@check("S3-25")
def s3_25(trial: Trial) -> None:
    """A player who runs out of cards in a tie loses."""
    a_game(trial, "9♠", "9♡ 5♡")
    expect_winner(trial, 1)
    a_game(trial, "9♠ 2♠", "9♡")
    expect_winner(trial, 0)
    a_game(trial, "9♠ 2♠", "9♡ 2♡")
    expect_winner(trial, 1)


@check("S3-26")
def s3_26(trial: Trial) -> None:
    """The game prints line after line, or nothing without ``do_print``."""
    a_game(trial)
    small_deck(trial, "9♠ 2♡")
    text = trial.do("winner = game.play()")
    trial.expect(not text, "nothing is printed", text)
    trial.equal("winner.name", "Amy")
    a_game(trial)
    small_deck(trial, "9♠ 2♡")
    text = trial.do("game.play(True)")
    wanted = (
        "at start <'Amy' has ['9♠']>\nat start <'Brad' has ['2♡']>\n"
        "war: ['9♠', '2♡'] => Amy\nAmy wins!\n"
    )
    trial.expect(text == wanted, wanted, text)


@check("S3-27")
def s3_27(trial: Trial) -> None:
    """``play_n_times`` returns a new table of wins each time.

    The cards are then dealt again.
    """
    a_game(trial)
    small_deck(trial, "9♠ 2♡ 10♠ 3♡ J♠ 4♡ 5♢ A♣")
    for number in (5, 3):
        text = trial.do(f"game.play_n_times({number})")
        match = re.fullmatch(
            rf"\nPlayed {number} hands\n   Amy wins: (\d+)\n   Brad wins: (\d+)\n", text
        )
        trial.expect(match, f"a table that begins with Played {number} hands", text)
        assert match, "that was just found"
        total = int(match[1]) + int(match[2])
        trial.expect(total == number, f"wins that sum to {number}", text)
        trial.equal("[player.num_cards - 0 for player in players]", [4, 4])
        trial.equal("game.deck.num_cards - 0", 0)


@check("S3-28")
def s3_28(trial: Trial) -> None:
    """There are 52 different cards after every turn."""
    a_game(trial)
    trial.do("game.deal()")
    for number in range(150):
        trial.do("winner = game.turn()")
        trial.called = [*trial.called[:3], f"# {number + 1} turns"]
        cards = trial.look("[repr(card) for player in players for card in player]")
        got = f"{len(cards)} cards, {len({*cards})} of them different"
        trial.expect(len(cards) == len({*cards}) == 52, "52 different cards", got)
        if 0 in (len(held(trial, 0)), len(held(trial, 1))):
            return


@check("S3-29")
def s3_29(trial: Trial) -> None:
    """One player gets all cards, and the other player none."""
    a_game(trial)
    trial.do("winner = game.play()")
    trial.equal("sorted(player.num_cards - 0 for player in players)", [0, 52])
    trial.equal("winner.num_cards - 0", 52)


@check("S3-30")
def s3_30(trial: Trial) -> None:
    """Games with three and four players are accepted or clearly rejected."""
    trial.load("war")
    trial.look(f"globals().update(players=[Player(name) for name in {[*NAMES[:3]]}])")
    trial.called.append("Game([Player('Amy'), Player('Brad'), Player('Carl')]).deal()")
    try:
        trial.look("Game(players).deal()")
    except Failed as refusal:
        trial.accept(f"a game of three ends with {refusal.got} (A3-9)")
        return
    numbers = [len(held(trial, seat)) for seat in range(3)]
    trial.expect(numbers == [18, 17, 17], "18, 17 and 17 cards", f"{numbers}")
    a_game(trial, "2♠ 3♠", "9♡ 4♡", "8♢ 5♢")
    expect_winner(trial, 1)
    expect_cards(trial, 1, "2♠ 9♡ 8♢ 4♡")
    a_game(trial, "9♠ 3♠ 2♣", "4♡ A♡ 6♣", "9♢ 5♢ 7♣")
    expect_winner(trial, 2)
    expect_cards(trial, 2, "9♠ 4♡ 9♢ 3♠ 5♢ 7♣")
    expect_cards(trial, 1, "A♡ 6♣", ordered=True)
    a_game(trial, "9♠ 3♠", "9♡", "9♢ 2♢", "8♣ 7♣")
    expect_winner(trial, 0)
    a_game(trial, "", "", "")
    trial.do("game.deck.receive_cards(Deck.build_deck()); game.deck.shuffle()")
    trial.do("winner = game.play()")
    trial.equal("winner.num_cards - 0", 52)


@check("S3-31")
def s3_31(trial: Trial) -> None:
    """With two ranks in two suits, a game takes 13/6 turns on average.

    Player 1 wins a quarter of the games.
    """
    trial.load("war")
    games = 800
    turns, firsts = trial.probe("played_small_games", "globals()", f"{games}")
    trial.called.append(f"# {games} games with 2♠ 3♠ 2♡ 3♡")
    mean, share = turns / games, firsts / games
    near = abs(mean - 13 / 6) < 0.3
    trial.expect(near, "2.17 turns a game on average", f"{mean:.2f}")
    near = abs(share - 0.25) < 0.065
    trial.expect(near, "the first player wins 25 %", f"{share:.0%}")
