# SPDX-License-Identifier: GPL-2.0-or-later
"""make lint refuses words that must not come back."""
import re

import pytest

from batch import TOP, run

WORDS = TOP / "tests/words"


def words(tmp_path, line):
    file = tmp_path / "file.c"
    file.write_text("fine\n" + line + "\n")
    p = run(WORDS, file)
    assert p.stderr == b""
    return p.returncode, p.stdout.decode()


@pytest.mark.parametrize("line", [
    "x is no number", "They are no alternatives.", "it was no error", "behind a later snapshot", "what stands here",
    "made anew", "many a driver", "it goes on", "it gave way", "from the so-manyth in a row",
    "while no packets suffer", "it was not read yet", "gone, in its last object", "the queue that its packets have",
    "the bytes are anybody's", "the view changes shows when", "maybe it is full", "set it up (ip link set)",
    "if it grows on like that", "it fails; reported as info below 1 %", '"--keep: it limits what --record writes"',
    "between the last two countings", "at the begin of the packet", "if the kernel told", "the rows of view programs",
    "as far as not read", "Who includes it defines", "another device than", "its name, which is `init`",
])
def test_a_word_is_refused(tmp_path, line):
    status, out = words(tmp_path, line)
    assert status == 1
    assert out.split(":", 1)[1] == f"2:{line}\n"


@pytest.mark.parametrize("line", [
    "there is no room", "it is no longer there", "it is no more than 4", "what it leaves behind", "none leaves anything behind",
    "the receiver behind the peer", "it stands in for frames", "what stands out", "how many a process holds",
    "understands, afterwards, another", "it has not yet been read", "it narrows when the view changes",
    "set up the timer", '"--keep: its argument is missing"', "bring it up",
])
def test_right_words_are_not(tmp_path, line):
    assert words(tmp_path, line) == (0, "")


def chained(text):
    """Sentences of a text, and those of them that chain clauses with ";" or an inner ":"."""
    text = re.sub(r"```.*?```|<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^(\.\\\"|\.(Bd|Dl|Ed|Sh|Ss|It|Bl|El|Pp|Dd|Dt|Os|Nd|Op)\b|    ).*$", "\n", text, flags=re.M)
    parts = re.split(r"(?<=[.!?])\s|\n\n|\n\* |\|", re.sub(r"^\.\w\w ", "", text, flags=re.M))
    whole = [part for part in parts if len(part.split()) >= 4]
    return whole, [part for part in whole if ";" in part or re.search(r":[ \n]\w", part)]


@pytest.mark.parametrize("name", ["README.md", "man/xdptop.8", "man/xdptop-columns.7", "man/xdptop-formats.5"])
def test_sentences_are_not_chained(name):
    whole, chains = chained((TOP / name).read_text())
    assert len(whole) > 30 and len(chains) <= 0.06 * len(whole), chains


def test_a_chain_is_found():
    assert len(chained("It is on; it counts.\nSo it says: all of it.\nThe rest is off here.")[1]) == 2


def test_lint_asks():
    assert "tests/words" in (TOP / "tests/lint").read_text()
