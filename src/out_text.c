// SPDX-License-Identifier: GPL-2.0-or-later
#include "out.h"

int out_text_snapshot(struct out *o, const struct rates *r, bool last)
{
	return 0;
}

int out_text_list(struct out *o, const struct tp_count tp[TP_COUNT])
{
	int i;

	for (i = 0; i < TP_COUNT; i++) {
		if (tp[i].name[0])
			fprintf(o->file, "%-28s %s %s\n", tp[i].name, tp_state_name(tp[i].state),
				tp[i].reason);
	}
	return 0;
}

void out_text_free(struct out *o)
{
}
