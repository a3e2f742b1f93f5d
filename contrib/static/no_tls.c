// SPDX-License-Identifier: GPL-2.0-or-later
#include <gnutls/gnutls.h>
#include <stdlib.h>

/*
 * For libmicrohttpd, which is asked for no TLS: gnutls has no static library of all that it needs.
 * Its other functions are this one, by the linker (static.mk).
 */
void no_tls(void);
void no_tls(void)
{
	abort();
}

int gnutls_global_init(void)
{
	return 0;
}

void gnutls_global_deinit(void)
{
}
