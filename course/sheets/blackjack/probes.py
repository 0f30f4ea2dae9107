"""How the checks look at a program for CodeSkulptor, in the student's process."""

import random
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from course.grading.sandbox.probes import attributes, cards_within

SIMPLEGUI_NAMES: Final = (
    "simpleguitk",
    "SimpleGUICS2Pygame",
    "SimpleGUICS2Pygame.simpleguics2pygame",
)
"""Modules that stand in for ``simplegui`` on a student's own machine."""

FRAMES: Final[list[Any]] = []
SCRIPT: Final[list[str]] = []
"""The cards that the deck deals next; then it deals its own."""

SHUFFLES: Final[list[int]] = []
"""How many cards each shuffled deck had."""

DEALERS: Final[list[Any]] = []
"""The deck that has dealt the last card."""

MAX_TICKS: Final = 30
"""Maximum number of times that running timers tick after a press."""

STILL: Final = 2
"""Ticks in a row that move no card, before no more are waited for."""

CODES: Final = {suit + rank for suit in "CSHD" for rank in "A23456789TJQK"}


def started(file: str) -> dict[str, Any]:
    """Run a program for CodeSkulptor, and return its names; frames are kept, shuffles counted."""
    gui = sys.modules["simplegui"]
    for name in SIMPLEGUI_NAMES:
        sys.modules[name] = gui
    vars(gui)["simpleguics2pygame"] = gui
    for kept in (FRAMES, SCRIPT, SHUFFLES, DEALERS, gui.Timer.running):
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
    """Return the texts of the buttons and fields of the newest frame."""
    return [str(press.control.get_text()) for press in FRAMES[-1].presses]


def press(number: int, names: dict[str, Any]) -> None:
    """Press a button, by its place, or enter a 1 in a field; then time passes.

    Timers tick until they move no card any more: a program may deal slowly.
    """
    control = FRAMES[-1].presses[number]
    control.handler(*(["1"] if control.asks else []))
    running = sys.modules["simplegui"].Timer.running
    still = 0
    for _ in range(MAX_TICKS if running else 0):
        before = holders(names)
        for timer in [*running]:
            timer.tick()
        still = still + 1 if holders(names) == before else 0
        if still == STILL:
            break


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


def code_of(card: Any) -> str:
    """Return suit and rank of a card, or of the text that stands for one; empty for no card."""
    text = card if isinstance(card, str) else ""
    if hasattr(card, "get_suit"):
        with suppress(Exception):
            text = f"{card.get_suit()}{card.get_rank()}"
    return text if text in CODES else ""


def cards_in(thing: Any, depth: int = 4) -> list[Any]:
    """Return the cards, or the texts that stand for some, that an object keeps, in its order."""
    if code_of(thing):
        return [thing]
    if not depth or isinstance(thing, str | int | float | type | None):
        return []
    parts = thing if isinstance(thing, list | tuple) else attributes(thing).values()
    return [card for part in parts for card in cards_in(part, depth - 1)]


def codes_in(thing: Any) -> list[str]:
    """Return the cards that an object keeps, in its own order, whatever it makes them of."""
    return [code_of(card) for card in cards_in(thing)]


def held_in(hand: Any) -> list[str]:
    """Return the cards of a hand, each once though a second attribute keeps it too.

    Texts count only where there are no objects: a canvas that the hand keeps has pictures.
    """
    found: list[Any] = []
    for part in [hand] if isinstance(hand, list) else attributes(hand).values():
        known = {id(card) for card in found}
        found += [card for card in cards_in(part) if id(card) not in known]
    objects = [card for card in found if not isinstance(card, str)]
    return [code_of(card) for card in objects or found]


def holders(names: dict[str, Any]) -> dict[str, list[str]]:
    """Return the cards of each hand of a program, by the name that leads to it.

    A hand is an object of the class Hand, or a list if the program keeps none of that class.
    """
    kind = names.get("Hand")
    hands: dict[str, Any] = {}
    for name, value in names.items():
        within: dict[Any, Any] = {}
        if type(value).__module__ == names["__name__"]:
            within = attributes(value)
        within = dict(value) if isinstance(value, dict) and name[:1] != "_" else within
        within = dict(enumerate(value)) if isinstance(value, list) else within
        inside = {f"{name}.{key}": each for key, each in within.items()}
        hands |= {name: value} | inside
    mine = {name: each for name, each in hands.items() if kind and type(each) is kind}
    mine = mine or {name: each for name, each in hands.items() if isinstance(each, list)}
    return {name: held_in(each) for name, each in mine.items()}


def follow_script(deck: Any, card: Any) -> None:
    """Let a deck's class deal the cards of the script, while there are any.

    The deck deals as it does, whatever it is given; the card that comes of it changes places with
    the one of the script. So what is left in the deck are the others.
    """
    real = deck.deal_card
    if getattr(real, "scripted", False):
        return

    def deal_card(self: Any, *given: Any, **named: Any) -> Any:
        before = [id(each) for each in cards_within(given, card)]
        dealt = real(self, *given, **named)
        DEALERS[:] = [self]
        new = [each for each in cards_within(given, card) if id(each) not in before]
        mine = dealt if isinstance(dealt, card) else (new or [None])[0]
        if not SCRIPT:
            return dealt
        code = SCRIPT.pop(0)
        if mine is None:
            return card(code[0], code[1])
        for other in cards_within(self, card):
            if other is not mine and code_of(other) == code:
                become(other, card(*code_of(mine)))
        become(mine, card(code[0], code[1]))
        return dealt

    deal_card.scripted = True  # type: ignore[attr-defined]
    deck.deal_card = deal_card


def become(card: Any, other: Any) -> None:
    """Give a card all that another one keeps."""
    for name, value in attributes(other).items():
        object.__setattr__(card, name, value)


def dealt_out(most: int) -> list[str]:
    """Return what is left in the deck that has dealt last, by dealing it out if it can be."""
    codes = []
    for _ in range(most):
        try:
            codes.append(code_of(DEALERS[0].deal_card()))
        except Exception:  # noqa: BLE001 - an empty deck may raise what it likes
            break
    return codes or codes_in(DEALERS[0])
