"""All workers of a cluster lost at once, with what they shared, and one after the other."""

import pytest
from tests.engine.work import ends, fatal

from evenhand.engine.dask import Dask
from evenhand.errors import InputError
from evenhand.testing.engine import late


@pytest.fixture
def cluster():
    made = Dask(workers=2)
    yield made
    made.close()


def test_what_all_workers_held_is_sent_again_when_all_are_lost(cluster, tmp_path):
    table = bytes(3_000_000)
    found = list(cluster.map(ends, range(8), shared=(str(tmp_path), table)))
    assert found == [i + len(table) for i in range(8)]
    assert len(list(tmp_path.glob("ended-*"))) == 2


def test_work_that_ends_every_worker_is_given_up_with_its_name(cluster):
    with pytest.raises(
        InputError, match=r"tests.engine.work:fatal has ended one worker after the other"
    ) as told:
        list(cluster.map(fatal, [1]))
    assert "memory" in told.value.mend


def test_a_scheduler_that_is_gone_is_told(cluster):
    results = cluster.map(late, ((i, 0.1) for i in range(1000)))
    assert next(results) == 0
    cluster._cluster.close()
    with pytest.raises(InputError, match="the Dask scheduler is gone"):
        list(results)
