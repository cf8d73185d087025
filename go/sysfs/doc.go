// Package sysfs reads /sys and /proc below a root that is passed in: block
// devices by major and minor number, their queues, members and NUMA node, the
// character devices of NVMe, interrupt and softirq counts, topology and time of
// CPUs, what a thread has used, the throttling of control groups, mounts, and
// the kernel's policy on io_uring.
//
// Absence is recorded per field. An attribute that is absent, one that cannot
// be read and one that makes no sense are three different states of an Attr,
// and none of them fails the structure that it belongs to.
//
// It does not open devices, does not write, and does not judge what it reads.
// It imports nothing of ours.
package sysfs
