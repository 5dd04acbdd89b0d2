"""An item with everything that checks look at: made once, however many checks there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from evenhand.answer.checks.abstention import Did, did
from evenhand.answer.checks.citation_markers import Cited, cited
from evenhand.answer.checks.content_words import Word, Words, code_of, words
from evenhand.answer.checks.language import Told, language_of, leading
from evenhand.answer.checks.settings import Settings
from evenhand.answer.numbers.support import Part
from evenhand.answer.numbers.tokenizer import Number, numbers
from evenhand.model.answer import Finding, Generation, Item

__all__ = ["Borne", "CheckContext", "Shelf", "may_not_cite", "place_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Borne:
    """Whether a claim is borne out: True, False, or None where it could not be decided (``why``)."""

    claim: str
    out: bool | None
    why: str = ""
    passage: int | None = None
    start: int = 0
    end: int = 0


def place_of(position: int) -> str:
    """How a finding names a passage: counted from 1."""
    return f"passage {position + 1}"


def may_not_cite(generation: Generation, item: Item, given: Cited) -> bool:
    """Whether *item* is an answer without any citation, of a system that no prompt of ours asked for one."""
    return item.kind == "answer" and not generation.prompt and not given.citations


class Shelf:
    """The passages of one generation with their words and numbers, worked out when first asked for."""

    def __init__(self, generation: Generation, settings: Settings) -> None:
        self.generation = generation
        self.settings = settings
        self._words: dict[str, Words] = {}
        self._stems: dict[tuple[int, str], dict[str, Word]] = {}
        self._numbers: dict[int, tuple[Number, ...]] = {}

    @cached_property
    def told(self) -> Told:
        """The language of the passages together."""
        return language_of("\n".join(passage.text for passage in self.generation.passages))

    @property
    def language(self) -> str:
        """The code of the passages' language; empty where it is not known."""
        return self.told.language or code_of(self.settings.language)

    def words(self, language: str) -> Words:
        """The rule for words of a language."""
        return self._words.setdefault(language, Words(language))

    def stems(self, position: int, language: str) -> Mapping[str, Word]:
        """Stem → its first place in a passage."""
        key = (position, language)
        if key not in self._stems:
            found: dict[str, Word] = {}
            for word in self.words(language).content(self.generation.passages[position].text):
                found.setdefault(word.stem, word)
            self._stems[key] = found
        return self._stems[key]

    def numbers(self, position: int) -> tuple[Number, ...]:
        """The numbers of a passage."""
        if position not in self._numbers:
            text = self.generation.passages[position].text
            self._numbers[position] = numbers(text, language=self.language)
        return self._numbers[position]

    @cached_property
    def leads(self) -> str:
        """The language whose commonest words the passages hold most of."""
        return leading("\n".join(passage.text for passage in self.generation.passages))

    @cached_property
    def held(self) -> frozenset[str]:
        """All words of the passages."""
        every = (word for one in self.generation.passages for word, _, _ in words(one.text))
        return frozenset(word.casefold() for word in every)


@dataclass(frozen=True, kw_only=True)
class CheckContext:
    """One item beside its passages.

    ``repeats`` is the earlier item that it nearly repeats with the likeness, None where there is none or
    nobody looked (``compared``). ``borne`` are its claims as a panel or a model of entailment found them,
    None where nobody asked; ``wanted`` is the language it should be in.
    """

    generation: Generation
    item: Item
    shelf: Shelf
    settings: Settings
    repeats: tuple[str, float] | None = None
    compared: bool = False
    borne: Sequence[Borne] | None = None
    wanted: str = ""
    _memo: dict[str, object] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def cited(self) -> Cited:
        """Its citations and where they lead."""
        return cited(self.generation, self.item)

    @cached_property
    def against(self) -> tuple[int, ...]:
        """Positions of the passages it is held against."""
        return tuple(range(len(self.generation.passages))) if self.retrieved else self.cited.passages

    @cached_property
    def uncited(self) -> bool:
        """Whether it cites nothing and need not: see `evenhand.answer.checks.settings.Settings`."""
        return self.settings.look_in != "cited" and may_not_cite(self.generation, self.item, self.cited)

    @property
    def retrieved(self) -> bool:
        """Whether all passages are looked in."""
        return self.settings.look_in == "retrieved" or self.uncited

    @property
    def against_words(self) -> str:
        """What they are called in findings."""
        return "the passages retrieved" if self.retrieved else "the passages cited"

    @property
    def textless(self) -> bool:
        """Whether some of them came without their text."""
        return any(not self.generation.passages[i].text.strip() for i in self.against)

    def absent(self, count: str) -> str:
        """Why something is missing: *count* of it is not in the passages, or there are none to look in."""
        if self.against:
            return f"{count} are not in {self.against_words}"
        nothing = "no passage was retrieved" if self.retrieved else "cites no passage"
        return f"{nothing}, so that there is nothing to look in"

    @cached_property
    def told(self) -> Told:
        """The language that its words tell of."""
        return language_of("\n".join(text for _, text in self.statement))

    @cached_property
    def language(self) -> str:
        """The code of its language: given, told by its words, set, or that of the passages; else empty."""
        given = code_of(self.item.language)
        return given or self.told.language or code_of(self.settings.language) or self.shelf.told.language

    @cached_property
    def did(self) -> Did:
        """Whether it answers, abstains or asks back."""
        return did(
            self.item,
            language=self.language,
            cites=self.cited.spans,
            beside=self.settings.abstain_words,
            rule=self.shelf.words(self.language),
        )

    @cached_property
    def key(self) -> str | None:
        """The text of the key: the option it points to, or the short answer; None where there is none."""
        if self.item.kind == "multiple-choice":
            key = self.item.key
            if isinstance(key, bool) or not isinstance(key, int) or not 0 <= key < len(self.item.options):
                return None
            return self.item.options[key]
        return self.item.answer if self.item.kind == "short-answer" and self.item.answer.strip() else None

    @cached_property
    def key_place(self) -> str:
        """How findings name the place of the key."""
        return f"option {(self.item.key or 0) + 1}" if self.item.kind == "multiple-choice" else "answer"

    @cached_property
    def statement(self) -> tuple[tuple[str, str], ...]:
        """(place, text) of what it asserts: its text, and the key of a study item. Not the distractors."""
        parts = [("item", self.item.text)]
        if self.key is not None:
            parts.append((self.key_place, self.key))
        return tuple(parts)

    def skipped(self, place: str) -> tuple[tuple[int, int], ...]:
        """The spans of *place* that are citations."""
        return self.cited.spans if place == "item" else ()

    def numbers(self) -> list[Part]:
        """(place, text, numbers) of what it asserts; citations are none."""
        return [
            (
                place,
                masked(text, self.skipped(place)),
                numbers(text, language=self.language, skip=self.skipped(place)),
            )
            for place, text in self.statement
        ]

    @property
    def stock(self) -> list[Part]:
        """(place, text, numbers) of the passages it is held against."""
        return self.stock_of(self.against)

    def stock_of(self, positions: Iterable[int]) -> list[Part]:
        """(place, text, numbers) of these passages."""
        texts = [one.text for one in self.generation.passages]
        return [(place_of(i), texts[i], self.shelf.numbers(i)) for i in positions]

    @cached_property
    def strict(self) -> bool:
        """Whether it is in another language than English, as far as its commonest words tell."""
        if self.language:
            return self.language != "en"
        own = leading("\n".join(text for _, text in self.statement)) or self.shelf.leads
        return own != "en"

    @property
    def all_words_held(self) -> bool:
        """Whether it says nothing in words that the passages do not have."""
        text = "\n".join(masked(text, self.skipped(place)) for place, text in self.statement)
        return {word.casefold() for word, _, _ in words(text)} <= self.shelf.held

    def content(self) -> list[tuple[str, Word]]:
        """(place, word) of what it asserts, citations left out."""
        rule = self.shelf.words(self.language)
        found: list[tuple[str, Word]] = []
        for place, text in self.statement:
            spans = self.skipped(place)
            found += [(place, word) for word in rule.content(masked(text, spans))]
        return found

    def finding(self, check: str, passed: bool | None, why: str = "", **more: Iterable[object]) -> Finding:
        """The finding of a check on this item."""
        return Finding(
            item=self.item.id,
            check=check,
            passed=passed,
            why=why,
            **{name: tuple(value) for name, value in more.items()},  # type: ignore[arg-type]
        )


def masked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """*text* with blanks where *spans* lie, as long as before."""
    made, at = [], 0
    for start, end in sorted(spans):
        if end > at:
            made += [text[at : max(at, start)], " " * (end - max(at, start))]
            at = end
    return "".join([*made, text[at:]])
