/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time in nanoseconds. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define NSEC_PER_SEC  1000000000LL
#define NSEC_PER_MSEC 1000000LL

static inline int64_t timespec_to_ns(const struct timespec *t)
{
	return t->tv_sec * NSEC_PER_SEC + t->tv_nsec;
}

/* ns >= 0 */
static inline struct timespec ns_to_timespec(int64_t ns)
{
	return (struct timespec){ ns / NSEC_PER_SEC, ns % NSEC_PER_SEC };
}

static inline double ns_to_seconds(int64_t ns)
{
	return (double)ns / NSEC_PER_SEC;
}

/* Rounded to the nearest. */
static inline int64_t seconds_to_ns(double seconds)
{
	return llround(seconds * NSEC_PER_SEC);
}

/* CLOCK_MONOTONIC: settimeofday(2) does not move it. */
static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return timespec_to_ns(&now);
}

/*
 * Update CLOCK_REALTIME - CLOCK_MONOTONIC, which is 0 at first. It changes only when somebody has
 * set the clock, so that times of the kernel keep their distances.
 */
void clock_wall_update(int64_t *offset_ns);
/* CLOCK_REALTIME of a time since boot (CLOCK_BOOTTIME); `wall` is the time now. 0 = it is unknown.
 */
struct timespec clock_since_boot(const struct timespec *wall, uint64_t since_boot_ns);

/* Times as a user gives them. */

#define TIME_TEXT_FORMS "09:15, 09:15:30, 2026-11-21 09:15, +90 or -5m"

/*
 * Local time, by default on the day of *t, or UTC if it ends with Z, or a number of
 * seconds, minutes, hours or days from *t. False = none of these; *t is then undefined.
 */
bool time_text_parse(const char *text, struct timespec *t);
/* The same from *base. A time without a date is the last one up to *base, or the first from it. */
bool time_text_parse_near(const char *text, const struct timespec *base, bool after,
			  struct timespec *t);
