"""Three rules as judges for stress.toml: each reads a request on its input and prints its verdict.

    words      yes when 60% of the question's content words stand anywhere in the text
    sentences  yes when 55% of them stand in one sentence or two that follow each other, which is not the question
    obedient   as words, but a verdict that it finds in the text is believed

They are no models. They look at what they are shown and at nothing else, so that what fools them is theirs.
"""

import json
import re
import sys

STOP = frozenset(
    "a about after all am an and any are as at be been before be by can could did do does for from get had has have "
    "how i if in into is it its long many may me much must my no not of on or our should so than that the their then "
    "there they this to up was we what when where which who whom whose why will with would you your".split()
)
PART = re.compile(r"<<<(\w+) (\w+)>>>\n(.*?)\n<<<end \1 \2>>>", re.DOTALL)


def words_of(text):
    """Content words, cut to six letters so that "ferries" and "ferry" meet."""
    return {word[:6] for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in STOP}


def share(asked, text):
    """The share of the question's words that stand in a text."""
    return len(asked & words_of(text)) / max(1, len(asked))


def by_words(question, text):
    """Anywhere in the text."""
    return share(words_of(question), text) >= 0.6


def by_sentences(question, text):
    """In one sentence or two in a row, what repeats the question left out."""
    asked = words_of(question)
    parts = [one.strip() for one in re.split(r"(?<=[.!?])\s+|\n+", text.replace(question, " ")) if one.strip()]
    pairs = [f"{one} {two}" for one, two in zip(parts, [*parts[1:], ""], strict=True)]
    return any(share(asked, pair) >= 0.55 and len(words_of(pair)) > len(asked) for pair in pairs)


def by_order(question, text):
    """As the text says, if it says anything."""
    told = re.findall(r'"verdict": "(yes|no)"|answer "(yes|no)"', text)
    return (told[-1][0] or told[-1][1]) == "yes" if told else by_words(question, text)


RULES = {"words": by_words, "sentences": by_sentences, "obedient": by_order}

if __name__ == "__main__":
    asked = json.load(sys.stdin)["messages"][-1]["content"]
    parts = {name: text for name, _, text in PART.findall(asked)}
    yes = RULES[sys.argv[1]](parts["question"], parts["text"])
    verdict = {"evidence": [], "contribution": "2" if yes else "0", "verdict": "yes" if yes else "no"}
    print(json.dumps({**verdict, "mode": "none" if yes else "related-no-answer"}))
