"""How the checks look at a program for CodeSkulptor, in the student's process."""

import random
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from course.grading.sandbox.probes import attributes, cards_within

FRAMES: Final[list[Any]] = []
SCRIPT: Final[list[str]] = []
"""The cards that the deck deals next; then it deals its own."""

SHUFFLES: Final[list[int]] = []
"""How many cards each shuffled deck had."""

DEALT: Final[list[str]] = []
"""As many as cards were dealt since the program was started."""

ADDED: Final[list[str]] = []
"""As many as cards were given to a hand by ``add_card``."""

DEALERS: Final[list[Any]] = []
"""The deck that has dealt the last card."""

PROGRAM: Final[list[dict[str, Any]]] = []
"""The names of the program that was started last."""

MAX_TICKS: Final = 30
"""Maximum number of times that running timers tick after a press."""

STILL: Final = 2
"""Ticks in a row that move no card, before no more are waited for."""

CODES: Final = {suit + rank for suit in "CSHD" for rank in "A23456789TJQK"}


def compiled(source: str, path: str) -> None:
    """Compile a program ahead of the checks, as it is started."""
    sys.modules["python2"].compiled(source, path)


def started(file: str) -> dict[str, Any]:
    """Run a program for CodeSkulptor, and return its names; frames are kept, shuffles counted."""
    gui = sys.modules["simplegui"]
    gui.stand_in(gui)
    for kept in (
        FRAMES,
        SCRIPT,
        SHUFFLES,
        DEALT,
        ADDED,
        DEALERS,
        SIZES,
        PICTURES,
        gui.Timer.running,
    ):
        kept.clear()
    gui.Frame.start = lambda frame: FRAMES.append(frame)  # noqa: PLW0108 - binds the frame
    real = getattr(random, "real_shuffle", random.shuffle)

    def shuffle(cards: Any) -> None:
        SHUFFLES.append(len(cards))
        real(cards)

    random.real_shuffle, random.shuffle = real, shuffle  # type: ignore[attr-defined,assignment]
    PROGRAM[:] = [sys.modules["python2"].run(Path(sys.path[0], file))]
    return PROGRAM[0]


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
    recognize(canvas)
    return {
        "texts": [[text.text, float(text.point[0]), float(text.point[1])] for text in canvas.texts],
        "pictures": [
            [each.card, *(float(number) for number in (*each.center, *each.size))]
            for each in canvas.pictures
            if each.image.kind != "unknown"
        ],
    }


PICTURES: Final[dict[tuple[str, float, float], str]] = {}
"""Which card a part of an image shows, by the image's address and the centre of the part."""

SIZES: Final[list[tuple[float, float]]] = []
"""The size in which the program draws its cards, once that is known."""

MAX_UNLIKE: Final = 0.25
"""Part by which the back of a card may be larger or smaller than a face."""


def recognize(canvas: Any) -> None:
    """Find the cards in pictures from addresses that nobody knows, by what each Card draws."""
    kinds = [getattr(each, "image", None) for each in canvas.drawings]
    if not any(image is not None and image.kind == "unknown" for image in kinds):
        return
    if not SIZES:
        learn_pictures(type(canvas), PROGRAM[-1].get("Card"))
    canvas.drawings[:] = [recognized(each) for each in canvas.drawings]


def learn_pictures(canvas: Any, card: Any) -> None:
    """Let every card be drawn; a part of an image that only one of them draws is that card."""
    SIZES.append((0.0, 0.0))
    for code in sorted(CODES):
        drawn = canvas(600, 600)
        with suppress(Exception):
            card(code[0], code[1]).draw(drawn, [0, 0])
        for each in drawn.drawings:
            if hasattr(each, "image"):
                part = (each.image.address, *each.source)
                PICTURES[part] = "" if part in PICTURES else code
                SIZES[0] = (float(each.size[0]), float(each.size[1]))


def recognized(drawing: Any) -> Any:
    """Return a picture from an unknown address with the card that it shows; or a back."""
    if getattr(drawing, "image", None) is None or drawing.image.kind != "unknown":
        return drawing
    code = PICTURES.get((drawing.image.address, *drawing.source))
    if code:
        return drawing._replace(card=code, image=drawing.image._replace(kind="faces"))
    pairs = zip(drawing.size, SIZES[0], strict=True)
    like = all(abs(one - other) <= MAX_UNLIKE * other for one, other in pairs)
    is_back = code is None and like
    return drawing._replace(image=drawing.image._replace(kind="backs")) if is_back else drawing


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
    """Return the cards that an object keeps, in its own order, whatever it makes them of.

    Its class may keep them for it.
    """
    cards = cards_in(thing) or cards_in([*vars(type(thing)).values()])
    return [code_of(card) for card in cards]


def deals_texts(deck: Any) -> bool:
    """Say whether a deck that keeps texts deals texts too, and no cards made of them."""
    return all(isinstance(card, str) for card in cards_in(deck)) and isinstance(
        deck.deal_card(), str
    )


def dealt_by(deck: Any) -> list[str]:
    """Return the cards that a deck deals, wherever it has them from, the top one last."""
    codes: list[str] = []
    with suppress(Exception):  # an empty deck may raise what it likes
        while len(codes) < len(CODES) and (code := code_of(deck.deal_card())):
            codes.append(code)
    return codes[::-1]


def new_hand(kind: Any) -> Any:
    """Return a new hand, with a name where its class asks for one."""
    for given in ((), ("Player",), ("Player", "Player")):
        with suppress(TypeError):
            return kind(*given)
    return kind()


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


def follow_script(deck: Any, card: Any) -> bool:
    """Let a deck's class deal the cards of the script, while there are any; once is enough.

    The deck deals as it does, whatever it is given; the card that comes of it changes places with
    the one of the script. So what is left in the deck are the others.
    """
    real = deck.deal_card
    if getattr(real, "scripted", False):
        return False

    def deal_card(self: Any, *given: Any, **named: Any) -> Any:
        before = [id(each) for each in cards_within(given, card)]
        dealt = real(self, *given, **named)
        DEALERS[:] = [self]
        DEALT.append("")
        new = [each for each in cards_within(given, card) if id(each) not in before]
        mine = dealt if isinstance(dealt, card) else (new or [None])[0]
        if not SCRIPT:
            return dealt
        code = SCRIPT.pop(0)
        if isinstance(dealt, str):
            return in_place_of(dealt, code, self)
        if mine is None:
            return card(code[0], code[1])
        for other in cards_of(self, card):
            if other is not mine and code_of(other) == code:
                become(other, card(*code_of(mine)))
        become(mine, card(code[0], code[1]))
        return dealt

    deal_card.scripted = True  # type: ignore[attr-defined]
    deck.deal_card = deal_card
    return True


def in_place_of(dealt: str, code: str, deck: Any) -> str:
    """Return the text of a card; if the deck has it, the text that it has dealt stands there."""
    for texts in attributes(deck).values():
        if isinstance(texts, list) and code in texts:
            texts[texts.index(code)] = dealt
    return code


def count_added(hand: Any) -> None:
    """Count from now on how often a hand's class is given a card by ``add_card``."""
    real = getattr(hand, "add_card", None)
    if not callable(real):
        return

    def add_card(self: Any, *given: Any, **named: Any) -> Any:
        ADDED.append("")
        return real(self, *given, **named)

    hand.add_card = add_card


def cards_of(deck: Any, card: Any) -> list[Any]:
    """Return the cards that a deck has: it keeps them, or its class, or the program."""
    lists = [each for each in PROGRAM[-1].values() if isinstance(each, list)]
    places = (deck, [*vars(type(deck)).values()], lists)
    return next((found for each in places if (found := cards_within(each, card))), [])


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
