/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The data sources, in the order in which they are opened and sampled. Each has a struct
 * data_source in src/source, and rows in every snapshot.
 */
#pragma once

#define DATA_SOURCES(row)                                                                          \
	row(TRACEPOINTS, tracepoints_source)             /* the BPF programs' counters */          \
		row(PODS, pods_source)                   /* pods of namespaces */                  \
		row(NETDEVS, netdevs_source)             /* devices, over netlink */               \
		row(ETHTOOL_STATS, ethtool_stats_source) /* other counters of their drivers */     \
		row(QUEUES, queues_source)               /* receive queues, their IRQs and CPUs */ \
		row(SOFTNET, softnet_source)             /* CPUs: softnet_stat, events by stage */ \
		row(MAPS, maps_source)                   /* maps, and their entries */             \
		row(MAP_FILLS, map_fills_source)         /* how full other maps are */             \
		row(SOCKETS, sockets_source)             /* AF_XDP sockets */                      \
		row(SOCKETS_LEFT_OUT, sockets_left_out_source) /* sockets without a row */         \
		row(PROGRAMS, programs_source)                 /* who holds attached programs */   \
		row(PAGE_POOLS, page_pools_source)             /* also given up ones */            \
		row(FIB_LOOKUPS, fib_lookups_source)           /* in programs: --verdicts */       \
		row(VERDICTS, verdicts_source)                 /* their results: --verdicts */     \
		row(PACKET_KINDS, packet_kinds_source)         /* a sample of their packets */     \
		row(CHANGES, changes_source)                   /* between two snapshots */

#define DATA_SOURCE_ID(id, source) DATA_SOURCE_##id,
enum data_source_id { DATA_SOURCES(DATA_SOURCE_ID) DATA_SOURCE_COUNT };
#undef DATA_SOURCE_ID
