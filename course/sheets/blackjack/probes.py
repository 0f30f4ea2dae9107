"""The probes of a CodeSkulptor program, in the student's process.

The deck is arranged by replacing ``choice``, ``sample`` and ``shuffle`` of ``random``. The sheet
requires ``random.shuffle``. Nothing in the program itself is replaced, but calls of the methods
that move cards are counted.
"""

import builtins
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final

from course.grading.sandbox.probes import attributes

FRAMES: Final[list[Any]] = []
PROGRAM: Final[list[dict[str, Any]]] = []
"""The global names of the program that was started most recently."""

ORDER: Final[list[str]] = []
"""The cards that a shuffled deck deals first. The deck's other cards follow."""

CHOSEN: Final[list[str]] = []
"""The cards of ``ORDER`` that ``choice`` has returned since a deck was last shuffled."""

WHEN_MADE: Final[list[bool]] = []
"""Not empty if decks are arranged when they are created, because the program never shuffles."""

FROM_FRONT: Final[list[bool]] = []
"""Not empty if the program deals from the front of its list of cards."""

CALLS: Final[dict[str, int]] = {}
"""Number of calls of each function by the program since the number was last read."""

CODES: Final = [suit + rank for suit in "CSHD" for rank in "A23456789TJQK"]

MAX_TICKS: Final = 30
"""Maximum number of ticks of running timers after a click."""

STILL: Final = 2
"""Number of consecutive ticks without a moved card, after which the timers are stopped."""

MAX_OBJECTS: Final = 2_000
"""Maximum number of objects that are searched for hands."""


def compiled(source: str, path: str) -> None:
    """Compile a program in advance, in the same way as when the program is started."""
    sys.modules["python2"].compiled(source, path)


# The program


def started(file: str) -> dict[str, Any]:
    """Run a CodeSkulptor program, and return its names."""
    gui = sys.modules["simplegui"]
    gui.stand_in(gui)
    for state in (FRAMES, CALLS, CHOSEN, SIZES, PICTURES, SHOWN_AS, gui.Timer.running):
        state.clear()
    gui.Frame.start = lambda frame: FRAMES.append(frame)  # noqa: PLW0108 - binds the frame
    arrange_luck()
    with arranged_when_made() if WHEN_MADE else nullcontext():
        PROGRAM[:] = [sys.modules["python2"].run(Path(sys.path[0], file))]
    names = PROGRAM[0]
    count_calls(names.get("Deck"), "deal_card")
    count_calls(names.get("Hand"), "add_card")
    return names


def arrange(order: list[str], *, front: bool, when_made: bool) -> None:
    """Make the decks that are shuffled from now on deal these cards first."""
    ORDER[:] = order
    FROM_FRONT[:] = [True] * front
    WHEN_MADE[:] = [True] * when_made


def arrange_luck() -> None:
    """Replace functions of ``random`` with functions that arrange cards."""
    real = vars(random).setdefault("real", (random.shuffle, random.choice, random.sample))

    def shuffle(cards: Any, *rest: Any) -> None:
        note_call("shuffle")
        CHOSEN.clear()
        real[0](cards, *rest)
        if ORDER:
            cards[:] = arranged(cards)

    def choice(cards: Any) -> Any:
        note_call("choice")
        known = {code_of(card): card for card in reversed(cards) if code_of(card)} if ORDER else {}
        code = next(
            (candidate for candidate in ORDER if candidate in known and candidate not in CHOSEN), ""
        )
        CHOSEN.append(code)
        return known[code] if code else real[1](cards)

    def sample(cards: Any, k: int, **named: Any) -> Any:
        note_call("shuffle" if k == len(cards) else "sample")
        drawn = real[2](list(cards), k, **named)
        if not ORDER:
            return drawn
        every = arranged([*cards])
        return every if k == len(every) else every[::-1][:k]

    random.shuffle, random.choice, random.sample = shuffle, choice, sample  # type: ignore[assignment]


def arranged(cards: Any) -> list[Any]:
    """Return cards in an order in which those in ``ORDER`` are dealt first."""
    left, first = list(cards), []
    for code in ORDER:
        place = next((n for n, card in enumerate(left) if code_of(card) == code), None)
        if place is not None:
            first.append(left.pop(place))
    return [*first, *left] if FROM_FRONT else [*left, *first[::-1]]


@contextmanager
def arranged_when_made() -> Iterator[None]:
    """Arrange the decks of a class ``Deck`` that is defined in the ``with`` block."""
    build = builtins.__build_class__

    def build_class(body: Any, name: str, *bases: Any, **named: Any) -> Any:
        kind = build(body, name, *bases, **named)
        if name == "Deck":
            real = kind.__init__

            def __init__(self: Any, *given: Any, **more: Any) -> None:  # noqa: N807
                real(self, *given, **more)
                for part in (self, *attributes(self).values()):
                    if isinstance(part, list) and all(map(code_of, part)):
                        part[:] = arranged(part)

            kind.__init__ = __init__
        return kind

    builtins.__build_class__ = build_class  # type: ignore[assignment]
    try:
        yield
    finally:
        builtins.__build_class__ = build


def note_call(name: str) -> None:
    """Count a call."""
    CALLS[name] = CALLS.get(name, 0) + 1


def count_calls(kind: Any, name: str) -> None:
    """Start counting the calls of a method of a class."""
    real = getattr(kind, name, None)
    if not isinstance(kind, type) or not callable(real):
        return

    def counted(*given: Any, **named: Any) -> Any:
        note_call(name)
        return real(*given, **named)

    setattr(kind, name, counted)


def labels() -> list[str]:
    """Return the texts of the buttons and fields of the newest frame."""
    return [str(press.control.get_text()) for press in FRAMES[-1].presses]


def press(number: int, names: dict[str, Any]) -> None:
    """Click the button at this index, or enter 1 in a field, and then run the timers.

    Run timers until no more cards move, because a program may deal slowly.
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


# Observations


def looked(names: dict[str, Any]) -> dict[str, Any]:
    """Return all observations: canvas, labels, hands and calls."""
    calls = dict(CALLS)
    CALLS.clear()
    seen = screen()
    beside = [str(label.get_text()) for label in FRAMES[-1].labels]
    hands = [
        [name, [code_of(card) for card in cards], value_of(hand)]
        for name, hand, cards in hands_in(names)
    ]
    CALLS.clear()
    return seen | {"labels": beside, "hands": hands, "calls": calls}


def screen(canvas: Any = None) -> dict[str, Any]:
    """Return the texts and pictures of a canvas, by default those of the newest frame.

    A picture has the code of its card (empty for a back), its centre and size, and the fraction
    that no later drawing covers.
    """
    canvas = canvas or FRAMES[-1].canvas()
    recognize(canvas)
    learn_faces(type(canvas))
    pictures = [
        [
            SHOWN_AS.get(each.card, each.card),
            *(float(number) for number in (*each.center, *each.size)),
            visible,
        ]
        for each, visible in canvas.pictures_seen
        if each.image.kind != "unknown"
    ]
    texts = [[text.text, float(text.point[0]), float(text.point[1])] for text in canvas.texts]
    unknown = sum(each.image.kind == "unknown" for each, _ in canvas.pictures_seen)
    return {"texts": texts, "pictures": pictures, "unknown": unknown}


PICTURES: Final[dict[tuple[str, float, float], str]] = {}
"""The card that a part of an image shows, keyed by the URL of the image and the centre of the part.
"""

SIZES: Final[list[tuple[float, float]]] = []
"""The size at which the program draws its cards. The list is empty until the size is known."""

MAX_UNLIKE: Final = 0.25
"""Fraction by which a card's back may be larger or smaller than its face."""


def recognize(canvas: Any) -> None:
    """Identify the cards in pictures from unknown URLs, by the drawings of each Card."""
    kinds = [getattr(drawing, "image", None) for drawing in canvas.drawings]
    if not any(image is not None and image.kind == "unknown" for image in kinds):
        return
    if not SIZES:
        learn_pictures(type(canvas), PROGRAM[-1].get("Card"))
    canvas.drawings[:] = [recognized(drawing) for drawing in canvas.drawings]


SHOWN_AS: Final[dict[str, str]] = {}
"""The card for which the program draws a picture, keyed by the code of the picture. The dictionary
is empty until these cards are known.
"""


def learn_faces(canvas: Any) -> None:
    """Determine which card is drawn with which face.

    For example, a program may draw hearts instead of spades.
    """
    if SHOWN_AS:
        return
    SHOWN_AS[""] = ""
    codes = {drawn_by(canvas, PROGRAM[-1].get("Card"), code): code for code in CODES}
    if len(codes) == len(CODES) and "" not in codes:
        SHOWN_AS.update(codes)


def drawn_by(canvas: Any, kind: Any, code: str) -> str:
    """Return the code of the face with which a card is drawn, or an empty string."""
    drawn = canvas(600, 600)
    with suppress(Exception):
        new_card(kind, code).draw(drawn, [0, 0])
    return next((drawing.card for drawing in drawn.drawings if getattr(drawing, "card", "")), "")


def face_of(code: str) -> str:
    """Return the code of the face that the program draws for a card."""
    return drawn_by(sys.modules["simplegui_canvas"].Canvas, PROGRAM[-1].get("Card"), code)


def learn_pictures(canvas: Any, card: Any) -> None:
    """Draw every card.

    If a part of an image is drawn for only one card, the part is that card's face.
    """
    SIZES.append((0.0, 0.0))
    for code in CODES:
        drawn = canvas(600, 600)
        with suppress(Exception):
            card(code[0], code[1]).draw(drawn, [0, 0])
        for drawing in drawn.drawings:
            if hasattr(drawing, "image"):
                part = (drawing.image.address, *drawing.source)
                PICTURES[part] = "" if part in PICTURES else code
                SIZES[0] = (float(drawing.size[0]), float(drawing.size[1]))


def recognized(drawing: Any) -> Any:
    """Return the card that a picture with an unknown URL shows, or a card back."""
    if getattr(drawing, "image", None) is None or drawing.image.kind != "unknown":
        return drawing
    code = PICTURES.get((drawing.image.address, *drawing.source))
    if code:
        return drawing._replace(card=code, image=drawing.image._replace(kind="faces"))
    pairs = zip(drawing.size, SIZES[0], strict=True)
    like = all(abs(size - other) <= MAX_UNLIKE * other for size, other in pairs)
    is_back = code is None and like
    return drawing._replace(image=drawing.image._replace(kind="backs")) if is_back else drawing


# Cards and hands


def code_of(card: Any) -> str:
    """Return the suit and rank of a card, or of a string or pair that represents one.

    >>> code_of("SA"), code_of(("S", "10")), code_of("as"), code_of("Dealer")
    ('SA', 'ST', 'SA', '')
    """
    text = card if isinstance(card, str) else ""
    if isinstance(card, tuple | list) and [*map(type, card)] == [str, str]:
        text = card[0] + card[1]
    elif not isinstance(card, str | int | float | list | tuple | dict | type | None):
        with suppress(Exception):
            text = f"{card.get_suit()}{card.get_rank()}"
        if not text:
            texts = [
                attribute for attribute in attributes(card).values() if isinstance(attribute, str)
            ]
            text = "".join(texts) if len(texts) == len("SA") else ""
    text = text.replace("10", "T").upper()
    return next((spelling for spelling in (text, text[::-1]) if spelling in KNOWN), "")


KNOWN: Final = {*CODES}


def cards_in(thing: Any, depth: int = 4) -> list[Any]:
    """Return the cards in an object, in the object's order.

    Strings may represent cards.
    """
    if code_of(thing):
        return [thing]
    if not depth or isinstance(thing, str | int | float | type | None):
        return []
    parts: Any = attributes(thing).values()
    if isinstance(thing, list | tuple | dict | set | frozenset) or hasattr(thing, "popleft"):
        parts = thing.values() if isinstance(thing, dict) else thing
    return [card for part in parts for card in cards_in(part, depth - 1)]


def codes_in(thing: Any) -> list[str]:
    """Return the codes of the cards in an object, in the object's order.

    Cards in attributes of the class are included.
    """
    cards = cards_in(thing) or cards_in([*vars(type(thing)).values()])
    return [code_of(card) for card in cards]


def deals_texts(deck: Any) -> bool:
    """Return whether a deck that contains strings also deals strings."""
    return all(isinstance(card, str) for card in cards_in(deck)) and isinstance(
        deck.deal_card(), str
    )


def dealt_by(deck: Any, most: int = 52) -> list[str]:
    """Return the cards that a deck deals, with the top card last."""
    codes: list[str] = []
    with suppress(Exception):  # an empty deck may raise an exception of any type
        while len(codes) < most and (code := code_of(deck.deal_card())):
            codes.append(code)
    return codes[::-1]


def left_in_deck(names: dict[str, Any], number: int) -> list[list[str]]:
    """Return the program's other decks, each with the cards that it deals."""
    decks = [each for _, each in reachable(names) if is_a(each, names.get("Deck"))]
    return [found for deck in decks for found in (codes_in(deck), dealt_by(deck, number))]


def new_hand(kind: Any) -> Any:
    """Return a new hand, with a name if its class requires a name."""
    for given in ((), ("Player",), ("Player", "Player")):
        with suppress(TypeError):
            return kind(*given)
    return kind()


def new_card(kind: Any, code: str) -> Any:
    """Return a new card, whether its class expects the suit or the rank first."""
    card = kind(code[0], code[1])
    if code_of(card) != code:
        with suppress(Exception):
            other = kind(code[1], code[0])
            card = other if code_of(other) == code else card
    return card


def is_a(thing: Any, kind: Any) -> bool:
    """Return whether a value is an instance of a class, if the class exists."""
    return isinstance(kind, type) and isinstance(thing, kind)


def hands_in(names: dict[str, Any]) -> list[tuple[str, Any, list[Any]]]:
    """Return the hands of a program, as tuples of the path, the hand and its cards.

    A hand is an instance of the class Hand or of a subclass. If no object of that class has cards,
    a hand is a list of cards that is not a deck.
    """
    kind, deck = names.get("Hand"), names.get("Deck")
    values = [*reachable(names)]
    hands = [(name, each, held_in(each)) for name, each in values if is_a(each, kind)]
    if any(cards for _, _, cards in hands):
        return hands
    in_decks = {id(part) for _, e in values if is_a(e, deck) for part in attributes(e).values()}
    lists = [(name, e) for name, e in values if isinstance(e, list) and id(e) not in in_decks]
    rows = [(name, each, cards_in(each)) for name, each in lists if each]
    rows = [row for row in rows if len(row[2]) == len(row[1]) < len(CODES) // 2]
    return rows or hands


def held_in(hand: Any) -> list[Any]:
    """Return the cards of a hand, each only once.

    Several attributes may contain the same card.

    Strings count only if there are no card objects, because a hand may contain a canvas with
    strings for pictures.
    """
    cards: list[Any] = []
    sequence = [[*hand]] if isinstance(hand, list | tuple | set) else []
    for part in (*sequence, *attributes(hand).values()):
        known = {id(card) for card in cards}
        cards += [card for card in cards_in(part) if id(card) not in known]
    objects = [card for card in cards if not isinstance(card, str)]
    return objects or cards


def value_of(hand: Any) -> int | None:
    """Return the value that a hand returns, or None."""
    with suppress(Exception):
        value = hand.get_value()
        return int(value) if isinstance(value, int | float) else None
    return None


def reachable(names: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each object of a program once, with its path.

    Objects may be in variables, in attributes of objects and classes, and in closures of the
    handlers.
    """
    waiting = [(name, value) for name, value in names.items() if name[:2] != "__"]
    for frame in FRAMES[-1:]:
        waiting += [(f"handler {n}", press.handler) for n, press in enumerate(frame.presses)]
        waiting.append(("draw handler", frame.draw))
    seen: set[int] = set()
    while waiting and len(seen) < MAX_OBJECTS:
        name, value = waiting.pop(0)
        if id(value) in seen or isinstance(value, str | int | float | None):
            continue
        seen.add(id(value))
        if not isinstance(value, type | Callable):
            yield name, value
        waiting += [(f"{name}.{key}", each) for key, each in inside(value, names).items()]


def inside(value: Any, names: dict[str, Any]) -> dict[Any, Any]:
    """Return the attributes, items or closure variables of an object, keyed by name."""
    module = names.get("__name__")
    items: dict[Any, Any] = {}
    if isinstance(value, dict):
        return value
    if isinstance(value, list | tuple) and len(value) < len(CODES) // 2:
        items = dict(enumerate(value))
    if isinstance(value, type):
        return dict(vars(value)) if value.__module__ == module else {}
    if hasattr(value, "__self__"):
        return {"self": value.__self__}
    if cells := getattr(value, "__closure__", None):
        for key, cell in zip(value.__code__.co_freevars, cells, strict=True):
            with suppress(ValueError):  # the variable has no value yet
                items[key] = cell.cell_contents
        return items
    return items | attributes(value) if type(value).__module__ == module else items


def holders(names: dict[str, Any]) -> dict[str, list[str]]:
    """Return the cards of each hand of a program, keyed by the path to the hand."""
    return {name: [code_of(card) for card in cards] for name, _, cards in hands_in(names)}
