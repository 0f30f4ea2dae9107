"""A frame for a program with buttons and a draw handler, played in a terminal.

It has the methods of the course's frame that the program needs. A button is pressed with the first
letter of its label; after each one the canvas is drawn anew.
"""

from collections.abc import Callable
from pathlib import Path

from blackjack_canvas import Canvas, SvgCanvas, TextCanvas

QUIT = "Quit"


class Frame:
    """A window's worth of terminal: a canvas, buttons, and the keys to press them."""

    def __init__(self, title: str, width: int, height: int) -> None:
        """Make a frame without buttons."""
        self.title = title
        self.buttons: dict[str, Callable[[], None]] = {}
        self.__size = (width, height)
        self.__background = "Black"
        self.__draw: Callable[[Canvas], None] = lambda _: None

    def set_canvas_background(self, color: str) -> None:
        """Choose what is drawn on."""
        self.__background = color

    def add_button(self, label: str, handler: Callable[[], None]) -> None:
        """Add a button, and what happens when it is pressed."""
        self.buttons[label] = handler

    def set_draw_handler(self, handler: Callable[[Canvas], None]) -> None:
        """Choose what draws the canvas."""
        self.__draw = handler

    def picture(self) -> str:
        """Return the canvas as an SVG picture."""
        canvas = SvgCanvas(*self.__size, self.__background)
        self.__draw(canvas)
        return str(canvas)

    def lines(self) -> str:
        """Return the canvas as lines of text."""
        canvas = TextCanvas()
        self.__draw(canvas)
        return str(canvas)

    def start(self, picture: Path | None = None) -> None:
        """Show the canvas and press what the player types, until he quits or the input ends.

        Args:
            picture: a file that is written anew with an SVG picture of the canvas each time.

        """
        keys = {label[0]: handler for label, handler in self.buttons.items()}
        labels = ", ".join((*self.buttons, QUIT))
        self.__show(picture)
        while (key := self.__key(f"{labels}? >> ")) != QUIT[0]:
            if key in keys:
                keys[key]()
                self.__show(picture)
            else:
                print(f"Press one of {', '.join((*keys, QUIT[0]))}.")
        print()
        print("Thank you for playing. Goodbye...")

    def __show(self, picture: Path | None) -> None:
        """Show the canvas as text, and as a picture if there is a file for it."""
        print()
        print(self.lines())
        if picture is not None:
            try:
                picture.write_text(self.picture(), encoding="utf-8")
            except OSError:
                print(f"Cannot write to {picture}.")

    def __key(self, prompt: str) -> str:
        """Return the key that the player pressed; the end of the input quits."""
        try:
            return input(prompt)[:1].upper()
        except (EOFError, KeyboardInterrupt):
            return QUIT[0]
