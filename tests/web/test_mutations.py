"""The sample of changes that the tests must notice fits the code as it is."""

import pytest

from tools.mutations import ROOT, Mutation, read_sample


@pytest.mark.parametrize("mutation", read_sample(), ids=lambda mutation: mutation.what)
def test_a_change_of_the_sample_has_its_place(mutation: Mutation) -> None:
    assert (ROOT / mutation.file).read_text().count(mutation.old) == 1
    assert mutation.old != mutation.new
    for file in mutation.tests:
        assert (ROOT / file).exists()
