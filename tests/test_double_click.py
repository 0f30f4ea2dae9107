"""A double click on a move that costs something."""

from flask.testing import FlaskClient


def test_a_double_click_on_deal_costs_one_point(client: FlaskClient) -> None:
    """Both clicks carry the same step, so the second is out of date."""
    json = {"Accept": "application/json"}
    client.post("/blackjack", data={"move": "deal", "step": "0"}, headers=json)
    form = {"move": "deal", "step": "1"}
    answers = [client.post("/blackjack", data=form, headers=json) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 409]
    for answer in answers:
        shown = answer.get_json()["view"]
        assert (shown["tally"]["dealer"], shown["round"]) == (1, 2)
