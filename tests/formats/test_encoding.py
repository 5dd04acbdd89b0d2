"""Texts that are not UTF-8: the likeliest encoding, never a letter replaced."""

import pytest

from evenhand.formats.encoding import decode

WESTERN = {
    "French": "L'été dernier, nous avons dîné à la crêperie où le garçon était très gêné.",
    "Portuguese": "A reunião de amanhã será às nove; a comissão não aceitará inscrições após o prazo.",
    "Spanish": "El niño comió piñas mañana después de la función.",
    "Swedish": "Föreningen betalar ut ersättning till alla som har åkt med tåg på måndagar.",
    "quotes": "The café serves crème brûlée — “the best”, they say. It costs 5 €.",
}
OTHERS = {
    "Czech": ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy. Knihovna je otevřena každý den."),
    "Polish": ("cp1250", "Zażółć gęślą jaźń. Biblioteka jest otwarta codziennie oprócz niedziel."),
    "Hungarian": (
        "cp1250",
        "Árvíztűrő tükörfúrógép. A könyvtár hétfőn zárva van, a késedelmi díj húsz forint.",
    ),
    "Romanian": ("cp1250", "Biblioteca este închisă luni, iar cărţile se împrumută pe patru săptămâni."),
    "Russian": ("cp1251", "Библиотека закрыта по понедельникам, книги выдаются на четыре недели."),
    "Greek": (
        "cp1253",
        "Η βιβλιοθήκη είναι κλειστή τη Δευτέρα και τα βιβλία δανείζονται για τέσσερις εβδομάδες.",
    ),
}


@pytest.mark.parametrize("text", WESTERN.values(), ids=WESTERN)
@pytest.mark.parametrize("times", [1, 20])
def test_a_western_text_in_windows_1252_is_read_to_the_letter(text, times):
    whole = "\n".join([text] * times)
    assert decode(whole.encode("cp1252"), where="a.txt")[0] == whole


@pytest.mark.parametrize(("encoding", "text"), OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("times", [1, 20])
def test_a_text_of_another_alphabet_is_not_taken_for_western(encoding, text, times):
    whole = "\n".join([text] * times)
    assert decode(whole.encode(encoding), where="a.txt")[0] == whole
