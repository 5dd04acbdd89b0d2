"""Decimal numbers in text, a whole block at once, each rounded exactly as `float` rounds it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evenhand.formats.runs.id_hash import Ids

__all__ = ["floats", "wholes"]

U = np.uint64
ZEROS = U(0x3030303030303030)  # "00000000"
POINTS = U(0x2E2E2E2E2E2E2E2E)  # "........"
LOW = U(0x7F7F7F7F7F7F7F7F)
HIGH = U(0x8080808080808080)
OVER = U(0x7676767676767676)  # brings everything above 9 to the highest bit
PAIRS = (
    (U(0x0F0F0F0F0F0F0F0F), U(2561), U(8)),  # 10 * first + second
    (U(0x00FF00FF00FF00FF), U(6553601), U(16)),
    (U(0x0000FFFF0000FFFF), U(42949672960001), U(32)),
)
THREE, FULL = U(3), U(64)
TENS = np.array([10**i for i in range(20)], dtype=np.uint64)
POWERS = np.array([float(10**i) for i in range(23)])  # all exact in float64
EXACT = U(1 << 53)
SPLIT = 134217729.0  # 2^27 + 1 (Dekker 1971)


def wholes(text: Ids) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Whole numbers of up to 18 digits without a sign; and where the text is none of these."""
    n, wrong = _digits(text, 0)
    return n.view(np.int64), wrong | (text.length > 18)


def floats(text: Ids) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Numbers such as ``12.5``, ``-3`` and ``1.25e-05``; and where *text* is none (or needs more care).

    What is not refused equals ``float(text)`` in every bit.
    """
    if not len(text):
        return np.zeros(0), np.zeros(0, dtype=bool)
    # most files write all numbers with the same number of decimals
    point = text.bytes_of(0)[::-1].find(b".") + 1
    if point <= 16:
        n, wrong = _digits(text, point)
        whole = n // TENS[point]
        n -= whole * (TENS[point] - TENS[point - 1]) if point else 0
        value, doubt = _rounded(n, max(point - 1, 0))
        wrong |= doubt
    else:
        value, wrong = np.zeros(len(text)), np.ones(len(text), dtype=bool)
    for way in (_unlike, _signed):
        rest = np.flatnonzero(wrong)
        if len(rest):
            value[rest], wrong[rest] = way(text[rest])
    return value, wrong


def _unlike(text: Ids) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Numbers with any number of decimals each."""
    n, decimals, wrong = _each(text)
    value, doubt = _rounded(n, decimals)
    return value, wrong | doubt


def _signed(text: Ids) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The same with a sign before it, and an exponent of two digits behind it."""
    first = text.data[text.start]
    sign = (first == ord("-")) | (first == ord("+"))
    start, length = text.start + sign, text.length - sign
    end = start + length
    tail = np.maximum(end - 4, 0)
    mark, turn = text.data[tail], text.data[tail + 1]
    tens, ones = text.data[tail + 2] - np.uint8(ord("0")), text.data[tail + 3] - np.uint8(ord("0"))
    power = (
        (length > 4)
        & ((mark == ord("e")) | (mark == ord("E")))
        & ((turn == ord("-")) | (turn == ord("+")))
        & (tens <= 9)
        & (ones <= 9)
    )
    exponent = np.where(power, tens.astype(np.int64) * 10 + ones, 0)
    exponent = np.where(turn == ord("-"), -exponent, exponent)
    inner = text[slice(None)]
    inner.start, inner.length = start, length - 4 * power
    n, decimals, wrong = _each(inner)
    value, doubt = _rounded(n, decimals - exponent)
    return np.where(first == ord("-"), -value, value), wrong | doubt


def _digits(text: Ids, point: int) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """The digits as one number, a point (the *point*-th character from the end, 0: none) read as a 0.

    And where the text has not this form, or more than 64 bits.
    """
    length = text.length
    longest, shortest = int(length.max(initial=0)), int(length.min(initial=24))
    total = bad = np.zeros(len(length), dtype=np.uint64)
    for k in range(min(-(-longest // 8), 3)):
        word = text.tail(k)
        word ^= ZEROS
        if shortest < 8 * (k + 1):
            absent = FULL - (np.clip(length - 8 * k, 0, 8).view(U) << THREE)
            word >>= absent
            word <<= absent
        if 8 * k < point <= 8 * (k + 1):
            # a point where it must be leaves 0, anything else some bits
            place = U(64 - 8 * (point - 8 * k))
            word ^= U(0x1E) << place
            bad = bad | (word & (U(0xFF) << place))
        bad = bad | (((word + OVER) | word) & HIGH)
        steps = PAIRS if longest > 8 * k + 4 else PAIRS[:2]
        for mask, by, shift in steps:
            word &= mask
            word *= by
            word >>= shift
        if len(steps) == 2:  # four digits, in the upper half
            word >>= U(32)
        if k == 2:
            bad |= np.where(word > U(1843), HIGH, U(0))  # beyond 64 bits
        total = total + word * TENS[8 * k] if k else word
    wrong = bad != 0
    if longest > 24 or shortest <= point:
        wrong |= (length > 24) | (length < point) | ((length == point) & (length <= 1))
    return total, wrong


def _each(text: Ids) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.bool_]]:
    """The digits as one number, how many of them stand behind the point, and what has not this form."""
    n = np.zeros(len(text), dtype=np.uint64)
    wrong = np.ones(len(text), dtype=bool)
    point = _point(text)
    for one in np.unique(point):
        rows = np.flatnonzero(point == one)
        digits, wrong[rows] = _digits(text[rows], int(one))
        # the point was read as a 0: take it out; more than 18 digits behind it leave none before
        if 1 <= one <= 19:
            digits -= digits // TENS[one] * (TENS[one] - TENS[one - 1])
        n[rows] = digits
    return n, np.maximum(point - 1, 0), wrong


def _point(text: Ids) -> NDArray[np.int64]:
    """Where the first point stands, counted from the end from 1; 0: nowhere in the last 24 characters."""
    found = np.zeros(len(text), dtype=np.int64)
    for k in range(min(-(-int(text.length.max(initial=0)) // 8), 3)):
        dot = text.tail(k) ^ POINTS
        # exactly the bytes that are 0 get their highest bit
        dot = ~(((dot & LOW) + LOW) | dot | LOW)
        place = 8 * k + 8 - (np.bitwise_count((dot & (~dot + U(1))) - U(1)).astype(np.int64) >> 3)
        found = np.where((dot != 0) & (place <= text.length) & (found == 0), place, found)
    return found


def _rounded(
    n: NDArray[np.uint64], decimals: NDArray[np.int64] | int
) -> tuple[NDArray[np.float64], NDArray[np.bool_] | bool]:
    """Of n / 10^decimals, rounded once; and where that is not certain."""
    value = n.astype(np.float64)
    most = n.max(initial=0)
    if isinstance(decimals, int) and most < EXACT:
        return value / POWERS[decimals], False
    decimals = np.broadcast_to(decimals, value.shape)
    doubt = np.abs(decimals) > 22
    power = POWERS[np.where(doubt, 0, np.abs(decimals))]
    up = decimals < 0
    value = np.where(up, value * power, value / power)  # of two exact numbers: rounded once
    if most >= EXACT:
        large = np.flatnonzero(n >= EXACT)
        value[large], unsure = _long(n[large], power[large])
        doubt[large] |= unsure | up[large]
    return value, doubt


def _long(n: NDArray[np.uint64], power: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Of n / power for n of up to 64 bits, in double-double arithmetic (Dekker 1971)."""
    high = n.astype(np.float64)
    # what rounding to float64 left over; modulo 2^64 the difference is right, for it is small
    low = (n - np.where(high >= 2.0**64, 0, high).astype(np.uint64)).view(np.int64).astype(np.float64)
    first = high / power
    product, error = _product(first, power)
    rest = ((high - product) - error + low) / power
    value = first + rest
    left = rest - (value - first)
    half = np.spacing(value) * 0.5
    # within a hair of the middle between two numbers only the whole text can tell
    return value, np.abs(np.abs(left) - half) <= half * 1e-9


def _product(
    a: NDArray[np.float64], b: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The product rounded, and what the rounding lost."""
    a_high = SPLIT * a - (SPLIT * a - a)
    b_high = SPLIT * b - (SPLIT * b - b)
    a_low, b_low = a - a_high, b - b_high
    product = a * b
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
