"""A score of another tool is a name wherever one is given; it is not measured here, and that is said."""

import pytest

import evenhand as eh
from evenhand.errors import InputError
from evenhand.formats.study_file.check import read_margins
from evenhand.metrics.catalogue.definition import definition
from evenhand.metrics.catalogue.names import here, kind, parse
from evenhand.metrics.comparison.noninferiority import checkable
from evenhand.metrics.comparison.resamples import how
from evenhand.metrics.planning.published_figures import read_figure


@pytest.mark.parametrize(
    "name", ["ragas:faithfulness", "deepeval:Answer Relevancy", "table:a=b", "mlflow:f/v1"]
)
def test_a_foreign_name_is_a_name(name):
    assert str(parse(name)) == name
    assert parse(str(parse(name))) == parse(name)
    assert kind(parse(name)).total == "mean"
    assert how(name) == "mean"
    assert definition(name) == f"{name}, measured elsewhere"
    assert read_margins([f"{name}=0.02"]) == {name: 0.02}
    assert read_figure("0.47", n=40, sd=0.2, metric=name).n == 40
    checkable(name)


def test_what_another_tool_measures_is_not_measured_here():
    run = eh.run_of({"q": {"d": 1.0}}) if hasattr(eh, "run_of") else None
    with pytest.raises(InputError, match="is a score of ragas, which is not measured here"):
        here("ragas:faithfulness")
    with pytest.raises(InputError, match="not measured here"):
        eh.measure({"q": {"d": 1}}, run, "ragas:faithfulness")
    with pytest.raises(InputError) as raised:
        here("ir:nDCG@10")
    assert "did you mean 'nDCG@10'" in raised.value.mend
