# SPDX-License-Identifier: GPL-2.0-or-later
"""README's pictures show today's screen; `make picture` draws them again."""
import subprocess

import pytest

from pane import TOP


@pytest.mark.parametrize("program,picture", [("picture", "xdptop.txt"), ("animation", "incident.svg")])
def test_picture(tmp_path, program, picture):
    """The text of xdptop.png is in xdptop.txt, which is written with it."""
    subprocess.run([TOP / "contrib" / program, tmp_path / picture], check=True)
    assert (tmp_path / picture).read_text() == (TOP / "doc" / picture).read_text()
