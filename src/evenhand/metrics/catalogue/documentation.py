"""What the reference says of each metric beside its docstring: formula, where it misleads, other tools."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PAGES", "Page"]

Same = tuple[tuple[str, str], ...]


class Page(NamedTuple):
    """Texts on one metric. ``elsewhere``: pairs of another tool's name for it and how its number differs."""

    formula: str
    misleads: str
    elsewhere: Same = ()


_SAME = "the same number"
_CWL = "the same number (`min_rel`, `max_rel` as here); questions without a relevant unit count 0"
_EXPERIMENT = "it never left the laboratory: nobody will know what a good value is"
_COUNT = "it grows with the number of questions: compare it within one set only"


PAGES: dict[str, Page] = {
    "nDCG": Page(
        "sum over ranks i ≤ k of g(i) / log2(i + 1), over the same sum of all judged units in the best order",
        "between chunkings: it counts units; and where few units are judged",
        (
            ("trec_eval `ndcg`, `ndcg_cut_k`; ir_measures `nDCG`; ranx `ndcg`", _SAME + " (`gain=linear`)"),
            ("gdeval, ranx `ndcg_burges`, ir_measures `nDCG(dcg='exp-log2')`", _SAME + " with `gain=exp`"),
            (
                "scikit-learn `ndcg_score` on the list, Phoenix",
                "ideal of what was retrieved: blind to the rest",
            ),
            ("Haystack", "ideal without the cutoff: lower where more than k units are relevant"),
            ("LlamaIndex", "a unit returned twice gains twice: above 1 is possible"),
        ),
    ),
    "RR": Page(
        "1 / rank of the first relevant unit, 0 where none stands above the cut",
        "where an answer needs more than one fact: it sees the first alone",
        (
            ("trec_eval `recip_rank`", _SAME + "; it has no cutoff"),
            (
                "ir_measures `RR@k`, ranx `mrr@k`",
                _SAME + " without ties; with ties they keep the file's order",
            ),
        ),
    ),
    "R": Page(
        "relevant units above the cut / R, all relevant units known",
        "between chunkings: smaller units make more relevant ones",
        (
            ("trec_eval `recall_k`, `set_recall`; ir_measures `R@k`; ranx `recall`", _SAME),
            ("Haystack (its default, `single_hit`)", "a hit rate: that is `Success@k` here"),
        ),
    ),
    "P": Page(
        "relevant units above the cut / k",
        "where fewer than k units are relevant: even a perfect ranking stays below 1",
        (
            ("trec_eval `P_k`, ir_measures `P@k`, ranx `precision@k`", _SAME + ": over k even if fewer came"),
            ("tools that divide by what was returned", "`ContextPrecision@k` here"),
        ),
    ),
    "Success": Page(
        "1 where any relevant unit stands above the cut, else 0",
        "with few questions: it is yes or no, so its interval is wide; and it does not see ranks",
        (("trec_eval `success_k`; ir_measures `Success@k`; ranx `hit_rate@k`", _SAME),),
    ),
    "AP": Page(
        "sum over relevant ranks i of P@i, over R (`denom=min`: min(R, k); `denom=retrieved`: those found)",
        "where labels are few: one unjudged relevant unit moves every precision below it",
        (
            (
                "trec_eval `map`, `map_cut_k`; ir_measures `AP`; ranx `map`; LlamaIndex",
                _SAME + " (`denom=R`)",
            ),
            ("Ragas, DeepEval (contextual precision)", "`denom=retrieved`; see RagasContextPrecision"),
            ("LlamaIndex", "a unit returned twice counts twice: above 1 is possible"),
            ("AutoRAG", "another sum: 0.326 where five of seven stand on ranks 1 to 5, here 0.714"),
        ),
    ),
    "RPrec": Page(
        "relevant units above rank R / R, with `mult` above rank mult · R / (mult · R)",
        "with one relevant unit it is Success@1",
        (("trec_eval `Rprec`, `Rprec_mult_x`; ir_measures `Rprec`; ranx `r-precision`", _SAME),),
    ),
    "IPrec": Page(
        "the highest P@i of the ranks i at which recall is `recall` or more",
        "at high recall: one relevant unit that is not found makes it 0",
        (
            ("trec_eval 9 `iprec_at_recall_x`, ir_measures `IPrec@x`", _SAME),
            ("trec_eval 10", "the rank of a recall is rounded to the nearest: `rounding=nearest`"),
        ),
    ),
    "IPrec11": Page(
        "mean of IPrec at recall 0, 0.1, ... 1",
        "with few relevant units the eleven points are the same two or three",
        (("trec_eval 9 `11pt_avg`", _SAME), ("trec_eval 10", "`rounding=nearest`")),
    ),
    "Judged": Page(
        "units above the cut that have a grade / k (`denom=retrieved`: / units returned)",
        "all judged does not mean judged well",
        (
            ("ir_measures `Judged@k`", "divides by the units returned: `Judged(denom=retrieved)@k`"),
            ("trec_eval 10 `unj_k`", "the share that is not judged"),
        ),
    ),
    "Bpref": Page(
        "1/R · sum over relevant units found of 1 − min(n, R) / min(R, N); n of N judged others above it",
        "where nothing non-relevant was judged it says little; it is blind to the unjudged",
        (
            ("trec_eval `bpref`, ir_measures `Bpref`", _SAME),
            ("ranx `bpref`", _SAME + "; not a number where nothing non-relevant is judged"),
        ),
    ),
    "InfAP": Page(
        "1/R · sum over relevant ranks i of 1/i + (i − 1)/i · pooled share above · precision inferred above",
        "on pools that were not sampled at random",
        (("trec_eval `infAP`, ir_measures `infAP`", _SAME + " (grade −1: pooled, not judged)"),),
    ),
    "RBP": Page(
        "(1 − p) · sum over relevant ranks i of p^(i − 1)",
        "read alone: see RBPResidual for what the unjudged could add",
        (
            ("ir_measures `RBP(p=, rel=)`", _SAME),
            (
                "ranx `rbp.p`",
                "multiplied by the grade: the same for grades 0 and 1 only, above 1 is possible",
            ),
            ("trec_eval 10 `rbp`", "graded; p = 0.9"),
        ),
    ),
    "RBPResidual": Page(
        "(1 − p) · sum over unjudged ranks i of p^(i − 1), plus p^n for all beyond the last rank n",
        "a small residual says that labels are there, not that they are right",
        (("trec_eval 10 `rbp_resid`", "p = 0.9"),),
    ),
    "ERR": Page(
        "sum over ranks i of 1/i · s(i) · product of 1 − s(j) above; s = (2^g − 1) / 2^max_grade",
        "with grades of another scale than max_grade",
        (("gdeval, ir_measures `ERR@k`", _SAME + " to their five digits (max_grade=4)"),),
    ),
    "INST": Page(
        "C(i) = ((i + 2T − 1 − gained) / (i + 2T − gained))²; sum of W(i) g(i)",
        "a low value may mean a T that does not fit the task: name it",
        (("cwl_eval, ir_measures `INST`", _CWL),),
    ),
    "INSQ": Page(
        "C(i) = ((i + 2T − 1) / (i + 2T))²; sum of W(i) g(i)",
        "its long tail gives weight to ranks that no prompt holds",
        (("cwl_eval, ir_measures `INSQ`", _CWL),),
    ),
    "BPM": Page(
        "mean gain down to the rank where T is gained, or to k",
        "it stops at T: all that follows, right or wrong, is not seen",
        (("cwl_eval, ir_measures `BPM@k` (static)", _CWL),),
    ),
    "SDCG": Page(
        "sum over i ≤ k of g(i) / log2(i + 1), over the sum of 1 / log2(i + 1); g on 0..1",
        "it has no ideal of the question: with one relevant unit it can never be near 1",
        (("cwl_eval `NDCG-k`, ir_measures `SDCG@k`", _CWL),),
    ),
    "NERR8": Page(
        "C(i) = 1 − g(i) for i < k; sum of W(i) g(i)",
        "with grades 0 and 1 it is RR@k",
        (("cwl_eval, ir_measures `NERR8@k`", _CWL),),
    ),
    "NERR9": Page(
        "C(i) = (1 − g(i)) i / (i + 1) for i < k; sum of W(i) g(i)",
        "as ERR: it depends on the scale",
        (("cwl_eval, ir_measures `NERR9@k`", _CWL),),
    ),
    "NERR10": Page(
        "C(i) = p (1 − g(i)); sum of W(i) g(i)",
        "as ERR: it depends on the scale",
        (("cwl_eval, ir_measures `NERR10`", _CWL),),
    ),
    "NERR11": Page(
        "C(i) = ((i + 2T − 1) / (i + 2T))² (1 − g(i)); sum of W(i) g(i)",
        "as ERR: it depends on the scale",
        (("cwl_eval, ir_measures `NERR11`", _CWL),),
    ),
    "nDCGRel": Page(
        "mean over units with a gain of nDCG at their rank", _EXPERIMENT, (("trec_eval `ndcg_rel`", _SAME),)
    ),
    "RnDCG": Page(
        "mean of nDCG at the ranks where the ideal's gain falls", _EXPERIMENT, (("trec_eval `Rndcg`", _SAME),)
    ),
    "G": Page(
        "sum of g(i) / log2(2 + cost(i) − gained(i)), over all gain", _EXPERIMENT, (("trec_eval `G`", _SAME),)
    ),
    "BinG": Page(
        "1/R · sum over relevant units of 1 / log2(2 + others above)",
        _EXPERIMENT,
        (("trec_eval `binG`", _SAME),),
    ),
    "Compat": Page(
        "sum of p^(i − 1) |ranking to i ∩ ideal to i| / i, over the same sum of the ideal with itself",
        "with few grades the ideal is mostly the ranking's own order",
        (("ir_measures `Compat`", _SAME + " where scores are positive; it ranks ties by id upwards"),),
    ),
    "ContextPrecision": Page(
        "relevant units shown / units shown (`weight=rank`: each weighs 1/i)",
        "it grows when less is shown, whether that is enough or not",
        (
            ("Ragas, DeepEval", "another formula under this name: RagasContextPrecision"),
            ("trec_eval `P_k`", "divides by k even where fewer were returned"),
        ),
    ),
    "RagasContextPrecision": Page(
        "sum over relevant ranks i ≤ k of P@i, over the relevant units found",
        "one of three relevant units, found first, gives 1: it cannot see what is missing",
        (
            (
                "Ragas `context_precision`, DeepEval contextual precision",
                "the same formula, verdicts of a model",
            ),
        ),
    ),
    "AnsweredPrecision": Page(
        "answered with a relevant unit on top / answered",
        "a system that answers one question, rightly, has 1: read it beside AnswerableCoverage",
        (("selective classification", "1 − its risk, at the coverage that the system chose"),),
    ),
    "AnswerableCoverage": Page(
        "answered with a relevant unit on top / questions with a relevant unit",
        "it does not see what is answered that should not be: read it beside FalseAnswerRate",
        (("SQuAD 2.0 `HasAns_exact`", "the same share, but right is an answer whose words match"),),
    ),
    "FalseAnswerRate": Page(
        "answered / questions without a relevant unit",
        "a set without such questions has none: it is undefined, not 0",
        (("SQuAD 2.0 `NoAns_exact`", "1 − this number"),),
    ),
    "DecisionAccuracy": Page(
        "(rightly answered + rightly not answered) / questions",
        "it depends on how many questions of the set have no answer",
        (("SQuAD 2.0 `exact`", "the same share, but right is an answer whose words match"),),
    ),
    "NuggetRecall": Page(
        "vital nuggets that some unit above the cut covers / vital nuggets",
        "a fact whose span was cut in two counts as not shown",
        (("TREC RAG, vital nuggets", "of an answer's text, where a person or model says what it holds"),),
    ),
    "NuggetCoverage": Page(
        "nuggets that some unit above the cut covers / nuggets",
        "it weighs what is nice to have like what is needed",
        (
            ("ndeval, ir_measures `StRecall@k`; FreshStack coverage@k", _SAME),
            ("Ragas `context_recall`", "the same share, of claims that a model found and judged"),
        ),
    ),
    "AllVital": Page(
        "1 where NuggetRecall is 1, else 0",
        "one missing fact of five is as bad as five",
        (("no other tool known to us", "of one vital nugget it is the same number as `Success(rel=2)@k`"),),
    ),
    "alphaNDCG": Page(
        "nDCG whose gain is the sum over a unit's nuggets of (1 − alpha)^(times shown above)",
        "its ideal is greedy, and with ties among equally good units not the only one",
        (("ndeval, ir_measures `alpha_nDCG`", _SAME + ": of equals the last id is taken into the ideal"),),
    ),
    "SpanRecall": Page(
        "characters of evidence shown / characters of evidence",
        "half of a sentence counts half, whether it answers or not",
        (("Chroma `recall`", _SAME),),
    ),
    "SpanPrecision": Page(
        "characters shown that are evidence / characters shown",
        "evidence that nobody labelled is called waste",
        (("Chroma `precision`", "counts overlapping chunks each time: `overlap=each`"),),
    ),
    "IoU": Page(
        "characters shown and evidence / characters shown or evidence",
        "long units are punished by it, whatever a prompt has room for",
        (("Chroma `iou`", "counts overlapping chunks each time: `overlap=each`"),),
    ),
    "TokenRecall": Page(
        "SpanRecall, in tokens",
        "tokens differ between tokenizers: say which",
        (("Chroma (called token-wise, counted in characters)", "`SpanRecall`"),),
    ),
    "TokenPrecision": Page(
        "SpanPrecision, in tokens",
        "tokens differ between tokenizers: say which",
        (("Chroma (called token-wise, counted in characters)", "`SpanPrecision(overlap=each)`"),),
    ),
    "TokenIoU": Page(
        "IoU, in tokens",
        "tokens differ between tokenizers: say which",
        (("Chroma (called token-wise, counted in characters)", "`IoU(overlap=each)`"),),
    ),
    "NumQ": Page("1", _COUNT, (("trec_eval `num_q`", _SAME),)),
    "NumRet": Page("units returned", _COUNT, (("trec_eval `num_ret`, ir_measures `NumRet`", _SAME),)),
    "NumRel": Page("relevant units known", _COUNT, (("trec_eval `num_rel`, ir_measures `NumRel`", _SAME),)),
    "NumRelRet": Page("relevant units returned", _COUNT, (("trec_eval `num_rel_ret`", _SAME),)),
    "NumNonrelJudgedRet": Page(
        "units returned and judged not relevant", _COUNT, (("trec_eval `num_nonrel_judged_ret`", _SAME),)
    ),
    "GMAP": Page(
        "exp of the mean of log(max(AP, 0.00001))",
        "one question with nothing found outweighs many that are well served",
        (("trec_eval `gm_map`", _SAME),),
    ),
    "GMBpref": Page(
        "exp of the mean of log(max(bpref, 0.00001))",
        "one question with nothing found outweighs many that are well served",
        (("trec_eval `gm_bpref`", _SAME),),
    ),
    "SetP": Page(
        "relevant units returned / units returned",
        "it depends on how many units a system was told to return",
        (("trec_eval `set_P`, ir_measures `SetP`", _SAME),),
    ),
    "SetAP": Page(
        "SetP times recall",
        "it depends on how many units a system was told to return",
        (("trec_eval `set_map`, ir_measures `SetAP`", _SAME),),
    ),
    "SetF": Page(
        "(beta + 1) P R / (R + beta P)",
        "beta is not squared here, as it is in the usual F",
        (("trec_eval `set_F.beta`, ir_measures `SetF(beta=)`", _SAME),),
    ),
    "RelativeP": Page(
        "relevant units above the cut / min(k, R)",
        "a question with one relevant unit weighs as much as one with fifty",
        (("trec_eval `relative_P_k`, `set_relative_P`", _SAME),),
    ),
    "Utility": Page(
        "a · relevant returned + b · others returned + c · relevant not returned",
        "it has no bounds, and its mean follows the questions with most units",
        (("trec_eval `utility.a,b,c,0`", _SAME),),
    ),
}
