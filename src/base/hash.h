/* SPDX-License-Identifier: GPL-2.0-or-later */
/* 64-bit hashes of numbers and texts. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

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
