// Package affinity decides which CPU and memory node each submitter gets and
// which targets it reads, and binds a locked OS thread to that CPU and node.
//
// It does not start threads, and says nothing about where other threads run:
// Plan.Spare lists the CPUs it left for the one that reads the counters. Of
// ours it imports result and sysfs.
package affinity
