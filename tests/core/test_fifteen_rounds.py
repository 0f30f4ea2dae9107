"""Fifteen rounds of the sheet's own deck at a table, and a long evening after them."""

from collections.abc import Mapping

import pytest

from cardgames import GAMES
from cardgames.deck_file import File
from cardgames.table import Phase, Table
from tests.support.fifteen_rounds import DECK, THE_DECK, Play, Seen, fifteen_rounds, long_evening
from tests.support.play import salts


def sitting(seed: int = 1) -> Play:
    """Return what plays at a table of Simple 21."""
    table, new_salt = Table(GAMES["simple-21"]), salts(seed)

    def play(form: Mapping[str, str | File]) -> Seen:
        nonlocal table
        fields = {name: value for name, value in form.items() if name not in ("move", "step")}
        table, _ = table.play(str(form["move"]), fields, new_salt)
        playing = table.phase is Phase.PLAYING
        moves = ["hit", "stay", "new"] if playing else ["deal", "new"]
        assert [move.name for move in table.moves()] == moves
        view = table.view()
        return Seen(
            step=int(str(form["step"])) + 1,
            round=view["round"],
            playing=playing,
            player=list(view["player"].cards),
            player_total=view["player"].total,
            dealer=list(view["dealer"].cards),
            dealer_total=view["dealer"].total,
            deck=view["deck"],
            discards=view["discards"],
            tally=tuple(view["tally"].values()),
            messages=list(view["messages"]),
            winner=view["winner"],
            stacked=view["stacked"],
        )

    return play


def test_fifteen_rounds_of_the_sheets_deck() -> None:
    fifteen_rounds(sitting())


@pytest.mark.parametrize("seed", range(5))
def test_a_long_evening_after_that(seed: int) -> None:
    long_evening(sitting(seed), 100 + seed)


def test_the_deck_by_hand_is_the_sheets() -> None:
    assert THE_DECK.replace("|", "").split() == DECK.read_text().split()
