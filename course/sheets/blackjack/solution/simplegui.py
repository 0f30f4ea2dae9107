"""``simplegui`` for a terminal, which runs any CodeSkulptor program unchanged.

The canvas is printed as lines of text, and also saved as an SVG picture if a file is given::

    python simplegui.py solution.py              Python 2 or 3, as in CodeSkulptor
    python simplegui.py solution.py table.svg

To click a button, type its key (a letter of its label) or the full label. Two numbers, the
coordinates of a point, simulate a mouse click there. An empty line makes each running timer tick
once.
"""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

sys.path.append(str(Path(__file__).resolve().parent))

import python2
from simplegui_canvas import Canvas, Image, Pair, as_lines, as_svg, image_at

__all__ = ["KEY_MAP", "create_frame", "create_timer", "load_image", "load_sound"]

OTHER_NAMES = ("simpleguitk", "SimpleGUICS2Pygame", "SimpleGUICS2Pygame.simpleguics2pygame")
"""Names of modules that replace ``simplegui`` on students' own computers."""

QUIT = "Quit"
KEY_MAP = {
    **{name: code for code, name in enumerate(["left", "up", "right", "down"], start=37)},
    **{chr(code).lower(): code for code in (*range(48, 58), *range(65, 91))},
    "space": 32,
}

Handler = Callable[[], object]


class Control:
    """A control next to the canvas with a text: a button, a label, or an input field."""

    def __init__(self, text: str) -> None:
        """Create a control with its text."""
        self._text = str(text)

    def get_text(self) -> str:
        """Return the text."""
        return self._text

    def set_text(self, text: str) -> None:
        """Change the text."""
        self._text = str(text)


class Timer:
    """A timer that calls its handler repeatedly while it runs: here, once per empty line."""

    running: ClassVar[list[Any]] = []

    def __init__(self, handler: Handler) -> None:
        """Create a timer that does not run yet."""
        self.tick = handler

    def start(self) -> None:
        """Start the timer."""
        if not self.is_running():
            self.running.append(self)

    def stop(self) -> None:
        """Stop the timer."""
        if self.is_running():
            self.running.remove(self)

    def is_running(self) -> bool:
        """Return whether the timer runs."""
        return self in self.running


class Sound:
    """A sound, which is not played."""

    def play(self) -> None:
        """Do nothing."""

    pause = rewind = play

    def set_volume(self, volume: float) -> None:
        """Do nothing."""


class Press(NamedTuple):
    """A key of the terminal: its letter, its control, and its action."""

    key: str
    control: Control
    handler: Callable[..., object]
    asks: bool


class Frame:
    """A window in the terminal: a canvas, controls, and the keys of the controls."""

    picture: Path | None = None
    """The file that is overwritten with an SVG picture each time the canvas is printed."""

    waiting: ClassVar[list[Any] | None] = None
    """The frames that wait for the end of the program that started them, or None."""

    def __init__(self, title: str, width: int, height: int) -> None:
        """Create a frame without controls."""
        self.title = title
        self.size = (width, height)
        self.background = "Black"
        self.labels: list[Control] = []
        self.presses: list[Press] = []
        self.draw: Callable[[Canvas], object] = lambda _: None
        self.click: Callable[[Pair], object] | None = None

    def set_canvas_background(self, color: str) -> None:
        """Set the colour of the canvas."""
        self.background = color

    def add_button(self, text: str, handler: Handler, width: int = 0) -> Control:
        """Add a button, with the handler for its clicks."""
        return self._add(text, handler, asks=False)

    def add_input(self, text: str, handler: Callable[[str], object], width: int = 0) -> Control:
        """Add an input field, with the handler for its text."""
        return self._add(text, handler, asks=True)

    def add_label(self, text: str, width: int = 0) -> Control:
        """Add a label next to the canvas."""
        self.labels.append(Control(text))
        return self.labels[-1]

    def set_draw_handler(self, handler: Callable[[Canvas], object]) -> None:
        """Set the handler that draws the canvas."""
        self.draw = handler

    def set_mouseclick_handler(self, handler: Callable[[Pair], object]) -> None:
        """Set the handler for mouse clicks."""
        self.click = handler

    def set_mousedrag_handler(self, handler: Callable[[Pair], object]) -> None:
        """Do nothing, because a terminal has no dragging."""

    def set_keydown_handler(self, handler: Callable[[int], object]) -> None:
        """Do nothing, because a terminal sends complete lines, not keys."""

    set_keyup_handler = set_keydown_handler

    def get_canvas_textwidth(self, text: str, size: float, face: str = "serif") -> int:
        """Return the approximate width of a text, in pixels."""
        return round(len(text) * size / 2)

    def canvas(self) -> Canvas:
        """Return a canvas with the current drawings of the draw handler."""
        canvas = Canvas(*self.size, self.background)
        self.draw(canvas)
        return canvas

    def start(self) -> None:
        """Print the canvas and handle the typed keys, until the player quits or the input ends.

        If :func:`main` runs the program, the frame waits for the end of the program, as in
        CodeSkulptor. Therefore, the program can deal after this call.
        """
        if self.waiting is not None:
            self.waiting.append(self)
            return
        self._show()
        while (line := self._line(self._prompt())) is not None and not self._quits(line):
            if self._done(line):
                self._show()
            else:
                keys = ", ".join((*(press.key for press in self.presses), self._quit_key()))
                print(f"Press one of {keys}.")
        print()
        print("Thank you for playing. Goodbye...")

    def stop(self) -> None:
        """Do nothing, because only the player can quit."""

    def _add(self, text: str, handler: Callable[..., object], *, asks: bool) -> Control:
        """Add a control with its own key."""
        control = Control(text)
        key = _free_key(text, [press.key for press in self.presses])
        self.presses.append(Press(key, control, handler, asks))
        return control

    def _quit_key(self) -> str:
        """Return the key that quits, which no control has."""
        return _free_key(QUIT, [press.key for press in self.presses])

    def _prompt(self) -> str:
        """Return the labels, each with its key unless the key is the first letter."""
        controls = [_labelled(press.control.get_text(), press.key) for press in self.presses]
        return f"{', '.join([*controls, _labelled(QUIT, self._quit_key())])}? >> "

    def _quits(self, line: str) -> bool:
        """Return whether a line is the key for quitting and matches no control."""
        return self._pressed(line) is None and line[:1].upper() == self._quit_key()

    def _pressed(self, line: str) -> Press | None:
        """Return the key whose label or letter matches a line, or None."""
        for press in self.presses:
            if line.strip().lower() == press.control.get_text().lower():
                return press
        return next((press for press in self.presses if press.key == line[:1].upper()), None)

    def _done(self, line: str) -> bool:
        """Execute a line, and return whether it was valid."""
        press = self._pressed(line)
        if press:
            if press.asks:
                press.handler(self._line(f"{press.control.get_text()}: ") or "")
            else:
                press.handler()
            return True
        numbers = line.split()
        if self.click and len(numbers) == 2 and all(map(str.isdecimal, numbers)):
            self.click(tuple(map(int, numbers)))
            return True
        for timer in [] if line else list(Timer.running):
            timer.tick()
        return not line and bool(Timer.running)

    def _show(self) -> None:
        """Print the canvas as text, and save it as a picture if a file is set."""
        canvas = self.canvas()
        print()
        print(as_lines(canvas))
        for label in self.labels:
            print(label.get_text())
        if self.picture is not None:
            try:
                self.picture.write_text(as_svg(canvas), encoding="utf-8")
            except OSError:
                print(f"Cannot write to {self.picture}.")

    def _line(self, prompt: str) -> str | None:
        """Return the line that the player typed, or None after Ctrl-C or the end of the input."""
        try:
            return input(prompt)
        except (EOFError, KeyboardInterrupt):
            return None


def _free_key(label: str, taken: Iterable[str]) -> str:
    """Return the first letter of a label that is not taken, or a digit if all are taken."""
    letters = filter(str.isalpha, label.upper())
    return next((key for key in (*letters, *"123456789") if key not in taken), "0")


def _labelled(label: str, key: str) -> str:
    """Return a label, followed by its key unless the key is the first letter."""
    return label if label[:1].upper() == key else f"{label} ({key})"


def create_frame(
    title: str,
    canvas_width: int,
    canvas_height: int,
    control_width: int = 200,
) -> Frame:
    """Return a new window."""
    return Frame(title, canvas_width, canvas_height)


def create_timer(interval: float, handler: Handler) -> Timer:
    """Return a timer that does not run yet."""
    return Timer(handler)


def load_image(url: str) -> Image:
    """Return the image for a URL, without downloading it."""
    return image_at(url)


def load_sound(url: str) -> Sound:
    """Return a sound, which is not played."""
    return Sound()


def stand_in(module: Any) -> None:
    """Register the module under the names that replace ``simplegui`` on students' computers."""
    for name in OTHER_NAMES:
        sys.modules[name] = module
    module.simpleguics2pygame = module


def main() -> None:
    """Run a program, or print an error message."""
    if len(sys.argv) not in (2, 3):
        sys.exit("Which program? python simplegui.py PROGRAM.py [PICTURE.svg]")
    import simplegui  # the module that the program imports  # noqa: PLC0415

    frame_class = simplegui.Frame
    frame_class.picture = next(map(Path, sys.argv[2:3]), None)
    started: list[Any] = []
    frame_class.waiting = started
    stand_in(simplegui)
    try:
        python2.run(Path(sys.argv[1]))
    except (OSError, SyntaxError) as error:
        sys.exit(f"Cannot run {sys.argv[1]}: {error}")
    frame_class.waiting = None
    for frame in started[-1:]:
        frame.start()


if __name__ == "__main__":
    main()
