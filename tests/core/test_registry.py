"""The registry: every message, caused by a game that differs from High Card in one respect."""

from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass, replace
from typing import Any

import pytest

from cardgames.cards import Cards
from cardgames.game import Game, HouseRule
from cardgames.moves import Choice, DeckFile, FreeText, Move, Repeat
from cardgames.registry import RESERVED_SLUGS, BadGame, registered
from tests.support.games import RULE, HeldView, HighCard, LastingHighCard, Piles, Shown

INFO = HighCard.info
DRAW = Move("draw", "Draw")


def piles(**types: Any) -> type:
    """Return a frozen dataclass with these fields."""
    return make_dataclass("Made", types.items(), frozen=True)


@dataclass
class Melting:
    deck: Cards


@dataclass(frozen=True)
class Framed:
    winner: str


class Unmarked(Shown):
    """A class that its author forgot to decorate as a dataclass."""


class Moves(HighCard):
    """High Card with an additional move, but only the parts that the registry checks."""

    round_moves = (DRAW,)

    def apply(self, state: Any, action: Any, rng: Any) -> Any:
        return state


class Carries(HighCard):
    def carry(self, state: Shown) -> None:
        return None


def deal_with(**fields: Any) -> Move:
    return Move("deal", "Deal", fields)


REFUSED: list[tuple[type[Game[Any, Any, Any]], Mapping[str, Any], str]] = [
    (HighCard, {"info": None}, "say what its info is."),
    (HighCard, {"deals": None, "empty": None}, "say what its deals, empty is."),
    (HighCard, {"state_type": None}, "say what its state_type is."),
    *(
        (HighCard, {"info": replace(INFO, slug=slug)}, f"the slug {slug!r} is for addresses: ")
        for slug in ("", "a", "High", "high_card", "high card", "21-up", "a--b", "a-", "x" * 60)
    ),
    *(
        (HighCard, {"info": replace(INFO, slug=slug)}, f"serves /{slug}: choose another slug.")
        for slug in sorted(RESERVED_SLUGS - {"j"})
    ),
    (HighCard, {"info": replace(INFO, title="")}, "info.title is empty, and the lobby shows it"),
    (HighCard, {"info": replace(INFO, pitch="\n")}, "info.pitch is empty, and the lobby shows it"),
    (HighCard, {"info": replace(INFO, rules=())}, "info.rules needs house rules, each with an"),
    (HighCard, {"info": replace(INFO, rules=(RULE, RULE))}, "each with an anchor of its own"),
    (
        HighCard,
        {"info": replace(INFO, rules=(HouseRule("Who wins", "", ""),))},
        "each with an anchor of its own (small letters).",
    ),
    (HighCard, {"info": replace(INFO, winners={})}, "say in info.winners who can win, or whose"),
    (HighCard, {"info": replace(INFO, winners={"": "Nobody"})}, "a winner has a name, and a text"),
    (HighCard, {"info": replace(INFO, winners={"you": ""})}, "a winner has a name, and a text"),
    (HighCard, {"info": replace(INFO, decks=0)}, "info.decks is how many decks are on the table"),
    (HighCard, {"deals": DRAW}, "the move that deals is called deal, and is not repeated."),
    (
        HighCard,
        {"deals": Move("deal", "Deal", repeat=Repeat("times", {"1": (1, "one")}))},
        "the move that deals is called deal, and is not repeated.",
    ),
    *(
        (Moves, {"round_moves": moves}, "each of round_moves has a name of its own in small")
        for moves in (
            (DRAW, DRAW),
            (Move("deal", "Deal"),),
            (Move("new", "New"),),
            (Move("forfeit", "Give up"),),
            (Move("Draw", "Draw"),),
            (Move("draw two", "Draw"),),
            (Move("x" * 21, "Draw"),),
        )
    ),
    (HighCard, {"round_moves": (DRAW,)}, "it has round_moves, so write apply(), which makes them."),
    (HighCard, {"may_concede": True}, "so write concede(), which ends the round."),
    (HighCard, {"deals": deal_with(Name=FreeText("N"))}, "the fields of deal have names of their"),
    (HighCard, {"deals": deal_with(step=FreeText("N"))}, "deal has the field 'step', which the"),
    (HighCard, {"deals": deal_with(name="N")}, "a field of deal is a Choice, a FreeText or a Deck"),
    (
        Moves,
        {"round_moves": (replace(DRAW, repeat=Repeat("game", {"1": (1, "")})),)},
        "draw has the field 'game', which the site's forms use already.",
    ),
    (
        Moves,
        {
            "round_moves": (
                replace(DRAW, fields={"x": FreeText("X")}, repeat=Repeat("x", {"1": (1, "one")})),
            )
        },
        "the fields of draw have names of their own",
    ),
    (
        Moves,
        {"round_moves": (replace(DRAW, repeat=Repeat("times", {"0": (0, "none")})),)},
        "draw is repeated at least once.",
    ),
    *(
        (HighCard, {"state_type": kind}, "state_type is a frozen dataclass without defaults: a")
        for kind in (tuple, Melting, Unmarked, make_dataclass("D", [("a", int, 1)], frozen=True))
    ),
    (HighCard, {"empty": ()}, "a view is a frozen dataclass, and empty is one of them."),
    (HighCard, {"empty": Melting(())}, "a view is a frozen dataclass, and empty is one of them."),
    (HighCard, {"empty": Framed("")}, "the table itself shows 'winner': take it out of the view."),
    (Carries, {}, "it has carry(), so say in carry_type what that returns."),
    (HighCard, {"carry_type": Piles}, "it has a carry_type, so write carry(), which says what"),
    *(
        (Carries, {"carry_type": kind}, "carry_type is a frozen dataclass whose fields are piles")
        for kind in (tuple, Melting, piles(deck=int), piles())
    ),
    *(
        (
            Carries,
            {"carry_type": piles(**{name: Cards})},
            "a pile's name is a word in small letters",
        )
        for name in ("Deck", "the_deck", "round", "stacked", "salt", "shuffle", "result")
    ),
]


@pytest.mark.parametrize(("kind", "slip", "sentence"), REFUSED)
def test_missing_metadata_is_reported_in_a_sentence(
    kind: type[Game[Any, Any, Any]], slip: Mapping[str, Any], sentence: str
) -> None:
    with pytest.raises(BadGame) as refused:
        registered(type("Careless", (kind,), slip)())
    assert str(refused.value).startswith("Careless: ")
    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".")


def test_only_the_first_round_asks_for_a_lasting_deck() -> None:
    game = LastingHighCard()
    assert (list(game.deals.form), list(game.later_deals.form)) == (["deck"], [])
    kept = {"deck": DeckFile("Deck", "Play it"), "n": Choice("N", {"1": "One"})}
    other: Any = type("Other", (HighCard,), {"deals": deal_with(**kept)})()
    assert other.later_deals == other.deals
    assert isinstance(game.empty, HeldView)


def test_two_games_cannot_have_one_slug() -> None:
    with pytest.raises(BadGame, match=r"^HighCard: another game has the slug 'high-card'\.$"):
        registered(HighCard(), HighCard())
