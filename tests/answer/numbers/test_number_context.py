"""Figures and number words that are not read: undecided, never grounded; the passage's own are grounded."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.answer.checks.run_checks import Context, check
from evenhand.answer.checks.settings import Settings
from evenhand.answer.diagnosis.correctness import by_reference
from evenhand.model.answer import Generation, Item, Passage
from evenhand.model.gold import Question, QuestionId


def grounded(passage, said, **more):
    item = Item(topic="q", kind="answer", text=f"{said} [1]", system="s")
    one = Generation(
        topic="q", ask="", system="s", passages=(Passage(unit="a", text=passage, marker="1"),), items=(item,)
    )
    (found,) = check(one, context=Context(checks=("numbers-grounded",), settings=Settings(**more)))
    return found


def holds(passage, said):
    assert grounded(passage, said).passed is not True
    assert grounded(passage, passage).passed is True
    assert grounded(said, said).passed is True
    assert grounded(said, passage).passed is not True


def test_r31_japanese_multiples():
    holds("料金は3万円です。", "料金は3億円です。")


def test_r32_chinese_multiples():
    holds("人口是5万人。", "人口是5亿人。")


def test_r33_korean_multiples():
    holds("요금은 3만 원입니다.", "요금은 3억 원입니다.")


def test_r34_hindi_multiples():
    holds("शुल्क 2 लाख रुपये है।", "शुल्क 2 करोड़ रुपये है।")


def test_r35_indian_english_multiples():
    holds("The grant is 2 lakh rupees.", "The grant is 2 crore rupees.")
    assert grounded("The grant is 2 lakh rupees.", "The grant is 200,000 rupees.").passed is True


def test_r36_russian_multiples():
    holds("Выделено 5 тыс. рублей.", "Выделено 5 млн рублей.")


def test_r37_russian_months():
    holds("Срок — 3 мая 2024 года.", "Срок — 3 июня 2024 года.")


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f"])
def test_r38_french_decimals_behind_groups_with_blanks(blank):
    holds(f"Le prix est de 1{blank}234,50 euros.", f"Le prix est de 1{blank}234 euros.")
    said = grounded(f"Le prix est de 1{blank}234,50 euros.", "Le prix est de 1234,50 euros.")
    assert said.passed is True


def test_r39_chinese_number_words():
    holds("期限为三十天。", "期限为六十天。")


def test_r40_german_number_words():
    holds("Die Frist beträgt dreißig Tage.", "Die Frist beträgt sechzig Tage.")


LANGUAGES = {  # a sentence with room for a figure, and words that may stand behind it
    "en": ("The fee is {} in all.", ["euros", "lakh", "crore", "million", "days", "weeks", "May", "June"]),
    "de": (
        "Die Gebühr ist {} und nicht mehr.",
        ["Euro", "Tage", "Wochen", "Zentner", "Schock", "Mio.", "Mrd."],
    ),
    "fr": ("Le prix est de {} pour les uns.", ["euros", "jours", "quintaux", "milliards", "mai", "juin"]),
    "es": ("El precio es de {} para los que vienen.", ["euros", "días", "quintales", "millones", "de mayo"]),
    "it": ("Il prezzo è di {} per gli altri.", ["euro", "giorni", "quintali", "milioni", "maggio", "giugno"]),
    "ru": ("Выделено {} на это.", ["тыс. рублей", "млн рублей", "тыс. долларов", "мая", "июня", "дней"]),
    "zh": ("人口是{}。", ["万人", "亿人", "万元", "个月", "个小时", "公里", "公斤", "平方米", "平方公里"]),
    "ja": ("料金は{}です。", ["万円", "億円", "円", "ドル", "キログラム", "キロメートル", "か月", "時間"]),
    "ko": ("요금은 {}입니다.", ["만 원", "억 원", "만 달러", "킬로그램", "킬로미터", "개월", "시간"]),
    "hi": ("शुल्क {} है।", ["लाख रुपये", "करोड़ रुपये", "लाख डॉलर", "मई", "जून", "दिन", "घंटे"]),
}


@pytest.mark.parametrize("language", LANGUAGES)
@given(data=st.data(), figure=st.integers(2, 28))
@settings(max_examples=60, deadline=None)
def test_a_figure_with_another_word_behind_it_never_passes(language, data, figure):
    sentence, words = LANGUAGES[language]
    one, other = data.draw(st.permutations(words))[:2]
    passage, said = (sentence.format(f"{figure} {word}") for word in (one, other))
    if language in ("zh", "ja"):
        passage, said = (sentence.format(f"{figure}{word}") for word in (one, other))
    assert grounded(passage, said).passed is not True
    assert grounded(passage, passage).passed is True
    assert grounded(passage, said, language=language).passed is not True
    assert grounded(passage, passage, language=language).passed is True


WORDS = {  # number words in a sentence, no figure
    "de": ("Die Frist beträgt {} Tage.", ["dreißig", "sechzig", "einundzwanzig", "hundert", "dreitausend"]),
    "fr": ("Le délai est de {} jours.", ["vingt", "trente", "soixante", "quatre-vingt-dix", "cinquante"]),
    "es": ("El plazo es de {} días.", ["veinte", "treinta", "sesenta", "cincuenta", "noventa"]),
    "it": ("Il termine è di {} giorni.", ["venti", "trenta", "sessanta", "cinquanta", "novanta"]),
    "pt": ("O prazo é de {} dias.", ["vinte", "trinta", "sessenta", "cinquenta", "noventa"]),
    "nl": ("De termijn is {} dagen.", ["twintig", "dertig", "zestig", "eenentwintig", "honderd"]),
    "ru": ("Срок составляет {} дней.", ["двадцать", "тридцать", "шестьдесят", "сорок", "сто", "пять"]),
    "zh": ("期限为{}天。", ["三十", "六十", "二百", "五千", "两百"]),
    "ja": ("期間は{}日です。", ["三十", "六十", "二百", "五千"]),
    "ko": ("기한은 {}일입니다.", ["삼십", "육십", "이백", "오천"]),
    "hi": ("अवधि {} दिन है।", ["तीस", "साठ", "सौ", "पचास"]),
}


@pytest.mark.parametrize("language", WORDS)
def test_another_number_word_never_passes(language):
    sentence, words = WORDS[language]
    for one in words:
        for other in words:
            for more in ({}, {"language": language}):
                found = grounded(sentence.format(one), sentence.format(other), **more)
                assert (found.passed is True) == (one == other), (one, other, found.why)


@pytest.mark.parametrize(
    ("passage", "said"),
    [
        ("Die Frist beträgt dreißig Tage.", "Die Frist beträgt 30 Tage."),
        ("期限为三十天。", "期限为30天。"),
        ("Срок — 300 000 рублей.", "Срок — 300 тыс. рублей."),
        ("料金は30000円です。", "料金は3万円です。"),
        ("Выделено 5 тыс. рублей.", "Выделено 5."),
    ],
)
def test_what_may_be_said_in_other_words_is_no_fault(passage, said):
    assert grounded(passage, said).passed is None


def test_a_figure_that_is_nowhere_fails_where_multiples_are_read():
    assert grounded("Die Frist ist 30 Tage und nicht mehr.", "Die Frist ist 31 Tage.").passed is False
    assert grounded("The limit is 30 days.", "The limit is 31 days.").passed is False
    assert grounded("The team has 30 people.", "The team is 30 employees strong.").passed is True


def test_an_unknown_script_without_figures_is_not_passed_as_holding_no_number():
    found = grounded("المدة ثلاثون يوما", "المدة ستون يوما")
    assert (found.passed, found.why) == (None, "holds no figure, and number words are not read")
    assert grounded("المدة ثلاثون يوما", "المدة ثلاثون يوما").passed is True


@pytest.mark.parametrize(
    ("reference", "said"), [("料金は3万円です。", "料金は3億円です。"), ("期限为三十天。", "期限为六十天。")]
)
def test_an_answer_is_not_right_by_a_figure_that_is_not_read(reference, said):
    question = Question(id=QuestionId("q"), text="?", reference=reference)
    item = Item(topic="q", kind="answer", text=said)
    assert by_reference(item, question, Settings(), "answered").right is None
    same = Item(topic="q", kind="answer", text=reference)
    assert by_reference(same, question, Settings(), "answered").right is True
