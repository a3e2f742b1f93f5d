# SPDX-License-Identifier: GPL-2.0-or-later
"""make lint refuses words that must not come back."""
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
])
def test_a_word_is_refused(tmp_path, line):
    status, out = words(tmp_path, line)
    assert status == 1
    assert out.split(":", 1)[1] == f"2:{line}\n"


@pytest.mark.parametrize("line", [
    "there is no room", "it is no longer there", "it is no more than 4", "what it leaves behind", "none leaves anything behind",
    "the receiver behind the peer", "it stands in for frames", "what stands out", "how many a process holds",
    "understands, afterwards, another",
])
def test_right_words_are_not(tmp_path, line):
    assert words(tmp_path, line) == (0, "")


def test_lint_asks():
    assert "tests/words" in (TOP / "tests/lint").read_text()
