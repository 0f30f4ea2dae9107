"""``/deal/ID/friend``: wait for a friend, take Rosa's card, and play rounds of Bingo together."""

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import flask
from flask import url_for
from flask.typing import ResponseReturnValue

from cardgames.cards import DECK_SIZE, Card, CardGameError, Cards
from cardgames.class_bingo.clock import Clock
from cardgames.class_bingo.results import Claim
from cardgames.games.bingo.rules import CENTRE
from cardgames.moves import IllegalMove
from cardgames.shuffling import random_salt
from cardgames.text import Text
from web import db
from web.classroom.bingo.rules import Tile, tile_rows
from web.classroom.core import words
from web.deals.days import find_deal
from web.deals.models import Deal
from web.deals.seat import NoDeal, created_deals
from web.friends import rules
from web.friends.models import (
    NoRoomForMatches,
    StoredMatch,
    find_match,
    note_player,
    open_match,
    save_match,
)
from web.friends.rules import CALLERS, GUEST, HOST, Match, MatchPhase, Score, StaleMatchForm
from web.http.addresses import parse_int
from web.http.probe import stores_cookies, with_probe
from web.http.request_log import MOVE
from web.http.requests import form_fields, wants_json
from web.http.responses import json_response, see_other
from web.http.sessions import ESTABLISHED, current_session
from web.http.threads import quick
from web.reach import public_url
from web.sharing import inline_qr

ROUND_EVERY: Final = 1
OTHER_EVERY: Final = 2
"""The polling intervals of a page, in seconds: during a round, and at all other times."""

GUEST_ROW: Final = "friend-deal"
"""The session key of the deal link at which the player was last a guest."""

NOT_YOURS: Final = Text("Only the player who made this link can wait for a friend here.")
TAKEN: Final = Text("Two players are playing at this link already.")
GONE: Final = Text("No one is waiting at this link now.")
NO_ROOM: Final = Text("Too many players are waiting for friends right now. Try again later.")
NO_COOKIES: Final = Text(
    "Your browser stores no cookies, so it cannot take a card. Allow cookies for this site, open "
    "the link again, and take Rosa's card then."
)
NO_SUCH_MOVE: Final = Text("Here you can cover a card, say BINGO!, deal the next round or leave.")
BAD_FIELD: Final = Text("The field {name} takes a number.")

Sent = dict[str, str]

blueprint = flask.Blueprint("friends", __name__)


class _NoMatch(IllegalMove):
    """Raised if the current player has no seat in the match."""


# ---- Pages ---------------------------------------------------------------------------------------


@blueprint.get("/deal/<deal_id>/friend")
@quick
def show(deal_id: str) -> ResponseReturnValue:
    """Show the match at a deal link to its players, and an invitation to others."""
    deal = _bingo_deal(deal_id)
    stored, sid = find_match(deal_id), current_session().sid
    player = stored.find_player(sid) if stored else 0
    if not (stored and player):
        return _invite(deal_id, deal, stored)
    note_player(stored, player)
    page = MatchPage.of(stored, player)
    etag = flask.request.headers.get("If-None-Match", "").strip('"')
    if etag == page.etag:
        return flask.Response(status=304, headers={"Retry-After": str(page.polls_every)})
    return _answer(page)


@blueprint.post("/deal/<deal_id>/friend")
@quick
def move(deal_id: str) -> ResponseReturnValue:
    """Wait for a friend, take Rosa's card, play, or leave."""
    deal, sent = _bingo_deal(deal_id), form_fields()
    try:
        claim = _make_move(deal_id, deal, sent)
    except CardGameError as error:
        return _refuse(deal_id, error)
    if wants_json():
        return match_json(deal_id, claim)
    if sent.get("move") == "leave":
        return see_other(url_for("deals.form", table=rules.TABLE))
    return see_other(
        url_for(".show", deal_id=deal_id, said=claim and claim.call),
        lambda: _current_page(deal_id, claim=claim),
    )


def _bingo_deal(deal_id: str) -> Deal:
    """Return the deal of a link to the Bingo table.

    Raises:
        NoDeal: If there is no such link, or the link is for another table.
    """
    deal = find_deal(deal_id)
    if deal is None or deal.game != rules.TABLE:
        raise NoDeal
    return deal


def _invite(deal_id: str, deal: Deal, stored: StoredMatch | None) -> ResponseReturnValue:
    """Return the page for a visitor without a seat in the match."""
    is_maker = deal_id in created_deals(current_session()).latest
    phase = stored.match.phase if stored else "over"
    if wants_json():
        return json_response({"deal": deal_id, "phase": phase, "player": None})
    if phase == "over":
        return see_other(url_for("deals.link" if is_maker else "deals.show", deal_id=deal_id))
    page = flask.render_template(
        "friends/invitation.html",
        deal_id=deal_id,
        kind_text=words.kind_text(_kind_match(deal).kind, words.PATTERNS),
        is_taken=phase != "waiting",
        refusal="",
    )
    return with_probe(flask.make_response(page))


def _current_page(deal_id: str, claim: Claim | None = None, refusal: str = "") -> flask.Response:
    """Return the current player's page after a move."""
    stored = find_match(deal_id)
    player = stored.find_player(current_session().sid) if stored else 0
    if not (stored and player):
        return see_other(url_for(".show", deal_id=deal_id))
    return _answer(MatchPage.of(stored, player, claim), refusal)


def _answer(page: "MatchPage", refusal: str = "") -> flask.Response:
    """Return a player's page of a match, as JSON or as HTML."""
    if wants_json():
        return json_response(page.document(), error=refusal)
    waits = page.phase == "waiting"
    address = public_url(url_for("deals.show", deal_id=page.deal_id))
    template = "friends/waiting.html" if waits else "friends/match.html"
    return flask.make_response(
        flask.render_template(
            template,
            page=page,
            refusal=refusal,
            address=address if waits else "",
            qr=inline_qr(address) if waits else "",
            renews="still" not in flask.request.args,
        )
    )


def _refuse(deal_id: str, error: CardGameError) -> flask.Response:
    """Return the current page with the reason why a move was rejected."""
    status = 409 if isinstance(error, StaleMatchForm) else 422
    stored = find_match(deal_id)
    if not stored or not stored.find_player(current_session().sid):
        if wants_json():
            return json_response({"deal": deal_id, "player": None}, status, str(error))
        page = flask.render_template("friends/invitation.html", deal_id=deal_id, refusal=error.text)
        return flask.Response(page, status)
    answer = _current_page(deal_id, refusal=error.text)
    answer.status_code = status
    return answer


def match_json(deal_id: str, claim: Claim | None) -> flask.Response:
    """Return the match after a move, and the result of any claim, as JSON."""
    stored = find_match(deal_id)
    player = stored.find_player(current_session().sid) if stored else 0
    if not (stored and player):
        return json_response({"deal": deal_id, "player": None})
    page = MatchPage.of(stored, player, claim)
    answer = {"right": claim.right, "said": page.said_text} if claim else {}
    return json_response(page.document() | answer)


# ---- Moves ---------------------------------------------------------------------------------------


def _make_move(deal_id: str, deal: Deal, sent: Sent) -> Claim | None:
    """Make a move and save the match; return the claim if the move was a claim.

    Raises:
        CardGameError: If the move is not possible now.
    """
    name = flask.request.environ[MOVE] = sent.get("move", "")
    stored, sid = find_match(deal_id), current_session().sid
    if name == "wait":
        _wait(deal_id, deal, stored, sent)
        return None
    if name == "join":
        _join(stored, sid)
        return None
    player = stored.find_player(sid) if stored else 0
    if not (stored and player):
        raise _NoMatch(GONE)
    after, claim = _played(stored.match, player, name, sent)
    save_match(deal_id, after)
    return claim


def _played(match: Match, player: int, name: str, sent: Sent) -> tuple[Match, Claim | None]:
    """Return a match after a player's move, and the claim if the move was a claim.

    Raises:
        CardGameError: If the move is not possible now.
    """
    now = db.now()
    match name:
        case "deal":
            return rules.deal(match, _number(sent, "round"), now, random_salt), None
        case "call":
            return rules.call(match, player, _number(sent, "call"), now), None
        case "mark":
            place, on = _number(sent, "place"), sent.get("on") == "Y"
            return rules.mark(match, player, _number(sent, "round"), place, on=on), None
        case "claim":
            return rules.claim(match, player, _number(sent, "call"), now)
        case "leave":
            return rules.leave(match, player), None
    raise IllegalMove(NO_SUCH_MOVE)


def _wait(deal_id: str, deal: Deal, stored: StoredMatch | None, sent: Sent) -> None:
    """Open a match for the creator of a deal link, unless there already is one.

    Raises:
        IllegalMove: If someone else created the link, or if there is no room for another match.
    """
    session, every = current_session(), _number(sent, "every")
    if deal_id not in created_deals(session).latest:
        raise IllegalMove(NOT_YOURS)
    if every not in CALLERS:
        raise IllegalMove(BAD_FIELD.fill(name="every"))
    if stored and stored.match.phase != "over":
        return
    established = session.moves >= ESTABLISHED
    try:
        open_match(deal_id, session.sid, _kind_match(deal, every), established=established)
    except NoRoomForMatches:
        raise IllegalMove(NO_ROOM) from None


def _join(stored: StoredMatch | None, sid: str) -> None:
    """Assign Rosa's card to the current player.

    If the player has no session, a session is created.

    Raises:
        IllegalMove: If no host is waiting, if another guest arrived first, or if the browser does
            not store cookies.
    """
    if stored is None or stored.match.left_by:
        raise IllegalMove(GONE)
    if stored.find_player(sid):
        return
    if stored.match.has_guest:
        raise IllegalMove(TAKEN)
    if not (stores_cookies() or wants_json()):
        raise IllegalMove(NO_COOKIES)
    now = db.now()
    is_host_here = stored.is_here(HOST, now)
    match = rules.join(stored.match, now, random_salt, is_host_here=is_host_here)
    current_session().keep(GUEST_ROW, stored.deal)
    save_match(stored.deal, match, guest=sid, guest_seen=now)


def _kind_match(deal: Deal, every: int = 0) -> Match:
    """Return a new match with the choices that a deal link determines."""
    choices = dict(deal.choices)
    return Match(mode=choices["mode"], speed=choices["speed"] == "Y", every=every)


def _number(sent: Sent, name: str) -> int:
    """Return the number in a field.

    Raises:
        IllegalMove: If the field is not a number.
    """
    number = parse_int(sent.get(name, ""))
    if number is None:
        raise IllegalMove(BAD_FIELD.fill(name=name))
    return number


# ---- The match for a player ----------------------------------------------------------------------


class _RoundNumber(NamedTuple):
    """The round's number, under the name that the macros of the class's card use."""

    number: int


@dataclass(frozen=True)
class MatchPage:
    """The values of a match that one of its players may see.

    The attributes have the names that the macros of ``class/_card.html`` use for a class and its
    round.
    """

    deal_id: str
    player: int
    match: Match
    now: float
    is_friend_here: bool
    said: Claim | None
    """The claim whose result the page shows."""

    @classmethod
    def of(cls, stored: StoredMatch, player: int, claim: Claim | None = None) -> "MatchPage":
        """Return a player's page.

        If the query contains a call, the page shows the response to the claim at that call.
        """
        call = parse_int(flask.request.args.get("said", ""))
        if claim is None and call is not None:
            claim = stored.match.find_claim(player, call)
        now = db.now()
        is_here = stored.is_here(HOST + GUEST - player, now)
        return cls(stored.deal, player, stored.match, now, is_here, claim)

    @property
    def phase(self) -> MatchPhase:
        """The phase of the match."""
        return self.match.phase

    @property
    def round(self) -> _RoundNumber:
        """The newest round."""
        return _RoundNumber(self.match.round)

    @property
    def clock(self) -> Clock:
        """The clock of the round."""
        return self.match.clock

    @property
    def every(self) -> int:
        """Seconds between two calls, or 0 if the host calls."""
        return self.match.every

    @property
    def called(self) -> Cards:
        """The called cards, in the order of the calls."""
        return self.match.called(self.now)

    @property
    def calls(self) -> int:
        """Number of called cards."""
        return len(self.called)

    @property
    def last(self) -> Card | None:
        """The last call."""
        return self.called[-1] if self.called else None

    @property
    def etag(self) -> str:
        """The version of the page.

        The version does not change when the other player covers a position.
        """
        return f"{self.match.step}.{self.calls}.{self.is_friend_here:d}"

    @property
    def polls_every(self) -> int:
        """The polling interval in seconds."""
        return ROUND_EVERY if self.phase == "playing" else OTHER_EVERY

    @property
    def score(self) -> tuple[int, int, int]:
        """The numbers of rounds won by the player, rounds won by the friend, and ties."""
        score: Score = self.match.score
        wins = (score.host, score.guest) if self.player == HOST else (score.guest, score.host)
        return (*wins, score.ties)

    @property
    def kind_text(self) -> Text:
        """The kind of round, as a heading."""
        return words.kind_text(self.match.kind)

    @property
    def is_caller(self) -> bool:
        """Whether the player can call the next card."""
        return self.match.may_call(self.player, self.now)

    @property
    def can_claim(self) -> bool:
        """Whether the player can claim BINGO!"""
        return self.match.may_claim(self.player)

    @property
    def can_deal(self) -> bool:
        """Whether the player can deal the next round."""
        return self.match.may_deal(self.now)

    @property
    def right(self) -> Claim | None:
        """The player's correct claim in this round."""
        return self.match.find_claim(self.player)

    @property
    def has_won(self) -> bool:
        """Whether the player has won this round, alone or in a tie."""
        return self.player in self.match.winners

    @property
    def has_lost(self) -> bool:
        """Whether the friend alone has won this round."""
        return bool(self.match.winners) and not self.has_won

    @property
    def left_text(self) -> Text | str:
        """The text about a player who left, or an empty string if neither player left."""
        if not self.match.left_by:
            return ""
        is_self = self.match.left_by == self.player
        return Text("You left this match.") if is_self else Text("Your friend has left.")

    @property
    def won_text(self) -> Text | str:
        """The text for the player's BINGO!, or an empty string without a correct claim."""
        if not self.right:
            return ""
        if self.right.since < self.right.call:
            return Text("You have had BINGO! since call {call}.", call=self.right.since)
        return words.win_text(self.match.card(self.player), self.right.call)

    @property
    def verdict(self) -> Text | str:
        """The text for the end of the round, or an empty string before a BINGO!"""
        if self.has_lost:
            other_claim = self.match.find_claim(HOST + GUEST - self.player)
            return Text(
                "Your friend has BINGO! at call {call}.",
                call=other_claim.call if other_claim else 0,
            )
        if len(self.match.winners) > 1:
            return Text("You both have BINGO!, so it is a tie.")
        return Text("You win this round.") if self.has_won else ""

    @property
    def said_text(self) -> Text | str:
        """The message in response to the claim."""
        return words.claim_text(self.match.card(self.player), self.said) if self.said else ""

    @property
    def is_wrong(self) -> bool:
        """Whether the page shows the response to an incorrect claim."""
        return self.said is not None and not self.said.right

    @property
    def status_text(self) -> Text | str:
        """The announcement for a page that replaces an older page."""
        if self.left_text or self.phase == "waiting":
            return self.left_text
        if self.phase == "ready":
            here, away = Text("Your friend is here."), Text("Your friend is away just now.")
            return here if self.is_friend_here else away
        if self.verdict:
            return self.verdict
        if self.last is None:
            return Text("The cards are dealt.")
        return Text("Called: {card}.", card=self.last.full_name)

    @property
    def rows(self) -> tuple[tuple[Tile, ...], ...]:
        """The player's card, row by row."""
        card = self.match.card(self.player)
        if self.right:
            return tile_rows(card, card.covered(self.calls), card.winning(self.right.call))
        needed: Cards = ()
        if self.said and not self.said.right:
            needed = tuple(card.grid[place] for place in card.nearest(self.said.call)[1])
        covered, is_over = self.match.covered(self.player), not self.can_claim
        return tile_rows(card, covered, (), needed, is_over=is_over)

    @property
    def friend_rows(self) -> tuple[tuple[Tile, ...], ...]:
        """The friend's card, covered by the server, or an empty tuple before a BINGO!"""
        if self.phase != "bingo":
            return ()
        friend = HOST + GUEST - self.player
        card, claim = self.match.card(friend), self.match.find_claim(friend)
        winning = card.winning(claim.call) if claim else ()
        return tile_rows(card, card.covered(self.calls), winning, is_over=True)

    def document(self) -> dict[str, Any]:
        """Return the match as JSON."""
        match, (you, friend, ties) = self.match, self.score
        state = "left" if match.left_by == HOST + GUEST - self.player else "away"
        document: dict[str, Any] = {
            "deal": self.deal_id,
            "phase": self.phase,
            "player": self.player,
            "friend": "here" if self.is_friend_here and not match.left_by else state,
            "round": match.round,
            "mode": match.mode,
            "speed": match.speed,
            "every": match.every,
            "called": self.called,
            "left": DECK_SIZE - self.calls,
            "score": {"you": you, "friend": friend, "ties": ties},
            "card": None,
            "moves": list(self._moves()),
        }
        if match.round:
            card = match.card(self.player)
            cards = [
                None if position == CENTRE else grid_card
                for position, grid_card in enumerate(card.grid)
            ]
            document["card"] = {
                "number": self.player,
                "cards": cards,
                "covered": match.covered(self.player),
                "winning": card.winning(self.right.call) if self.right else (),
            }
            document["verdict"] = self.verdict
        return document

    def _moves(self) -> list[dict[str, Any]]:
        """Return the player's possible moves."""
        moves: list[tuple[bool, str, Text, dict[str, int]]] = [
            (self.can_claim, "claim", Text("BINGO!"), {"call": self.calls}),
            (self.is_caller, "call", Text("Call"), {"call": self.calls + 1}),
            (self.can_deal, "deal", Text("Play again"), {"round": self.match.round + 1}),
            (not self.match.left_by, "leave", Text("Leave"), {}),
        ]
        return [
            {
                "name": name,
                "label": label,
                "fields": {field: {str(value): str(value)} for field, value in fields.items()},
            }
            for possible, name, label, fields in moves
            if possible
        ]
