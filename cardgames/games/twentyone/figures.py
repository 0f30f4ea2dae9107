"""An example for each house rule of a twenty-one table, built from the table's rules."""

from cardgames.cards import face_up
from cardgames.game import Figure
from cardgames.games.twentyone.rules import Rules, total
from cardgames.text import Text


def rule_figures(rules: Rules) -> dict[str, tuple[Figure, ...]]:
    """Return the examples of a table's rules, keyed by the anchor of the rule."""

    def you(codes: str) -> Figure:
        return _hand(Text("You: {total}"), codes, rules)

    def dealer(codes: str) -> Figure:
        return _hand(Text("Dealer: {total}"), codes, rules)

    def worth(codes: str) -> Figure:
        hand = Figure.of("", codes)
        return Figure(str(total(face_up(hand.cards), rules)), hand.cards)

    hidden = Text("Dealer: one card face down")
    return {
        "aim": (you("KS QH"), dealer("9C TD")),
        "values": tuple(map(worth, ("7H", "KS", "AD", "AC 5S"))),
        "deal": (you("9S 4H"), Figure.of(hidden, "8D ?" if rules.hole else "? 8D")),
        "turn": (you("9S 4H"), you("9S 4H 5C")),
        "twenty-one": (you("7C 7D 7H"),),
        "bust": (you("KS 6H 9C"), Figure.of(hidden, "8D ?" if rules.hole else "? 8D"))
        if rules.hide_hole_after_bust
        else (you("KS 6H 9C"), dealer("8D TS")),
        "dealer": (dealer("6S TC"), dealer("6S TC 4D")),
        "winner": (you("KS QH"), dealer("9C TD")),
        "ties": (you("TS 8H"), dealer("9C 9D")),
        "cards": (Figure.of(Text("The deck"), "? ? ? ? ?"),),
        "forfeit": (you("9S 4H"), Figure.of(Text("One point lost"), "? ?")),
    }


def _hand(caption: Text, codes: str, rules: Rules) -> Figure:
    figure = Figure.of("", codes)
    return Figure(caption.fill(total=total(face_up(figure.cards), rules)), figure.cards)
