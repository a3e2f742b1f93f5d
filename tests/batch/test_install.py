# SPDX-License-Identifier: GPL-2.0-or-later
"""make install and uninstall, below a directory of their own."""
import os

from batch import DONE, TOP, run


def make(*args):
    # not the variables of the make that may have started the tests
    p = run("env", "-u", "MAKEFLAGS", "-u", "MAKELEVEL", "-u", "MFLAGS", "make", "-s", "-C", TOP, *args, timeout=1200)
    assert p.returncode == 0, p.stderr.decode()


def files(directory):
    return sorted(os.path.relpath(os.path.join(d, f), directory)
                  for d, _, names in os.walk(directory) for f in names)


def test_install(tmp_path):
    for prefix in ("/usr/local", "/usr"):
        where = [f"DESTDIR={tmp_path}", f"PREFIX={prefix}"]
        make("install", *where)
        got = files(tmp_path)
        assert all(f.startswith(prefix[1:] + "/") for f in got), got
        names = [f[len(prefix):] for f in got]
        for name in ("sbin/xdptop", "share/man/man8/xdptop.8", "share/bash-completion/completions/xdptop",
                     "share/zsh/site-functions/_xdptop", "lib/systemd/system/xdptop.service"):
            assert name in names
        unit = tmp_path / prefix[1:] / "lib/systemd/system/xdptop.service"
        assert f"ExecStart={prefix}/sbin/xdptop " in unit.read_text()
        for f in got:
            executable = f.endswith("sbin/xdptop")
            assert os.stat(tmp_path / f).st_mode & 0o7777 == (0o755 if executable else 0o644)
        assert run(tmp_path / prefix[1:] / "sbin/xdptop", "--version").returncode == DONE
        make("uninstall", *where)
        assert files(tmp_path) == []
        assert not (tmp_path / prefix[1:] / "share/doc/xdptop").exists()
