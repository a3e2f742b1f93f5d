// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks that options go together. */
#include <errno.h>
#include "cli/options.h"
#include "table/filter_capture.h"

/* Whether a row can match in one snapshot and not in the next. */
static bool is_changing(const char *expr)
{
	struct filter *filter;
	bool changes;

	filter_parse(expr, &filter, NULL);
	changes = filter_changes(filter);
	filter_free(filter);
	return changes;
}

/* The option that runs something other than the monitor of this kernel; NULL = none. */
static const char *instead_of_live(const struct options *o)
{
	const struct option_row *row = option_rows;

	if (o->recording.path)
		return "read";
	if (o->run == RUN_MONITOR || o->run == RUN_HELP || o->run == RUN_VERSION)
		return NULL;
	while (row->run != o->run)
		row++;
	return row->name;
}

/* An option that --record excludes; NULL = none is given. */
static const char *beside_record(const struct options *o)
{
	return o->recording.path         ? "read"
	       : o->output.format        ? "output"
	       : o->output.to            ? "to"
	       : o->output.check         ? "check"
	       : o->output.follows       ? "follow"
	       : o->listen.any.sa_family ? "listen"
					 : NULL;
}

/* With --capture, the filter also chooses the packets. */
static int capture_filter_check(const struct options *o, struct error *error)
{
	struct capture_filter filter;
	struct error cause = { 0 };

	if (!o->capture.path[0] || !filter_capture_parse(o->output.filter, NULL, &filter, &cause))
		return 0;
	return error_set(error, -EINVAL, "--capture: --filter: %s", cause.text);
}

int options_check(const struct options *o, struct error *error)
{
	const char *of_replay = o->recording.speed > 0 ? "speed" : "step";
	const char *instead = instead_of_live(o);
	bool listens = o->listen.any.sa_family;

	if (o->run == RUN_DIFF && !o->diff[1])
		return error_set(error, -EINVAL,
				 "--diff needs a second recording, or two spans FILE@FROM..TO");
	if (o->run == RUN_DIFF && o->output.format && o->output.format != &output_text &&
	    o->output.format != &output_json)
		return error_set(error, -EINVAL, "--diff prints only text or json");
	if (o->trace.verdicts && instead)
		return error_set(error, -EINVAL, "--verdicts cannot be used with --%s", instead);
	if (o->trace.later_namespaces && instead)
		return error_set(error, -EINVAL, "--later-namespaces cannot be used with --%s",
				 instead);
	if (o->capture.path[0] && !o->trace.verdicts)
		return error_set(error, -EINVAL, "--capture needs --verdicts");
	if (o->capture.rate != CAPTURE_RATE_DEFAULT && !o->trace.verdicts)
		return error_set(error, -EINVAL, "--capture-rate needs --verdicts");
	if (o->capture.both && !o->capture.path[0])
		return error_set(error, -EINVAL, "--capture-both needs --capture FILE.pcapng");
	if (o->run != RUN_MONITOR)
		return 0;
	if (o->output.view == VIEW_PACKETS && !o->recording.path &&
	    (!o->trace.verdicts || o->capture.path[0]))
		return error_set(error, -EINVAL,
				 o->capture.path[0] ? "--view packets cannot be used with --capture"
						    : "--view packets needs --verdicts");
	if (capture_filter_check(o, error))
		return -EINVAL;
	if (!o->record.path && (o->record.keep_s || o->record.keep_bytes))
		return error_set(error, -EINVAL, "--keep needs --record DIR");
	if (o->record.path && beside_record(o))
		return error_set(error, -EINVAL, "--record cannot be used with --%s",
				 beside_record(o));
	if (o->output.follows && (listens || o->output.check))
		return error_set(error, -EINVAL, "--follow cannot be used with --%s",
				 listens ? "listen" : "check");
	if (o->output.follows && o->output.format && o->output.format != &output_text &&
	    o->output.format != &output_json)
		return error_set(error, -EINVAL, "--follow prints only text or json");
	if (o->output.follows && o->output.filter[0])
		return error_set(error, -EINVAL,
				 "--follow cannot be used with --filter; its EXPR selects the "
				 "events");
	if (listens && (o->output.format || o->output.to || o->output.check))
		return error_set(error, -EINVAL, "--listen cannot be used with --%s",
				 o->output.format ? "output"
				 : o->output.to   ? "to"
						  : "check");
	if ((listens || (o->output.format && o->output.format->whole_file)) &&
	    is_changing(o->output.filter))
		return error_set(
			error, -EINVAL,
			"for prometheus, cpu is the only number that --filter can compare");
	if (o->output.view == VIEW_TIMELINE && !o->recording.path)
		return error_set(error, -EINVAL,
				 "--view timeline needs a recording; give one with -r FILE");
	if (o->output.view == VIEW_TIMELINE && o->output.format && o->output.format->whole_file)
		return error_set(error, -EINVAL, "--view timeline prints only text, csv or json");
	if (o->output.check && o->output.format)
		return error_set(error, -EINVAL, "--check cannot be used with --output");
	if (!o->recording.path && (o->recording.speed > 0 || o->recording.step))
		return error_set(error, -EINVAL, "--%s needs a recording; give one with -r FILE",
				 of_replay);
	return 0;
}
