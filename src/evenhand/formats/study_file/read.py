"""Study files: TOML to a `Plan`, every problem of the file told at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from evenhand.errors import InputError, nearest
from evenhand.formats.study_file.sections import ANALYSES, read_analyses
from evenhand.formats.study_file.toml_reader import Book, Table, load_toml
from evenhand.model.plan.study import Compare, CutPlan, MeasurePlan, Plan, SystemPlan

__all__ = ["NULLS", "SECTIONS", "read_study"]

SECTIONS = ("study", "corpus", "gold", "chunking", "system", "measure", "compare", "report")
NULLS = ("random", "popular", "constant")
ADJUST = ("holm", "none")
FUSIONS = ("rrf", "combsum", "combmnz")
NORMS = ("minmax", "max", "sum", "zscore")
SPANS = ("any", "all", "nuggets")
EVIDENCE = ("needed", "optional")
MADE_OF = ("retriever", "fuse", "rerank", "run")


def read_study(path: str | Path) -> Plan:
    """Read and check a study file.

    Paths in the plan stay as written, relative to the folder of the file. No code that it names is imported:
    whether a splitter of its own can be called is seen when it is carried out. Problems are gathered: the
    `InputError` that is raised tells of the first, and of each in its ``problems``.
    """
    file = Path(path)
    tables, book = load_toml(file)
    for section in tables:
        if section not in (*SECTIONS, *ANALYSES):
            book.wrong(section, "", "unknown section", mend=nearest(section, (*SECTIONS, *ANALYSES)))
    study = Table(book, "study", tables.get("study", {}))
    name = study.take("name", str, "")
    if not name.strip():
        if "name" in study and isinstance(study.content["name"], str):
            study.wrong("name", "is empty", mend='give the study a name: name = "handbook"')
        elif "name" not in study:
            book.wrong("study", "", "has no name", mend='write name = "…" under [study]')
    seed = study.take("seed", int, Plan.__dataclass_fields__["seed"].default, least=0)
    engine = _engine(study, study.take("engine", str, "local"))
    study.close(elsewhere={"spans": "spans belongs to [gold]", "primary": "primary belongs to [measure]"})

    chunkings = tuple(_chunkings(book, tables.get("chunking", {})))
    systems = tuple(_systems(book, tables.get("system", {}), [cut.name for cut in chunkings], file.parent))
    measure = _measure(Table(book, "measure", tables.get("measure", {})))
    compare = _compare(Table(book, "compare", tables.get("compare", {})))
    corpus = _corpus(book, tables, file.parent)
    gold = _gold(book, tables, file.parent)
    claims = _report(Table(book, "report", tables.get("report", {})))
    analyses = read_analyses(book, tables, file.parent, systems=[system.name for system in systems])
    panel = analyses.get("panel")
    if panel is not None and panel.of == "threshold" and "threshold" not in tables:
        book.wrong("panel", "of", "the study has no [threshold]", mend='add [threshold], or set of = "pool"')
    if not systems and not book.problems:
        book.wrong("", "", "there is no system to measure", mend='add [system.bm25] with retriever = "bm25"')
    if not chunkings and any(s.kind == "retriever" for s in systems) and not book.problems:
        book.wrong(
            "",
            "",
            "there is no [chunking.NAME]",
            mend='add [chunking.whole] with rule = "document", or another',
        )
    book.close()
    return Plan(
        name=name,
        seed=seed,
        corpus=corpus,
        gold=gold,
        chunkings=chunkings,
        systems=systems,
        measure=measure,
        compare=compare,
        claims=claims,
        engine=engine,
        **analyses,
    )


def _engine(study: Table, name: str) -> str:
    if name == "local":
        return name
    from evenhand.engine.factory import checked

    try:
        return checked(name)
    except InputError:
        study.wrong(
            "engine", f"{name!r} is no engine", mend='write "local", "dask://host:port" or "ray://host:port"'
        )
        return "local"


def _named(book: Book, kind: str, content: Any) -> Iterator[tuple[str, Table]]:
    if not isinstance(content, Mapping) or any(not isinstance(v, Mapping) for v in content.values()):
        book.wrong(kind, "", f"needs a name for each {kind}", mend=f"write [{kind}.NAME]")
        return
    folded: dict[str, str] = {}
    for name, inner in content.items():
        section = f"{kind}.{name}"
        if not name.strip() or "/" in name or any(ord(letter) < 32 for letter in name):
            book.wrong(section, "", f"{name!r} cannot be a name", mend="no '/' and no control characters")
        twin = folded.setdefault(name.casefold(), name)
        if twin != name:
            book.wrong(
                section, "", f"differs from {twin!r} only by capitals", mend=f"give one {kind} another name"
            )
        yield name, Table(book, section, inner)


def _chunkings(book: Book, content: Any) -> Iterator[CutPlan]:
    from evenhand.corpus.chunking_config import RULES, rule_of

    for name, table in _named(book, "chunking", content):
        rule = table.take("rule", str, "")
        if not rule:
            if "rule" not in table:
                book.wrong(table.section, "", "has no rule", mend='write rule = "sentences", or another')
            continue
        settings = table.rest()
        try:
            if rule in RULES or ":" not in rule:
                rule_of(rule, settings, where="")
        except InputError as error:
            key = next((k for k in settings if repr(k) in error.what), "")
            book.wrong(table.section, key, error.what.lstrip(" :"), mend=error.mend)
        yield CutPlan(name=name, rule=rule, settings=settings)


def _systems(book: Book, content: Any, chunkings: list[str], folder: Path) -> Iterator[SystemPlan]:
    names = list(content) if isinstance(content, Mapping) else []
    made: dict[str, tuple[str, ...]] = {}
    for name, table in _named(book, "system", content):
        kinds = [kind for kind in MADE_OF if kind in table]
        if len(kinds) != 1:
            what = f"is made in {len(kinds)} ways ({', '.join(kinds)})" if kinds else "says not what it is"
            mend = "give exactly one of retriever, fuse, rerank, run"
            meant = (
                ""
                if kinds
                else next((key for key in table.content if nearest(key, MADE_OF).startswith("did")), "")
            )
            if meant:
                what, mend = "unknown key", nearest(meant, MADE_OF)
            book.wrong(table.section, meant, what, mend=mend)
            continue
        kind = kinds[0]
        chunking = table.take("chunking", str, "")
        if chunking and chunking not in (*chunkings, "own"):
            table.wrong("chunking", f"there is no chunking {chunking!r}", mend=nearest(chunking, chunkings))
        what, of, settings = {"retriever": _retriever, "fuse": _fuse, "rerank": _rerank, "run": _run}[kind](
            table, folder
        )
        for member in of:
            if member not in names:
                table.wrong(kind, f"there is no system {member!r}", mend=nearest(member, names))
        made[name] = of
        null = kind == "retriever" and what in NULLS
        yield SystemPlan(
            name=name, kind=kind, what=what, of=of, chunking=chunking, null=null, settings=settings
        )
    _no_cycles(book, made, content)


def _no_cycles(book: Book, made: Mapping[str, tuple[str, ...]], content: Any) -> None:
    done: set[str] = set()
    for start in made:
        path: list[str] = []

        def visit(name: str, path: list[str] = path) -> bool:
            if name in path:
                ring = [*path[path.index(name) :], name]
                kind = next((k for k in MADE_OF if k in content[name]), "")
                book.wrong(
                    f"system.{name}",
                    kind,
                    f"is made from itself: {' → '.join(ring)}",
                    mend="a system may only be made from systems that do not need it",
                )
                done.update(ring)
                return True
            if name in done or name not in made:
                return False
            path.append(name)
            found = any(visit(member) for member in made[name])
            path.pop()
            done.add(name)
            return found

        if start not in done:
            visit(start)


def _retriever(table: Table, _: Path) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    what = table.take("retriever", str, "")
    if not what and isinstance(table.content["retriever"], str):
        table.wrong("retriever", "is empty", mend='write retriever = "bm25", or another')
    return what, (), table.rest()


def _fuse(table: Table, _: Path) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    of = table.texts("fuse")
    if len(set(of)) != len(of):
        table.wrong("fuse", "names a system twice", mend="name each once; give it a weight instead")
    if len(of) < 2 and isinstance(table.content["fuse"], (list, str)):
        table.wrong("fuse", f"found {len(of)} system, expected two or more", mend="name what is to be fused")
    settings: dict[str, Any] = {
        "method": table.name("method", FUSIONS, "rrf"),
        "k": table.take("k", int, 60, least=1),
    }
    if table.has("norm"):
        settings["norm"] = table.name("norm", NORMS, "minmax")
    weights = table.take("weights", list, None)
    if weights is not None:
        if not all(isinstance(w, (int, float)) and not isinstance(w, bool) and 0 <= w < 1e9 for w in weights):
            table.wrong("weights", f"found {weights!r}, expected numbers from 0 up", mend="weights = [2, 1]")
        elif len(weights) != len(of):
            table.wrong(
                "weights", f"found {len(weights)} for {len(of)} systems", mend="give one weight a system"
            )
        elif not any(weights):
            table.wrong("weights", "all are 0", mend="give at least one system a weight above 0")
        settings["weights"] = [float(w) for w in weights if isinstance(w, (int, float))]
    table.close()
    return "", of, settings


def _rerank(table: Table, _: Path) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    of = table.take("rerank", str, "")
    by = table.take("by", str, "status")
    settings: dict[str, Any] = {"depth": table.take("depth", int, 50, least=1)}
    settings |= table.rest()
    return by, (of,) if of else (), settings


def _run(table: Table, folder: Path) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    what = table.take("run", str, "")
    if what and not (folder / what).is_file():
        table.wrong("run", f"there is no file {folder / what}", mend="paths are relative to the study file")
    table.close()
    return what, (), {}


def _measure(table: Table) -> MeasurePlan:
    from evenhand.metrics.catalogue.names import here

    plain = MeasurePlan()
    depth = table.take("depth", int, plain.depth, least=1)
    deepest = 0
    names: dict[str, list[str]] = {
        "primary": [table.take("primary", str, plain.primary)],
        "secondary": list(table.texts("secondary")),
    }
    for key, found in names.items():
        for i, name in enumerate(found):
            try:
                metric = here(name)
            except InputError as error:
                table.wrong(key, error.what, mend=error.mend)
                continue
            found[i] = str(metric)  # one spelling a metric, whatever was written
            deepest = max(deepest, metric.cutoff or 0)
    if deepest > depth:
        table.wrong(
            "depth", f"runs end at {depth}, but a metric looks at {deepest}", mend=f"set depth = {deepest}"
        )
    slices = table.texts("slices", plain.slices)
    budget = table.take("budget", int, None, least=1)
    table.close()
    primary = names["primary"][0]
    secondary = tuple(dict.fromkeys(name for name in names["secondary"] if name != primary))
    return MeasurePlan(primary=primary, secondary=secondary, slices=slices, depth=depth, budget=budget)


def _compare(table: Table) -> Compare:
    plain = Compare()
    pairs: tuple[tuple[str, str], ...] | str = "all"
    found = table.content.get("pairs", "all")
    table.known.add("pairs")
    if isinstance(found, Mapping) and set(found) == {"baseline"} and isinstance(found["baseline"], str):
        pairs = f"baseline:{found['baseline']}"
    elif isinstance(found, list) and all(
        isinstance(p, list) and len(p) == 2 and all(isinstance(s, str) for s in p) for p in found
    ):
        pairs = tuple((str(a), str(b)) for a, b in found)
        if any(a == b for a, b in pairs):
            table.wrong("pairs", "a system is paired with itself", mend="name two different systems a pair")
    elif found != "all":
        table.wrong(
            "pairs",
            f"found {found!r}, expected all, a list of pairs, or a baseline",
            mend='pairs = "all", [["ours", "bm25"]] or { baseline = "bm25" }',
        )
    adjust = table.name("adjust", ADJUST, plain.adjust)
    level = table.take("level", float, plain.level)
    if not 0.5 <= level < 1:
        table.wrong("level", f"found {level!r}, expected at least 0.5 and below 1", mend="level = 0.95")
    resamples = table.take("resamples", int, plain.resamples, least=100)
    signs = table.take("signs", int, plain.signs, least=100)
    null = table.texts("null")
    for word in null:
        if word not in NULLS:
            table.wrong("null", f"there is no null system {word!r}", mend=nearest(word, NULLS))
    table.close()
    return Compare(
        pairs=pairs, adjust=adjust, level=float(level), resamples=resamples, signs=signs, null=null
    )


def _corpus(book: Book, tables: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    table = Table(book, "corpus", tables.get("corpus", {}))
    made: dict[str, Any] = {}
    path = table.take("path", str, "")
    if path and not (folder / path).exists():
        table.wrong("path", f"there is no {folder / path}", mend="paths are relative to the study file")
    elif not path and "path" not in table:
        book.wrong("corpus", "", "the documents are not named", mend='write path = "docs" under [corpus]')
    made["path"] = path
    for key in ("format",):
        if table.has(key):
            made[key] = table.take(key, str)
    for key in ("glob", "exclude"):
        if table.has(key):
            made[key] = list(table.texts(key))
    table.close()
    return made


def _gold(book: Book, tables: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    table = Table(book, "gold", tables.get("gold", {}))
    made: dict[str, Any] = {}
    for key in ("path", "format", "qrels", "topics", "judgements"):
        if table.has(key):
            made[key] = table.take(key, str)
    for key in ("path", "qrels", "topics", "judgements"):
        if made.get(key) and not (folder / made[key]).exists():
            table.wrong(key, f"there is no {folder / made[key]}", mend="paths are relative to the study file")
    if not made.get("path") and not made.get("topics") and "path" not in table:
        book.wrong("gold", "", "the questions are not named", mend='write path = "gold.jsonl" under [gold]')
    if table.has("spans"):
        made["spans"] = table.name("spans", SPANS, "nuggets")
    if table.has("exclude"):
        made["exclude"] = list(table.texts("exclude"))
    if table.has("evidence"):
        made["evidence"] = table.name("evidence", EVIDENCE, "needed")
    if table.has("lenient"):
        made["lenient"] = table.take("lenient", bool, default=False)
    table.close()
    return made


def _report(table: Table) -> dict[str, Any]:
    made: dict[str, Any] = {}
    if table.has("does_not_claim"):
        made["does_not_claim"] = list(table.texts("does_not_claim"))
    if table.has("questions"):
        made["questions"] = table.take("questions", int, None, least=0)
    if table.has("plots"):
        made["plots"] = table.take("plots", bool, default=True)
    table.close()
    return made
