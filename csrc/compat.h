/* SPDX-License-Identifier: MIT */
/*
 * Constants and structs of newer kernels that liburing 2.9's headers lack.
 * Values from include/uapi/linux/io_uring.h and .../query.h.
 */
#ifndef RP_COMPAT_H
#define RP_COMPAT_H

#include <stdint.h>
#include <liburing.h>

#ifndef IORING_SETUP_HYBRID_IOPOLL
#define IORING_SETUP_HYBRID_IOPOLL	(1U << 17)	/* 6.13 */
#endif
#ifndef IORING_FEAT_NO_IOWAIT
#define IORING_FEAT_NO_IOWAIT		(1U << 17)	/* 6.15 */
#endif

#define RP_REGISTER_QUERY		35		/* 6.18 */
#define RP_QUERY_OPCODES		0

struct rp_query_hdr {
	uint64_t next_entry;
	uint64_t query_data;
	uint32_t query_op;
	uint32_t size;
	int32_t  result;
	uint32_t resv[3];
};

struct rp_query_opcodes {
	uint32_t nr_request_opcodes;
	uint32_t nr_register_opcodes;
	uint64_t feature_flags;
	uint64_t ring_setup_flags;
	uint64_t enter_flags;
	uint64_t sqe_flags;
	uint32_t nr_query_opcodes;
	uint32_t pad;
};

_Static_assert(IORING_SETUP_HYBRID_IOPOLL == 1U << 17, "uapi value");
_Static_assert(IORING_FEAT_NO_IOWAIT == 1U << 17, "uapi value");
_Static_assert(sizeof(struct rp_query_hdr) == 40, "uapi struct");
_Static_assert(sizeof(struct rp_query_opcodes) == 48, "uapi struct");

#endif
