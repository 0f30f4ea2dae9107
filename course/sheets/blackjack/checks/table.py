"""Blackjack: the buttons, the rounds and the canvas."""

import re
from functools import partial

from course.grading.checks.words import BUST, DEALER, winners
from course.grading.trial import Trial
from course.sheets.blackjack.checks.screen import BACK, Score, Screen, Table, changes

ASKS_FOR_A_MOVE = re.compile(r"\b(hit|stand)\b")
ASKS_FOR_A_DEAL = re.compile(r"\bdeal\b|\bnew (game|round|hand)\b|\bplay again\b")

GIVEN_UP = re.compile(
    r"\b(lo+se?s?|lost|forfeit\w*|g[ai]ve up|given up|giving up|surrender\w*|conceded?)\b"
)
"""What says that the player loses a round that they leave."""


def round_of(trial: Trial, player: str, dealer: str, then: str = "") -> tuple[Table, Screen]:
    """Start the program and deal these cards."""
    table = Table(trial)
    return table, table.deal(player, dealer, then)


def stood(trial: Trial, player: str, dealer: str, then: str = "") -> tuple[Table, Screen]:
    """Start the program, deal these cards, and stand."""
    table, _ = round_of(trial, player, dealer, then)
    return table, table.press("stand")


def s1_2(trial: Trial) -> None:
    """The higher total wins."""
    Table(trial).expect_winner("CT H9", "ST D8", "", "player")


def s1_3(trial: Trial) -> None:
    """Two cards each, one of them face down."""
    table, screen = round_of(trial, "CT H9", "ST D8")
    player, dealer = table.hands(screen)
    trial.expect(player == ["CT", "H9"], "the player shows CT H9", " ".join(player))
    hidden = [dealer.count(BACK), len(dealer)] == [1, 2]
    trial.expect(hidden, "the dealer shows one of two cards", " ".join(dealer))


def s1_4(trial: Trial) -> None:
    """Hit, and hit again."""
    table, _ = round_of(trial, "C2 H3", "ST D8", "S4 C5 D2")
    for cards in ("C2 H3 S4", "C2 H3 S4 C5", "C2 H3 S4 C5 D2"):
        player, _ = table.hands(table.press("hit"))
        trial.expect(player == cards.split(), f"the player has {cards}", " ".join(player))


def s1_5(trial: Trial) -> None:
    """Over 21 the round is over and lost."""
    table, _ = round_of(trial, "CT H9", "ST D8", "S5")
    screen = table.press("hit")
    over = not table.in_play(screen)
    trial.expect(over, "the round is over: no card lies face down", screen.said)
    lost = table.lost()
    bust = table.counted(lambda: table.press("hit"), "CK")
    trial.expect(bust == lost, "it counts as a loss", f"{bust} instead of {lost}")


def s1_6(trial: Trial) -> None:
    """The dealer is hit up to 17."""
    dealer_has(trial, "S2 D3", "H4 C5 S3", "S2 D3 H4 C5 S3")
    dealer_has(trial, "ST D7", "H2", "ST D7")


def dealer_has(trial: Trial, dealt: str, then: str, wanted: str) -> None:
    """Fail unless the dealer has these cards after the player stands with 20."""
    table, screen = stood(trial, "CT HK", dealt, then)
    _, dealer = table.hands(screen)
    trial.expect(dealer == wanted.split(), f"the dealer has {wanted}", " ".join(dealer))


def s1_7(trial: Trial) -> None:
    """Soft 17 stands; an ace that would bust counts 1."""
    dealer_has(trial, "SA D6", "H4", "SA D6")
    dealer_has(trial, "SA D5", "H9 C2", "SA D5 H9 C2")
    dealer_has(trial, "S5 DA", "H5", "S5 DA H5")


def s1_8(trial: Trial) -> None:
    """The dealer busts."""
    Table(trial).expect_winner("C2 H3", "ST D6", "HK", "player")


def s1_9(trial: Trial) -> None:
    """Higher wins, and the dealer wins ties."""
    for player, dealer, winner in (("CT H9", "ST D8", "player"), ("CT H8", "ST D9", "dealer"),
                                   ("CT H9", "ST D9", "dealer")):  # fmt: skip
        Table(trial).expect_winner(player, dealer, "", winner)


def s1_18(trial: Trial) -> None:
    """New hands, and which is whose."""
    table, _ = round_of(trial, "CT H9", "ST D8", "C2")
    table.press("hit")
    table.press("stand")
    screen = table.deal("C3 H4", "S5 D6")
    player, dealer = table.hands(screen)
    trial.expect(player == ["C3", "H4"], "the player has two new cards", " ".join(player))
    trial.expect(len(dealer) == 2, "the dealer has two new cards", " ".join(dealer))
    named = re.search(r"dealer|house|computer|player|you\b|your\b", screen.said)
    trial.expect(named, "a text that says which hand is whose", screen.said)


def s1_20(trial: Trial) -> None:
    """One card, and a message at a bust."""
    table, _ = round_of(trial, "CT H9", "ST D8", "S2 S5")
    screen = table.press("hit")
    player, dealer = table.hands(screen)
    trial.expect(player == ["CT", "H9", "S2"], "the player has CT H9 S2", " ".join(player))
    trial.expect(BACK in dealer, "the round goes on at 21", screen.said)
    said = table.press("hit").said
    trial.expect(BUST.search(said), "a message that the player busted", said)


def s1_21(trial: Trial) -> None:
    """A reminder."""
    table, _ = round_of(trial, "CT H9", "ST D8", "S5")
    table.press("hit")
    said = table.press("stand").said
    trial.expect(BUST.search(said), "a reminder that they have busted", said)


def s1_22(trial: Trial) -> None:
    """Hit while under 17."""
    dealer_has(trial, "ST D6", "HA C9", "ST D6 HA")
    dealer_has(trial, "S9 D8", "HA", "S9 D8")


def s1_23(trial: Trial) -> None:
    """The dealer's bust is announced."""
    _, screen = stood(trial, "C2 H3", "ST D6", "HK")
    trial.expect(BUST.search(screen.said), "a message that the dealer busted", screen.said)


def s1_24(trial: Trial) -> None:
    """No more than the dealer has loses."""
    for player, winner in (("CT H7", "dealer"), ("CT H8", "dealer"), ("CT H9", "player")):
        Table(trial).expect_winner(player, "ST D8", "", winner)


def s1_25(trial: Trial) -> None:
    """Cards on the canvas from the start."""
    table = Table(trial)
    held = [codes for codes in table.holders().values() if len(codes) == 2]
    shown = {code for codes in held for code in codes} & table.screen.faces
    trial.expect(len(shown) >= 3, "two hands of two cards", " ".join(sorted(shown)) or "no card")


def s1_26(trial: Trial) -> None:
    """Drawing is no error, whatever was done."""
    table = Table(trial)
    trial.expect(table.screen.texts, "texts on the canvas", "nothing")


def s1_28(trial: Trial) -> None:
    """A question for a move, then for a deal."""
    table, screen = round_of(trial, "CT H9", "ST D8")
    asked = ASKS_FOR_A_MOVE.search(screen.said)
    trial.expect(asked, "a text like Hit or stand?", screen.said)
    said = table.press("stand").said
    trial.expect(ASKS_FOR_A_DEAL.search(said), "a text like New deal?", said)


def s1_29(trial: Trial) -> None:
    """Blackjack."""
    said = Table(trial).screen.said
    trial.expect("blackjack" in re.sub(r"\W", "", said), "the title Blackjack", said)


def s1_30(trial: Trial) -> None:
    """A back over the first card, until the round is over."""
    table, screen = round_of(trial, "CT H9", "ST D8", "S5")
    _, dealer = table.hands(screen)
    trial.expect(dealer == [BACK, "D8"], "a back, then D8", " ".join(dealer))
    _, dealer = table.hands(table.press("stand"))
    trial.expect(dealer[:2] == ["ST", "D8"], "ST and D8 after the round", " ".join(dealer))


def s1_31(trial: Trial) -> None:
    """Wins and losses count, and differently."""
    table = Table(trial)
    won, lost = table.won(), table.lost()
    trial.expect(won, "a number that changes with a win", table.screen.said)
    trial.expect(lost, "a number that changes with a loss", table.screen.said)
    trial.expect(won != lost, "a win counts otherwise than a loss", f"both change {lost}")


def s1_32(trial: Trial) -> None:
    """A new order each time, and always cards enough."""
    table = Table(trial)
    seen = set()
    for _ in range(20):
        screen = table.press("deal")
        trial.called = [*trial.called[:1], "press Deal  # 20 times"]
        seen.add(" ".join(sorted(screen.faces)))
    trial.expect(len(seen) > 1, "other cards at each deal", f"always {seen}")


def s1_33(trial: Trial) -> None:
    """Dealing in mid-round is announced, and loses."""
    table = Table(trial)
    won, lost = table.won(), table.lost()
    table.restart()
    before = table.standard()
    after = table.deal("CT H9", "ST D6").numbers
    said = table.heard
    announced = winners(said) == {DEALER} or GIVEN_UP.search(said)
    trial.expect(announced, "a message that the round is lost", said)
    change = changes(before, after)
    wanted = change == lost or (change and _same_way(change, lost) and not _same_way(change, won))
    trial.expect(wanted, "it counts as a loss", f"{change} instead of {lost}")


def _same_way(one: Score, other: Score) -> bool:
    """Say whether the same numbers change in the same direction: a bet may be lost in part."""
    return one.keys() <= other.keys() and all(one[key] * other[key] > 0 for key in one)


def s1_34(trial: Trial) -> None:
    """Three buttons."""
    table = Table(trial)
    labels = [text.strip().lower() for text in table.labels]
    for label in ("deal", "hit", "stand"):
        trial.expect(label in labels, f"a button {label.title()!r}", ", ".join(labels))


def s1_35(trial: Trial) -> None:
    """Once a round, however often a button is pressed."""
    table = Table(trial)

    def thrice(button: str) -> None:
        for label in (button, "stand", "hit", "stand"):
            table.press(label)

    won, lost = table.won(), table.lost()
    for button, then, wanted in (("stand", "CK", won), ("stand", "C5", lost), ("hit", "CK", lost)):
        change = table.counted(partial(thrice, button), then)
        trial.expect(change == wanted, "the score changes once", f"{change} instead of {wanted}")


def s1_36(trial: Trial) -> None:
    """Nothing moves after a round."""
    for ends, then in (("stand", "S5"), ("hit", "S5 C2")):
        table, _ = round_of(trial, "CT H9", "ST D8", then)
        hands = table.hands(table.press(ends))
        for label in ("hit", "stand", "hit"):
            now = table.hands(table.press(label))
            trial.expect(now == hands, "the hands stay", f"{now}")


def s1_37(trial: Trial) -> None:
    """A tie is a loss, and 21 with two cards wins like any other hand."""
    table = Table(trial)
    lost = table.lost()
    tie = table.counted(lambda: table.press("stand"), "C3")
    trial.expect(tie == lost, "a tie counts as a loss", f"{tie} instead of {lost}")
    natural, wanted = table.after("CA HK", "ST D8"), table.after("CT H9", "ST D8")
    got = f"{natural} instead of {wanted}"
    trial.expect(natural == wanted, "21 with two cards counts as one win", got)


def s1_39(trial: Trial) -> None:
    """48 in the deck, 4 in the hands."""
    table, _ = unarranged(trial)
    expect_whole(trial, table, 4)


def s1_40(trial: Trial) -> None:
    """Out of the deck, into one hand."""
    table, _ = unarranged(trial)
    screen = table.press("hit")
    player, _ = table.hands(screen)
    trial.expect(len(player) == 3, "the player has a third card", " ".join(player))
    expect_whole(trial, table, 5)


def unarranged(trial: Trial) -> tuple[Table, Screen]:
    """Start the program and deal what its own deck deals."""
    table, _ = round_of(trial, "C2 H3", "ST D8")
    table.script = []
    screen = table.dealt()
    return table, screen if table.in_play(screen) else table.dealt()


def expect_whole(trial: Trial, table: Table, dealt: int) -> None:
    """Fail unless the cards in the hands and those left in the deck are 52; more may be added."""
    held = {code for codes in table.holders().values() for code in codes}
    trial.expect(len(held) == dealt, f"{dealt} cards in the hands", " ".join(sorted(held)))
    left: list[str] = trial.probe("dealt_out", f"{52 - dealt}")
    trial.expect(len(left) == 52 - dealt, f"{52 - dealt} cards in the deck", f"{len(left)}")
    again = sorted({code for code in left if code in held or left.count(code) > 1})
    trial.expect(not again, "all cards different", f"twice: {' '.join(again)}")
