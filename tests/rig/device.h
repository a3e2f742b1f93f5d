/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single steps on existing devices, for tests of real drivers: attach, detach, send. Each call is
 * one step. What it attached stays, pinned below /sys/fs/bpf under the device's name.
 */
#pragma once

int device_run(int argc, char **argv); /* returns the exit status */
