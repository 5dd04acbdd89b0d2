"""The results folder and what is kept beside it: report, ledger, gate, baseline, Parquet."""
