/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changed shortly before a loss began, at its device, target, program, map or CPU. That is
 * evidence for its cause, not proof.
 */
#pragma once

#include "model/finding.h"

#define CHANGE_BEFORE_S   10
#define CHANGES_KEPT_S    40   /* a finding can begin with evidence of earlier intervals */
#define CHANGES_KEPT_MAX  1024 /* the newest */
#define CHANGES_NAMED_MAX 3    /* nearest first */
#define CHANGE_TEXT_LEN   640  /* size of buffers for change_text() */

/* The changes in the last CHANGES_KEPT_S seconds, oldest first. Zeroed before first use. */
struct recent_changes {
	struct event *event;
	size_t n, cap;
};

/* Adds the changes of a snapshot, and drops changes that are too old. */
void recent_changes_take(struct recent_changes *r, const struct snapshot *s);
void recent_changes_free(struct recent_changes *r);
/* Whether a change is at a device, target, peer, map or CPU, or the end of a program's holder. */
bool change_is_at(const struct event *e, const struct location *l);
/* "program-replaced 12 lb -> 31 fw on eth0, by agent[812]" */
void change_text(const struct event *e, char *buf, size_t size);
/* Lines: "1.0s before: program-replaced 12 lb -> 31 fw on eth0, by agent[812]"; "" = none. */
void changes_before(const struct recent_changes *r, const struct finding *f, char *buf,
		    size_t size);
