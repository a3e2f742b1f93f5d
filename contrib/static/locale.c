// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/locale.h"

/* For machines without C.UTF-8: that of the machine that builds, whose libc is in the program, too.
 */
__asm__(".section .rodata\n"
	".balign 8\n"
	".globl locale_ctype, locale_ctype_end\n"
	"locale_ctype: .incbin \"" LOCALE "\"\n"
	"locale_ctype_end: .byte 0\n"
	".text\n");
