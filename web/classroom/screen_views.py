"""``/class/CODE/projector``: the big screen, and the QR code on it."""

import flask

from web.classroom.documents import round_document
from web.classroom.insight_summary import insight_document
from web.classroom.model import SHOWS
from web.classroom.public_address import public_address
from web.classroom.screen_page import screen_page
from web.classroom.state import load_class
from web.classroom.tournament_summary import screen_document
from web.classroom.updates import answer_known_page, asks_every, page_version
from web.http.qr import svg_qr
from web.http.requests import wants_json
from web.http.responses import json_response, render_page
from web.http.takes_long import takes_long

blueprint = flask.Blueprint("class-screen", __name__)
blueprint.before_request(answer_known_page)


@blueprint.get("/class/<code>/projector")
@takes_long
def show(code: str) -> flask.Response:
    """Show the big screen: what the dashboard has chosen, or what the address names."""
    state = load_class(code)
    asked = flask.request.args.get("show", "")
    chosen = asked if asked in SHOWS else state.classroom.show
    of = "insight" if chosen == "insight" else "screen"
    version = page_version(state.counters, of)
    page = screen_page(
        state, chosen, version, public_address(), flask.request.args.get("table", "")
    )
    if wants_json():
        return json_response(
            {
                "class": state.code,
                "title": state.classroom.title,
                "version": version,
                "show": chosen,
                "count": page.count,
                "playing": [{"name": name, "table": table} for name, table in page.players],
                "round": round_document(state),
                "standings": screen_document(page.standings) if page.standings else None,
                "bingo": [
                    {"place": one.place, "name": one.name, "won": one.score.won}
                    for one in page.bingo
                ],
                "insight": insight_document(page.insight) if page.insight else None,
            }
        )
    return render_page(
        "class/projector.html",
        page=page,
        of=of,
        every=asks_every(state.counters),
        renews=state.counters.is_open and "still" not in flask.request.args,
    )


@blueprint.get("/class/<code>/qr.svg")
def qr(code: str) -> flask.Response:
    """Return the QR code of the address where a class is joined."""
    state = load_class(code)
    picture = svg_qr(public_address().join_url(state.code))
    return flask.Response(picture, mimetype="image/svg+xml")
