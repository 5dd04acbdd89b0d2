import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.metrics.catalogue.documentation import PAGES
from evenhand.metrics.catalogue.names import parse
from evenhand.metrics.catalogue.registry import CATALOGUE
from evenhand.metrics.measure.trec_eval_mode import expand


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("nDCG@10", "nDCG@10"),
        (" nDCG ( gain = exp ) @ 10 ", "nDCG(gain=exp)@10"),
        ("nDCG(gain=linear)@10", "nDCG@10"),
        ("R(rel=1)@5", "R@5"),
        ("R(rel=2)@5", "R(rel=2)@5"),
        ("R(rel=2.0)@5", "R(rel=2)@5"),
        ("R@2000tokens", "R@2000tokens"),
        ("R@2_000tokens", "R@2000tokens"),
        ("IoU(overlap=each)@5", "IoU(overlap=each)@5"),
        ("RBP(rel=2,p=0.9)", "RBP(p=0.9,rel=2)"),
        ("AP(denom=min)@5", "AP(denom=min)@5"),
        # trec_eval
        ("map", "AP"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("P_5", "P@5"),
        ("recall_100", "R@100"),
        ("recip_rank", "RR"),
        ("success_1", "Success@1"),
        ("iprec_at_recall_0.10", "IPrec(recall=0.1)"),
        ("iprec_at_recall_0.00", "IPrec"),
        ("Rndcg", "RnDCG"),
        ("ndcg_rel", "nDCGRel"),
        ("G", "G"),
        ("binG", "BinG"),
        ("gm_map", "GMAP"),
        ("map_cut.5", "AP@5"),
        ("ndcg.1=3,2=9,4=4.5", "nDCG(gains={1:3,2:9,4:4.5})"),
        ("G_1=3", "G(gains={1:3})"),
        ("utility.2,-1,0,0", "Utility(a=2)"),
        # ir_measures
        ("nDCG(gains={1:4,0:1})@3", "nDCG(gains={0:1,1:4})@3"),
        ("P(judged_only=True)@4", "P(judged_only=true)@4"),
        ("IPrec@0.5", "IPrec(recall=0.5)"),
        ("IPrec(rel=2)@0.1", "IPrec(rel=2,recall=0.1)"),
        ("INST(T=2.0,max_rel=1)", "INST(T=2,max_rel=1)"),
        ("INST(max_rel=2)", "INST(max_rel=2)"),  # no default: it is always written
        ("Compat(p=0.95)", "Compat"),
        ("SetR", "R"),
        ("NumRet", "NumRet"),
        ("NumRet(rel=2)", "NumRelRet(rel=2)"),
        ("alpha_nDCG(alpha=0.3)@10", "alphaNDCG(alpha=0.3)@10"),
        ("\u03b1_nDCG(alpha=0.3)@10", "alphaNDCG(alpha=0.3)@10"),
        ("\u03b1nDCG@10", "alphaNDCG@10"),
        ("StRecall@10", "NuggetCoverage@10"),
        ("SubtopicRecall@10", "NuggetCoverage@10"),
        ("NDCG@10", "nDCG@10"),
        ("SetRelP", "RelativeP"),
        ("P@5", "P@5"),
        ("AP", "AP"),
        ("RR@10", "RR@10"),
        ("P(rel=2)@5", "P(rel=2)@5"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exp)@10"),
        ("Rprec", "RPrec"),
        # ranx
        ("ndcg@10", "nDCG@10"),
        ("ndcg_burges@10", "nDCG(gain=exp)@10"),
        ("mrr@10", "RR@10"),
        ("precision@5", "P@5"),
        ("hit_rate@1", "Success@1"),
        ("rbp.95", "RBP(p=0.95)"),
        ("precision@5-l2", "P(rel=2)@5"),
        ("mrr-l3", "RR(rel=3)"),
    ],
)
def test_spellings_come_to_one_canonical_name(text, canonical):
    assert str(parse(text)) == canonical
    assert parse(canonical) == parse(text)
    assert hash(parse(canonical)) == hash(parse(text))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("nDGC@10", "did you mean 'nDCG'"),
        ("nDCG@0", "at least 1"),
        ("nDCG@-3", "at least 1"),
        ("R@0tokens", "at least 1"),
        ("P", "write P@10"),
        ("RPrec@5", "has no cutoff"),
        ("nDCG(rel=2)@10", "knows no level"),
        ("nDCG(gian=exp)@10", "did you mean 'gain'"),
        ("nDCG(gain=cubic)", "linear, exp"),
        ("R(rel=x)@5", "not a number"),
        ("R(rel=nan)@5", "not a number"),
        ("R(rel=1,rel=2)@5", "twice"),
        ("R(2)@5", "param=value"),
        ("RBP(p=1)", "0..1"),
        ("AP(denom=min)", "AP(denom=min)@10"),
        ("AP(denom=min)@500tokens", "has no k"),
        ("INST", "does not say max_rel"),
        ("INST(max_rel=2,depth=2.5)", "not a whole number of 2 or more"),
        ("recal@5", "did you mean 'Recall', here R?"),
        ("hits@5", "did you mean 'hit', here Success?"),
        ("mean_reciprocal_rank", "did you mean 'recip_rank', here RR?"),
        ("ndgc@10", "did you mean 'nDCG'?"),
        ("zzz@5", "use one of: AP, "),
        ("nDCG(gains={})", "no grade and gain"),
        ("nDCG(gains={1:-2})", "no grade and gain"),
        ("nDCG(gains={1:2,1:3})", "gives the grade 1 twice"),
        ("nDCG(gain=exp,gains={1:2})", "gives the gain twice"),
        ("Judged(judged_only=true)@5", "no parameter"),
        ("NuggetRecall(judged_only=true)@5", "no parameter"),
        ("utility.1,-1,0,2", "not the name of a metric"),
        ("nDCG@ten", "not the name of a metric"),
        ("", "not the name of a metric"),
    ],
)
def test_a_name_that_is_not_one_says_how_to_mend_it(text, says):
    with pytest.raises(InputError) as error:
        parse(text)
    assert says in str(error.value)


def test_at_sets_the_cutoff():
    assert parse("nDCG") @ 10 == parse("nDCG@10")


@st.composite
def metrics(draw):
    kind = CATALOGUE[draw(st.sampled_from(sorted(CATALOGUE)))]
    given_ = []
    for name, param in kind.accepts.items():
        if param.required or draw(st.booleans()):
            if param.gains:
                value = draw(st.sampled_from(["{1:3}", "{2:0.5,1:9}", "{0:1, 1:4}"]))
            elif isinstance(param.default, str):
                value = draw(st.sampled_from(param.choices))
            elif isinstance(param.default, bool):
                value = draw(st.sampled_from(["true", "false"]))
            else:
                value = draw(st.sampled_from([0.25, 0.5, 1, 2, 3]))
                inside = (param.low is None or value > param.low) and (
                    param.high is None or value < param.high
                )
                inside = inside and not (param.whole and value < 1)
                value = value if inside else param.default
            given_.append(f"{name}={value}")
    if any(part.startswith("gains=") for part in given_):
        given_ = [part for part in given_ if part != "gain=exp"]
    text = kind.name + (f"({','.join(given_)})" if given_ else "")
    if kind.cutoff == "required" or (
        kind.cutoff == "optional" and (draw(st.booleans()) or "denom=min" in text)
    ):
        text += f"@{draw(st.integers(1, 10_000))}"
    return text


@given(metrics())
def test_what_is_printed_parses_back_to_the_same_metric(text):
    metric = parse(text)
    assert parse(str(metric)) == metric
    assert str(parse(str(metric))) == str(metric)


def test_a_family_of_trec_eval_is_all_its_members():
    assert [one.name for one in expand("P.5,10")] == ["P_5", "P_10"]
    assert len(expand("ndcg_cut")) == 9
    assert [one.name for one in expand("iprec_at_recall")][:2] == [
        "iprec_at_recall_0.00",
        "iprec_at_recall_0.10",
    ]
    assert [str(one.metric) for one in expand("nDCG@10 RR")] == ["nDCG@10", "RR"]
    assert [one.name for one in expand("nDCG@10")] == ["ndcg_cut_10"]


def test_every_entry_says_what_it_answers_and_where_it_is_from():
    for kind in CATALOGUE.values():
        assert kind.says, kind.name
        assert kind.source, kind.name
        assert kind.score.__doc__, kind.name
        assert str(parse(kind.example)).startswith(kind.name), kind.name
    assert set(PAGES) == set(CATALOGUE)
    for name, page in PAGES.items():
        assert page.formula, name
        assert page.misleads, name
        assert all(tool and difference for tool, difference in page.elsewhere), name
