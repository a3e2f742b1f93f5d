// SPDX-License-Identifier: GPL-2.0-or-later
#include "explain/explanation.h"

#include <stdarg.h>
#include "diagnose/location_text.h"
#include "model/finding.h"
#include "model/pod.h"
#include "model/target.h"

void __attribute__((format(printf, 4, 5)))
say(const struct explanation *x, enum explain_style style, const char *label, const char *format,
    ...)
{
	char text[2 * SNAPSHOT_TEXT_LEN];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	x->lines->line(x->lines->ctx, style, label, text);
}

void say_break(const struct explanation *x, const char *head)
{
	say(x, EXPLAIN_TEXT, "", " ");
	if (head)
		say(x, EXPLAIN_HEAD, "", "%s", head);
}

static bool is_said(const struct explanation *x, const char *command)
{
	char line[FINDING_COMMANDS_LEN + 2];

	snprintf(line, sizeof(line), "\n%s\n", command);
	return strstr(x->said, line);
}

void say_command(struct explanation *x, const char *command)
{
	size_t len = strlen(x->said);

	if (len + strlen(command) + 3 <= sizeof(x->said))
		snprintf(x->said + len, sizeof(x->said) - len, "%s%s\n", len ? "" : "\n", command);
	say(x, EXPLAIN_COMMAND, "", "%s", command);
}

void fill_commands(struct explanation *x, const char *templates, const struct location *location,
		   const char *head)
{
	char template[256], command[FINDING_COMMANDS_LEN];
	struct location now = *location;

	location_rename(&now, x->to);
	while ((templates = next_line(templates, template, sizeof(template)))) {
		if (location_command(template, &now, x->t->options.netns, command,
				     sizeof(command)) <= 0)
			continue;
		if (head && is_said(x, command))
			continue;
		if (head && *head) {
			say_break(x, head);
			head = "";
		}
		say_command(x, command);
	}
}

void explain_prog(const struct explanation *x, const char *name, uint32_t id)
{
	if (id)
		say(x, EXPLAIN_TEXT, "program", "%s%sid %u", name, *name ? ", " : "", id);
}

static void explain_pod(const struct explanation *x, const char *label, const struct netdev_ref *of)
{
	const struct pod *pod = pod_of_device(x->to, of->netns, of->ifindex);
	char text[SNAPSHOT_TEXT_LEN];

	if (!pod)
		return;
	pod_text(pod, text, sizeof(text));
	if (*pod->name && *pod->container)
		say(x, EXPLAIN_TEXT, label, "%s, container %s %.12s", text, pod->container,
		    pod->container_id);
	else
		say(x, EXPLAIN_TEXT, label, "%s%s%.12s", text, *pod->container_id ? ", id " : "",
		    pod->container_id);
}

void explain_pods(const struct explanation *x, const struct location *location)
{
	explain_pod(x, "pod", &location->dev);
	explain_pod(x, "to pod", &location->to);
}

void explain_netns(const struct explanation *x, uint32_t netns)
{
	char name[SNAPSHOT_NAME_LEN * 2], inode[16];

	if (!netns_text(netns, x->t->options.netns, name, sizeof(name)))
		return;
	netns_inode_text(netns, inode, sizeof(inode));
	say(x, EXPLAIN_TEXT, "netns", "%s (%s)", name, inode);
}
