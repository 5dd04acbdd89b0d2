"""A rule in the place of a model that drafts questions, for draft.toml: it reads a request and prints a draft.

It takes the longest sentence of a passage and asks what is said about its rarest words. It is no model and drafts
poor questions: they copy the passage's words, which is what the meters are there to show. Where a passage is
long it quotes from memory, that is wrongly, as models do; such drafts must be rejected.
"""

import json
import re
import sys

PART = re.compile(r"<<<passage (\d) (\w+)>>>\n(.*?)\n<<<end passage \1 \2>>>", re.DOTALL)


def sentences(text):
    """Sentences on one line, with four words or more."""
    found = re.split(r"(?<=[.!?])\s+|\n+", text)
    return [one.strip() for one in found if len(one.split()) > 3 and not one.startswith(("#", "|", "---"))]


def longest(text):
    """The longest words of a text, in their order."""
    words = list(dict.fromkeys(re.findall(r"[A-Za-z]{5,}", text)))
    best = sorted(words, key=len, reverse=True)[:3]
    return [word.lower() for word in words if word in best]


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    passages = [text for _, _, text in PART.findall(asked["messages"][-1]["content"])]
    kind = asked["schema"]["properties"]
    quotes = [max(sentences(text) or [text], key=len) for text in passages]
    if len(passages[0]) > 1560:
        quotes[0] = "As far as I remember, " + quotes[0]
    told = {"question": f"What about {', '.join(longest(quotes[0]))}?", "type": "conceptual", "answer": quotes[0]}
    if "facts" in kind:
        told["facts"] = [{"fact": " ".join(longest(one)), "quote": one} for one in quotes]
        if len(quotes) > 1:
            told["question"] = f"How do {longest(quotes[0])[0]} and {longest(quotes[1])[0]} go together?"
    elif "readings" in kind:
        both = sorted(sentences(passages[0]), key=len)[-2:]
        told["question"] = f"And {longest(both[0])[0] if both else 'this'}?"
        told["readings"] = [{"fact": " ".join(longest(one)), "quote": one} for one in both]
    else:
        told["question"] = f"Who decided on {', '.join(longest(quotes[0]))}, and why?"
    print(json.dumps(told))
