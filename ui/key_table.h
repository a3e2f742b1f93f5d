/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys, one row each: KEY(function, step, contexts, footer weight, group, label, help,
 * codes...). Include it with KEY defined: key.c takes all but the functions (and needs no curses),
 * actions.h the prototypes, screen_keys.c the functions.
 *
 * function       void function(struct screen *s), called in each of the contexts
 * step           value of s->step: direction and distance; 0 if the function does not read it
 * footer weight  0 = not in the footer; the lightest are dropped first
 * group          heading in the help; NULL = the previous row's
 * label          up to 12 characters; the footer shows it with the first code
 * help           up to 70 characters, one line of the help at 80 columns
 */
/* clang-format off */
KEY(action_help, 0, KEYS_PANES, 90, "Everywhere", "help",
    "keys, columns and what the numbers mean", '?', 'h', KEYCODE_F(1))
KEY(action_close, 0, KEYS_VIEW | KEYS_TOO_SMALL, 80, NULL, "quit",
    "quit, or go back to where x, t, m or l was pressed", 'q')
KEY(action_quit, 0, KEYS_VIEW | KEYS_TOO_SMALL | KEYS_LAYERS | KEYS_PROMPT, 0, NULL, "quit",
    "quit from wherever you are", KEYCODE_F(10), KEYCODE_CTRL('C'))
KEY(action_suspend, 0, KEYS_PANES, 0, NULL, "suspend",
    "suspend, and detach all programs until it continues", KEYCODE_CTRL('Z'))
KEY(action_redraw, 0, KEYS_PANES | KEYS_PROMPT, 0, NULL, "redraw",
    "draw the whole screen again", KEYCODE_CTRL('L'))

KEY(cursor_move, -1, KEYS_PANES, 0, "Move", "row",
    "one row up", KEYCODE_UP, 'k')
KEY(cursor_move, 1, KEYS_PANES, 0, NULL, "row",
    "one row down", KEYCODE_DOWN, 'j')
KEY(cursor_page, -2, KEYS_PANES & ~KEYS_GRAPH, 0, NULL, "page",
    "one page up", KEYCODE_PAGE_UP, KEYCODE_CTRL('B'))
KEY(cursor_page, 2, KEYS_PANES & ~KEYS_GRAPH, 0, NULL, "page",
    "one page down", KEYCODE_PAGE_DOWN, KEYCODE_CTRL('F'))
KEY(cursor_page, 2, KEYS_TEXT, 85, NULL, "more",
    "one page down in a text", ' ')
KEY(cursor_page, -1, KEYS_PANES & ~KEYS_GRAPH, 0, NULL, "half a page",
    "half a page up", KEYCODE_CTRL('U'))
KEY(cursor_page, 1, KEYS_PANES & ~KEYS_GRAPH, 0, NULL, "half a page",
    "half a page down", KEYCODE_CTRL('D'))
KEY(cursor_move, INT_MIN, KEYS_PANES & ~KEYS_GRAPH, 0, NULL, "first, last",
    "first row", KEYCODE_HOME)
KEY(cursor_move, INT_MAX, KEYS_PANES & ~KEYS_GRAPH, 0, NULL, "first, last",
    "last row", KEYCODE_END)
KEY(cursor_move, INT_MIN, KEYS_TEXT, 0, NULL, "top",
    "first line of the text", 'g')
KEY(cursor_move, INT_MAX, KEYS_TEXT, 0, NULL, "bottom",
    "last line of the text", 'G')
KEY(text_search, 0, KEYS_TEXT, 58, NULL, "search",
    "search the text (lower case matches any case)", '/')
KEY(text_search_next, 1, KEYS_TEXT, 0, NULL, "next",
    "next match", 'n')
KEY(text_search_next, -1, KEYS_TEXT, 0, NULL, "line before",
    "previous match", 'N')
KEY(cursor_move, -3, KEYS_PANES, 0, NULL, "3 up",
    "three rows up", KEYCODE_WHEEL_UP)
KEY(cursor_move, 3, KEYS_PANES, 0, NULL, "3 down",
    "three rows down", KEYCODE_WHEEL_DOWN)
KEY(mouse_click, 0, KEYS_PANES, 0, NULL, "select, open",
    "select or open a row, sort by a column header, choose a view or a key", KEYCODE_CLICK)
KEY(table_scroll, -1, KEYS_ROWS, 0, NULL, "scroll",
    "scroll the columns left", KEYCODE_LEFT)
KEY(table_scroll, 1, KEYS_ROWS, 0, NULL, "scroll",
    "scroll the columns right", KEYCODE_RIGHT)

KEY(action_view, 1, KEYS_ROWS, 70, "Views", "view",
    "next view", KEYCODE_TAB)
KEY(action_view, -1, KEYS_ROWS, 0, NULL, "view",
    "previous view", KEYCODE_BACK_TAB)
KEY(action_view_digit, 0, KEYS_PANES & ~KEYS_TRACEPOINTS, 0, NULL, "nth view",
    "the view with that number; in the timeline view, the incident",
    '1', '2', '3', '4', '5', '6', '7', '8', '9')
KEY(action_view_menu, 0, KEYS_PANES & ~KEYS_TRACEPOINTS, 0, NULL, "views",
    "menu of all views", '0', 'v')
KEY(action_view_menu, 0, KEYS_TRACEPOINTS, 0, NULL, "views",
    "menu of all views", 'v')
KEY(table_explain, 0, KEYS_ROWS, 65, NULL, "details",
    "details of the row with its meaning, causes, commands and CPUs", KEYCODE_ENTER, 'e')
KEY(menu_choose, 0, KEYS_MENU, 85, NULL, "choose",
    "choose the entry of a menu", KEYCODE_ENTER)
KEY(action_back, 0, KEYS_LAYERS, 95, NULL, "back",
    "back to where you came from", KEYCODE_ESC, KEYCODE_BACKSPACE, 'q')
KEY(action_back, 0, KEYS_ANY_LIST | KEYS_TRACEPOINTS, 95, NULL, "back",
    "clear the filter or, without one, go back to where you came from", KEYCODE_ESC, KEYCODE_BACKSPACE)
KEY(action_back, 0, KEYS_TABLE, 0, NULL, "clear filter",
    "clear the filter or, without one, go back to where you came from", KEYCODE_ESC, KEYCODE_BACKSPACE)
KEY(action_per_cpu, 0, KEYS_ANY_TABLE, 20, NULL, "all CPUs",
    "the CPUs of all rows, below each row", 'c')
KEY(goto_cpus, 0, KEYS_LIST | KEYS_DETAILS, 61, NULL, "its CPUs",
    "the CPUs of the row, or of what the finding or event is about", 'c')
KEY(goto_map, 0, KEYS_ANY_LIST | KEYS_ABOUT, 60, NULL, "its map",
    "the map entry for the target, or the socket of an xskmap entry", 'm')
KEY(goto_map, 0, KEYS_ANY_TABLE, 14, NULL, "its map",
    "the map entry for the row's target, or the program's map", 'm')
KEY(action_follow, 0, KEYS_ANY_TABLE | KEYS_LIST | KEYS_DETAILS, 47, NULL, "follow",
    "follow each event of the row as it comes, until Esc", 'l')
KEY(action_packets, 0, KEYS_ANY_TABLE | KEYS_LIST | KEYS_DETAILS, 11, NULL, "packets",
    "read a few packets that the device or program drops (--verdicts)", 'y')
KEY(packets_filter, 0, KEYS_PACKETS, 58, NULL, "filter",
    "read only packets that match a pcap-filter(7) expression", '/')
KEY(packets_pause, 0, KEYS_PACKETS, 57, NULL, "pause",
    "keep the packets that are shown, and only count newer ones", 'p')
KEY(packets_export, 0, KEYS_PACKETS, 56, NULL, "write",
    "write the packets that are shown to a pcapng file, mode 0600", 'w')
KEY(action_all, 0, KEYS_ROWS, 15, NULL, "all rows",
    "also show rows without activity, and CPUs that are folded as idle", 'a')
KEY(action_findings, 0, KEYS_PANES & ~KEYS_COLUMNS, 62, NULL, "findings",
    "show the findings with cause, evidence and commands, or go back", 'x')
KEY(action_changes, 0, KEYS_PANES & ~KEYS_COLUMNS, 0, NULL, "changes",
    "show the changes, newest first, or go back", 'X')

KEY(action_tracepoints, 0, KEYS_PANES & ~KEYS_COLUMNS, 50, "Tracepoints", "tracepoints",
    "show the tracepoints with state, reason and cost, or go back", 't')
KEY(tracepoint_toggle, 0, KEYS_TRACEPOINTS, 85, NULL, "on/off",
    "switch the tracepoint selected in the tracepoints view on or off", ' ')
KEY(tracepoint_digit, 0, KEYS_TRACEPOINTS, 0, NULL, "by number",
    "switch the tracepoint with that number on or off",
    '1', '2', '3', '4', '5', '6', '7', '8', '9', '0')
KEY(action_verdicts, 0, KEYS_ROWS | KEYS_PACKETS, 0, NULL, "verdicts",
    "switch the counting of verdicts (--verdicts) on or off", 'V')

KEY(table_sort_next, -1, KEYS_ROWS, 0, "Sort and select", "sort",
    "sort by the column to the left", '<')
KEY(table_sort_next, 1, KEYS_ROWS, 45, NULL, "sort",
    "sort by the column to the right", '>')
KEY(table_sort_menu, 0, KEYS_ROWS, 0, NULL, "sort menu",
    "menu of the columns to sort by", KEYCODE_F(6))
KEY(table_sort_reverse, 0, KEYS_ROWS, 0, NULL, "reverse",
    "reverse the order", 'R')
KEY(action_filter, 0, KEYS_VIEW, 55, NULL, "filter",
    "filter the rows while you type (an empty text clears it)", '/', KEYCODE_F(4))

KEY(action_columns, 0, KEYS_VIEW, 18, "Columns", "columns",
    "choose and order the columns of the view", 'f', KEYCODE_F(2))
KEY(columns_toggle, 0, KEYS_COLUMNS, 85, NULL, "show",
    "show or hide the column", ' ', KEYCODE_ENTER)
KEY(columns_move, -1, KEYS_COLUMNS, 60, NULL, "earlier",
    "move the column one place to the left", '<', KEYCODE_LEFT)
KEY(columns_move, 1, KEYS_COLUMNS, 61, NULL, "later",
    "move the column one place to the right", '>', KEYCODE_RIGHT)
KEY(columns_widen, -1, KEYS_COLUMNS, 50, NULL, "narrower",
    "make the column narrower (numbers keep their width)", '-')
KEY(columns_widen, 1, KEYS_COLUMNS, 51, NULL, "wider",
    "make the column wider", '+', '=')
KEY(columns_reset, 0, KEYS_COLUMNS, 55, NULL, "reset",
    "restore the view's own columns", KEYCODE_DELETE, 'x')

KEY(action_graph, 0, KEYS_ROWS, 35, "Graph", "graph",
    "graph ten minutes of the rate last sorted by and of a related one", 'g')
KEY(graph_select, 1, KEYS_GRAPH, 85, NULL, "count",
    "graph the next of the row's rates", KEYCODE_TAB, KEYCODE_RIGHT)
KEY(graph_select, -1, KEYS_GRAPH, 0, NULL, "previous",
    "graph the previous rate", KEYCODE_BACK_TAB, KEYCODE_LEFT)

KEY(action_pause, 0, KEYS_ROWS | KEYS_GRAPH, 40, "Time and numbers", "pause",
    "freeze the numbers (sorting, filtering and details still work)", 'p', 'z', 'Z')
KEY(action_sample, 0, (KEYS_ROWS & ~KEYS_TRACEPOINTS) | KEYS_GRAPH, 0, NULL, "sample now",
    "sample now", ' ')
KEY(replay_step, 0, KEYS_ROWS | KEYS_TEXT | KEYS_GRAPH, 0, NULL, "a snapshot",
    "go one snapshot back or forward (Space steps, p resumes)", ',', '.')
KEY(replay_minute, 0, KEYS_ROWS | KEYS_TEXT | KEYS_GRAPH, 0, NULL, "a minute",
    "go one minute back or forward in the recording", '[', ']')
KEY(replay_incident, 0, KEYS_ROWS | KEYS_TEXT | KEYS_GRAPH, 61, NULL, "incident",
    "go to the previous or next incident in the recording", '{', '}')
KEY(action_interval, 0, KEYS_PANES & ~(KEYS_MENU | KEYS_COLUMNS), 30, NULL, "interval",
    "set the interval, " SOURCE_INTERVAL_RANGE " seconds, or go to a time of a recording", 'd', 's')
KEY(action_baseline, 0, KEYS_ROWS, 22, NULL, "baseline",
    "set the baseline, from which totals count", 'r')

KEY(snapshot_export, 0, KEYS_ROWS | KEYS_GRAPH, 12, "Files", "write",
    "write the snapshot shown, even a paused one, as JSON Lines", 'w')
KEY(action_record, 0, KEYS_ROWS | KEYS_GRAPH, 13, NULL, "record",
    "record to a file (from ten minutes ago), or stop recording", 'o')
KEY(commands_export, 0, KEYS_ABOUT, 46, NULL, "commands",
    "write the commands of the details to a script, mode 0600", 'w')
KEY(commands_copy, 0, KEYS_ABOUT, 45, NULL, "copy",
    "copy the commands of the details, if the terminal supports OSC 52", 'C')
KEY(settings_store, 0, KEYS_ROWS | KEYS_COLUMNS, 10, NULL, "save",
    "save view, columns, sorting, interval, tracepoints", 'W')
/* clang-format on */
