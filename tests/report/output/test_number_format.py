from evenhand.report.output.number_format import signed, signed_interval


def test_what_sums_of_floats_leave_of_nothing_has_no_sign():
    assert signed(-5.6e-17) == "0.000"
    assert signed_interval(-5.6e-17, 0.407) == "[0.000, +0.407]"


def test_a_small_difference_that_is_one_keeps_its_sign():
    assert signed(-0.0002) == "\u22120.000"
