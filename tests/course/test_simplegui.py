"""``simplegui`` runs CodeSkulptor programs unchanged, as text and as SVG, in Python 2 and 3."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from tests.course.support import SOLUTIONS, run
from tests.support.sheets import SHEETS_ROOT, loader

FOLDER = SHEETS_ROOT / "blackjack" / "solution"
SVG = "{http://www.w3.org/2000/svg}"
IVY = SOLUTIONS / "blackjack" / "ivy" / "week6.py"


load = loader("blackjack")


@pytest.fixture
def gui(load: Callable[[str], ModuleType]) -> ModuleType:
    module = load("simplegui")
    module.Timer.running.clear()
    return module


def run_gui(program: Path, typed: str, *arguments: object) -> str:
    alone = [sys.executable, "-I", "-W", "error", FOLDER / "simplegui.py"]
    done = run(*alone, program, *arguments, typed=typed)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_a_program_for_python_2(tmp_path: Path) -> None:
    """The program has print statements and the old images, and the hole card's face is covered."""
    assert 'print "Player:", player' in IVY.read_text()
    picture = tmp_path / "table.svg"
    shown = run_gui(IVY, "stand\nq\n", picture)
    first, after = shown.split("Deal, Hit, Stand, Quit? >> ")[:2]
    assert first.startswith("Player: Hand contains ")
    assert "[ xx ]" in first
    assert "[ xx ]" not in after
    assert "New deal?" in after
    root = ET.parse(picture).getroot()
    assert [node.text for node in root.iter(f"{SVG}text")].count("Blackjack") == 1
    assert len(root.findall(f"{SVG}g")) >= 4


PYTHON_3 = """
import codeskulptor
import simplegui
codeskulptor.set_timeout(5)
frame = simplegui.create_frame("Round", 300, 200)
frame.add_label("Blackjack")
for label in ("Stand", "Hit", "Help", "Deal"):
    frame.add_button(label, lambda label=label: print(f"{label}!"), 100)
frame.start()
"""


def test_a_program_for_python_3(tmp_path: Path) -> None:
    """The program has a label, a module of CodeSkulptor, and two keys each for "Hit" and "Help"."""
    program = tmp_path / "mine.py"
    program.write_text(PYTHON_3)
    shown = run_gui(program, "help\ne\nh\nq\n")
    assert shown.count("Stand, Hit, Help (E), Deal, Quit? >> ") == 4
    assert (shown.count("Help!\n"), shown.count("Hit!\n")) == (2, 1)
    assert shown.count("\nBlackjack\n") == 4  # the label is next to the canvas


LATE = """
import simpleguitk
import SimpleGUICS2Pygame.simpleguics2pygame as simplegui

def draw(canvas):
    canvas.draw_text(dealt, (10, 20), 12, "White")

frame = simplegui.create_frame("Late", 300, 200)
frame.set_draw_handler(draw)
frame.start()
dealt = "SA" if simpleguitk.create_frame is simplegui.create_frame else "nothing"
"""


def test_frame_started_before_the_first_deal(tmp_path: Path) -> None:
    """As in CodeSkulptor, the code after ``start`` also runs, and modules have different names."""
    program = tmp_path / "late.py"
    program.write_text(LATE)
    assert run_gui(program, "q\n").startswith("\nSA\n")


def test_unrunnable_program_is_reported_in_a_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("print 'a'\nthis is no Python\n")
    for arguments, said in (
        ([], "Which program?"),
        ([broken], f"Cannot run {broken}: invalid syntax"),
        ([tmp_path / "none.py"], f"Cannot run {tmp_path}/none.py: [Errno 2]"),
    ):
        done = run(sys.executable, FOLDER / "simplegui.py", *arguments)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(said)
        assert "Traceback" not in done.stderr


SHEETS_OF_CARDS = {
    "new faces": ("http://storage.googleapis.com/codeskulptor-assets/cards_jfitz.png", (72, 96)),
    "old faces": (
        "http://commondatastorage.googleapis.com/codeskulptor-assets/cards.jfitz.png", (73, 98),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("address", "size"), SHEETS_OF_CARDS.values(), ids=SHEETS_OF_CARDS)
def test_sprites(gui: ModuleType, address: str, size: tuple[int, int]) -> None:
    """Each of the 52 cells of both images is a card, with suits in rows and ranks in columns."""
    image = gui.load_image(address)
    assert (image.get_width(), image.get_height()) == (13 * size[0], 4 * size[1])
    for row, suit in enumerate("CSHD"):
        for column, rank in enumerate("A23456789TJQK"):
            center = ((column + 0.5) * size[0], (row + 0.5) * size[1])
            assert image.shows(center, size) == suit + rank
    assert image.shows((13.5 * size[0], 10), size) == ""
    assert image.shows((6.5 * size[0], 2 * size[1]), (13 * size[0], 4 * size[1])) == ""


def test_backs(gui: ModuleType) -> None:
    """Both images of backs contain two backs, and none of them is identified as a face."""
    for name, center, size in (
        ("card_back.png", (35.5, 48), (71, 96)),
        ("card_back.png", (71 + 35.5, 48), (71, 96)),
        ("card_jfitz_back.png", (36, 48), (72, 96)),
    ):
        image = gui.load_image(f"http://x/codeskulptor-assets/{name}")
        assert (image.kind, image.shows(center, size)) == ("backs", "")
    assert gui.load_image("http://x/asteroid.png").get_width() == 0


@pytest.fixture
def frame(gui: ModuleType) -> Any:
    return gui.create_frame("Test", 300, 200, 150)


def played(frame: Any, monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[str]:
    """Start a frame, type these lines, and return the prompts."""
    left, prompts = [*lines], []

    def typed(prompt: str) -> str:
        prompts.append(prompt)
        if not left:
            raise EOFError
        return left.pop(0)

    monkeypatch.setattr("builtins.input", typed)
    frame.start()
    return prompts


def test_keys_never_clash(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each button has its own key, and its complete label can be typed instead."""
    pressed: list[str] = []
    labels = ["Hit", "Help", "Hint", "Heel", "1 more", "Quick", "hit"]
    for label in labels:
        frame.add_button(label, lambda label=label: pressed.append(label), 100)
    keys = [press.key for press in frame.presses]
    assert keys == ["H", "E", "I", "L", "M", "Q", "T"]
    prompts = played(frame, monkeypatch, *keys, "help", "HINT", "q", "u")
    assert pressed == [*labels, "Help", "Hint", "Quick"]
    assert prompts[0].endswith("1 more (M), Quick, hit (T), Quit (U)? >> ")
    assert len(prompts) == 11  # U quits


def test_fields_clicks_and_timers(
    gui: ModuleType, frame: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A field prompts for text, two numbers are a click, and an empty line advances timers."""
    seen: list[object] = []
    frame.add_input("Bet", seen.append, 100)
    frame.set_mouseclick_handler(seen.append)
    label = frame.add_label("Chips: 5")
    timer = gui.create_timer(100, lambda: seen.append("tick"))
    timer.start()
    timer.start()
    label.set_text("Chips: 4")
    played(frame, monkeypatch, "b", "20", "30 40", "", "x", "q")
    assert seen == ["20", (30, 40), "tick"]
    assert capsys.readouterr().out.count("Chips: 4\n") == 4
    assert timer.is_running()
    timer.stop()
    assert not timer.is_running()
    played(frame, monkeypatch, "")
    assert capsys.readouterr().out.count("Press one of B, Q.") == 1


def test_every_call_of_the_canvas_becomes_svg(
    gui: ModuleType, load: Callable[[str], ModuleType]
) -> None:
    canvases = load("simplegui_canvas")
    frame = gui.create_frame("Test", 300, 200)
    cards = gui.load_image("cards_jfitz.png")

    def draw(canvas: Any) -> None:
        canvas.draw_line((0, 0), (10, 10), 2, "Red")
        canvas.draw_polyline([(0, 0), (5, 9)], 1, "Blue")
        canvas.draw_polygon([(0, 0), (5, 9), (9, 0)], 1, "Blue", "#ff0000")
        canvas.draw_circle((50, 50), 20, 3, "White", "Green")
        canvas.draw_point((7, 8), "Yellow")
        canvas.draw_text('<"&">', (10, 190), 20, "White", "monospace")
        canvas.draw_image(cards, (36, 48), (72, 96), (100, 100), (36, 48), 1.5)
        canvas.draw_image(gui.load_image("ship.png"), (5, 5), (9, 9), (200, 100), (9, 9))

    frame.set_draw_handler(draw)
    frame.set_canvas_background("Navy")
    canvas = frame.canvas()
    root = ET.fromstring(canvases.as_svg(canvas))
    kinds = [node.tag.removeprefix(SVG) for node in root]
    assert kinds == [
        "rect", "polyline", "polyline", "polygon", "circle", "rect", "text", "g", "g",
    ]  # fmt: skip
    assert root[0].get("fill") == "Navy"
    assert (root[6].text, root[6].get("font-family")) == ('<"&">', "monospace")
    assert root[7].get("transform").startswith("translate(82.0 76.0) rotate(85.9")
    assert canvases.as_lines(canvas) == '[ CA ]  [ image ]\n<"&">\n'
    assert frame.get_canvas_textwidth("Blackjack", 40) == 180


def test_a_covered_card_is_not_seen(gui: ModuleType, load: Callable[[str], ModuleType]) -> None:
    """The program draws the face, and then the back at a slightly different position."""
    frame = gui.create_frame("Test", 300, 200)
    faces, backs = gui.load_image("cards.jfitz.png"), gui.load_image("card_back.png")

    def draw(canvas: Any) -> None:
        canvas.draw_image(faces, (36.5, 49), (73, 98), (86.5, 99), (73, 98))
        canvas.draw_image(faces, (109.5, 49), (73, 98), (166.5, 99), (73, 98))
        canvas.draw_image(backs, (35.5, 48), (71, 96), (87, 100), (71, 96))

    frame.set_draw_handler(draw)
    assert load("simplegui_canvas").as_lines(frame.canvas()) == "[ xx ]  [ C2 ]\n"


PYTHON_2 = {
    "print a": ("print 'a'", "print('a')"),
    "print nothing": ("print", "print"),
    "print two": ("print 'a', 3", "print('a', 3)"),
    "no new line": ("print 'a',", "print('a', end=\" \")"),
    "brackets in front": ("print 1\nprint ('a'), 3", "print(1)\nprint(('a'), 3)"),
    "brackets and percent": ("print 1\nprint ('%d') % 3", "print(1)\nprint(('%d') % 3)"),
    "a comment": ("print 'a' # so", "print('a') # so"),
    "after a colon": ("if True: print 'a'; print 'b'", "if True: print('a'); print('b')"),
    "more lines": ("print 'a', \\\n    'b'", "print('a', \\\n    'b')"),
    "a function's name": ("print 'a'\nprinter = 3", "print('a')\nprinter = 3"),
    "in a text": ("print 'print 3'\nx = 'print 4'", "print('print 3')\nx = 'print 4'"),
    "except": ("try:\n    pass\nexcept ValueError, e:\n    print e",
               "try:\n    pass\nexcept ValueError as e:\n    print(e)"),
    "raise": ("raise ValueError, 'no'", "raise ValueError('no')"),
    "unequal": ("print 1 <> 2", "print(1 != 2)"),
    "a tab": ("if 1:\n\tx = 1\n        print x", "if 1:\n        x = 1\n        print(x)"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new"), PYTHON_2.values(), ids=PYTHON_2)
def test_python_2_as_python_3(load: Callable[[str], ModuleType], old: str, new: str) -> None:
    assert load("python2").as_python3(old) == new


def test_python_3_stays_as_it_is(load: Callable[[str], ModuleType]) -> None:
    """A Python 3 file is unchanged, even if it looks like a mixture of Python 2 and 3.

    Text that is neither Python 2 nor 3 is rejected.
    """
    python2 = load("python2")
    for source in ("print('a', 3)\n", "print ('a')\nprint()\n", "x = {1: 2}\n", IVY.name[:4]):
        assert python2.as_python3(source) == source
    with pytest.raises(SyntaxError):
        python2.as_python3("print 'a'\nthis is no Python\n")


def test_lists_of_python_2(
    load: Callable[[str], ModuleType], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Functions that return lists in Python 2 also do so here, but only for Python 2 programs."""
    program = tmp_path / "old.py"
    program.write_text("a = range(3)\na.reverse()\nprint a, map(str, a), zip(a, a)[0]\n")
    load("python2").run(program)
    assert capsys.readouterr().out == "[2, 1, 0] ['2', '1', '0'] (2, 2)\n"
    program.write_text("print(range(3))\n")
    assert load("python2").run(program)["__name__"] == "__main__"
    assert capsys.readouterr().out == "range(0, 3)\n"
