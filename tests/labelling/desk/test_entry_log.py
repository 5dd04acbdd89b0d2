"""A book read from the first entry to the last, against the simplest model of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.errors import InputError
from evenhand.labelling.desk.entry_log import Book
from evenhand.model.judging import Entry


def line(number, task, kind="grade", undoes=0):
    grade = 1.0 if kind == "grade" else None
    return Entry(
        desk="d", task=task, token=f"t{number}", kind=kind, grade=grade, number=number, undoes=undoes
    )


@given(st.lists(st.one_of(st.sampled_from("abc"), st.just("undo")), max_size=40))
@settings(max_examples=80, deadline=None)
def test_a_book_equals_a_pile_of_answers(acts):
    book, pile, number = Book(), [], 0
    for act in acts:
        if act == "undo":
            if not pile:
                continue
            number += 1
            undone = pile.pop()
            book.add(line(number, undone.task, "undo", undone.number))
        else:
            number += 1
            pile.append(line(number, act))
            book.add(pile[-1])
        for task in "abc":
            left = [entry for entry in pile if entry.task == task]
            assert book.standing(task) == (left[-1] if left else None)
        assert book.done == len({entry.task for entry in pile})


@pytest.mark.parametrize(
    "entries",
    [
        [line(2, "a")],
        [line(1, "a"), line(3, "b")],
        [line(1, "a"), line(2, "a", "undo", undoes=2)],
        [line(1, "a"), line(2, "b"), line(3, "b", "undo", undoes=1)],
        [line(1, "a"), line(2, "b", undoes=1)],
    ],
)
def test_a_book_with_a_gap_or_a_false_undo_is_refused(entries):
    with pytest.raises(InputError):
        Book(entries)
