"""Tournaments in JSON. What others have made of a deal is told to who has played it, or leads."""

from collections.abc import Iterable
from typing import Any

import flask

from web.classroom.documents import move_documents
from web.classroom.results import iso_time
from web.classroom.tournaments.model import Tournament
from web.classroom.tournaments.pages import DeskPage, ListPage, ScreenStandings, StudentPage
from web.classroom.tournaments.standings import Row
from web.classroom.tournaments.words import title_text


def list_document(page: ListPage, tournaments: Iterable[Tournament]) -> dict[str, Any]:
    """Return all tournaments of a class."""
    links = {link.number: link for link in page.links}
    found = []
    for one in tournaments:
        link = links[one.number]
        told: dict[str, Any] = {**_told(one), "open": link.is_open, "when": link.when}
        if link.deal:
            told["next"] = _next(page.code, one, link.deal)
        found.append(told)
    document: dict[str, Any] = {
        "class": page.code,
        "title": page.title,
        "version": page.version,
        "tournaments": found,
    }
    if page.leads:
        document |= {"step": page.step, "moves": move_documents(page.moves.values())}
    return document


def student_document(page: StudentPage) -> dict[str, Any]:
    """Return a tournament as one of its students is told of it."""
    about, own, seat = page.about, page.own, page.seat
    you: dict[str, Any] = {"number": seat.member.number, "played": seat.entry.played}
    tells_points = not seat.hides_points
    if own:
        you |= {"place": own.place or None}
    if own and tells_points:
        you |= {"points": own.total, "deals": list(own.scores)}
    next_deal = _next(about.code, about.tournament, seat.next_deal) if seat.may_play else None
    return _document(page) | {
        "best": [_row(row, page.tells_deals, tells_points) for row in about.found.best],
        "you": you,
        "next": next_deal,
    }


def desk_document(page: DeskPage) -> dict[str, Any]:
    """Return a tournament as its instructor is told of it."""
    return _document(page) | {
        "step": page.step,
        "students": [_row(row) | {"number": row.student} for row in page.about.found.rows],
        "moves": move_documents(page.moves.values()),
    }


def screen_document(shown: ScreenStandings | None) -> dict[str, Any] | None:
    """Return what the big screen shows."""
    if shown is None:
        return None
    return {
        "title": shown.title,
        "table": shown.table,
        "ranking": "play" if shown.by_play else "result",
        "finished": shown.finished,
        "to_come": shown.to_come,
        "best": [_row(row, False, not shown.hides_points) for row in shown.rows],  # noqa: FBT003
    }


def _document(page: StudentPage | DeskPage) -> dict[str, Any]:
    about = page.about
    return {
        "class": about.code,
        "version": about.version,
        **_told(about.tournament),
        "open": about.is_open,
        "over": about.is_over,
        "finished": about.found.finished,
        "playing": about.begun,
        "to_come": about.found.to_come,
    }


def _told(tournament: Tournament) -> dict[str, Any]:
    """Return what there is to tell of a tournament itself: nothing that its cards follow from."""
    return {
        "tournament": tournament.number,
        "title": title_text(tournament),
        "table": tournament.table,
        "deals": tournament.deals,
        "ranking": tournament.ranking,
        "screen": tournament.screen,
        "points": tournament.points,
        "from": iso_time(tournament.opens),
        "until": iso_time(tournament.due) if tournament.due else None,
    }


def _row(
    row: Row,
    with_deals: bool = True,  # noqa: FBT001, FBT002 - passed on
    with_points: bool = True,  # noqa: FBT001, FBT002 - passed on
) -> dict[str, Any]:
    document: dict[str, Any] = {"place": row.place or None, "name": row.name, "played": row.played}
    if with_points:
        document["points"] = row.total
    return document | {"deals": list(row.scores)} if with_deals else document


def _next(code: str, tournament: Tournament, deal: int) -> dict[str, Any]:
    root = flask.request.script_root
    address = f"{root}/class/{code}/tournament/{tournament.number}/deal/{deal}"
    return {"deal": deal, "address": address}
