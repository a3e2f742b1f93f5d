# SPDX-License-Identifier: GPL-2.0-or-later
"""Whether a table truncates a text although a column has room."""
import functools
import pathlib
import re
import subprocess

TABLES = pathlib.Path(__file__).resolve().parents[2] / "build/tables/tables"
# maximum width of an SI number: minimum width of a column of numbers with a shorter title
NUMBER_WIDTH = 5
CUT = re.compile(r"\S\+(?= |$)")
AFTER_WORD = re.compile(r" \+ *$")


@functools.cache
def numbers():
    """Titles of columns of numbers; rates also in other units."""
    rows = subprocess.run([TABLES], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    titles = {row.split("\t")[2] for row in rows if row.startswith("number\t")}
    return titles | {title.removesuffix("/S") for title in titles}


def room(titles, rows, width):
    """Unused cells: more than one blank in every line, or blanks at the right edge."""
    marked = titles.endswith(">")
    titles = titles[:-1] if marked else titles
    lines = [line.ljust(width) for line in (titles, *rows)]
    assert max(map(len, lines)) == width
    blank = [all(line[x] == " " for line in lines) for x in range(width)]
    spare, left = 0, 0
    for word in (*re.finditer(r"\S+( MIN)?", titles), None):
        end = word.start() if word else width - marked
        start = end
        while start > 0 and blank[start - 1]:
            start -= 1
        allowed = 0
        if word:
            allowed = 1 + max(0, NUMBER_WIDTH - len(word[0])) * (word[0].rstrip("\u25bc\u25b2") in numbers())
        # a text is cut after a word, so the rest of its column is empty
        if start and not any(AFTER_WORD.search(line[left:end]) for line in lines):
            spare += max(0, end - start - allowed)
        left = end
    return spare


def check(titles, rows, width):
    """Expects no truncated text while there is room."""
    cut = [row for row in rows if CUT.search(row)]
    assert not cut or not room(titles, rows, width), "\n".join((titles, *rows))
