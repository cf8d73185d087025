// SPDX-License-Identifier: MIT

// func spin(turns uint64): two instructions each turn; turns is not 0.
TEXT ·spin(SB), 4, $0-8
	MOVQ turns+0(FP), AX
loop:
	DECQ AX
	JNZ  loop
	RET
