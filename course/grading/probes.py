"""How the checks look at a student's objects, in the student's process.

These functions find, count and arrange; what should be found, the checks know and not this file.
"""

import builtins
import importlib
import io
import random
import runpy
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

SIMPLEGUI_NAMES: Final = (
    "simpleguitk",
    "SimpleGUICS2Pygame",
    "SimpleGUICS2Pygame.simpleguics2pygame",
)
"""Modules that stand in for ``simplegui`` on a student's own machine."""


def load(name: str, names: dict[str, Any]) -> None:
    """Import a module of the student's, and add its public names to these."""
    module = importlib.import_module(name)
    names |= {key: value for key, value in vars(module).items() if key[:2] != "__"}
    names[name] = module


def play(file: str) -> None:
    """Run a student's file as a program."""
    with suppress(SystemExit):
        runpy.run_path(str(Path(sys.path[0], file)), run_name="__main__")


def write(name: str, text: str) -> None:
    """Write a file for the student's code to read."""
    Path(name).write_text(text, encoding="utf-8", newline="")


def attributes(thing: object) -> dict[str, Any]:
    """Return what an object keeps, by name, whether in a dictionary or in slots."""
    kept = dict(getattr(thing, "__dict__", {}))
    for kind in type(thing).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            full = f"_{kind.__name__}{name}" if name[:2] == "__" else name
            if hasattr(thing, full):
                kept[full] = getattr(thing, full)
    return kept


def public_names(kind: object) -> list[str] | None:
    """Return the public names of a class, with those it inherits; None for what is no class."""
    if not isinstance(kind, type):
        return None
    return [name for name in dir(kind) if not name.startswith("_")]


def cards_within(root: object, kind: type) -> list[Any]:
    """Return the different objects of a class that can be reached from an object."""
    found: dict[int, Any] = {}
    seen: set[int] = set()
    waiting = [root]
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, str | int | type):
            continue
        seen.add(id(thing))
        if isinstance(thing, kind):
            found[id(thing)] = thing
        elif isinstance(thing, dict):
            waiting += [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple | set | frozenset) or hasattr(thing, "popleft"):
            waiting += list(thing)  # type: ignore[call-overload]
        else:
            waiting += attributes(thing).values()
    return list(found.values())


def queue_of(deck: object) -> Any:
    """Return the queue in a deck, or None."""
    queues = [value for value in attributes(deck).values() if hasattr(value, "dequeue")]
    return queues[0] if queues else None


def lines_run(statement: str, names: dict[str, Any]) -> int:
    """Return how many lines of Python a statement runs, to distinguish O(1) from O(n)."""
    code = compile(statement, "<check>", "exec")
    count = 0

    def trace(_frame: object, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    sys.settrace(trace)
    try:
        exec(code, names)  # noqa: S102 - that is what it is for
    finally:
        sys.settrace(None)
    return count


OPENED: Final[list[Any]] = []
OPEN: Final = builtins.open


def watch_files() -> None:
    """Remember the files that are opened from now on."""

    def remembering(*arguments: Any, **named: Any) -> Any:
        OPENED.append(OPEN(*arguments, **named))
        return OPENED[-1]

    OPENED.clear()
    builtins.open = io.open = remembering


def files_left_open() -> int:
    """Return how many of the files are open that were opened since, and watch no longer."""
    builtins.open = io.open = OPEN
    return sum(not file.closed for file in OPENED)


# War


def played_small_games(names: dict[str, Any], games: int) -> tuple[int, int]:
    """Play with two ranks of two suits; return the turns, and how many games the first one won."""
    shuffle = random.Random(13).shuffle
    turns = firsts = 0
    for _ in range(games):
        players = [names["Player"]("Amy"), names["Player"]("Brad")]
        game = names["Game"](players)
        for _card in game.deck.give_cards():
            pass
        order = [names["Card"](rank, suit) for rank in (2, 3) for suit in "SH"]
        shuffle(order)
        game.deck.receive_cards(order)
        game.deck.size = 4
        real = game.turn

        def turn(*arguments: object, real: Callable[..., object] = real) -> object:
            nonlocal turns
            turns += 1
            return real(*arguments)

        game.turn = turn
        firsts += game.play() is players[0]
    return turns, firsts


# Bingo


def break_deal(deck: Any, number: int, message: str) -> None:
    """Let the dealing of a card raise an exception once, at this number of cards."""
    real, count = deck.dealCard, 0

    def deal(self: object) -> object:
        nonlocal count
        count += 1
        if count == number:
            raise Exception(message)  # noqa: TRY002 - as the sheet has it
        return real(self)

    deck.dealCard = deal


# One-deck Blackjack

DECKS: Final[list[Any]] = []
"""The decks of the course that a program has made since they were arranged."""

SHUFFLES: Final[list[int]] = []
"""How many cards each shuffled deck had."""


def arrange_decks(order: list[str]) -> None:
    """Let the course's decks have this order; what the program does with them is remembered."""
    cards: Any = sys.modules["cards"]
    if not hasattr(cards, "real"):
        cards.real = cards.Deck.__init__
    DECKS.clear()
    SHUFFLES.clear()

    def make(self: Any) -> None:
        cards.real(self)
        known = {str(card): card for card in list(self._Deck__cards)}
        self._Deck__cards = [known[code] for code in reversed(order)]
        DECKS.append(self)

    def shuffle(self: Any) -> None:
        SHUFFLES.append(len(self))

    cards.Deck.__init__, cards.Deck.shuffle = make, shuffle


# Blackjack with simplegui

FRAMES: Final[list[Any]] = []
SCRIPT: Final[list[str]] = []
"""The cards that the deck deals next; then it deals its own."""


def started(file: str) -> dict[str, Any]:
    """Run a program for CodeSkulptor, and return its names; frames are kept, shuffles counted."""
    gui = sys.modules["simplegui"]
    for name in SIMPLEGUI_NAMES:
        sys.modules[name] = gui
    vars(gui)["simpleguics2pygame"] = gui
    for kept in (FRAMES, SCRIPT, SHUFFLES):
        kept.clear()
    gui.Frame.start = lambda frame: FRAMES.append(frame)  # noqa: PLW0108 - binds the frame
    real = getattr(random, "real_shuffle", random.shuffle)

    def shuffle(cards: Any) -> None:
        SHUFFLES.append(len(cards))
        real(cards)

    random.real_shuffle, random.shuffle = real, shuffle  # type: ignore[attr-defined,assignment]
    names: dict[str, Any] = sys.modules["python2"].run(Path(sys.path[0], file))
    return names


def labels() -> list[str]:
    """Return the texts of the buttons of the newest frame."""
    return [str(press.control.get_text()) for press in FRAMES[-1].presses]


def press(number: int) -> None:
    """Press a button, by its place."""
    FRAMES[-1].presses[number].handler()


def screen(canvas: Any = None) -> dict[str, Any]:
    """Return what a canvas shows, by default that of the newest frame: texts and pictures."""
    canvas = canvas or FRAMES[-1].canvas()
    return {
        "texts": [[text.text, float(text.point[0]), float(text.point[1])] for text in canvas.texts],
        "pictures": [
            [each.card, *(float(number) for number in (*each.center, *each.size))]
            for each in canvas.pictures
            if each.image.kind != "unknown"
        ],
    }


def follow_script(deck: Any, card: Any) -> None:
    """Let a deck's class deal the cards of the script, while there are any."""
    real = deck.deal_card
    if getattr(real, "scripted", False):
        return

    def deal_card(self: Any) -> Any:
        if SCRIPT:
            code = SCRIPT.pop(0)
            return card(code[0], code[1])
        return real(self)

    deal_card.scripted = True  # type: ignore[attr-defined]
    deck.deal_card = deal_card


def dealt_out(names: dict[str, Any], most: int) -> list[str]:
    """Deal out the deck that a program keeps in a global variable, and return its cards."""
    kind = names["Deck"]
    deck = [each for each in names.values() if type(each) is kind][-1]
    codes = []
    for _ in range(most):
        try:
            codes.append(str(deck.deal_card()))
        except Exception:  # noqa: BLE001 - an empty deck may raise what it likes
            break
    return codes
