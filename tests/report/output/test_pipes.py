import os

import pytest

from evenhand.report.output.terminal import console


def test_a_reader_that_has_gone_is_no_verdict():
    # rich ends the program with 1 there, which would mean "done, and a criterion is not met"
    read, write = os.pipe()
    os.close(read)
    file = os.fdopen(write, "w")
    with pytest.raises(BrokenPipeError):
        console(file=file).print("a line")
    with pytest.raises(BrokenPipeError):
        file.close()
