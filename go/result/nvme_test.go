package result

import (
	"strings"
	"testing"
)

func TestDecodeNVMeStatus(t *testing.T) {
	for _, c := range []struct {
		res  uint32
		want string
		text string // part of the explanation
	}{
		{0x4080, "generic: LBA Out of Range (0x80, do not retry)", "beyond the end"},
		{0x0080, "generic: LBA Out of Range (0x80)", "beyond the end"},
		{0x4002, "generic: Invalid Field in Command (0x02, do not retry)", ""},
		{0x0000, "generic: Successful Completion (0x00)", ""},
		{0x0007, "generic: Command Abort Requested (0x07)", "time-out"},
		{0x6281, "media: Unrecovered Read Error (0x81, do not retry, more in the error log)", "damaged"},
		{0x0282, "media: End-to-end Guard Check Error (0x82)", "checksum"},
		{0x4181, "command specific: Invalid Protection Information (0x81, do not retry)", "PRACT"},
		{0x41b8, "command specific: Zoned Boundary Error (0xb8, do not retry)", "zone"},
		{0x0370, "path: Host Pathing Error (0x70)", "kernel"},
		{0x0371, "path: Command Aborted By Host (0x71)", "time-out"},
		{0x0821, "generic: Command Interrupted (0x21, retry after delay 1)", "busy"},
		{0x1821, "generic: Command Interrupted (0x21, retry after delay 3)", "busy"},
		{0x40ff, "generic: unknown status (0xff, do not retry)", ""},
		{0x0102, "command specific: unknown status (0x02)", ""},
		{0x07c1, "vendor specific: unknown status (0xc1)", ""},
		{0x0401, "type 4: unknown status (0x01)", ""},
	} {
		s := DecodeNVMeStatus(c.res)
		if s.String() != c.want || !strings.Contains(s.Text, c.text) {
			t.Errorf("%#06x: %q (%s), want %q (%s)", c.res, s, s.Text, c.want, c.text)
		}
	}
	if s := DecodeNVMeStatus(0x7fff); s.Type != 7 || s.Code != 0xff || !s.DNR || !s.More || s.CRD != 3 || s.Name != "" {
		t.Errorf("all bits: %+v", s)
	}
}

// TestEveryNVMeStatusHasADistinctName walks all of them: a type and a code
// that have one name each, none with blanks around it.
func TestEveryNVMeStatusHasADistinctName(t *testing.T) {
	seen := map[string]uint32{}
	known := 0
	for res := range uint32(0x800) {
		s := DecodeNVMeStatus(res)
		if s.Name == "" {
			if s.Text != "" {
				t.Errorf("%#x is explained but not named", res)
			}
			continue
		}
		known++
		if other, ok := seen[s.Name]; ok {
			t.Errorf("%#x and %#x are both %q", other, res, s.Name)
		}
		seen[s.Name] = res
		if strings.TrimSpace(s.Name) != s.Name || strings.HasSuffix(s.Text, ".") {
			t.Errorf("%#x: %q, %q", res, s.Name, s.Text)
		}
	}
	if known < 50 {
		t.Errorf("only %d statuses are known", known)
	}
}

func TestTransferBytes(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	target := func(m Metadata) *Target {
		return &Target{LogicalBlockBytes: n(4096), NVMe: NVMe{Metadata: m, MetadataBytes: n(64)}}
	}
	for _, c := range []struct {
		t                *Target
		bs, data, buffer int64
	}{
		{target(MetadataNone), 8192, 8192, 0},
		{target(MetadataPRACT), 8192, 8192, 0},
		{target(MetadataBuffer), 8192, 8192, 128},
		{target(MetadataInterleaved), 8192, 8320, 0},
		{target(MetadataInterleaved), 3 * 4096, 3 * 4160, 0},
		{target(""), 4096, 4096, 0},
		{&Target{}, 4096, 4096, 0},
		{&Target{NVMe: NVMe{Metadata: MetadataInterleaved}}, 4096, 4096, 0},
	} {
		if d, b := c.t.TransferBytes(c.bs), c.t.MetadataBuffer(c.bs); d != c.data || b != c.buffer {
			t.Errorf("%q, %d bytes: transfer %d, metadata buffer %d, want %d, %d", c.t.Metadata, c.bs, d, b, c.data, c.buffer)
		}
	}
}
