# SPDX-License-Identifier: GPL-2.0-or-later
"""make install and uninstall, below a test directory."""
import os

import pytest

from batch import DONE, TOP, run


def make(*args):
    # without variables of the make that may have started the tests
    p = run("env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "-u", "MFLAGS", "make", "-s", "-C", TOP, *args, timeout=1200)
    assert p.returncode == 0, p.stderr.decode()


def files(directory):
    return sorted(os.path.relpath(os.path.join(d, f), directory)
                  for d, _, names in os.walk(directory) for f in names)


def folders(directory):
    return sorted(os.path.relpath(os.path.join(d, f), directory)
                  for d, names, _ in os.walk(directory) for f in names)


@pytest.fixture
def made(tmp_path_factory):
    """The list of created folders; not that of the user who runs the tests."""
    return f"MADE={tmp_path_factory.mktemp('made') / 'made'}"


def test_install(tmp_path, made):
    for prefix in ("/usr/local", "/usr"):
        where = [made, f"DESTDIR={tmp_path}", f"PREFIX={prefix}"]
        make("install", *where)
        got = files(tmp_path)
        assert all(f.startswith(prefix[1:] + "/") for f in got), got
        names = [f[len(prefix):] for f in got]
        for name in ("bin/xdptop", "share/man/man8/xdptop.8", "share/man/man7/xdptop-columns.7",
                     "share/man/man5/xdptop-formats.5", "share/bash-completion/completions/xdptop",
                     "share/zsh/site-functions/_xdptop",
                     "share/fish/vendor_completions.d/xdptop.fish", "lib/systemd/system/xdptop.service",
                     "lib/systemd/system/xdptop-listen.service", "lib/systemd/system/xdptop-record.service",
                     "lib/sysusers.d/xdptop.conf"):
            assert name in names
        for unit in (tmp_path / prefix[1:] / "lib/systemd/system").iterdir():
            assert f"ExecStart={prefix}/bin/xdptop " in unit.read_text()
        for f in got:
            executable = f.endswith("bin/xdptop")
            assert os.stat(tmp_path / f).st_mode & 0o7777 == (0o755 if executable else 0o644)
        assert run(tmp_path / prefix[1:] / "bin/xdptop", "--version").returncode == DONE
        make("install", *where)
        make("uninstall", *where)
        assert files(tmp_path) == folders(tmp_path) == []


def test_folders_of_others(tmp_path, made):
    """Existing folders stay, even empty ones, and so does what somebody put into a new one."""
    usr = tmp_path / "usr/local"
    for there in ("bin", "share/man/man8", "share/doc"):
        (usr / there).mkdir(parents=True)
    before = folders(usr)
    where = [made, f"DESTDIR={tmp_path}"]
    make("install", *where, "UNITDIR=")
    assert "lib" not in folders(usr)
    other = usr / "share/zsh/site-functions/_other"
    other.touch()
    # another place in between: the folders of this one are still known
    make("install", made, f"DESTDIR={tmp_path}/other")
    make("uninstall", *where, "UNITDIR=")
    assert files(usr) == [str(other.relative_to(usr))]
    assert folders(usr) == sorted(before + ["share/zsh", "share/zsh/site-functions"])
    make("uninstall", made, f"DESTDIR={tmp_path}/other")
    assert not (tmp_path / "other").exists()


def test_uninstall_from_another_tree(tmp_path, made):
    """It does not know which folders are new: it removes only its own."""
    where = f"DESTDIR={tmp_path}"
    make("install", made, where)
    make("uninstall", made + ".elsewhere", where)
    left = folders(tmp_path)
    assert files(tmp_path) == [] and "usr/local/share/doc" in left and "usr/local/share/doc/xdptop" not in left
