"""The lines of the table whose entries read a file of people's and machines' labels."""

from __future__ import annotations

import gzip
import json

from adapters import Absent, golden, stats

FEW = {"resamples": 20}  # only the points are compared here


def _read(folder, name):
    path = folder / name
    if not path.is_file():
        raise Absent(f"{name} is absent")
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")
    if ".jsonl" in path.name:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return json.loads(text)


def _sign(x):
    return (x > 0) - (x < 0)


@golden("correlation_file")
def ragchecker(folder, files, rule):
    people, machine = (_read(folder, name) for name in files)
    pearson, spearman = stats("intervals.correlation").pearson, stats("intervals.correlation").spearman
    raw, kappa = stats("agreement.raw_agreement").raw_agreement, stats("agreement.kappa").cohen_kappa
    answer = {}
    for label in ("correctness_label", "completeness_label", "overall_label"):
        gaps = [row["model2"]["ragchecker"][label] - row["model1"]["ragchecker"][label] for row in machine]
        least, most = min(gaps), max(gaps)
        judge = [4 * (gap - least) / (most - least) - 2 for gap in gaps for _ in range(2)]
        human = [row[label] for row in people]
        first, second = human[0::2], human[1::2]
        pairs = list(zip(first, second, strict=True))
        correlations = {
            "judge_pearson": 100 * pearson(judge, human).r,
            "judge_spearman": 100 * spearman(judge, human).r,
            "human_pearson": 100 * pearson(first, second).r,
            "human_spearman": 100 * spearman(first, second).r,
        }
        answer[label] = {
            **correlations,
            "published_recalled": [round(value, 2) for value in correlations.values()],
            "human_raw_agreement": raw(first, second).value,
            "human_within1": raw([abs(a - b) <= 1 for a, b in pairs], [True] * len(pairs)).value,
            "human_kappa": kappa(first, second, categories=(-2, -1, 0, 1, 2)).kappa,
            "human_kappa_quadratic": kappa(
                first, second, weights="quadratic", categories=(-2, -1, 0, 1, 2)
            ).kappa,
            "human_alpha_ordinal": stats("agreement.krippendorff")
            .krippendorff_alpha(pairs, scale="ordinal", **FEW)
            .value,
            "human_sign_agreement": raw([_sign(a) for a in first], [_sign(b) for b in second]).value,
        }
    return answer


@golden("correlation_file")
def alce(folder, file, subset):
    systems = _read(folder, file)[subset].values()
    # the last row of a system holds its averages
    rows = [row for system in systems for row in system.values() if "utility_score" in row]
    utility = [float(row["utility_score"]) for row in rows]
    scores = [row["automatic_correctness_scores"] for row in rows]
    automatic = [sum(map(float, found)) / len(found) for found in scores]
    mean = stats("intervals.bootstrap").mean
    return {
        "n": len(rows),
        "pearson": stats("intervals.correlation").pearson(utility, automatic).r,
        "spearman": stats("intervals.correlation").spearman(utility, automatic).r,
        "mean_utility": mean(utility),
        "mean_auto": mean(automatic),
    }


@golden("panel_agreement_file")
def webis(folder, file, rule):
    rows = _read(folder, file)
    code = {"A": 0, "N": 1, "B": 2}
    answer = {}
    for key in [key for key in rows[0] if key.endswith("_vote")]:
        votes = [[code[vote] for vote in row[key]] for row in rows]
        found = stats("agreement.raw_agreement").panel(votes, **FEW)
        alpha = stats("agreement.krippendorff").krippendorff_alpha
        answer[key.removesuffix("_vote")] = {
            "fleiss": stats("agreement.gwet").fleiss_kappa(votes, **FEW).value,
            "alpha_nominal": alpha(votes, **FEW).value,
            "alpha_ordinal": alpha(votes, scale="ordinal", **FEW).value,
            "mean_pairwise": found.mean_pairwise,
            "unanimity": found.unanimous,
            "majority_exists": sum(label is not None for label in found.majority) / len(votes),
        }
    return answer


@golden("judge_vs_human_file")
def wice(folder, files, positive, n):
    claims = _read(folder, "wice/claim_test.jsonl")
    human = {claim["meta"]["id"]: claim["label"] == positive.partition("==")[2] for claim in claims}
    answer = {}
    for model in ("gpt-4-0613", "gpt-3.5-turbo-0613"):
        scores = _read(folder, f"wice/claim.{model}.score.json")
        assert len(scores) == n
        for cut in (0.5, 1.0):
            found = stats("agreement.judge_accuracy").judge_against_human(
                [int(score >= cut) for score in scores.values()], [int(human[name]) for name in scores], **FEW
            )
            answer[f"{model}@{cut}"] = {
                "f1": 100 * found.sides.positive.value,
                "acc": 100 * found.agreement.value,
                "kappa": found.kappa.kappa,
                "judge_rate": found.judge_rate.value,
                "human_rate": found.human_rate.value,
            }
    # as printed: ours rounded where the outputs are in the data, and for T5, whose outputs are not, quoted
    printed = {name: [round(answer[at]["f1"], 1), answer[at]["acc"]] for name, at in PRINTED_AT.items()}
    return {**answer, "published": {**printed, **T5}}


PRINTED_AT = {"gpt-4-0613": "gpt-4-0613@1.0", "gpt-3.5-turbo-0613": "gpt-3.5-turbo-0613@0.5"}
T5 = {"t5-3b-anli-wice": [77.8, 88.0], "t5-3b-anli": [61.8, 74.0]}
