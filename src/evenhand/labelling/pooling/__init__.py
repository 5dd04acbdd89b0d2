"""Which items are judged: pools of the tops of runs, sampled with known chances."""
