/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The timeline of a replay: it is read while its view is shown, or an incident is searched for. */
#pragma once

#include "model/timeline.h"

struct screen;

/* Part of struct screen. */
struct incidents {
	struct timeline *timeline; /* of the source; NULL = nothing was asked for */
	bool again;                /* its end is to be read again */
	int key;                   /* { or } that waits for more to be read; 0 = none */
};

/* Whether there is more to read, at first or because `again` was set. */
bool incidents_reading(const struct screen *s);
/* Reads a little, and shows it. */
void incidents_read(struct screen *s);
/* A key was pressed: gives up the search for an incident or for a snapshot. */
void incidents_stop_search(struct screen *s);
/* Stops reading. False = nothing is read. */
bool incidents_stop(struct screen *s);
/* Goes to the incident of the selected row, or of the row with the digit that was pressed. */
void incident_open(struct screen *s);
