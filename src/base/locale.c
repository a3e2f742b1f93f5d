// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/locale.h"

#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* libc loads a locale only from a file below LOCPATH, which it maps. */
static bool load_own(const char *above)
{
	size_t size = (size_t)(locale_ctype_end - locale_ctype);
	char dir[40], locale[sizeof(dir) + 8], file[sizeof(locale) + 12];
	bool loaded = false;
	int fd;

	snprintf(dir, sizeof(dir), "%s/xdptop-XXXXXX", above);
	if (!mkdtemp(dir))
		return false;
	snprintf(locale, sizeof(locale), "%s/C.utf8", dir);
	snprintf(file, sizeof(file), "%s/LC_CTYPE", locale);
	if (!mkdir(locale, 0700)) {
		fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd >= 0 && write(fd, locale_ctype, size) == (ssize_t)size &&
		    !setenv("LOCPATH", dir, 1)) {
			loaded = setlocale(LC_CTYPE, "C.UTF-8");
			unsetenv("LOCPATH");
		}
		if (fd >= 0) {
			close(fd);
			unlink(file);
		}
		rmdir(locale);
	}
	rmdir(dir);
	return loaded;
}

/* In a container with this program alone, only /dev/shm or / may be writable. */
static void set_utf8(void)
{
	static const char *const places[] = { "/dev/shm", "/tmp", "/run", "" };

	if (setlocale(LC_CTYPE, "C.UTF-8") || !locale_ctype)
		return;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (load_own(places[i]))
			return;
}

/* ssh passes names of locales that this machine may lack. If they say UTF-8, so is the terminal. */
void locale_set(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *name = NULL;

	if (!setlocale(LC_CTYPE, "")) {
		for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]) && !(name && *name);
		     i++)
			name = getenv(variables[i]);
		if (name && (strcasestr(name, "UTF-8") || strcasestr(name, "utf8")))
			set_utf8();
	}
	/* all others get ASCII, as in C, for which libc loads no code */
	if (strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C");
}
