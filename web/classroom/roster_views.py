"""``/class/CODE/roster``: people out of a course system's file, shown before they are kept.

Nothing is written here. Who was found stands in a form, to be mended, and the dashboard's move
``roster`` keeps them.
"""

import flask

from web.classroom.answers import answer_or_refuse
from web.classroom.roster import MAX_BYTES, PeopleFound, people_in, text_of
from web.classroom.state import ClassState, led_class
from web.http.requests import sent_files, sent_texts, wants_json
from web.http.responses import json_response, render_page

blueprint = flask.Blueprint("class-roster", __name__)


@blueprint.get("/class/<code>/roster")
def form(code: str) -> flask.Response:
    """Show the form for a file."""
    return _page(led_class(code))


@blueprint.post("/class/<code>/roster")
def preview(code: str) -> flask.Response:
    """Show who a file names, or say what is wrong with it."""
    state, sent = led_class(code), sent_texts({"text": MAX_BYTES})
    upload = dict(sent_files()).get("file")
    data, text = upload.read(MAX_BYTES + 1) if upload else b"", sent.get("text", "")
    return answer_or_refuse(
        lambda: _page(state, found=people_in(text_of(data) if data else text)),
        lambda status, why: _page(state, status, why, text=text),
    )


def _page(
    state: ClassState,
    status: int = 200,
    refusal: str = "",
    *,
    found: PeopleFound | None = None,
    text: str = "",
) -> flask.Response:
    if wants_json():
        document = {"class": state.code, "step": state.counters.version}
        if found:
            people = [one._asdict() for one in found.people]
            document |= found._asdict() | {"people": people}
        return json_response(document, status, refusal)
    return render_page(
        "class/roster.html", status, state=state, refusal=refusal, found=found, text=text
    )
