"""The full size: 1,000,000 units × 10,000 questions, given their vectors, within 8 GB. About 12 CPU minutes."""

from benchmarks.scale import ran, told

UNITS, QUESTIONS, MOST = 1_000_000, 10_000, 8 * 1024  # MiB


def test_a_million_units_and_ten_thousand_questions_fit_in_eight_gigabytes():
    one = ran(UNITS, QUESTIONS)
    print(f"\nscale: {told(one)}")
    assert one.rss < MOST
    assert one.headline
