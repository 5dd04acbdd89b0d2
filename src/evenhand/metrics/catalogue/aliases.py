"""What other tools call our metrics: trec_eval, ir_measures and ranx."""

from __future__ import annotations

import re

__all__ = ["ELSEWHERE", "translate", "trec_name"]

# trec_eval: name -> (ours, what follows the name: "" nothing, "k" a cutoff, "x" a parameter)
TREC = {
    "map": "AP",
    "recip_rank": "RR",
    "Rprec": "RPrec",
    "bpref": "Bpref",
    "infAP": "InfAP",
    "ndcg": "nDCG",
    "11pt_avg": "IPrec11",
    "gm_map": "GMAP",
    "num_q": "NumQ",
    "num_ret": "NumRet",
    "num_rel": "NumRel",
    "num_rel_ret": "NumRelRet",
    "num_nonrel_judged_ret": "NumNonrelJudgedRet",
    "gm_bpref": "GMBpref",
    "set_P": "SetP",
    "set_recall": "R",
    "set_map": "SetAP",
    "set_relative_P": "RelativeP",
    "set_F": "SetF",
    "utility": "Utility",
    "ndcg_rel": "nDCGRel",
    "Rndcg": "RnDCG",
    "binG": "BinG",
}
# trec_eval's measures that take a gain for each grade, as in ndcg.1=3,2=9
TREC_GAINS = {"ndcg": "nDCG", "ndcg_rel": "nDCGRel", "Rndcg": "RnDCG", "G": "G"}
TREC_CUT = {
    "P": "P",
    "recall": "R",
    "ndcg_cut": "nDCG",
    "map_cut": "AP",
    "success": "Success",
    "relative_P": "RelativeP",
}
TREC_PARAM = {"iprec_at_recall": "IPrec(recall={})", "Rprec_mult": "RPrec(mult={})"}
# ranx, and names heard elsewhere; with or without @k
OTHERS = {
    "ndcg": "nDCG",
    "ndcg_burges": "nDCG(gain=exp)",
    "mrr": "RR",
    "rr": "RR",
    "MRR": "RR",
    "map": "AP",
    "MAP": "AP",
    "ap": "AP",
    "NDCG": "nDCG",
    "BPref": "Bpref",
    "SetRelP": "RelativeP",
    "precision": "P",
    "Precision": "P",
    "recall": "R",
    "Recall": "R",
    "hit_rate": "Success",
    "hit": "Success",
    "r_precision": "RPrec",
    "Rprec": "RPrec",
    "bpref": "Bpref",
    "infAP": "InfAP",
    "judged": "Judged",
    "StRecall": "NuggetCoverage",
    "subtopic_recall": "NuggetCoverage",
    "SubtopicRecall": "NuggetCoverage",
    "alpha_nDCG": "alphaNDCG",
    "SetR": "R",
    "context_recall": "NuggetCoverage",
    "ContextRecall": "NuggetCoverage",
    "context_precision": "RagasContextPrecision",
}
ELSEWHERE = TREC_CUT | TREC | OTHERS  # their name -> ours
_GROUPED = re.compile(r"^(?P<name>[A-Za-z_]+)[_.](?P<rest>[0-9.]+)$")
_GAINS = re.compile(r"^(?P<name>[A-Za-z_]+)[_.](?P<rest>-?\d+=[0-9.]+(?:,-?\d+=[0-9.]+)*)$")
_UTILITY = re.compile(r"^utility[_.](?P<rest>[0-9.,-]+)$")
_NUM_RET = re.compile(r"^NumRet\((?P<params>\s*rel\s*=[^(),]+)\)$")
_IPREC = re.compile(r"^IPrec(?P<params>\([^()]*\))?@(?P<recall>[01](?:\.[0-9]+)?)$")
_LEVEL = re.compile(r"^(?P<name>[A-Za-z_]+)(?P<cut>@[0-9]+)?-l(?P<level>[0-9]+)$")
_OTHER = re.compile(r"^(?P<name>[A-Za-z_]+)(?P<params>\([^()]*\))?(?P<cut>@.*)?$")
_DCG = re.compile(r"dcg\s*=\s*(['\"]?)(log2|exp-log2)\1")


def translate(text: str) -> str:
    """Our spelling of *text*; what is not known elsewhere comes back unchanged."""
    text = text.strip().replace("r-precision", "r_precision")  # ranx
    text = re.sub("\u03b1_?", "alpha_", text)  # ir_measures prints a Greek letter
    if text in TREC:
        return TREC[text]
    found = _pinned(text)
    if found is not None:
        return found
    grouped = _GROUPED.match(text)
    if grouped:
        name, rest = grouped["name"], grouped["rest"]
        if name in TREC_CUT and rest.isdigit():
            return f"{TREC_CUT[name]}@{int(rest)}"
        if name in TREC_PARAM:
            return TREC_PARAM[name].format(rest)
        if name == "rbp":
            return f"RBP(p={'0.' + rest.lstrip('.') if not rest.startswith('0') else rest})"
    other = _OTHER.match(text)
    if other and other["name"] in OTHERS:
        ours = OTHERS[other["name"]]
        return ours + ("" if ours.endswith(")") else (other["params"] or "")) + (other["cut"] or "")
    return _DCG.sub(lambda found: "gain=" + ("exp" if found[2] == "exp-log2" else "linear"), text)


def _pinned(text: str) -> str | None:
    """Names of others that carry parameters in a form of their own; None when it is none of them."""
    if (found := _GAINS.match(text)) and found["name"] in TREC_GAINS:
        return f"{TREC_GAINS[found['name']]}(gains={{{found['rest'].replace('=', ':')}}})"
    if found := _UTILITY.match(text):
        worth = found["rest"].split(",")
        if len(worth) == 3 or (len(worth) == 4 and worth[3].strip("0.") == ""):
            return "Utility(" + ",".join(f"{n}={w}" for n, w in zip("abc", worth, strict=False)) + ")"
    if found := _NUM_RET.match(text):  # ir_measures: with a level it counts the relevant ones
        return f"NumRelRet({found['params']})"
    if found := _IPREC.match(text):
        inside = (found["params"] or "()")[1:-1]
        return f"IPrec({inside}{',' if inside else ''}recall={found['recall']})"
    if found := _LEVEL.match(text):  # ranx: precision@5-l2
        return translate(found["name"] + f"(rel={found['level']})" + (found["cut"] or ""))
    return None


def trec_name(text: str) -> str:
    """What trec_eval calls the metric of the canonical name *text*; our own name where it has none."""
    for theirs, ours in TREC.items():
        if text == ours:
            return theirs
    for theirs, ours in TREC_CUT.items():
        if re.fullmatch(re.escape(ours) + r"@[0-9]+", text):
            return f"{theirs}_{text.split('@')[1]}"
    if text == "IPrec":
        return "iprec_at_recall_0.00"
    found = re.fullmatch(r"(IPrec|RPrec)\((?:recall|mult)=([0-9.]+)\)", text)
    if found:
        return f"{'iprec_at_recall' if found[1] == 'IPrec' else 'Rprec_mult'}_{float(found[2]):.2f}"
    return text
