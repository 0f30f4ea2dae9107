"""The forms of the lab: what they ask, and the experiment that an answer describes."""

import secrets
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from cardgames.cards import CardGameError
from cardgames.games.bingo.rules import Mode
from cardgames.games.twentyone import BLACKJACK
from cardgames.simulation import (
    BingoRounds,
    Experiment,
    TwentyOneRounds,
    WarGames,
)
from cardgames.strategies.chart import UPCARDS
from cardgames.strategies.strategy import BASIC, Rows, format_rows, hits, parse_rows
from cardgames.text import Text
from web.simulation.runs import KINDS, Kind

DEFAULTS: Final[dict[str, str]] = {
    "games": "10000",
    "seed": "",
    "players": "2",
    "mode": "L",
    "speed": "N",
    "table": "simple-21",
    "play": "dealer",
    "below": "17",
    "rows": "",
}
"""What the forms say before anybody has typed."""

GRID: Final = (
    *((False, total) for total in range(12, 21)),
    *((True, total) for total in range(13, 21)),
)
"""The hands of the grid, soft or not and their totals. Below 12 no card busts, and 21 is 21."""

STARTS: Final[dict[str, Rows]] = {
    "basic": parse_rows(BASIC),
    "dealer": {},
    "never": dict.fromkeys(GRID, "S" * len(UPCARDS)),
}
"""What the grid can begin with, by its name in addresses. The dealer needs no row."""

_MAX_SEED_DRAWN: Final = 1_000_000


class Cell(NamedTuple):
    """A decision of the grid."""

    name: str
    """The field's: ``hard-16-T``."""

    upcard: str
    hit: bool


class GridRow(NamedTuple):
    """What is decided with a hand."""

    soft: bool
    total: int
    cells: tuple[Cell, ...]


def to_experiment(form: Mapping[str, str]) -> tuple[Kind, Experiment]:
    """Read an experiment from a form; what is left out is as in ``DEFAULTS``, the seed random.

    Raises:
        CardGameError: there is no such experiment; its ``field`` is the form's.
    """
    filled = {**DEFAULTS, **{name: text.strip() for name, text in form.items()}}
    kind = _one_of(filled, "experiment", [*KINDS])
    games = _whole(filled, "games", Text("The number of games"))
    seed = secrets.randbelow(_MAX_SEED_DRAWN)
    if filled["seed"]:
        seed = _whole(filled, "seed", Text("The seed"))
    match kind:
        case "war":
            players = _whole(filled, "players", Text("The number of players"))
            return "war", WarGames(games, seed, players)
        case "bingo":
            mode = _one_of(filled, "mode", [*Mode])
            speed = _one_of(filled, "speed", ["Y", "N"]) == "Y"
            return "bingo", BingoRounds(games, seed, Mode(mode), speed)
        case _:
            return "twentyone", TwentyOneRounds(games, seed, filled["table"], _strategy(filled))


def to_form(experiment: Experiment) -> dict[str, str]:
    """Return the fields that ask for an experiment, all but the seed: those of "run again"."""
    match experiment:
        case WarGames(games=games, players=players):
            return {"experiment": "war", "games": str(games), "players": str(players)}
        case BingoRounds(games=games, mode=mode, speed=speed):
            fields = {"mode": mode.value, "speed": "NY"[speed]}
            return {"experiment": "bingo", "games": str(games), **fields}
        case TwentyOneRounds(games=games, table=table, strategy=strategy):
            fields = {"experiment": "twentyone", "games": str(games), "table": table}
            return {**fields, **_strategy_fields(strategy)}


def grid_of(form: Mapping[str, str], start: str = "") -> tuple[GridRow, ...]:
    """Return the grid of decisions as a form has it.

    Args:
        form: what was sent; a decision to hit is a field of its name.
        start: what the grid begins with where nothing was sent.
    """
    grid = _grid(STARTS.get(start, STARTS["basic"]), GRID)
    if "grid" not in form:
        return grid
    return tuple(
        row._replace(cells=tuple(cell._replace(hit=cell.name in form) for cell in row.cells))
        for row in grid
    )


def _grid(rows: Rows, hands: Iterable[tuple[bool, int]]) -> tuple[GridRow, ...]:
    """Return the grid of a strategy; other hands are played as by Blackjack's dealer."""
    return tuple(
        GridRow(
            soft,
            total,
            tuple(
                Cell(
                    f"{'soft' if soft else 'hard'}-{total}-{upcard}",
                    upcard,
                    hits(rows, BLACKJACK, total, value, soft=soft),
                )
                for value, upcard in enumerate(UPCARDS, start=1)
            ),
        )
        for soft, total in hands
    )


def to_clicks(form: Mapping[str, str]) -> Mapping[str, str]:
    """Return a form whose strategy is written as one where it is clicked, if the grid can say it.

    Args:
        form: the fields that an address has.
    """
    try:
        rows = parse_rows(form.get("rows", ""))
    except CardGameError:
        return form
    if not rows.keys() <= {*GRID}:
        return form
    clicked = {cell.name: "H" for row in _grid(rows, GRID) for cell in row.cells if cell.hit}
    return {**form, "rows": "", "grid": "1", **clicked}


def strategy_grid(strategy: str) -> tuple[GridRow, ...]:
    """Return a table of decisions as a grid to look at; empty for any other strategy."""
    if _strategy_fields(strategy)["play"] != "table":
        return ()
    rows = parse_rows(strategy)
    return tuple(
        row._replace(cells=tuple(cell._replace(name="") for cell in row.cells))
        for row in _grid(rows, sorted(rows))
    )


def _strategy(filled: Mapping[str, str]) -> str:
    match _one_of(filled, "play", ["dealer", "best", "below", "table"]):
        case "below":
            return f"below {_whole(filled, 'below', Text('The total below which to hit'))}"
        case "table" if filled["rows"]:
            return filled["rows"].replace("\r\n", "\n")
        case "table":
            letters = {
                (row.soft, row.total): "".join("HS"[not cell.hit] for cell in row.cells)
                for row in grid_of(filled)
            }
            return format_rows(letters)
        case named:
            return named


def _strategy_fields(strategy: str) -> dict[str, str]:
    match strategy.split():
        case ["dealer" | "best" as play]:
            return {"play": play}
        case ["below", limit]:
            return {"play": "below", "below": limit}
        case _:
            return {"play": "table", "rows": strategy}


def _whole(filled: Mapping[str, str], name: str, what: Text) -> int:
    text = filled[name].replace(",", "").replace(" ", "")
    if not (text.isascii() and text.isdigit()):
        raise CardGameError(Text("{what} must be a whole number.", what=what), name)
    return int(text[:20])


def _one_of(filled: Mapping[str, str], name: str, options: list[str]) -> str:
    if filled.get(name) not in options:
        refusal = Text("The field {name} is one of {options}.")
        raise CardGameError(refusal.fill(name=name, options=", ".join(options)), name)
    return filled[name]
