"""``/lab``: a form for each game, which redirects to a URL that shows the result."""

import secrets
from collections.abc import Mapping
from typing import Any, Final

import flask

from cardgames import GAMES
from cardgames.cards import CardGameError
from cardgames.lab import MAX_ROUNDS, MIN_ROUNDS, OPTIONS, Experiment, LabResult, ask
from cardgames.lab.report import choices, conclusion, ends, histogram, tables, title
from cardgames.text import Text
from web.charts import histogram as draw
from web.http.requests import wants_json
from web.http.responses import json_response, see_other
from web.lab.pool import NotPlayed, play

RETRY_AFTER: Final = 5
"""Time, in seconds, after which a rejected experiment is requested again."""

USUAL_ROUNDS: Final = "1000"
"""Default number of rounds."""

_MAX_SEED_DRAWN: Final = 1_000_000

blueprint = flask.Blueprint("lab", __name__)


@blueprint.get("/lab")
def show() -> flask.Response:
    """Show the form of a game, or the result of the experiment in the URL.

    A URL without a seed redirects to a URL with a seed and all choices.
    """
    sent = flask.request.args.to_dict()
    if not {"rounds", "seed"} & sent.keys():
        return _page(sent)
    try:
        experiment = _experiment(sent)
    except CardGameError as error:
        return _page(sent, 422, error)
    if not sent.get("seed"):
        return see_other(_address(experiment))
    return _result_page(experiment, sent)


def _result_page(experiment: Experiment, sent: Mapping[str, str]) -> flask.Response:
    """Play an experiment and show the result."""
    try:
        result = play(experiment)
    except NotPlayed as error:
        answer = _page(sent, 503, error)
        answer.headers["Retry-After"] = str(RETRY_AFTER)
        return answer
    if wants_json():
        return json_response(_document(experiment, result))
    chart = histogram(experiment, result)
    return _page(
        {**sent, "seed": ""},
        title=title(experiment),
        choices=choices(experiment),
        seed=experiment.seed,
        conclusion=conclusion(experiment, result),
        histogram=chart,
        plot=draw(chart.title, chart.unit, chart.shares_of, chart.classes),
        tables=tables(experiment, result),
    )


def _experiment(sent: Mapping[str, str]) -> Experiment:
    """Return the experiment in a URL, by default with a random seed.

    Raises:
        CardGameError: If there is no such experiment.
    """
    game = sent.get("game", next(iter(OPTIONS)))
    rounds = _whole("rounds", Text("The number of rounds"), sent.get("rounds", USUAL_ROUNDS))
    drawn = str(secrets.randbelow(_MAX_SEED_DRAWN))
    seed = _whole("seed", Text("The seed"), sent.get("seed") or drawn)
    return ask(game, sent, rounds, seed)


def _whole(name: str, label: Text, text: str) -> int:
    number = text.strip().replace(",", "")
    if not (number.isascii() and number.isdigit()):
        raise CardGameError(Text("{what} must be a whole number.", what=label), name)
    return int(number[:_MAX_DIGITS])


def _address(experiment: Experiment) -> str:
    query: dict[str, Any] = {
        "game": experiment.game,
        **experiment.choices,
        "rounds": experiment.rounds,
        "seed": experiment.seed,
    }
    return flask.url_for(".show", **query)


def _page(
    sent: Mapping[str, str],
    status: int = 200,
    refusal: CardGameError | None = None,
    **results: Any,
) -> flask.Response:
    """Return the page with the completed form of a game and the result."""
    if wants_json():
        return json_response(_offer(), status, refusal.text if refusal else "")
    game = sent.get("game", "")
    game = game if game in OPTIONS else next(iter(OPTIONS))
    page = flask.render_template(
        "lab/lab.html",
        games={slug: game.info.title for slug, game in GAMES.items() if slug in OPTIONS},
        game=game,
        options=OPTIONS[game],
        sent={"rounds": USUAL_ROUNDS, "seed": "", **sent},
        most=MAX_ROUNDS,
        refusal=refusal,
        found=results,
    )
    return flask.Response(page, status)


def _offer() -> dict[str, Any]:
    """Return the possible experiments as JSON."""
    games = {
        slug: {option.name: option.texts for option in options} for slug, options in OPTIONS.items()
    }
    return {"games": games, "rounds": [MIN_ROUNDS, MAX_ROUNDS]}


def _document(experiment: Experiment, result: LabResult) -> dict[str, Any]:
    """Return a result as JSON."""
    return {
        "address": _address(experiment),
        "game": experiment.game,
        "choices": experiment.choices,
        "rounds": experiment.rounds,
        "seed": experiment.seed,
        "conclusion": conclusion(experiment, result),
        "ends": ends(experiment, result),
        "lengths": result.lengths.counts,
    }


_MAX_DIGITS: Final = 20  # maximum number of digits, because any longer number is out of range
