"""The deal in slow motion: the order of the cards, and no hint of the outcome before the end."""

import re
from collections.abc import Sequence
from typing import Any, Final, Literal, NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import OpenPage
from tests.support.amounts import few_or_all
from tests.support.browser import fill_in_deck, press
from tests.support.site import stacked

LISTEN: Final = """
const start = Document.prototype.startViewTransition;
Document.prototype.startViewTransition = function (change) {
    const transition = start.call(this, change);
    Promise.all([transition.ready, transition.updateCallbackDone]).then(() => {
        const root = document.documentElement;
        const all = document.getAnimations();
        for (const one of all) { one.pause(); one.currentTime = 0; }
        window.film = all.filter(one => one.effect.pseudoElement).map(one => {
            const {delay, endTime} = one.effect.getComputedTiming();
            const place = one.effect.pseudoElement;
            const {opacity, transform} = getComputedStyle(root, place);
            return {place, animation: one.animationName, start: delay, end: endTime,
                    unseen: opacity === "0" || transform.startsWith("matrix(0,")};
        });
        for (const one of all) one.finish();
    });
    return transition;
};"""
"""Records when each part of an animation begins and ends, and whether the part is hidden at the
start.
"""

DEALER_DRAWS_FIVE: Final = stacked("TC 2S 3D 2D 4H 2H 3C 3S AC AD")
"""At Simple 21, the player has 13 against a two, and 17 after a hit. The dealer draws from four to
17 or more.
"""


class Part(NamedTuple):
    """The states of an element during an animation."""

    start: float
    end: float
    unseen: bool


def film(page: Page, button: str) -> dict[str, Part]:
    """Click a button, and return the new elements, keyed by name."""
    page.evaluate("window.film = null")
    page.get_by_role("button", name=button).click()
    found: list[dict[str, Any]] = page.wait_for_function("() => window.film").json_value()
    return {
        one["place"].removeprefix("::view-transition-new(").removesuffix(")"): Part(
            one["start"], one["end"], one["unseen"]
        )
        for one in found
        if one["place"].startswith("::view-transition-new")
        and one["animation"] in ("come-in", "turn-up", "appear")
    }


@pytest.fixture
def moving(open_page: OpenPage) -> Page:
    """A page with motion, which records its animations."""
    page = open_page(reduced_motion="no-preference")
    page.add_init_script(LISTEN)
    return page


CARDS: Final = ("dealer-", "you-", "hole")
OUTCOME: Final = ("dealer-total", "your-total", "side", "tally", "verdict")


def fault(seen: dict[str, Part]) -> str:
    """Return the elements that appear, or reveal the outcome, before the last card."""
    cards = {name: part for name, part in seen.items() if name.startswith(CARDS)}
    cards.pop("dealer-total", None)
    last = max(part.end for part in cards.values())
    early = [name for name in OUTCOME if name in seen and seen[name].start < last - 0.01]
    flickering = [name for name, part in seen.items() if not part.unseen]
    return f"before the last card: {early}, seen before it comes: {flickering}" * bool(
        early or flickering
    )


@pytest.mark.parametrize(
    "size",
    [
        pytest.param((1280, 720), id="desk", marks=pytest.mark.slow),
        pytest.param((360, 740), id="phone"),
    ],
)
def test_totals_result_and_tally_wait_for_the_last_card(
    moving: Page, site: str, size: tuple[int, int]
) -> None:
    page = moving
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(f"{site}/simple-21")
    fill_in_deck(page, DEALER_DRAWS_FIVE)
    score = "tally" if size[0] < 992 else "side"

    dealt = film(page, "Deal")
    assert fault(dealt) == ""
    order = ["you-1", "dealer-1", "you-2", "hole"]
    assert sorted(order, key=lambda name: dealt[name].start) == order
    assert {"dealer-total", "your-total"} <= dealt.keys()

    hit = film(page, "Hit")
    assert fault(hit) == ""
    assert {"you-3", "your-total"} <= hit.keys()
    # Cards that are already on the table do not move.
    assert not {"you-1", "you-2", "dealer-1", "hole"} & hit.keys()

    stayed = film(page, "Stay")
    assert fault(stayed) == ""
    drawn = [f"dealer-{number}" for number in range(2, 10)]
    assert {*drawn, "verdict", "dealer-total", score} <= stayed.keys()
    starts = [stayed[name].start for name in drawn]
    assert starts == sorted(set(starts)), "one after the other"
    expect(page.locator(".verdict")).to_be_visible()

    again = film(page, "Deal")
    assert fault(again) == ""
    assert set(order) <= again.keys(), "new cards, though others lay in their places"


def test_war_turn_shows_its_cards_before_the_winner(moving: Page, site: str) -> None:
    page = moving
    page.goto(f"{site}/war")
    page.get_by_label("6 players").check(force=True)
    film(page, "Deal")
    seen = film(page, "1 turn")
    last = max(part.end for name, part in seen.items() if name.startswith("shown-"))
    assert {"verdict", "side", "stripes-0", "stripes-5"} <= seen.keys()
    for name in ("verdict", "side", *(f"stripes-{seat}" for seat in range(6))):
        assert seen[name].start >= last, name
        assert seen[name].unseen, name


def test_without_motion_everything_is_there_at_once(
    open_page: OpenPage, site: str, script: bool
) -> None:
    page = open_page(reduced_motion="reduce", java_script_enabled=script)
    page.goto(f"{site}/simple-21")
    fill_in_deck(page, DEALER_DRAWS_FIVE)
    for button in ("Deal", "Hit", "Stay"):
        press(page, button)
        assert page.evaluate("document.getAnimations().length") == 0, button
    for part in (".verdict", "#hand-dealer .total", "#hand-you .total", ".counts"):
        assert page.locator(part).evaluate("one => getComputedStyle(one).opacity") == "1", part
    assert page.locator("#hand-dealer .card").count() == 9


def test_opened_page_shows_its_result_at_once(moving: Page, site: str) -> None:
    """After a reload, no animation runs and the result is shown immediately."""
    page = moving
    page.goto(f"{site}/simple-21")
    fill_in_deck(page, DEALER_DRAWS_FIVE)
    film(page, "Deal")
    film(page, "Stay")
    page.reload()
    assert page.evaluate("document.getAnimations().length") == 0
    expect(page.locator(".verdict")).to_be_visible()


MOMENTS: Final = (
    ("simple-21", "TC 9S TD 8S", "Stay", "win", "glow"),
    ("blackjack", "TC 9S TD 8S", "Stand", "win", "jump"),
    ("one-deck", "TC 9S TD 8S", "Stand", "win", "spin"),
    ("simple-21", "TC TS 7D 8S", "Stay", "lost", "none"),
    ("simple-21", "TC 9S 6D 8S KH", "Hit", "bust", "none"),
    ("simple-21", "TC TS 8D 8S", "Stay", "tie", "none"),
)
"""The table, the deck, the move, the result of the round, and the animation of the hand after the
result.
"""


@few_or_all("moments", MOMENTS[::2], MOMENTS)
def test_each_end_has_a_moment_of_its_own(
    moving: Page, site: str, moments: Sequence[tuple[str, ...]]
) -> None:
    """The hand, the score and the banner move only after the last card."""
    page = moving
    for slug, deck, move, kind, motion in moments:
        page.context.clear_cookies()  # A table with a round in progress may accept no other deck.
        page.goto(f"{site}/{slug}")
        fill_in_deck(page, stacked(deck))
        for button in ("Deal", move):
            film(page, button)
        expect(page.locator("main")).to_have_class(re.compile(rf"\bmoment {kind} at-{slug}$"))
        expect(page.locator("#hand-you .card").first).to_have_css("animation-name", motion)
        page.reload()
        expect(page.locator("main.moment")).to_have_count(0)


YOU_CANNOT_LOSE: Final = "\n".join(
    card
    for pair in zip(
        [f"{rank}{suit}" for rank in "AKQJT9" for suit in "SHDC"] + ["8S", "8H"],
        ["8D", "8C"] + [f"{rank}{suit}" for rank in "765432" for suit in "SHDC"],
        strict=True,
    )
    for card in pair
)
"""A War deck for two players in which every card of the player beats every card of the opponent."""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_war_is_won_in_a_way_of_its_own_within_half_a_second(
    open_page: OpenPage, site: str, motion: Literal["no-preference", "reduce"]
) -> None:
    """The winner's cards and face grow. If motion is reduced, nothing moves."""
    page = open_page(reduced_motion=motion)
    page.goto(f"{site}/war")
    fill_in_deck(page, YOU_CANNOT_LOSE)
    for button in ("Deal", "To the end"):
        press(page, button)
    expect(page.locator(".verdict")).to_contain_text("You win with all 52 cards")
    winner = page.locator(".taker .card").first
    if motion == "reduce":
        assert page.evaluate("document.getAnimations().length") == 0
        expect(winner).to_have_css("animation-name", "none")
        return
    expect(page.locator("main")).to_have_class(re.compile(r"\bmoment win at-war$"))
    for part in (winner, page.locator(".taker .face")):
        expect(part).to_have_css("animation-name", "grow")
        delay = part.evaluate("one => parseFloat(getComputedStyle(one).animationDelay)")
        assert 0 < delay <= 0.5


COUNT_VOICES: Final = """
window.voices = 0;
const begin = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (at) { window.voices += 1; return begin.call(this, at); };
"""


@pytest.mark.parametrize("sound", ["off", "on"])
def test_tables_have_sound_only_if_switched_on(open_page: OpenPage, site: str, sound: str) -> None:
    page = open_page(reduced_motion="reduce")
    page.add_init_script(COUNT_VOICES)
    if sound == "on":
        page.goto(f"{site}/settings")
        page.locator("[name=sound][value=on]").check(force=True)
        page.get_by_role("button", name="Save").click()
    page.goto(f"{site}/simple-21")
    fill_in_deck(page, DEALER_DRAWS_FIVE)
    for button in ("Deal", "Stay"):
        press(page, button)
    assert (page.evaluate("window.voices") > 0) is (sound == "on")
