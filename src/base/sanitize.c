// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>
#include "base/sanitize.h"

/*
 * Code points that move, hide or disguise other text: C1 controls, bidi and zero-width format
 * characters, invisible fillers, blanks other than the space, line separators, variation selectors,
 * tags, private use and noncharacters, and right-to-left letters, which also move the cells beside
 * them. Unicode categories Cc, Cf, Co, Zl, Zp, Zs, the Default_Ignorable code points, and bidi
 * classes R, AL and AN.
 */
static const struct {
	uint32_t first, last;
} unprintable[] = {
	{ 0x00, 0x1f },       { 0x7f, 0xa0 },       { 0xad, 0xad },        { 0x34f, 0x34f },
	{ 0x5be, 0x8e2 },     { 0x115f, 0x1160 },   { 0x1680, 0x1680 },    { 0x17b4, 0x17b5 },
	{ 0x180b, 0x180f },   { 0x2000, 0x200f },   { 0x2028, 0x202f },    { 0x205f, 0x206f },
	{ 0x3000, 0x3000 },   { 0x3164, 0x3164 },   { 0xd800, 0xf8ff },    { 0xfb1d, 0xfdfc },
	{ 0xfe00, 0xfe0f },   { 0xfe70, 0xfeff },   { 0xffa0, 0xffa0 },    { 0xfff0, 0xfffb },
	{ 0xfffe, 0xffff },   { 0x10800, 0x10fff }, { 0x110bd, 0x110bd },  { 0x110cd, 0x110cd },
	{ 0x13430, 0x1343f }, { 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a },  { 0x1e800, 0x1efff },
	{ 0x1fffe, 0x1ffff }, { 0xe0000, 0xe0fff }, { 0xf0000, 0x10ffff },
};

/* False for a character without a column, which is drawn on its neighbour. */
static bool is_printable(uint32_t c)
{
	for (size_t i = 0; i < sizeof(unprintable) / sizeof(unprintable[0]); i++)
		if (c >= unprintable[i].first && c <= unprintable[i].last)
			return false;
	return wcwidth((wchar_t)c);
}

/* Bytes of the valid, shortest-form UTF-8 character at s, its code point in *c; 0 = invalid. */
static size_t decode_utf8(const unsigned char *s, size_t len, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (!n || n > len || s[0] > 0xf4)
		return 0;
	*c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3f);
	}
	return *c >= least[n] && *c <= 0x10ffff ? n : 0;
}

/* Length of the leading ASCII that needs no escape: a fast path. */
static size_t ascii_length(const unsigned char *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= ' ' && s[n] < 0x7f && s[n] != '\\')
		n++;
	return n;
}

size_t sanitize_escape(const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";

	if (len < 2 || s[0] != '\\')
		return 0;
	if (s[1] == '\\')
		return 2;
	if (len < 4 || s[1] != 'x' || !s[2] || !strchr(hex, s[2]) || !s[3] || !strchr(hex, s[3]))
		return 0;
	/* no name has a NUL: a shell would end the word there */
	return memcmp(s + 2, "00", 2) ? 4 : 0;
}

enum backslash {
	DOUBLED,
	ESCAPES_KEPT, /* doubled unless it begins an escape */
	KEPT,
};

static int escape(char *buf, size_t size, const char *raw, size_t len, enum backslash backslash)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *s = (const unsigned char *)raw;
	size_t out = 0;

	if (!size)
		return 0;
	while (len && *s) {
		size_t n = ascii_length(s, len < size - 1 - out ? len : size - 1 - out);
		size_t used, piece_len = 0;
		uint32_t c = 0; /* 0 = an escape that is kept */
		char piece[16];

		if (n) {
			memcpy(buf + out, s, n);
			out += n;
			s += n;
			len -= n;
			continue;
		}
		n = backslash == ESCAPES_KEPT ? sanitize_escape((const char *)s, len) : 0;
		if (!n)
			n = decode_utf8(s, len, &c);
		used = n ? n : 1;
		if (n && (!c || is_printable(c))) {
			memcpy(piece, s, n);
			piece_len = n;
			if (c == '\\' && backslash != KEPT)
				piece[piece_len++] = '\\';
		} else {
			for (size_t i = 0; i < used; i++) {
				piece[piece_len++] = '\\';
				piece[piece_len++] = 'x';
				piece[piece_len++] = hex[s[i] >> 4];
				piece[piece_len++] = hex[s[i] & 15];
			}
		}
		if (piece_len >= size - out)
			break;
		memcpy(buf + out, piece, piece_len);
		out += piece_len;
		s += used;
		len -= used;
	}
	buf[out] = '\0';
	return (int)out;
}

int sanitize(char *buf, size_t size, const char *raw, size_t len)
{
	return escape(buf, size, raw, len, DOUBLED);
}

int sanitize_keep_escapes(char *buf, size_t size, const char *text, size_t len)
{
	return escape(buf, size, text, len, ESCAPES_KEPT);
}

int sanitize_text(char *buf, size_t size, const char *text, size_t len)
{
	return escape(buf, size, text, len, KEPT);
}

int sanitize_format(char *buf, size_t size, const char *format, ...)
{
	char whole[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(whole, sizeof(whole), format, args);
	va_end(args);
	return sanitize_keep_escapes(buf, size, whole, sizeof(whole));
}
