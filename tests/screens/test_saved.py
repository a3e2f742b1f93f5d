# SPDX-License-Identifier: GPL-2.0-or-later
"""What survives the screen: settings and snapshots in files."""
import ctypes
import json
import os
import pathlib
import re
import signal
import subprocess

import pytest

from pane import XDPTOP, missing


def test_settings_are_saved_and_found_again(monitor, tmp_path):
    env = {"XDG_CONFIG_HOME": str(tmp_path)}
    screen = monitor("-v", "errors", env=env)
    screen.keys("f")
    screen.wait(r"Columns of errors")
    screen.keys("End", "Space", "W")
    screen.wait(r"settings saved: ")
    file = tmp_path / "xdptop" / "config"
    assert (file.stat().st_mode & 0o777, file.stat().st_uid) == (0o600, os.geteuid())
    assert os.listdir(file.parent) == ["config"]  # no temporary file is left
    text = file.read_text(encoding="ascii")
    for line in ("view = errors\n", "mouse = yes\n"):
        assert line in text
    assert "errors.columns = tracepoint,ifname" in text and "peak" in text
    again = monitor(env=env)
    again.wait(r"\[errors\]")


def test_bad_line_is_named_and_skipped(monitor, tmp_path):
    (tmp_path / "xdptop").mkdir()
    (tmp_path / "xdptop" / "config").write_text("view = nosuch\nview = queues\n", encoding="ascii")
    screen = monitor(steps=0, env={"XDG_CONFIG_HOME": str(tmp_path)})
    screen.wait(r"line 1 is skipped: no view 'nosuch'")
    screen.wait(r"\[queues\]")


@pytest.mark.parametrize("view", ["flows", "overview"])
def test_options_win(monitor, tmp_path, view):
    """Even an option with its default value: the start view."""
    (tmp_path / "xdptop").mkdir()
    (tmp_path / "xdptop" / "config").write_text("view = queues\n", encoding="ascii")
    screen = monitor("-v", view, env={"XDG_CONFIG_HOME": str(tmp_path)})
    screen.wait(rf"\[{view}\]")


def test_interval_of_the_command_line(live, tmp_path):
    (tmp_path / "xdptop").mkdir()
    (tmp_path / "xdptop" / "config").write_text("interval = 60\ntracepoints = none\n", encoding="ascii")
    screen = live("-d", "1", "-t", "default", "-v", "tracepoints", env={"XDG_CONFIG_HOME": str(tmp_path)})
    screen.wait(r"every 1s")
    screen.wait(r"xdp_redirect_err +on")


def test_sort_option_in_the_saved_view(monitor, tmp_path):
    (tmp_path / "xdptop").mkdir()
    (tmp_path / "xdptop" / "config").write_text("view = errors\nerrors.sort = ifname:asc\n",
                                                encoding="ascii")
    screen = monitor("-s", "errors_total", env={"XDG_CONFIG_HOME": str(tmp_path)})
    screen.wait("(?s)\\[errors\\].*ERRORS\u25bc ")


def test_file_that_others_can_write_is_not_read(monitor, tmp_path):
    (tmp_path / "xdptop").mkdir()
    config = tmp_path / "xdptop" / "config"
    config.write_text("view = queues\n", encoding="ascii")
    config.chmod(0o666)
    screen = monitor(steps=0, env={"XDG_CONFIG_HOME": str(tmp_path)})
    screen.wait(r"settings not read, because the file is not yours")
    screen.wait(r"\[overview\]")


def test_link_is_not_followed(monitor, tmp_path):
    (tmp_path / "xdptop").mkdir()
    (tmp_path / "secret").write_text("view = queues\n", encoding="ascii")
    (tmp_path / "xdptop" / "config").symlink_to(tmp_path / "secret")
    screen = monitor(steps=0, env={"XDG_CONFIG_HOME": str(tmp_path)})
    screen.wait(r"settings not read: Too many levels")


def test_not_saved_where_others_can_write(monitor, tmp_path):
    tmp_path.chmod(0o777)
    screen = monitor(env={"XDG_CONFIG_HOME": str(tmp_path)})
    screen.keys("W")
    screen.wait(r"not saved, the directory is not yours")
    assert not (tmp_path / "xdptop").exists()


@pytest.fixture
def etc(monitor, tmp_path):
    """With another /etc, in a mount namespace of the screen."""
    if os.geteuid() != 0:
        missing("another /etc needs root")
    directory = tmp_path / "etc"
    directory.mkdir()
    conf = directory / "xdptop.conf"
    conf.write_text("view = errors\ncopy = always\n", encoding="ascii")

    def start(*args):
        prefix = ["unshare", "--mount", "sh", "-c", 'mount --bind "$0" /etc && exec "$@"', str(directory)]
        return monitor(*args, steps=0, prefix=prefix, env={"XDG_CONFIG_HOME": str(tmp_path)})

    start.conf = conf
    return start


def test_settings_of_all_users(etc, tmp_path):
    etc().wait(r"\[errors\]")
    (tmp_path / "xdptop").mkdir(exist_ok=True)
    (tmp_path / "xdptop" / "config").write_text("view = queues\n", encoding="ascii")
    etc().wait(r"\[queues\]")
    etc("-v", "flows").wait(r"\[flows\]")


@pytest.mark.parametrize("mode,owner", [(0o666, 0), (0o644, 65533)])
def test_settings_of_all_users_that_others_can_write(etc, mode, owner):
    etc.conf.chmod(mode)
    os.chown(etc.conf, owner, 0)
    screen = etc()
    screen.wait(r"settings not read, because the file is not root's or others can write")
    screen.wait(r"\[overview\]")


CALLER = 65533  # an unused id
NOBODY = 65534  # the user that root's screen runs as


@pytest.fixture
def sudo(monitor, tmp_path):
    """As if a user had called it by sudo and kept the environment; config = the user's file."""
    if os.geteuid() != 0:
        missing("sudo is played by root")
    config = tmp_path / "xdptop" / "config"
    config.parent.mkdir()
    config.write_text("view = queues\n", encoding="ascii")
    for path in (tmp_path, config.parent, config):
        os.chown(path, CALLER, CALLER)
        path.chmod(0o755)  # by then root has lost the power to enter closed directories

    def start():
        return monitor(steps=0, env={"XDG_CONFIG_HOME": str(tmp_path), "SUDO_UID": str(CALLER)})

    start.config = config
    return start


def test_file_of_the_caller_of_sudo(sudo):
    """It is read, but root writes nothing there."""
    screen = sudo()
    screen.wait(r"\[queues\]")
    screen.keys("R", "W")
    screen.wait(r"not saved, the directory is not yours")
    assert sudo.config.read_text(encoding="ascii") == "view = queues\n"
    assert os.listdir(sudo.config.parent) == ["config"]


def test_file_of_somebody_else_under_sudo(sudo):
    os.chown(sudo.config, CALLER - 1, CALLER)
    screen = sudo()
    screen.wait(r"settings not read, because the file is not yours")
    screen.wait(r"\[overview\]")


def test_link_to_a_file_of_root_under_sudo(sudo, tmp_path):
    """Not even its first line is shown."""
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "config").write_text("Host secret\n", encoding="ascii")
    sudo.config.unlink()
    sudo.config.parent.rmdir()
    (tmp_path / "xdptop").symlink_to(secret)
    screen = sudo()
    screen.wait(r"\[overview\]")
    assert "secret" not in screen.text().replace(str(tmp_path), "")


def test_snapshot_in_a_file(monitor, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    screen = monitor("-v", "errors", width=120)
    screen.keys("p", "w")
    screen.wait(r"Write this snapshot to: xdptop-20261121-091502.jsonl")
    path = tmp_path / "evidence.jsonl"
    screen.keys("C-u")
    screen.type(str(path))
    screen.wait(r"saved to ")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert rows[0]["type"] == "header" and rows[-1]["type"] == "end"
    sample = next(row for row in rows if row["type"] == "sample" and row["errname"] == "EOPNOTSUPP")
    assert sample["events_total"] == 360 and sample["events"] == 240
    # and the monitor reads it
    listing = subprocess.run([XDPTOP, "-b", "-r", str(path), "-v", "errors"], check=True,
                             stdout=subprocess.PIPE, text=True).stdout
    assert "EOPNOTSUPP" in listing
    # existing files are never overwritten
    screen.keys("w", "C-u")
    screen.type(str(path))
    screen.wait(r"File exists")
    screen.keys("Escape")
    assert pathlib.Path(path).read_text(encoding="utf-8").count('"header"') == 1


def record_to(screen, path):
    screen.keys("o")
    screen.wait(r"Record to: xdptop-\d+-\d+\.jsonl\.zst")
    screen.keys("C-u")
    screen.type(str(path))
    screen.wait(r"recording from (now|[\d:]+) on")  # with a past, if it came in time


def rows_of(path):
    listing = subprocess.run([XDPTOP, "-r", str(path), "-o", "json", "-C"], check=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True).stdout
    return [json.loads(line) for line in listing.splitlines()]


@pytest.mark.parametrize("name", ["r.jsonl.zst", "r.jsonl"])
def test_record_from_now_on(monitor, tmp_path, monkeypatch, name):
    """The header shows it; it has everything from that moment until the next o."""
    monkeypatch.chdir(tmp_path)
    screen = monitor("-v", "errors", width=120)
    record_to(screen, tmp_path / name)
    screen.wait(r"REC \S+, \d+B")
    for second in (3, 4):
        screen.keys("Space")
        screen.wait(rf"09:15:0{second}")
    screen.keys("p", "p", "Space")  # a pause does not end it
    screen.wait(r"09:15:05")
    screen.keys("o")
    screen.wait(r"recorded \S+, \S+B; replay it with xdptop -r ")
    screen.keys("Space")
    assert "REC" not in screen.still(r"09:15:06")
    rows = rows_of(tmp_path / name)
    assert {row["seq"] for row in rows if row["type"] == "tracepoint"} == {3, 4, 5}
    sample = next(row for row in rows if row["type"] == "sample" and row["errname"] == "EOPNOTSUPP")
    assert sample["events_total"] == 720 and sample["events"] == 360 and sample["cpu"] is None
    # existing files are never overwritten
    screen.keys("o", "C-u")
    screen.type(str(tmp_path / name))
    screen.wait(r"File exists")


def test_record_until_the_end(monitor, tmp_path, monkeypatch):
    """q also ends it, and names the file after the terminal is restored."""
    monkeypatch.chdir(tmp_path)
    screen = monitor(width=200)
    record_to(screen, tmp_path / "r.zst")
    screen.keys("Space")
    screen.wait(r"09:15:03")
    screen.keys("q")
    screen.wait(r"xdptop: recorded \S+, \S+B; replay it with xdptop -r \S+/r.zst")
    screen.wait(r"exit=0")
    assert {row["seq"] for row in rows_of(tmp_path / "r.zst") if row["type"] == "tracepoint"} == {3}


def test_record_of_a_replay_to_its_end(monitor, tmp_path, monkeypatch):
    """It has the last snapshot of the run, so it also has an end."""
    monkeypatch.chdir(tmp_path)
    screen = monitor(steps=5, width=120)
    record_to(screen, tmp_path / "r.jsonl")
    screen.keys("Space")
    screen.wait(r"09:15:06")
    screen.keys("o")
    screen.wait(r"recorded ")
    assert rows_of(tmp_path / "r.jsonl")[-1]["reason"] == "user"


def test_record_that_cannot_be_ended(monitor, tmp_path, monkeypatch):
    """-q suppresses remarks, not errors."""
    monkeypatch.chdir(tmp_path)
    record_to(monitor(), tmp_path / "begun.zst")
    full = (tmp_path / "begun.zst").stat().st_size
    screen = monitor("-q", width=200, prefix=["prlimit", f"--fsize={full}"])
    record_to(screen, tmp_path / "r.zst")
    assert (tmp_path / "r.zst").stat().st_size == full
    screen.keys("q")
    screen.wait(r"xdptop: recording ended, File too large: \S+/r.zst")
    screen.wait(r"exit=5")


@pytest.mark.parametrize("how", ["q", signal.SIGTERM, signal.SIGKILL])
def test_record_of_the_running_kernel(live, tmp_path, monkeypatch, how):
    """Live it ends with a complete last snapshot, unless it is killed."""
    monkeypatch.chdir(tmp_path)
    screen = live("-d", "0.2", width=120)
    path = tmp_path / "r.zst"
    record_to(screen, path)
    screen.wait(lambda _: path.stat().st_size and rows_of(path)[-1]["seq"], "a snapshot in the file")
    if how == "q":
        screen.keys("q")
    else:
        screen.kill(how)
    screen.wait(r"exit=\d+")
    rows = rows_of(path)
    assert rows[-1]["reason"] == ("pipe" if how == signal.SIGKILL else "user")
    assert len({row["seq"] for row in rows if row["type"] == "tracepoint"}) >= 1


@pytest.fixture(params=[CALLER, NOBODY])
def door(request, tmp_path):
    """A link of another user to a directory of root."""
    if os.geteuid() != 0:
        missing("only root makes links that belong to somebody else")
    (tmp_path / "root").mkdir()
    (tmp_path / "door").symlink_to(tmp_path / "root")
    os.chown(tmp_path / "door", request.param, request.param, follow_symlinks=False)
    return tmp_path / "door"


def test_nothing_is_written_behind_a_link_of_others(monitor, door):
    screen = monitor("-v", "errors", width=120, env={"XDG_CONFIG_HOME": str(door)})
    screen.keys("W")
    screen.wait(rf"not saved, 'door' is a symbolic link owned by user {door.lstat().st_uid}")
    screen.keys("p", "w", "C-u")
    screen.type(str(door / "new"))
    screen.wait(rf"'door' is a symbolic link owned by user {door.lstat().st_uid}")
    screen.keys("Escape")
    assert os.listdir(door) == []


@pytest.mark.parametrize("start", ["here", "/"])
def test_snapshot_elsewhere(monitor, tmp_path, monkeypatch, start):
    """Files are created below the start directory, unless that is the root directory."""
    if ctypes.CDLL(None).syscall(444, None, 0, 1) < 1:
        missing("this kernel has no Landlock")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / start)
    screen = monitor()
    screen.keys("w")
    if start == "/":  # no path would do
        screen.wait(r"xdptop writes no files in /; start it elsewhere, or use -o json > FILE")
        screen.keys("Up", "o")
        screen.wait(r"xdptop writes no files in /")
        return
    screen.wait(r"Only below /")
    screen.keys("C-u")
    screen.type(str(tmp_path / "evidence.jsonl"))
    screen.wait(r"it must be below the directory where xdptop was started")
    assert not (tmp_path / "evidence.jsonl").exists()


def shown_commands(screen):
    return [line.strip() for line in screen.text().splitlines() if re.match(r" {5}\S", line)]


def test_commands_in_a_file(monitor, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    screen = monitor("-v", "findings", width=120)
    screen.keys("Enter", "w")
    screen.wait(r"Write the commands to: xdptop-20261121-091502.sh")
    commands = shown_commands(screen)
    assert commands
    screen.keys("Enter")
    screen.wait(r"commands saved to xdptop-20261121-091502.sh; read it")
    path = tmp_path / "xdptop-20261121-091502.sh"
    assert path.stat().st_mode & 0o777 == 0o600
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#!/bin/sh" and [line for line in lines if not line.startswith("#")] == commands
    assert subprocess.run(["dash", "-n", path], check=False).returncode == 0
    # an existing file stays
    screen.keys("w", "Enter")
    screen.wait(r"File exists")


@pytest.mark.parametrize("term,copy", [("tmux-256color", "terminfo"), ("linux", "terminfo"), ("linux", "always")])
def test_commands_are_copied(monitor, tmp_path, term, copy):
    (tmp_path / "xdptop").mkdir()
    (tmp_path / "xdptop" / "config").write_text(f"copy = {copy}\n", encoding="ascii")
    screen = monitor("-v", "findings", width=120, env={"TERM": term, "XDG_CONFIG_HOME": str(tmp_path)})
    screen.tmux("set", "-s", "set-clipboard", "on")
    screen.keys("Enter")
    screen.still(r"Commands")
    commands = shown_commands(screen)
    screen.keys("C")
    if term == "linux" and copy == "terminfo":
        screen.wait(r"this terminal is not known to support copying")
        assert screen.tmux("list-buffers") == ""
        return
    screen.wait(r"sent to the terminal to copy")
    screen.wait(lambda _: screen.tmux("list-buffers"))
    assert screen.tmux("show-buffer").splitlines() == commands != []
