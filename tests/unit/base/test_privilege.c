// SPDX-License-Identifier: GPL-2.0-or-later
/* Which variables of another user's environment survive. */
#include <stdlib.h>
#include "base/privilege.h"
#include "unit/test.h"

struct row {
	const char *name, *value, *cleaned; /* cleaned NULL = unset */
};

static const struct row rows[] = {
	{ "TERMINFO", "/home/u/t", NULL },
	{ "TERMINFO_DIRS", "/home/u/t", NULL },
	{ "TERMCAP", "/home/u/t", NULL },
	{ "TERMPATH", "/home/u/t", NULL },
	{ "LOCPATH", "/home/u/l", NULL },
	{ "NLSPATH", "/home/u/l", NULL },
	{ "GCONV_PATH", "/home/u/l", NULL },
	{ "TZDIR", "/home/u/l", NULL },
	{ "TZ", "/home/u/tz", NULL },
	{ "TZ", ":/home/u/tz", NULL },
	{ "TZ", "../../home/u/tz", NULL },
	{ "TZ", "Europe/Berlin", "Europe/Berlin" },
	{ "TZ", "", "" },
	{ "HOME", "/home/u", NULL },
	{ "TERM", "xterm", "xterm" },
	{ "LANG", "de_DE.UTF-8", "de_DE.UTF-8" },
};

static void is_now(const char *name, const char *value)
{
	if (value)
		assert_string_equal(getenv(name), value);
	else
		assert_null(getenv(name));
}

TEST(test_environment)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsetenv("SUDO_UID");
		setenv(rows[i].name, rows[i].value, 1);
		privilege_clean_environment();
		is_now(rows[i].name, rows[i].value);
		setenv("SUDO_UID", "1000", 1);
		privilege_clean_environment();
		is_now(rows[i].name, rows[i].cleaned);
	}
}

/* The settings stay where they are, but curses finds no home directory. */
TEST(test_settings_of_the_home)
{
	setenv("SUDO_UID", "1000", 1);
	setenv("HOME", "/home/u", 1);
	unsetenv("XDG_CONFIG_HOME");
	privilege_clean_environment();
	is_now("XDG_CONFIG_HOME", "/home/u/.config");
	setenv("HOME", "/home/u", 1);
	setenv("XDG_CONFIG_HOME", "/home/u/c", 1);
	privilege_clean_environment();
	is_now("XDG_CONFIG_HOME", "/home/u/c");
}
