package result

import (
	"fmt"
	"strings"
)

// NVMeStatus is a decoded NVMe completion status.
type NVMeStatus struct {
	Type uint8  `json:"type"`           // status code type: 0 generic, 1 command specific, 2 media, 3 path, 7 vendor
	Code uint8  `json:"code"`           // status code, which means something only together with Type
	DNR  bool   `json:"do_not_retry"`   // the same command would fail again
	More bool   `json:"more,omitempty"` // the controller's error log has more on it
	CRD  uint8  `json:"crd,omitempty"`  // command retry delay: 0 none, else which of the controller's three times
	Name string `json:"name"`           // as the specification has it; empty when the code is not known here
	Text string `json:"text,omitempty"` // what it means for a read, where the name does not say
}

// Fields of the status, as Linux hands it over: without the phase bit
// (NVMe base specification, "Status Field Definition"; include/linux/nvme.h).
const (
	nvmeCode = 0x00ff
	nvmeType = 0x0700
	nvmeCRD  = 0x1800
	nvmeMore = 0x2000
	nvmeDNR  = 0x4000
)

// DecodeNVMeStatus decodes the result of a passthrough command, a cqe->res
// above 0. (0 is success, below 0 is -errno.)
func DecodeNVMeStatus(res uint32) NVMeStatus {
	s := NVMeStatus{
		Type: uint8(res & nvmeType >> 8),
		Code: uint8(res & nvmeCode),
		DNR:  res&nvmeDNR != 0,
		More: res&nvmeMore != 0,
		CRD:  uint8(res & nvmeCRD >> 11),
	}
	k := nvmeName(s.Type, s.Code)
	s.Name, s.Text = k.name, k.text
	return s
}

// String is "generic: LBA Out of Range (0x80, do not retry)".
func (s NVMeStatus) String() string {
	parts := []string{fmt.Sprintf("0x%02x", s.Code)}
	if s.DNR {
		parts = append(parts, "do not retry")
	}
	if s.More {
		parts = append(parts, "more in the error log")
	}
	if s.CRD != 0 {
		parts = append(parts, fmt.Sprintf("retry after delay %d", s.CRD))
	}
	name := s.Name
	if name == "" {
		name = "unknown status"
	}
	return fmt.Sprintf("%s: %s (%s)", s.typeName(), name, strings.Join(parts, ", "))
}

func (s NVMeStatus) typeName() string {
	switch s.Type {
	case 0:
		return "generic"
	case 1:
		return "command specific"
	case 2:
		return "media"
	case 3:
		return "path"
	case 7:
		return "vendor specific"
	}
	return fmt.Sprintf("type %d", s.Type)
}

type nvmeMeaning struct{ name, text string }

// nvmeName knows the statuses that a read can end with: NVMe base
// specification, "Status Code"; NVM and zoned namespace command sets.
func nvmeName(typ, code uint8) nvmeMeaning {
	switch typ {
	case 0:
		return nvmeGeneric(code)
	case 1:
		return nvmeSpecific(code)
	case 2:
		return nvmeMedia(code)
	case 3:
		return nvmePath(code)
	}
	return nvmeMeaning{}
}

func nvmeGeneric(code uint8) nvmeMeaning {
	switch code {
	case 0x00:
		return nvmeMeaning{"Successful Completion", ""}
	case 0x01:
		return nvmeMeaning{"Invalid Command Opcode", ""}
	case 0x02:
		return nvmeMeaning{"Invalid Field in Command", "the controller does not take this read: too long, or with flags that the format forbids"}
	case 0x03:
		return nvmeMeaning{"Command ID Conflict", ""}
	case 0x04:
		return nvmeMeaning{"Data Transfer Error", "data could not be moved to or from memory"}
	case 0x05:
		return nvmeMeaning{"Commands Aborted due to Power Loss Notification", ""}
	case 0x06:
		return nvmeMeaning{"Internal Error", "the controller failed in itself"}
	case 0x07:
		return nvmeMeaning{"Command Abort Requested", "the host gave the command up, usually after a time-out"}
	case 0x08:
		return nvmeMeaning{"Command Aborted due to SQ Deletion", "the controller was reset or removed meanwhile"}
	case 0x09:
		return nvmeMeaning{"Command Aborted due to Failed Fused Command", ""}
	case 0x0a:
		return nvmeMeaning{"Command Aborted due to Missing Fused Command", ""}
	case 0x0b:
		return nvmeMeaning{"Invalid Namespace or Format", "there is no such namespace, or it has to be formatted first"}
	case 0x0c:
		return nvmeMeaning{"Command Sequence Error", ""}
	case 0x0d:
		return nvmeMeaning{"Invalid SGL Segment Descriptor", ""}
	case 0x0e:
		return nvmeMeaning{"Invalid Number of SGL Descriptors", ""}
	case 0x0f:
		return nvmeMeaning{"Data SGL Length Invalid", "the buffer does not fit the number of blocks, metadata included"}
	case 0x10:
		return nvmeMeaning{"Metadata SGL Length Invalid", "the metadata buffer does not fit the number of blocks"}
	case 0x11:
		return nvmeMeaning{"SGL Descriptor Type Invalid", ""}
	case 0x12:
		return nvmeMeaning{"Invalid Use of Controller Memory Buffer", ""}
	case 0x13:
		return nvmeMeaning{"PRP Offset Invalid", "the buffer is not aligned as the controller needs it"}
	case 0x14:
		return nvmeMeaning{"Atomic Write Unit Exceeded", ""}
	case 0x15:
		return nvmeMeaning{"Operation Denied", "the namespace is locked or access to it is not allowed"}
	case 0x16:
		return nvmeMeaning{"SGL Offset Invalid", ""}
	case 0x1c:
		return nvmeMeaning{"Sanitize Failed", "nothing can be read until the drive is sanitized"}
	case 0x1d:
		return nvmeMeaning{"Sanitize In Progress", "nothing can be read until it is over"}
	case 0x1e:
		return nvmeMeaning{"SGL Data Block Granularity Invalid", ""}
	case 0x1f:
		return nvmeMeaning{"Command Not Supported for Queue in CMB", ""}
	case 0x20:
		return nvmeMeaning{"Namespace is Write Protected", ""}
	case 0x21:
		return nvmeMeaning{"Command Interrupted", "the controller was busy with something else; the same command may work later"}
	case 0x22:
		return nvmeMeaning{"Transient Transport Error", ""}
	case 0x23:
		return nvmeMeaning{"Command Prohibited by Command and Feature Lockdown", ""}
	case 0x24:
		return nvmeMeaning{"Admin Command Media Not Ready", ""}
	case 0x80:
		return nvmeMeaning{"LBA Out of Range", "the read reaches beyond the end of the namespace"}
	case 0x81:
		return nvmeMeaning{"Capacity Exceeded", ""}
	case 0x82:
		return nvmeMeaning{"Namespace Not Ready", "the namespace is starting or switched off"}
	case 0x83:
		return nvmeMeaning{"Reservation Conflict", "another host has reserved the namespace"}
	case 0x84:
		return nvmeMeaning{"Format In Progress", "nothing can be read until it is over"}
	}
	return nvmeMeaning{}
}

func nvmeSpecific(code uint8) nvmeMeaning {
	switch code {
	case 0x80:
		return nvmeMeaning{"Conflicting Attributes", ""}
	case 0x81:
		return nvmeMeaning{"Invalid Protection Information", "the read's protection fields (PRACT, PRCHK, tags) do not fit the format of the namespace"}
	case 0x82:
		return nvmeMeaning{"Attempted Write to Read Only Range", ""}
	case 0x83:
		return nvmeMeaning{"Command Size Limit Exceeded", ""}
	case 0xb8:
		return nvmeMeaning{"Zoned Boundary Error", "the read reaches from one zone into the next, which this drive does not allow"}
	case 0xb9:
		return nvmeMeaning{"Zone Is Full", ""}
	case 0xba:
		return nvmeMeaning{"Zone Is Read Only", ""}
	case 0xbb:
		return nvmeMeaning{"Zone Is Offline", "the data of this zone is lost"}
	}
	return nvmeMeaning{}
}

func nvmeMedia(code uint8) nvmeMeaning {
	switch code {
	case 0x80:
		return nvmeMeaning{"Write Fault", ""}
	case 0x81:
		return nvmeMeaning{"Unrecovered Read Error", "the medium is damaged there"}
	case 0x82:
		return nvmeMeaning{"End-to-end Guard Check Error", "the data does not match its checksum"}
	case 0x83:
		return nvmeMeaning{"End-to-end Application Tag Check Error", "the protection information was written for another use"}
	case 0x84:
		return nvmeMeaning{"End-to-end Reference Tag Check Error", "the protection information belongs to another LBA"}
	case 0x85:
		return nvmeMeaning{"Compare Failure", ""}
	case 0x86:
		return nvmeMeaning{"Access Denied", "the range is locked"}
	case 0x87:
		return nvmeMeaning{"Deallocated or Unwritten Logical Block", "this drive reports an error for blocks that were never written; fill it first"}
	case 0x88:
		return nvmeMeaning{"End-to-End Storage Tag Check Error", ""}
	}
	return nvmeMeaning{}
}

// nvmePath: 0x70 and 0x71 are the kernel's own, no controller sent them.
func nvmePath(code uint8) nvmeMeaning {
	switch code {
	case 0x00:
		return nvmeMeaning{"Internal Path Error", ""}
	case 0x01:
		return nvmeMeaning{"Asymmetric Access Persistent Loss", "this path to the namespace is lost for good"}
	case 0x02:
		return nvmeMeaning{"Asymmetric Access Inaccessible", "the namespace cannot be reached through this path now"}
	case 0x03:
		return nvmeMeaning{"Asymmetric Access Transition", "this path is changing its state"}
	case 0x60:
		return nvmeMeaning{"Controller Pathing Error", ""}
	case 0x70:
		return nvmeMeaning{"Host Pathing Error", "the kernel lost the controller, or gave the command up when it was reset"}
	case 0x71:
		return nvmeMeaning{"Command Aborted By Host", "the kernel gave the command up, usually after a time-out"}
	}
	return nvmeMeaning{}
}
