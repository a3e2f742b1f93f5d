# SPDX-License-Identifier: GPL-2.0-or-later
"""The man pages and the completions compared with the program."""
import itertools
import os
import pty
import re
import select
import shlex
import shutil
import time

import pytest

from batch import DEADLINE, DONE, ENV, GOLDEN, TABLES, TOP, XDPTOP, missing, run

MAN = TOP / "man/xdptop.8"
PAGES = [MAN, TOP / "man/xdptop-columns.7", TOP / "man/xdptop-formats.5"]
BASH = TOP / "completions/xdptop"
ZSH = TOP / "completions/_xdptop"
FISH = TOP / "completions/xdptop.fish"


@pytest.fixture(scope="module")
def page():
    return MAN.read_text(encoding="utf-8")


def section(page_, name):
    return re.search(rf"^\.Sh {name}\n(.*?)(?=^\.Sh |\Z)", page_, re.M | re.S)[1]


def test_nothing_is_stale(tables):
    p = run(TOP / "tests/tables/fill", "--check", TABLES, *PAGES, BASH, ZSH,
            TOP / "contrib/prometheus/xdptop.rules.yml", TOP / "doc/recording.md")
    assert (p.returncode, p.stderr.decode()) == (0, "")
    for kind in ("option", "format", "view", "column", "tracepoint", "key", "finding", "code", "metric", "object"):
        assert tables[kind]


def test_options(tables, page):
    """Exactly the program's options, in its order."""
    want = []
    for name, argument, _ in tables["option"]:
        line = ".It " + " , ".join("Fl " + flag[1:] for flag in name.split())
        if argument == "COLUMN[:asc|:desc]":
            line += " Ar COLUMN Ns Op Cm :asc | :desc"
        elif argument:
            line += f" Op Ar {argument[1:-1]}" if argument[0] == "[" else f" Ar {argument}"
        want.append(line)
    assert re.findall(r"^\.It Fl.*$", section(page, "DESCRIPTION"), re.M) == want


def test_help_is_the_same_table(tables):
    page = run(XDPTOP, "--help").stdout.decode()
    for name, _, _ in tables["option"]:
        assert re.search(rf"^  .*{name.split()[-1]}\b", page, re.M), name
    # a page: each option is on one line
    assert len(page.splitlines()) <= len(tables["option"]) + 17 and max(map(len, page.splitlines())) < 80
    topics = re.search(r"^topics: (.*)$", page, re.M)[1].split(", ")
    texts = {topic: run(XDPTOP, "--help", topic).stdout.decode() for topic in topics}
    assert all(texts[topic] in texts["all"] for topic in topics) and page in texts["all"]
    assert max(map(len, texts["all"].splitlines())) < 80
    for kind in ("format", "view", "column", "finding", "tracepoint"):
        for name, _, _ in tables[kind]:
            assert re.search(rf"^  {name} ", texts[kind + "s"], re.M), name


def test_exit_codes(page):
    codes = re.findall(r"^  (\d) ", run(XDPTOP, "--help", "exit").stdout.decode(), re.M)
    assert codes == re.findall(r"^\.It (\d)$", section(page, "EXIT CODES"), re.M)
    header = (TOP / "src/base/error.h").read_text()
    assert codes == re.findall(r"EXIT_\w+ = (\d),", header)


def test_metrics(tables):
    """The output has the names and labels that the man page lists."""
    known = {name: labels.split() for name, labels, _ in tables["metric"]}
    for golden, more in (("all.prom", []), ("cpus.prom", ["cpu"])):
        printed = re.findall(r"^(xdptop_\w+)\{(.*)\} \d+$", (GOLDEN / golden).read_text(), re.M)
        assert len(printed) > 50
        for name, labels in printed:
            got = re.findall(r'(\w+)="', labels)
            assert [label for label in known[name] + more if label in got] == got, name


def test_examples(page):
    """All options and names in examples exist."""
    text = (section(page, "IN AN INCIDENT") + section(page, "EXAMPLES")).replace("\\e\n", " ").replace("\\e", "\\")
    commands = re.findall(r"(?:^|[ |/])xdptop( .*)$", text, re.M)
    assert len(commands) >= 14
    for command in commands:
        words = shlex.shlex(command, posix=True, punctuation_chars="|>")
        words.whitespace_split = True
        args = list(itertools.takewhile(lambda word: word not in ("|", ">", ">>"), words))
        if "--diff" in args:  # its second file is not an argument of the option, and --version takes none
            del args[args.index("--diff") + 2]
        p = run(XDPTOP, *args, "--version")
        assert (p.returncode, p.stderr) == (DONE, b""), command


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.name)
def test_lint(path):
    """mandoc warns only about other pages of this machine."""
    if not shutil.which("mandoc"):
        missing("mandoc is not installed")
    p = run("mandoc", "-T", "lint", "-W", "style", path)
    lines = [line for line in (p.stdout + p.stderr).decode().splitlines()
             if "mandoc.db" not in line and "referenced manual not found" not in line]
    assert lines == []


def rendered(path):
    if not shutil.which("mandoc"):
        missing("mandoc is not installed")
    return re.sub(".\b", "", run("mandoc", "-T", "ascii", "-O", "width=80", path).stdout.decode())


@pytest.mark.parametrize("path,words", zip(PAGES, [
    ("--max-series", "bpf_xdp_link_attach_failed", "Shift-Tab", "Backspace"),
    ("rx_missed_per_s", "program-sees-nothing"),
    ("\\xNN", "xdptop_softnet_time_squeeze_total", "rx_out_of_buffer_per_s"),
]), ids=[p.name for p in PAGES])
def test_readable_at_80_columns(path, words):
    text = rendered(path)
    assert [line for line in text.splitlines() if len(line.expandtabs()) > 80] == []
    # no macro is in the text, and none was lost
    assert not re.search(r"^\s*\.[A-Z][a-z] ", text, re.M)
    for word in words:
        assert word in text


def test_the_command_page_is_short(tables):
    """Nobody reads long pages in an incident: lists belong on the other pages, except those of keys, views, tracepoints."""
    listed = sum(2 * len(tables[kind]) for kind in ("key", "view", "tracepoint"))
    assert len(rendered(MAN).splitlines()) <= 488 + listed


def bash_completes(line, tmp_path):
    """The completions of bash at the end of the line."""
    script = """
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
COMP_POINT=${#COMP_LINE}
_xdptop
printf '%s\\n' "${COMPREPLY[@]}"
"""
    p = run("bash", "--norc", "-c", script, "bash", BASH, *line, cwd=tmp_path)
    assert p.stderr == b""
    return p.stdout.decode().split()


@pytest.mark.parametrize("line,want", [
    (["--vi"], ["--view"]),
    (["-o", ""], ["text", "json", "csv", "prometheus"]),
    (["-o", "pro"], ["prometheus"]),
    (["--output", "=", "j"], ["json"]),
    (["-v", "fl"], ["flows"]),
    (["--view", "="], "view"),
    (["-s", "bytes"], ["bytes_per_s", "bytes_total"]),
    (["-s", "bulk", ":"], ["asc", "desc"]),
    (["-s", "bulk", ":", "d"], ["desc"]),
    (["-t", "xdp_bulk_t"], ["xdp_bulk_tx"]),
    (["-t", "all,-xdp_bulk_t"], ["all,-xdp_bulk_tx"]),
    (["-t", "mem_connect,+net_dev_q"], ["mem_connect,+net_dev_queue"]),
    (["-t", "de"], ["default"]),
    (["-f", "prog_"], ["prog_name=", "prog_id="]),
    (["-e", "xsk-ring"], ["xsk-ring-full"]),
    (["-e", "EOP"], ["EOPNOTSUPP"]),
    (["-e", "ABO"], ["ABORTED"]),
    (["-e", "bytes_p"], ["bytes_per_s"]),
    (["--backend", ""], ["auto", "btf", "classic"]),
    (["--check", "w"], ["warning"]),
    (["-h", "fi"], ["filter", "findings"]),
    (["-n", ""], []),
])
def test_bash(line, want, tmp_path, tables):
    if isinstance(want, str):
        want = [name for name, _, _ in tables[want]]
    assert bash_completes(["xdptop", *line], tmp_path) == want


def test_bash_knows_all_options(tables, tmp_path):
    want = [flag for name, _, _ in tables["option"] for flag in name.split()]
    assert bash_completes(["xdptop", "-"], tmp_path) == want


class Shell:
    """An interactive shell on its own terminal."""

    def __init__(self, directory, *command):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(directory)
            os.execvpe(command[0], command, {**ENV, "TERM": "dumb", "PS1": "> ", "HOME": str(directory)})

    def type(self, text, until):
        """The content of the terminal once it has `until`."""
        os.write(self.fd, text.encode())
        seen, end = "", time.monotonic() + DEADLINE
        while until not in seen:
            assert select.select([self.fd], [], [], max(0, end - time.monotonic()))[0], seen
            seen += os.read(self.fd, 4096).decode(errors="replace")
        return seen

    def close(self):
        os.close(self.fd)
        os.kill(self.pid, 9)
        os.waitpid(self.pid, 0)


@pytest.fixture
def shell(tmp_path):
    running = []

    def start(*command):
        if not shutil.which(command[0]):
            missing(f"{command[0]} is not installed")
        running.append(Shell(tmp_path, *command))
        return running[-1]

    yield start
    for one in running:
        one.close()


@pytest.mark.parametrize("library", [None, "/usr/share/bash-completion/bash_completion"])
@pytest.mark.parametrize("typed,until", [
    ("xdptop --vi\t", "--view"),
    ("xdptop --view=fin\t", "--view=findings "),
    ("xdptop -s bulk:d\t", "bulk:desc "),
    ("xdptop -r rec\t", "record.jsonl "),
    ("xdptop --read=rec\t", "--read=record.jsonl "),
    ("xdptop -r of\t", "of\\ friday.jsonl "),
    ("xdptop --to dir\t", "directory/"),
])
def test_bash_by_hand(shell, tmp_path, library, typed, until):
    (tmp_path / "record.jsonl").touch()
    (tmp_path / "of friday.jsonl").touch()
    (tmp_path / "directory").mkdir()
    if library and not os.path.exists(library):
        missing("bash-completion is not installed")
    bash = shell("bash", "--norc", "--noprofile", "-i")
    bash.type((f"source {library}; " if library else "") + f"bind 'set bell-style none'; source {BASH};"
              " echo re''ady\n", "ready")
    bash.type(typed, until)


@pytest.fixture
def zsh(shell, tmp_path):
    shutil.copy(ZSH, tmp_path)
    started = shell("zsh", "-f", "-i")
    started.type("unsetopt zle_bracketed_paste; fpath=($PWD $fpath); autoload -U compinit; compinit -u -D;"
                 " setopt no_beep; echo re''ady\n", "ready")
    return started.type


@pytest.mark.parametrize("typed,until", [
    ("xdptop --vi\t", "--view"),
    ("xdptop -o pro\t", "prometheus"),
    ("xdptop -v fi\t", "findings"),
    ("xdptop -t xdp_bulk\t", "xdp_bulk_tx"),
    ("xdptop -t all,-xdp_bulk\t", "all,-xdp_bulk_tx"),
    ("xdptop -s drop_perc\t", "drop_percent"),
    ("xdptop -s bulk:d\t", "bulk:desc"),
    ("xdptop -f prog_n\t", "prog_name="),
    ("xdptop -e xsk-ring\t", "xsk-ring-full"),
    ("xdptop -e EOPN\t", "EOPNOTSUPP"),
    ("xdptop --check=cr\t", "critical"),
    ("xdptop -h tra\t", "tracepoints"),
    ("xdptop -v \t\t", "from which device"),
])
def test_zsh(zsh, typed, until):
    zsh(typed, until)


@pytest.mark.parametrize("typed,wanted", [
    ("xdptop --vi", ["--view"]),
    ("xdptop -o pro", ["prometheus"]),
    ("xdptop --view=fin", ["--view=findings"]),
    ("xdptop -t xdp_bulk_t", ["xdp_bulk_tx"]),
    ("xdptop -t all,-xdp_bulk_t", ["all,-xdp_bulk_tx"]),
    ("xdptop -t no", ["none"]),
    ("xdptop -s drop_perc", ["drop_percent"]),
    ("xdptop -f prog_n", ["prog_name="]),
    ("xdptop -e xsk-ring", ["xsk-ring-full"]),
    ("xdptop -e EOPN", ["EOPNOTSUPP"]),
    ("xdptop --check=cr", ["--check=critical"]),
    ("xdptop -h tra", ["tracepoints"]),
    ("xdptop -r of", ["of friday.jsonl"]),
    ("xdptop of", []),
])
def test_fish(tmp_path, typed, wanted):
    if not shutil.which("fish"):
        missing("fish is not installed")
    (tmp_path / "of friday.jsonl").touch()
    p = run("fish", "--no-config", "-c", f"source {FISH}; complete -C '{typed}'", cwd=tmp_path,
            env={**os.environ, "HOME": str(tmp_path)})
    lines = p.stdout.decode().splitlines()
    assert (p.returncode, p.stderr, [line.split("\t")[0] for line in lines]) == (DONE, b"", wanted)
    assert all(line.split("\t")[1] for line in lines if typed[-2:] != "of")
