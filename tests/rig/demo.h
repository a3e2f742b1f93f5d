/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every tracepoint at once, at moderate and varying rates, as a show. */
#pragma once

int demo_run(int argc, char **argv); /* returns the exit status */
