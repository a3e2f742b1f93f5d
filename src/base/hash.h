/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 64-bit hashes of numbers and texts. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include "base/memory.h"

/*
 * Finds elements of an array by their keys, by open addressing. The owner has the array, and hashes
 * keys with hash_seed(), so that the author of a recording cannot make them collide.
 */

#define HASH_INDEX_NONE SIZE_MAX

struct hash_slot {
	uint32_t hash;
	uint32_t at; /* 1 + index of the element; 0 = free */
};

/* All zero is an empty one. */
struct hash_index {
	struct hash_slot *slot;
	size_t size; /* a power of two, more than twice n */
	size_t n;
};

/*
 * Index of the element with this hash for which `same`, an expression of the index `i`, is true;
 * HASH_INDEX_NONE when there is none:
 *   at = hash_index_find(&t->index, hash, i, t->row[i].id == id);
 */
#define hash_index_find(index, key_hash, i, same)                                                \
	({                                                                                       \
		const struct hash_index *index_ = (index);                                       \
		uint32_t hash_ = (key_hash);                                                     \
		size_t i = HASH_INDEX_NONE;                                                      \
		for (size_t at_ = hash_; index_->size; at_++) {                                  \
			const struct hash_slot *slot_ = &index_->slot[at_ & (index_->size - 1)]; \
			i = slot_->at ? slot_->at - 1 : HASH_INDEX_NONE;                         \
			if (!slot_->at || (slot_->hash == hash_ && (same)))                      \
				break;                                                           \
		}                                                                                \
		i;                                                                               \
	})

static inline void hash_index_put(struct hash_index *x, uint32_t hash, uint32_t at)
{
	size_t i = hash;

	while (x->slot[i & (x->size - 1)].at)
		i++;
	x->slot[i & (x->size - 1)] = (struct hash_slot){ hash, at };
}

/* Adds the element at index `at`, whose key no other element has. */
static inline void hash_index_add(struct hash_index *x, uint32_t hash, size_t at)
{
	struct hash_index more = { .size = x->size ? 2 * x->size : 64, .n = x->n };

	if (2 * (x->n + 1) > x->size) {
		more.slot = memory_new(more.size, sizeof(*more.slot));
		for (size_t i = 0; i < x->size; i++)
			if (x->slot[i].at)
				hash_index_put(&more, x->slot[i].hash, x->slot[i].at);
		free(x->slot);
		*x = more;
	}
	hash_index_put(x, hash, (uint32_t)at + 1);
	x->n++;
}

/* Removes all elements. Adding as many again does not allocate. */
static inline void hash_index_clear(struct hash_index *x)
{
	if (x->n)
		memset(x->slot, 0, x->size * sizeof(*x->slot));
	x->n = 0;
}

static inline void hash_index_free(struct hash_index *x)
{
	free(x->slot);
	*x = (struct hash_index){ 0 };
}

/* splitmix64's finalizer: every bit of the input affects every bit of the result. */
static inline uint64_t hash_add(uint64_t hash, uint64_t value)
{
	hash ^= value + 0x9e3779b97f4a7c15u;
	hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
	hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
	return hash ^ hash >> 31;
}

/* Hashes size bytes: 4-byte numbers, without padding. */
static inline uint64_t hash_add_words(uint64_t hash, const void *words, size_t size)
{
	uint32_t word;

	for (size_t i = 0; i < size; i += sizeof(word)) {
		memcpy(&word, (const char *)words + i, sizeof(word));
		hash = hash_add(hash, word);
	}
	return hash;
}

static inline uint64_t hash_add_text(uint64_t hash, const char *text)
{
	while (*text)
		hash = hash_add(hash, (unsigned char)*text++);
	return hash;
}

/* Differs from process to process: for keys that others choose. */
static inline uint64_t hash_seed(void)
{
	uint64_t seed;

	memcpy(&seed, (const void *)getauxval(AT_RANDOM), sizeof(seed));
	return seed;
}
