"""The reference page of the statistics says what the functions say."""

import inspect
from importlib import import_module

from tests.stats import reference


def test_every_public_function_is_on_the_page_and_the_page_is_fresh():
    text = reference.PAGE.read_text(encoding="utf-8")
    for name in reference.modules():
        for function in reference.functions(import_module(f"evenhand.stats.{name}")):
            assert f"`{function.__name__}`" in text, f"{name}.{function.__name__}"
            assert f"::: evenhand.stats.{name}\n" in text
    assert text == reference.page(), "write it anew: python -m tests.stats.reference"


def test_every_estimator_names_its_source():
    mute = [
        f"{name}.{function.__name__}"
        for group in reference.GROUPS.values()
        for name in group
        for function in reference.functions(import_module(f"evenhand.stats.{name}"))
        if not reference.said(function, "Source:")
    ]
    assert mute == []


def test_every_function_says_first_what_it_is_in_one_sentence():
    for name in reference.modules():
        for function in reference.functions(import_module(f"evenhand.stats.{name}")):
            first = (inspect.getdoc(function) or "").split("\n")[0]
            assert first.endswith((".", "?", '."')), f"{name}.{function.__name__}: {first}"
