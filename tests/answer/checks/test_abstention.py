"""Who answers, who abstains, who asks back; and languages."""

import pytest

from evenhand.answer.checks.abstention import did
from evenhand.answer.checks.abstention_phrases import PHRASES
from evenhand.answer.checks.content_words import Words, code_of, stop_words
from evenhand.answer.checks.language import language_of, may_be, script_of
from evenhand.model.answer import Item


def of(text, language="en", **more):
    return did(Item(topic="q", kind="answer", text=text, **more), language=language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The provided passages do not say how long the notice period is.", "en"),
        ("I don’t know.", "en"),
        ("I cannot answer this from the given context.", "en"),
        ("This cannot be determined from the documents.", "en"),
        ("There is no information about pets in the documents.", "en"),
        ("The notice period is not mentioned in the provided text.", "en"),
        ("Insufficient information.", "en"),
        ("Unanswerable", "en"),
        ("I'm unable to find that in the handbook.", "en"),
        ("", "en"),
        ("Das lässt sich aus den Texten nicht beantworten.", "de"),
        ("Die Dokumente enthalten dazu keine Angaben.", "de"),
        ("Ich weiß es nicht.", "de"),
        ("Je ne sais pas.", "fr"),
        ("Les documents ne mentionnent pas le préavis.", "fr"),
        ("No se menciona en el texto.", "es"),
        ("Il testo non lo dice.", "it"),
        ("O texto não menciona isso.", "pt"),
        ("De tekst noemt dat niet.", "nl"),
        ("Die Dokumente enthalten dazu keine Angaben.", ""),
    ],
)
def test_abstains(text, language):
    assert of(text, language).what == "abstained"


@pytest.mark.parametrize(
    "text",
    [
        "The tenant cannot leave before May.",
        "The notice period is 30 days [1].",
        "It is not allowed to keep dogs.",
        "No dogs are allowed.",
        "You do not have to pay.",
    ],
)
def test_a_no_of_the_matter_itself_is_an_answer(text):
    assert of(text).what == "answered"


def test_an_answer_after_a_reservation_is_an_answer():
    text = "The passages do not say when it began. The notice period is 30 days [1]."
    cites = [(text.index("["), len(text) - 1)]
    found = did(Item(topic="q", kind="answer", text=text), language="en", cites=cites)
    assert found.what == "answered"
    assert "something is missing" in found.why
    assert found.spans[0] == (0, 23)
    assert did(Item(topic="q", kind="answer", text=text), language="en").what == "abstained"
    assert did(Item(topic="q", kind="answer", text=text), language="en", beside=2).what == "answered"


def test_what_the_system_told_goes_first():
    assert of("30 days [1].", abstained=True).what == "abstained"
    assert of("I do not know.", abstained=False).what == "answered"
    assert of("I do not know.", abstained=False).told


def test_asks_back():
    assert of("There are two leases. Which one do you mean?").what == "asked-back"


def test_study_items_answer():
    assert did(Item(topic="q", kind="short-answer", text="I do not know?", answer="x")).what == "answered"


def test_each_language_with_phrases_has_stop_words():
    assert all(stop_words(code) for code in PHRASES)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The lease ends after 30 days and the tenant must leave.", "en"),
        ("Der Vertrag endet nach 30 Tagen, und der Mieter muss gehen.", "de"),
        ("Le bail se termine après 30 jours et le locataire doit partir.", "fr"),
        ("El contrato termina después de 30 días y el inquilino debe irse.", "es"),
        ("Договор заканчивается через 30 дней, и он должен уйти.", "ru"),
        ("これは日本語です", "ja"),
        ("한국어입니다", "ko"),
        ("合同三十天后终止", ""),
        ("30 days", ""),
        ("", ""),
        ("Lorem ipsum dolor sit amet consectetur", ""),
    ],
)
def test_languages(text, language):
    assert language_of(text).language == language


def test_a_script_alone_can_speak_against_a_language():
    assert may_be(language_of("合同三十天后终止"), "en") is False
    assert may_be(language_of("合同三十天后终止"), "zh") is True
    assert may_be(language_of("合同三十天后终止"), "ja") is True
    assert may_be(language_of("30 days"), "en") is None
    assert may_be(language_of("The lease ends and the tenant must leave."), "fi") is None
    assert script_of("12 %") == ""


def test_codes():
    assert [code_of(x) for x in ("en-GB", "English", "de_AT", "nb", "")] == ["en", "en", "de", "no", ""]


def test_content_words_are_stems_without_stop_words_and_numbers():
    stems = [w.stem for w in Words("en").content("The tenants' notices were given in 30 days, don’t worry")]
    assert stems == ["tenant", "notic", "given", "day", "worri"]
    assert Words("de").stems("Die Mieter und der Mieter") == {"miet"}
    assert [w.text for w in Words("fr").content("l’eau")] == ["l’eau"]
    assert Words("zh").stems("合同终止") == {"合同", "同终", "终止"}
    assert Words("").stems("the Notices") == {"the", "notices"}
