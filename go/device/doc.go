// Package device turns a path into a result.Target: it opens it read-only,
// finds what it is, its size, sectors, limits, queues, NUMA node and members,
// and whether its driver can poll. It refuses what cannot be measured before
// any ring exists, in one sentence with the remedy.
//
// Errors are *result.Error. Status 2 means that another value of an option
// would work on this target (the block size); status 4 that what is at the
// path cannot be used here: missing, forbidden, of the wrong kind, empty.
//
// It does no I/O on the target, does not write, and changes nothing on the
// system. Of ours it imports result and sysfs.
package device
