"""Accounts and rates of generated items as plain JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evenhand.answer.diagnosis.diagnose import Rate
    from evenhand.answer.diagnosis.failure_rates import Account, Share
    from evenhand.answer.diagnosis.failure_rates import Rate as CheckRate

__all__ = ["account_json", "rate_json", "share_json"]


def share_json(one: Share) -> dict[str, Any]:
    """K of n, with its interval."""
    return {"k": one.k, "n": one.n, "point": one.point, "low": one.interval.low, "high": one.interval.high}


def rate_json(one: Rate) -> dict[str, Any]:
    """A rate of cases, with the clusters its interval is over."""
    found = one.interval
    return {
        "k": one.k,
        "n": one.n,
        "clusters": one.clusters,
        "point": one.point,
        "low": found.low,
        "high": found.high,
        "method": found.method,
        "reason": found.reason,
    }


def account_json(one: Account) -> dict[str, Any]:
    """The topics of one system; its rates never without the share of valid topics."""
    return {
        "system": one.system,
        "topics": one.topics,
        "states": dict(one.states),
        "valid": share_json(one.valid),
        "against": one.against,
        "again": list(one.again),
        "items": one.items,
        "sentence": one.sentence(),
        "rates": [_check_json(rate) for rate in one.rates],
    }


def _check_json(one: CheckRate) -> dict[str, Any]:
    share = one.share
    k = round(share.point * share.n) if share.point is not None else 0
    return {
        "check": one.check,
        "k": k,
        "n": share.n,
        "clusters": share.clusters,
        "point": share.point,
        "low": share.interval.low,
        "high": share.interval.high,
        "icc": share.icc,
        "deff": share.deff,
        "n_eff": share.n_eff,
        "flags": list(share.interval.flags),
        "undecided": one.undecided,
        "reasons": dict(one.reasons),
        "bound_low": one.low,
        "bound_high": one.high,
    }
