// Package device turns a path into a result.Target: it opens it read-only,
// finds what it is, its size, sectors, limits, queues, NUMA node and members,
// and whether its driver can poll and how many queues it polls. It refuses what
// cannot be measured before any ring exists, in one sentence with the remedy.
// For passthrough it opens the character device of an NVMe namespace instead,
// and asks the drive itself (Identify) for its format and limits.
//
// Errors are *result.Error. Status 2 means that another value of an option
// would work on this target (the block size, -u) or that its twin would work
// (the block device for the character device, and the other way round); status
// 4 that what is at the path cannot be used here: missing, forbidden, of the
// wrong kind, empty.
//
// Opening reads no data (Identify is an administrative command). Sample, for the
// checks after a run, reads a few blocks. Nothing here writes, and it
// changes nothing on the system. Of ours it imports result and sysfs.
package device
