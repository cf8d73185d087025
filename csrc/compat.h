/* SPDX-License-Identifier: MIT */
/*
 * Constants and structs of newer kernels that liburing 2.9's headers lack.
 * Values from include/uapi/linux/io_uring.h and .../query.h.
 */
#ifndef RP_COMPAT_H
#define RP_COMPAT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>

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

/* struct nvme_uring_cmd and its ioctl numbers of linux/nvme_ioctl.h, 5.19. */
struct rp_nvme_cmd {
	uint8_t  opcode;
	uint8_t  flags;
	uint16_t rsvd1;
	uint32_t nsid;
	uint32_t cdw2;
	uint32_t cdw3;
	uint64_t metadata;
	uint64_t addr;
	uint32_t metadata_len;
	uint32_t data_len;
	uint64_t slba;		/* cdw10 and cdw11, little-endian */
	uint32_t cdw12;		/* LBAs - 1, and control */
	uint32_t cdw13;
	uint32_t cdw14;
	uint32_t cdw15;
	uint32_t timeout_ms;
	uint32_t rsvd2;
};

#define RP_NVME_URING_CMD_IO		_IOWR('N', 0x80, struct rp_nvme_cmd)
#define RP_NVME_URING_CMD_IO_VEC	_IOWR('N', 0x81, struct rp_nvme_cmd)
#define RP_NVME_READ			0x02
#ifndef IORING_URING_CMD_FIXED
#define IORING_URING_CMD_FIXED		(1U << 0)	/* 6.1 */
#endif

_Static_assert(sizeof(struct rp_nvme_cmd) == 72, "uapi struct");
_Static_assert(offsetof(struct rp_nvme_cmd, slba) == 40, "uapi struct");
_Static_assert(offsetof(struct io_uring_sqe, cmd) == 48, "uapi struct");
_Static_assert(RP_NVME_URING_CMD_IO == 0xC0484E80, "uapi value");
_Static_assert(IORING_SETUP_HYBRID_IOPOLL == 1U << 17, "uapi value");
_Static_assert(IORING_FEAT_NO_IOWAIT == 1U << 17, "uapi value");
_Static_assert(sizeof(struct rp_query_hdr) == 40, "uapi struct");
_Static_assert(sizeof(struct rp_query_opcodes) == 48, "uapi struct");

#endif
