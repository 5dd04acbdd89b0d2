"""When to answer and when to defer: rules applied to rankings. Formulas of risk lie in `evenhand.stats`.

A study's way, each step a function over columns of questions:

    ranked = rankings_of(runs, gold.ids)                       # rankings: units become documents
    truth = truth_of(gold, documents_by_evidence(gold), corpus)  # acceptable, truth
    of = ("bm25", "dense", "current")                          # the last one answers
    rules = [Consensus(of), threshold_rule("score(dense)", 0.7, of, ranked.scales), Always(of), Never(of)]
    made = [outcomes_of(decisions_of(rule, ranked), truth, ranked) for rule in rules]     # columns, outcomes
    table_of(made[0]) ; met(table.row("answered_precision"), at_least=0.75, by="point")   # table
    column = column_of(signal("score(dense)", of, ranked.scales), ranked)                 # signals, columns
    losses = truth.losses(ranked, of[-1])                      # 1 where answering would be wrong
    curve_of(column, losses, clusters=truth.clusters)          # curve
    separation_of(column, truth.answerable)                    # separability
    reckon(made, Costs(false_answer=5, needless_deferral=1, prevalence=0.3))              # cost
    learn([column, ...], truth, ranked, costs)                 # learn: .rule, .decisions
    chosen, report = calibration_split(gold, seed=seed)        # calibration: never the same
    part, right = ranked.take(chosen), truth.take(chosen)
    promise = guarantee(column_of(column.signal, part), right.losses(part, of[-1]),
                        grid_of(column.signal.scale), alpha=0.1, delta=0.1)  # .threshold None: .says why
    promise.apart(report)                                      # raises when a question did both
    queue_of(decisions_of(rule, ranked), ranked, texts)        # queue
    Gate(rule, ranked.scales, study={...}, measured=[...])     # exported; write_gate, load_gate

Words at the ends of lines are the modules. `scales`, `heads`, `signals`, `decision`, `rules`, `learned` and
`exported` are plain Python on one question: a study runs the code that runs in production. A value that does
not exist (no score, NaN, off its scale) has a reason, is flagged and defers.
"""
