"""The display of a call, a ring that follows the server's clock, and an optional tone and voice."""

from typing import Any, Final, Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.classroom import Phone
from tests.support.served_class import ServedClass

MOTIONS: Final[tuple[Literal["reduce", "no-preference"], ...]] = ("reduce", "no-preference")
LISTEN = """
window.heard = [];
window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
Object.defineProperty(window, "speechSynthesis", { value: {
    cancel() {}, speak(words) { window.heard.push([words.lang, words.text]); } } });
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (at) { window.heard.push("tone"); start.call(this, at); };
"""


def opened(
    browser: Browser, room: ServedClass, path: str, who: Phone | None, **how: Any
) -> tuple[Page, list[str]]:
    page = room.context(browser, who, **how).new_page()
    page.add_init_script(LISTEN)
    faults: list[str] = []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(f"{room.base}{path}")
    return page, faults


@pytest.mark.parametrize("path", ["/bingo", "/projector?show=round"])
def test_calls_are_spoken_only_if_switched_on(
    browser: Browser, room: ServedClass, path: str
) -> None:
    room.deal(every="0", mode="F")
    who = room.phones[0] if path == "/bingo" else None
    page, faults = opened(browser, room, path, who, language="de")
    room.call()
    expect(page.locator("main")).to_have_attribute("data-call", "1.1")
    assert page.evaluate("heard") == []
    for name in ("Ton", "Stimme"):
        page.get_by_role("button", name=name).click()
        expect(page.get_by_role("button", name=name)).to_have_attribute("aria-pressed", "true")
    page.evaluate("heard = []")
    room.call()
    expect(page.locator("main")).to_have_attribute("data-call", "1.2")
    word = page.locator(".word").first.inner_text()
    tone, (language, spoken) = page.evaluate("heard")
    assert (tone, language, spoken.lower()) == ("tone", "de", word.lower())
    page.reload()
    assert page.get_by_role("button", name="Ton").get_attribute("aria-pressed") == "true"
    assert page.evaluate("heard") == [], "what was called before is not heard again"
    page.get_by_role("button", name="Stimme").click()
    page.evaluate("heard = []")
    room.call()
    expect(page.locator("main")).to_have_attribute("data-call", "1.3")
    assert page.evaluate("heard") == ["tone"]
    assert faults == []


def test_ring_counts_down_or_stands_still_with_reduced_motion(
    browser: Browser, room: ServedClass
) -> None:
    """Without a script, the seconds are shown as a number, and there is no switch for a tone."""
    room.deal(every="20", mode="F")
    page = room.context(browser).new_page()
    for motion in MOTIONS:
        page.emulate_media(reduced_motion=motion)
        page.goto(f"{room.base}/projector?show=round")
        first = float(page.locator(".ring").get_attribute("data-left") or 0)
        assert 0 < first <= 20
        expect(page.locator(".ring b")).not_to_have_text(str(-int(-first // 1)))
        assert 0 <= int(page.locator(".ring b").inner_text()) <= 20
        moving = page.evaluate("document.getAnimations().length")
        assert moving == (0 if motion == "reduce" else 1)
        assert page.locator(".ring svg").is_visible() == (motion != "reduce")
    plain = room.open(browser, "/bingo", room.phones[0], script=False)
    assert 0 < int(plain.locator(".ring b").inner_text()) <= 20
    assert not plain.locator(".ring svg").is_visible()
    assert plain.get_by_role("button", name="Tone").count() == 0
    room.move("pause")
    expect(page.locator(".ring")).to_have_count(0)


def test_bingo_animates_except_with_reduced_motion(browser: Browser, room: ServedClass) -> None:
    room.play(speed="Y")
    room.deal(speed="Y")
    room.call_until()
    for path, who in (("/bingo", room.winner()), ("/projector?show=round", None)):
        page = room.open(browser, path, who)
        for motion in MOTIONS:
            page.emulate_media(reduced_motion=motion)
            names = page.evaluate(
                "getComputedStyle(document.querySelector('main'), '::before').animationName"
            )
            assert (names == "bingo") == (motion != "reduce")
