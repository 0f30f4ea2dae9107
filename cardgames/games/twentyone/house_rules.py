"""The house rules of a twenty-one table in plain words, built from the data of its rules."""

from typing import Final

from cardgames.game import HouseRule
from cardgames.games.twentyone.rules import Rules, Shoe
from cardgames.text import Text


def house_rules(rules: Rules) -> tuple[HouseRule, ...]:
    """Return the house rules of a table, built from the data of its rules."""
    words = {"stay": rules.stop.verb, "stays": rules.stop.verb_s}
    limits = {"highest": rules.dealer_stands - 1, "lowest": rules.dealer_stands}
    values = (
        Text(
            "Number cards count their face value; jack, queen and king count 10. An ace counts "
            "11, or 1 if 11 would take the hand over 21."
        )
        if rules.ace_may_be_eleven
        else Text(
            "Number cards count their face value; jack, queen and king count 10. An ace always "
            "counts 1."
        )
    )
    deal = (
        Text(
            "One card to you, one to the dealer, a second to you, a second to the dealer. The "
            "dealer's first card lies face down."
        ),
        Text(
            "One card to you, one to the dealer, a second to you, a second to the dealer. The "
            "dealer's second card lies face down."
        ),
    )[rules.hole]
    twenty_one = (
        Text(
            "On exactly 21 you may still hit or {stay}. If you {stay} on 21, you win "
            "immediately: the dealer does not play, and the hidden card stays hidden."
        )
        if rules.stay_on_21_wins
        else Text("On exactly 21 you may still hit or {stay}; there is no bonus for it.")
    )
    bust = (
        Text(
            "If you go over 21, you bust: the round ends, the dealer wins with any hand, and the "
            "dealer's hidden card stays hidden."
        )
        if rules.hide_hole_after_bust
        else Text(
            "If you go over 21, you bust: the round ends, the dealer wins with any hand, and the "
            "dealer's hidden card is shown."
        )
    )
    dealer = Text(
        "The dealer turns over the hidden card, draws on {highest} or less and {stays} on any "
        "{lowest} or more. If the dealer goes bust, you win."
    )
    ties = (
        Text("Equal totals go to the dealer. This is the rule of the sheet, not a mistake.")
        if rules.dealer_wins_ties
        else Text("Equal totals are a tie: nobody wins the round.")
    )
    return (
        HouseRule(
            "aim", Text("The aim"), Text("Come closer to 21 than the dealer without going over.")
        ),
        HouseRule("values", Text("Card values"), values),
        HouseRule("deal", Text("The deal"), deal),
        HouseRule(
            "turn",
            Text("Your turn"),
            Text(
                "Hit takes another card, as often as you like. {stay} ends your turn.",
                stay=rules.stop.label,
            ),
        ),
        HouseRule("twenty-one", Text("Exactly 21"), twenty_one.fill(**words)),
        HouseRule("bust", Text("Going bust"), bust),
        HouseRule("dealer", Text("The dealer's turn"), dealer.fill(**words, **limits)),
        HouseRule(
            "winner", Text("Who wins"), Text("If nobody is bust, the total closer to 21 wins.")
        ),
        HouseRule("ties", Text("Ties"), ties),
        HouseRule("cards", Text("The deck"), _SUPPLY[rules.shoe]),
        *((_FORFEIT,) * rules.deal_forfeits),
    )


_SUPPLY: Final = {
    Shoe.REFILLED: Text(
        "One deck is used for all rounds. When it runs out, the discards are shuffled into a new "
        "deck; the hands stay on the table."
    ),
    Shoe.FRESH: Text("Every deal starts with a complete deck of 52 cards, freshly shuffled."),
    Shoe.ONCE: Text(
        "One deck is shuffled once and never refilled. A round that runs out of cards is a tie "
        "and counts as one; a bust with the last card is still a loss. When the deck is empty, "
        "the game ends."
    ),
}

_FORFEIT: Final = HouseRule(
    "forfeit",
    Text("Dealing in the middle of a round"),
    Text(
        "You may deal again before the round has ended. You then lose that round, which counts "
        "once."
    ),
)
