/* SPDX-License-Identifier: MIT */
/* A namespace of the lab, as its controller describes it, each LBA of which is made to hold its own number. */
#ifndef RP_TEST_NAMESPACE_H
#define RP_TEST_NAMESPACE_H

#include <sys/ioctl.h>
#include <sys/stat.h>

#include <linux/fs.h>
#include <linux/nvme_ioctl.h>

#include "rig.h"

#define MAX_BLOCKS	4096u
#define PRACT		(1u << 29)	/* in command dword 12 */

/* A namespace, as Identify describes it to the test itself. */
struct ns {
	const char *name;
	int fd;
	int block;		/* the block device, -1 where it has another idea of LBAs, or none */
	uint32_t nsid, lba, ms, tag;
	bool inter, pract;
	uint64_t lbas;
};

/* Bytes of one LBA in the buffer for data. */
static uint32_t data_of(const struct ns *ns)
{
	return ns->lba + (ns->inter && !ns->pract ? ns->ms : 0);
}

/* Bytes of one LBA in a buffer for metadata. */
static uint32_t meta_of(const struct ns *ns)
{
	return ns->inter || ns->pract ? 0 : ns->ms;
}

/* The 8 bytes at 8 * i of an LBA. Metadata follows the data, wherever it is. */
static uint64_t word_of(const struct ns *ns, uint64_t lba, uint32_t i)
{
	return (uint64_t)ns->tag << 56 | lba << 16 | i;
}

static void fill(const struct ns *ns, uint64_t lba, uint64_t *to, uint32_t bytes, uint32_t first)
{
	for (uint32_t i = 0; i < bytes / 8; i++)
		to[i] = word_of(ns, lba, first + i);
}

static int64_t command(const struct ns *ns, unsigned long request, struct nvme_passthru_cmd *cmd)
{
	cmd->nsid = ns->nsid;
	return ioctl(ns->fd, request, cmd);
}

/* Some kernels give a namespace with metadata no block device, or one without a size. */
static void open_block(struct ns *ns)
{
	uint64_t size = 0;
	char path[128];

	snprintf(path, sizeof(path), "/dev/lab/%s", ns->name);
	ns->block = open(path, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (ns->block < 0)
		return;
	CHECK_EQ(ioctl(ns->block, BLKGETSIZE64, &size), 0);
	if (size) {
		CHECK_EQ(size, ns->lbas * ns->lba);
		return;
	}
	close(ns->block);
	ns->block = -1;
}

static void open_ns(struct ns *ns, const char *name, uint32_t tag)
{
	uint8_t id[4096] __attribute__((aligned(4096)));
	struct nvme_passthru_cmd identify = {
		.opcode = 0x06, .addr = (uint64_t)(uintptr_t)id, .data_len = sizeof(id),
	};
	char path[128];
	uint8_t *format;

	memset(ns, 0, sizeof(*ns));
	ns->name = name;
	ns->tag = tag;
	snprintf(path, sizeof(path), "/dev/lab/%s-char", name);
	ns->fd = open(path, O_RDWR | O_CLOEXEC);
	CHECK_OP(ns->fd, >=, 0);
	ns->nsid = (uint32_t)ioctl(ns->fd, NVME_IOCTL_ID);
	CHECK_EQ(command(ns, NVME_IOCTL_ADMIN_CMD, &identify), 0);
	memcpy(&ns->lbas, id, 8);
	format = id + 128 + 4 * ((id[26] & 15) | (id[26] >> 5 & 3) << 4);
	ns->ms = format[0] | (uint32_t)format[1] << 8;
	ns->lba = 1u << format[2];
	ns->inter = id[26] >> 4 & 1;
	ns->pract = (id[29] & 7) && ns->ms == 8;
	CHECK_OP(ns->lbas, <=, MAX_BLOCKS);
	open_block(ns);
}

/* Through the block device, whose idea of LBAs is not ours. */
static void write_block(const struct ns *ns)
{
	const uint64_t bytes = ns->lbas * ns->lba;
	uint64_t *all = aligned_alloc(4096, bytes);

	CHECK(all);
	for (uint64_t i = 0; i < ns->lbas; i++)
		fill(ns, i, all + i * ns->lba / 8, ns->lba, 0);
	for (uint64_t at = 0; at < bytes; at += 65536)
		CHECK_EQ(pwrite(ns->block, (uint8_t *)all + at, bytes - at < 65536 ? bytes - at : 65536, (off_t)at),
			 bytes - at < 65536 ? bytes - at : 65536);
	free(all);
}

/* Without a block device that keeps all of an LBA the numbers go by NVMe writes. */
static void write_ns(const struct ns *ns)
{
	uint64_t data[8192 / 8] __attribute__((aligned(4096)));
	uint64_t meta[64 / 8] __attribute__((aligned(64)));

	trying("write %s", ns->name);
	if (ns->block >= 0 && !meta_of(ns)) {
		write_block(ns);
		return;
	}
	for (uint64_t i = 0; i < ns->lbas; i++) {
		struct nvme_passthru_cmd cmd = {
			.opcode = 0x01, .addr = (uint64_t)(uintptr_t)data, .data_len = data_of(ns),
			.cdw10 = (uint32_t)i, .cdw11 = (uint32_t)(i >> 32), .cdw12 = ns->pract ? PRACT : 0,
		};

		fill(ns, i, data, data_of(ns), 0);
		if (meta_of(ns)) {
			fill(ns, i, meta, meta_of(ns), ns->lba / 8);
			cmd.metadata = (uint64_t)(uintptr_t)meta;
			cmd.metadata_len = meta_of(ns);
		}
		CHECK_EQ(command(ns, NVME_IOCTL_IO_CMD, &cmd), 0);
	}
}

#endif
