"""Right values of hands, for a program that has wrong ones and a class ``Hand``."""

from typing import Any


def _right_value(hand: Any) -> int:
    """Return the value of a hand, whatever it calls its list of cards."""
    parts = [part if isinstance(part, list) else [part] for part in vars(hand).values()]
    cards = {id(card): card for part in parts for card in part if hasattr(card, "get_rank")}
    ranks = [card.get_rank() for card in cards.values()]
    value = sum(min("A23456789TJQK".index(rank) + 1, 10) for rank in ranks)
    return value + 10 if "A" in ranks and value + 10 <= 21 else value  # noqa: PLR2004


globals()["Hand"].get_value = _right_value
