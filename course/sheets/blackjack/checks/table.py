"""Blackjack: the buttons, the rounds and the canvas."""

import re
from functools import partial

from course.grading.checks import check
from course.grading.checks.words import BUST, DEALER, winners
from course.grading.trial import Failed, Trial, Unclear
from course.sheets.blackjack.checks.screen import (
    BACK,
    Changes,
    HandsUnknown,
    Screen,
    Table,
    changes,
)

ASKS_FOR_A_MOVE = re.compile(r"\b(hit|stand)\b")
ASKS_FOR_A_DEAL = re.compile(r"\bdeal\b|\bnew (game|round|hand)\b|\bplay again\b")

NEW_RULES = re.compile(
    r"\b(split|double|double down|surrender|insurance|push)\b(?! ?bet)", re.IGNORECASE
)
"""What buttons are called that the sheet's game has not."""

GIVEN_UP = re.compile(
    r"\b(lo+se?s?|lost|forfeit\w*|g[ai]ve up|given up|giving up|surrender\w*|conceded?)\b"
)
"""What says that the player loses a round that they leave."""


TARGET = 21

WHOSE = re.compile(
    r"dealers?|house|computer|cpu|bank|casino|croupier|players?|you|yours?|user|me|my|mine",
    re.IGNORECASE,
)
"""In a text that says whose a hand is."""

ABOUT_HANDS = re.compile(
    "hands?|cards?|values?|totals?|scores?|points|sum|is|has|have|contains?|shows?|showing|now|of|"
    "the|and|with|vs|in|a|for|at|to"
)
"""What may stand beside it."""


def round_of(trial: Trial, player: str, dealer: str, then: str = "") -> tuple[Table, Screen]:
    """Start the program and deal these cards."""
    table = Table(trial)
    return table, table.deal(player, dealer, then)


def stood(trial: Trial, player: str, dealer: str, then: str = "") -> tuple[Table, Screen]:
    """Start the program, deal these cards, and stand."""
    table, _ = round_of(trial, player, dealer, then)
    return table, table.press("stand")


@check("S1-2")
def s1_2(trial: Trial) -> None:
    """The higher total wins."""
    Table(trial).expect_winner("CT H9", "ST D8", "", "player")


@check("S1-3")
def s1_3(trial: Trial) -> None:
    """Two cards each, one of them face down."""
    table, screen = round_of(trial, "CT H9", "ST D8")
    player, dealer = table.hands(screen)
    trial.expect(player == ["CT", "H9"], "the player shows CT H9", " ".join(player))
    hidden = [dealer.count(BACK), len(dealer)] == [1, 2]
    trial.expect(hidden, "the dealer shows one of two cards", " ".join(dealer))


@check("S1-4")
def s1_4(trial: Trial) -> None:
    """Hit, and hit again, up to a bust; by which cards is another requirement's."""
    table, _ = round_of(trial, "C2 H3", "ST D8", "S4 C5 D2")
    for number in (3, 4, 5):
        player, _ = table.hands(table.press("hit"))
        more = player[:2] == ["C2", "H3"] and len(player) == number
        trial.expect(more, f"the player shows C2 H3 and {number - 2} more", " ".join(player))
        if sum(min("A23456789TJQK".index(code[1]) + 1, 10) for code in player) > TARGET:
            return


@check("S1-5")
def s1_5(trial: Trial) -> None:
    """Over 21 the round is over and lost."""
    table, _ = round_of(trial, "CT H9", "ST D8", "S5")
    screen = table.press("hit")
    over = not table.in_play(screen)
    trial.expect(over, "the round is over: no card lies face down", screen.said)
    lost = table.lost()
    bust = table.counted(lambda: table.press("hit"), "CK")
    trial.expect(bust == lost, "it counts as a loss", f"{bust} instead of {lost}")


@check("S1-6")
def s1_6(trial: Trial) -> None:
    """The dealer is hit up to 17."""
    dealer_has(trial, "S2 D3", "H4 C5 S3", "S2 D3 H4 C5 S3")
    dealer_has(trial, "ST D7", "H2", "ST D7")


def dealer_has(trial: Trial, dealt: str, then: str, wanted: str) -> None:
    """Fail unless the dealer has these cards after the player stands with 20."""
    table, _ = stood(trial, "CT HK", dealt, then)
    _, dealer = table.held()
    trial.expect(dealer == wanted.split(), f"the dealer has {wanted}", " ".join(dealer))


@check("S1-7")
def s1_7(trial: Trial) -> None:
    """Soft 17 stands; an ace that would bust counts 1."""
    dealer_has(trial, "SA D6", "H4", "SA D6")
    dealer_has(trial, "SA D5", "H9 C2", "SA D5 H9 C2")
    dealer_has(trial, "S5 DA", "H5", "S5 DA H5")


@check("S1-8")
def s1_8(trial: Trial) -> None:
    """The dealer busts."""
    Table(trial).expect_winner("C2 H3", "ST D6", "HK", "player")


@check("S1-9")
def s1_9(trial: Trial) -> None:
    """Higher wins, and the dealer wins ties."""
    for player, dealer, winner in (("CT H9", "ST D8", "player"), ("CT H8", "ST D9", "dealer"),
                                   ("CT H9", "ST D9", "dealer")):  # fmt: skip
        Table(trial).expect_winner(player, dealer, "", winner)


@check("S1-18")
def s1_18(trial: Trial) -> None:
    """New hands, and which is whose."""
    try:
        table, _ = round_of(trial, "CT H9", "ST D8", "C2")
    except HandsUnknown as doubt:
        if doubt.sizes:
            sizes = " and ".join(map(str, doubt.sizes))
            raise Failed("two hands of two cards", f"hands of {sizes}") from None
        raise
    table.press("hit")
    table.press("stand")
    screen = table.deal("C3 H4", "S5 D6")
    player, dealer = table.held()
    trial.expect(player == ["C3", "H4"], "the player has two new cards", " ".join(player))
    trial.expect(len(dealer) == 2, "the dealer has two new cards", " ".join(dealer))
    said = [*(text.text for text in screen.texts), *table.printed.split("\n")]
    named = [text for text in said if WHOSE.search(text)]
    trial.expect(named, "a text that says which hand is whose", screen.said)
    if not any(is_label(text) for text in named):
        raise Unclear(f"whether this says which hand is whose: {' . '.join(named)}")


def is_label(text: str) -> bool:
    """Say whether a text names whose a hand is, and asks or tells nothing else.

    >>> is_label("Player 19"), is_label("Dealer's hand: SA C2"), is_label("You win!")
    (True, True, False)
    """
    words = re.findall(
        r"[^\W\d_]+", re.sub(r"\b[CSHD][A2-9TJQK]\b|['\u2019]s?\b", " ", text).lower()
    )
    return bool(WHOSE.search(text)) and all(
        WHOSE.fullmatch(w) or ABOUT_HANDS.fullmatch(w) for w in words
    )


@check("S1-20")
def s1_20(trial: Trial) -> None:
    """One card, and a message at a bust."""
    table, _ = round_of(trial, "CT H9", "ST D8", "S2 S5")
    screen = table.press("hit")
    player, dealer = table.hands(screen)
    trial.expect(player == ["CT", "H9", "S2"], "the player has CT H9 S2", " ".join(player))
    trial.expect(BACK in dealer, "the round goes on at 21", screen.said)
    said = table.press("hit").said
    trial.expect(BUST.search(said), "a message that the player busted", said)


@check("S1-21")
def s1_21(trial: Trial) -> None:
    """A reminder."""
    table, _ = round_of(trial, "CT H9", "ST D8", "S5")
    table.press("hit")
    said = table.press("stand").said
    trial.expect(BUST.search(said), "a reminder that they have busted", said)


@check("S1-22")
def s1_22(trial: Trial) -> None:
    """Hit while under 17."""
    dealer_has(trial, "ST D6", "HA C9", "ST D6 HA")
    dealer_has(trial, "S9 D8", "HA", "S9 D8")


@check("S1-23")
def s1_23(trial: Trial) -> None:
    """The dealer's bust is announced."""
    _, screen = stood(trial, "C2 H3", "ST D6", "HK")
    trial.expect(BUST.search(screen.said), "a message that the dealer busted", screen.said)


@check("S1-24")
def s1_24(trial: Trial) -> None:
    """No more than the dealer has loses."""
    for player, winner in (("CT H7", "dealer"), ("CT H8", "dealer"), ("CT H9", "player")):
        Table(trial).expect_winner(player, "ST D8", "", winner)


@check("S1-25")
def s1_25(trial: Trial) -> None:
    """Cards on the canvas from the start."""
    table = Table(trial)
    held = {code for codes in table.holders().values() for code in codes}
    faces = table.screen.faces
    if len(held & faces) > 1:
        return
    if faces:
        raise Unclear(f"whether these are hands: {' '.join(sorted(faces))}")
    raise Failed("two hands of cards", "no card", stuck="" if held else "S1-18")


@check("S1-26")
def s1_26(trial: Trial) -> None:
    """Drawing is no error, whatever was done."""
    table = Table(trial)
    trial.expect(table.screen.texts, "texts on the canvas", "nothing")


@check("S1-28")
def s1_28(trial: Trial) -> None:
    """A question for a move, then for a deal: texts that come and go, and no names of buttons."""
    table, playing = round_of(trial, "CT H9", "ST D8")
    over = table.press("stand")
    again = table.deal("CT H9", "ST D8")
    for screen, other, pattern, like in (
        (playing, over, ASKS_FOR_A_MOVE, "Hit or stand?"),
        (over, playing, ASKS_FOR_A_DEAL, "New deal?"),
        (again, over, ASKS_FOR_A_MOVE, "Hit or stand?"),
    ):
        found = [text for text in screen.sentences if pattern.search(text)]
        trial.expect(found, f"a text like {like}", screen.said)
        if {*found} <= {*other.sentences}:
            label = all(pattern.fullmatch(text.strip(".!?:[]() ")) for text in found)
            trial.expect(not label, f"a text like {like}", f"{screen.said}, which is always there")
            raise Unclear(f"whether this asks for it, as it is always there: {' . '.join(found)}")


@check("S1-29")
def s1_29(trial: Trial) -> None:
    """Blackjack."""
    said = Table(trial).screen.said
    trial.expect("blackjack" in re.sub(r"\W", "", said), "the title Blackjack", said)


@check("S1-30")
def s1_30(trial: Trial) -> None:
    """A back over the first card, until the round is over."""
    table, screen = round_of(trial, "CT H9", "ST D8", "S5")
    _, dealer = table.hands(screen)
    trial.expect(dealer == [BACK, "D8"], "a back, then D8", " ".join(dealer))
    _, dealer = table.hands(table.press("stand"))
    trial.expect(dealer[:2] == ["ST", "D8"], "ST and D8 after the round", " ".join(dealer))


@check("S1-31")
def s1_31(trial: Trial) -> None:
    """Wins and losses count, and differently."""
    table = Table(trial)
    won, lost = table.won(), table.lost()
    trial.expect(won, "a number that changes with a win", table.screen.said)
    trial.expect(lost, "a number that changes with a loss", table.screen.said)
    trial.expect(won != lost, "a win counts otherwise than a loss", f"both change {lost}")


@check("S1-32")
def s1_32(trial: Trial) -> None:
    """A new order each time, and always cards enough."""
    table = Table(trial)
    table.take_over()
    seen, deals = set(), 0
    for _ in range(20):
        dealt = table.dealt_cards
        table.press("deal")
        trial.called = [*trial.called[:1], "press Deal  # 20 times"]
        if table.dealt_cards > dealt:  # a player who bets may be ruined
            deals += 1
            seen.add(" ".join(sorted(code for each in table.holders().values() for code in each)))
    if not deals and table.screen.faces:
        raise Unclear("whether the cards are other ones each time, as deal_card() is not called")
    if not deals:
        raise Failed("other cards at each deal", "deal_card() is not called", stuck="S1-18")
    other = 1 < deals < 2 * len(seen)
    trial.expect(other, "other cards at each deal", f"{len(seen)} different ones in {deals} deals")


@check("S1-33")
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


def _same_way(one: Changes, other: Changes) -> bool:
    """Say whether the same numbers change in the same direction: a bet may be lost in part."""
    return one.keys() <= other.keys() and all(one[key] * other[key] > 0 for key in one)


@check("S1-34")
def s1_34(trial: Trial) -> None:
    """Three buttons."""
    table = Table(trial)
    labels = [text.strip().lower() for text in table.labels]
    for label in ("deal", "hit", "stand"):
        trial.expect(label in labels, f"a button {label.title()!r}", ", ".join(labels))


@check("S1-35")
def s1_35(trial: Trial) -> None:
    """Once a round, however often a button is pressed."""
    table = Table(trial)

    def thrice(button: str) -> None:
        for label in (button, "stand", "hit", "stand"):
            table.press(label)

    won, lost = table.won(), table.lost()
    stand, hit = partial(thrice, "stand"), partial(thrice, "hit")
    for play, then, player, dealer, wanted in (
        (stand, "", "CT H9", "ST D8", won),
        (stand, "", "CT H8", "ST D9", lost),
        (hit, "CK", "CT H9", "ST D8", lost),
    ):
        change = table.counted(play, then, player, dealer)
        trial.expect(change == wanted, "the score changes once", f"{change} instead of {wanted}")


@check("S1-36")
def s1_36(trial: Trial) -> None:
    """Nothing moves after a round."""
    for ends, dealer, then in (("stand", "ST D8", "S5"), ("hit", "ST D6", "S5 C2 H3")):
        table, _ = round_of(trial, "CT H9", dealer, then)
        hands = table.hands(table.press(ends))
        for label in ("hit", "stand", "hit"):
            now = table.hands(table.press(label))
            trial.expect(now == hands, "the hands stay", f"{now}")


@check("S1-37")
def s1_37(trial: Trial) -> None:
    """A tie is a loss, 21 with two cards is like any other hand, and no button does more."""
    table = Table(trial)
    more = [text for text in table.labels if NEW_RULES.search(text)]
    trial.expect(not more, "no button for other rules", f"{', '.join(more)}")
    lost = table.lost()
    tie = table.counted(lambda: table.press("stand"), "", "CT H9", "ST D9")
    trial.expect(tie == lost, "a tie counts as a loss", f"{tie} instead of {lost}")
    natural, wanted = table.after("CA HK", "ST D8"), table.after("CT H9", "ST D8")
    got = f"{natural} instead of {wanted}"
    trial.expect(natural == wanted, "21 with two cards counts as one win", got)
    natural, wanted = table.after("CA HK", "SA DK"), table.after("CT H8", "ST D9")
    got = f"{natural} instead of {wanted}"
    trial.expect(natural == wanted, "21 with two cards for both counts as one loss", got)
    if not table.in_play(table.deal("CA HK", "ST D8")):
        raise Unclear("that the round is over at once where the player has 21 with two cards")


@check("S1-39")
def s1_39(trial: Trial) -> None:
    """48 in the deck, 4 in the hands."""
    table, _ = unarranged(trial)
    expect_whole(trial, table, 4)


@check("S1-40")
def s1_40(trial: Trial) -> None:
    """Out of the deck, into one hand."""
    try:
        table, _ = unarranged(trial)
    except HandsUnknown as doubt:
        trial.expect(doubt.dealt, "deal_card() is called for each card", "it is not called")
        raise
    before = table.moved
    table.press("hit")
    player, _ = table.held()
    trial.expect(len(player) == 3, "the player has a third card", " ".join(player))
    expect_moved(table, before, 1)
    expect_whole(trial, table, 5)
    table.restart()
    table.deal("CT H9", "S2 D3", "H4 C5 S3")
    before = table.moved
    table.press("stand")
    _, dealer = table.held()
    expect_moved(table, before, len(dealer) - 2)


def expect_moved(table: Table, before: tuple[int, int], cards: int) -> None:
    """Fail unless cards have come by ``deal_card`` and ``add_card``; those may be called more."""
    counts = zip(("deal_card", "add_card"), before, table.moved, strict=True)
    for name, earlier, now in counts:
        got = f"it was called {now - earlier} times for {cards}"
        table.trial.expect(now - earlier >= cards, f"{name}() is called for each card", got)


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
