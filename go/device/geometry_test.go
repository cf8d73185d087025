package device

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"ringpeak/go/result"
	"ringpeak/go/sysfs"
)

// idNamespace makes the structure of a namespace in the given format.
func idNamespace(lbas, used uint64, format int, interleaved bool, shift byte, meta uint16, dps byte) []byte {
	b := make([]byte, identifyBytes)
	binary.LittleEndian.PutUint64(b[0:], lbas)
	binary.LittleEndian.PutUint64(b[8:], lbas)
	binary.LittleEndian.PutUint64(b[16:], used)
	for i := range 64 { // a wrong index must show
		b[128+4*i], b[128+4*i+2] = 0xee, 20
	}
	b[25] = 63
	b[26] = byte(format&0xf | format>>4<<5)
	if interleaved {
		b[26] |= 0x10
	}
	b[29] = dps
	binary.LittleEndian.PutUint16(b[128+4*format:], meta)
	b[128+4*format+2] = shift
	b[128+4*format+3] = 0xff // relative performance, reserved bits: to be ignored
	return b
}

func TestParseNamespace(t *testing.T) {
	for what, c := range map[string]struct {
		b    []byte
		want namespace
	}{
		"512 bytes":                     {idNamespace(131072, 100, 0, false, 9, 0, 0), namespace{131072, 100, 512, 0, false, 0, 0}},
		"4096 bytes, format 15":         {idNamespace(1, 0, 15, false, 12, 0, 0), namespace{1, 0, 4096, 0, false, 0, 15}},
		"format 16":                     {idNamespace(8, 8, 16, false, 12, 8, 0), namespace{8, 8, 4096, 8, false, 0, 16}},
		"format 63, interleaved":        {idNamespace(8, 8, 63, true, 12, 64, 0), namespace{8, 8, 4096, 64, true, 0, 63}},
		"format 37":                     {idNamespace(8, 8, 37, false, 9, 0, 0), namespace{8, 8, 512, 0, false, 0, 37}},
		"protection of type 1":          {idNamespace(8, 8, 1, false, 12, 8, 1), namespace{8, 8, 4096, 8, false, 1, 1}},
		"type 3 in the first bytes":     {idNamespace(8, 8, 1, true, 9, 64, 8|3), namespace{8, 8, 512, 64, true, 3, 1}},
		"more used than there is":       {idNamespace(8, 9, 1, false, 9, 0, 0), namespace{8, 8, 512, 0, false, 0, 1}},
		"interleaved nothing":           {idNamespace(8, 8, 1, true, 9, 0, 1), namespace{8, 8, 512, 0, false, 0, 1}},
		"as large as bytes can be told": {idNamespace(math.MaxInt64>>9, 0, 0, false, 9, 0, 0), namespace{math.MaxInt64 >> 9, 0, 512, 0, false, 0, 0}},
	} {
		if got, err := parseNamespace(c.b); err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", what, got, err, c.want)
		}
	}
	for what, b := range map[string][]byte{
		"nothing":                     nil,
		"short":                       make([]byte, 384),
		"zeros":                       make([]byte, identifyBytes),
		"LBA of 256":                  idNamespace(8, 8, 0, false, 8, 0, 0),
		"LBA of 2^63":                 idNamespace(8, 8, 0, false, 63, 0, 0),
		"too large":                   idNamespace(math.MaxInt64>>9+1, 0, 0, false, 9, 0, 0),
		"too large with its metadata": idNamespace(math.MaxInt64>>9, 0, 0, false, 9, 8, 0),
	} {
		if got, err := parseNamespace(b); err == nil {
			t.Errorf("%s: %+v, want an error", what, got)
		}
	}
}

func TestParseController(t *testing.T) {
	b := make([]byte, identifyBytes)
	b[77] = 7
	if c, err := parseController(b); err != nil || c.extendedLBA || c.maxTransfer() != 512<<10 {
		t.Errorf("%+v, %v", c, err)
	}
	b[77], b[97] = 0, 0x80
	if c, err := parseController(b); err != nil || !c.extendedLBA || c.maxTransfer() != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	b[77] = 255
	if c, _ := parseController(b); c.maxTransfer() != 0 {
		t.Errorf("2^255 pages: %d", c.maxTransfer())
	}
	if _, err := parseController(b[:100]); err == nil {
		t.Error("a short structure passed")
	}
}

func TestParseGuard(t *testing.T) {
	b := make([]byte, identifyBytes)
	for format, pif := range map[int]uint32{0: 0, 1: 1, 2: 2, 3: 3, 63: 2} {
		binary.LittleEndian.PutUint32(b[12+4*format:], pif<<7|0x7f)
	}
	for format, want := range map[int]int64{0: 16, 1: 32, 2: 64, 63: 64} {
		if got, err := parseGuard(b, format); err != nil || got != want {
			t.Errorf("format %d: %d, %v, want %d", format, got, err, want)
		}
	}
	for _, format := range []int{3, 64, -1} {
		if got, err := parseGuard(b, format); err == nil {
			t.Errorf("format %d: %d, want an error", format, got)
		}
	}
}

func FuzzIdentify(f *testing.F) {
	f.Add(idNamespace(131072, 100, 16, true, 12, 64, 1))
	f.Add(make([]byte, identifyBytes))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = append(b, make([]byte, max(0, identifyBytes-len(b)))...)[:identifyBytes]
		if n, err := parseNamespace(b); err == nil {
			if n.lbas <= 0 || n.used < 0 || n.used > n.lbas || n.lbaBytes < 512 || n.lbas*(n.lbaBytes+n.metadataBytes) <= 0 || n.format > 63 {
				t.Fatalf("%+v", n)
			}
			g, err := parseGuard(b, n.format)
			if err == nil && g != 16 && g != 32 && g != 64 {
				t.Fatalf("guard of %d bits", g)
			}
			if m := metadata(n.metadataBytes, n.interleaved, n.piType != 0, g); m == "" || n.metadataBytes == 0 && m != result.MetadataNone {
				t.Fatalf("%+v: metadata %q", n, m)
			}
		}
		if c, err := parseController(b); err != nil || c.maxTransfer() < 0 {
			t.Fatalf("%+v, %v", c, err)
		}
	})
}

func TestMetadata(t *testing.T) {
	for _, c := range []struct {
		bytes       int64
		interleaved bool
		protected   bool
		guard       int64
		want        result.Metadata
	}{
		{0, false, false, 0, result.MetadataNone},
		{8, false, false, 0, result.MetadataBuffer},
		{8, true, false, 0, result.MetadataInterleaved},
		{8, false, true, 16, result.MetadataPRACT},
		{8, true, true, 16, result.MetadataPRACT},
		{8, false, true, 0, result.MetadataPRACT}, // only a 16-bit guard fits
		{16, false, true, 16, result.MetadataBuffer},
		{16, true, true, 0, result.MetadataInterleaved}, // may be more than the tuple
		{16, false, true, 64, result.MetadataPRACT},
		{16, true, true, 32, result.MetadataPRACT},
		{8, false, true, 64, result.MetadataBuffer}, // nonsense
		{64, false, true, 16, result.MetadataBuffer},
		{64, true, true, 16, result.MetadataInterleaved},
	} {
		if got := metadata(c.bytes, c.interleaved, c.protected, c.guard); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestFromSysfs(t *testing.T) {
	have := func(v int64) sysfs.Int { return sysfs.Have(v) }
	for what, c := range map[string]struct {
		sectors, meta sysfs.Int
		format        string
		want          result.Metadata
		pi            int64 // -1: unknown
	}{
		"no metadata":           {have(800), have(0), "none", result.MetadataNone, 0},
		"separate, type 1":      {have(800), have(8), "T10-DIF-TYPE1-CRC", result.MetadataPRACT, 1},
		"separate, type 3":      {have(800), have(64), "T10-DIF-TYPE3-CRC", result.MetadataBuffer, 3},
		"separate, 64-bit":      {have(800), have(16), "EXT-DIF-TYPE1-CRC64", result.MetadataPRACT, 1},
		"separate, no PI":       {have(800), have(8), "nop", result.MetadataBuffer, 0},
		"pure PI, PRACT":        {have(800), have(8), "none", result.MetadataPRACT, -1},
		"without integrity":     {have(800), have(8), "", result.MetadataPRACT, -1},
		"no size: interleaved":  {have(0), have(8), "none", result.MetadataInterleaved, 0},
		"before 6.8":            {have(800), sysfs.Int{}, "none", "", -1},
		"before 6.8, protected": {have(800), sysfs.Int{}, "T10-DIF-TYPE1-CRC", "", 1},
	} {
		b := &sysfs.Block{SizeBytes: have(c.sectors.Value * 512), Queue: sysfs.Queue{LogicalBlockSize: have(4096)}}
		tg := &result.Target{}
		fromSysfs(tg, b, sysfs.Namespace{MetadataBytes: c.meta, IntegrityFormat: sysfs.Have(c.format)})
		pi := int64(-1)
		if tg.PIType != nil {
			pi = *tg.PIType
		}
		if tg.Metadata != c.want || pi != c.pi || (tg.LBAs == nil) != (c.sectors.Value == 0) {
			t.Errorf("%s: metadata %q, PI %d, LBAs %v", what, tg.Metadata, pi, tg.LBAs)
		}
	}
}

func TestCheckCommand(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	plain := func(lba, lbas int64) *result.Target {
		return &result.Target{
			Path: "/dev/ng0n1", Kind: result.KindGeneric, SizeBytes: lba * lbas, LogicalBlockBytes: n(lba),
			NVMe: result.NVMe{LBAs: n(lbas), MaxTransferBytes: n(16384), Metadata: result.MetadataNone, MetadataBytes: n(0)},
		}
	}
	inter := plain(4096, 1000)
	inter.Metadata, inter.MetadataBytes = result.MetadataInterleaved, n(64)
	wide := plain(512, 1<<20)
	wide.MaxTransferBytes = nil
	for _, c := range []struct {
		t    *result.Target
		bs   int64
		want string // parts of the refusal; empty: it is fine
	}{
		{plain(512, 1000), 512, ""},
		{plain(512, 1000), 1536, ""},
		{plain(512, 1000), 16384, ""},
		{plain(512, 1000), 16384 + 512, "transfer 16896 bytes, above the 16384|/dev/ng0n1|never split|use -b16384 or less"},
		{plain(512, 1000), 256, "-b256 is not a multiple of the 512-byte LBAs"},
		{plain(4096, 1000), 512, "use -b4096 or a multiple"},
		{plain(4096, 2), 12288, "holds 8192 bytes, less than one block of 12288"},
		{inter, 12288, ""},
		{inter, 16384, "transfer 16640 bytes, with interleaved metadata|use -b12288 or less"},
		{wide, 512 << 16, ""},
		{wide, 512<<16 + 512, "is 65537 LBAs of 512 bytes|at most 65536|use -b33554432 or less"},
	} {
		err := checkCommand(c.t, c.bs)
		if (err == nil) != (c.want == "") {
			t.Errorf("-b%d: %v, want %q", c.bs, err, c.want)
			continue
		}
		var e *result.Error
		if err != nil && (!errors.As(err, &e) || e.Status != result.StatusUsage) {
			t.Errorf("-b%d: %v is no usage error", c.bs, err)
		}
		for part := range strings.SplitSeq(c.want, "|") {
			if err != nil && !strings.Contains(err.Error(), part) {
				t.Errorf("-b%d: %q lacks %q", c.bs, err, part)
			}
		}
	}
}

func TestGenericNotes(t *testing.T) {
	n := func(v int64) *int64 { return &v }
	tg := &result.Target{
		Path: "/dev/ng0n1", Kind: result.KindGeneric, SizeBytes: 10 * 4096, LogicalBlockBytes: n(4096),
		MaxSectorsKB: n(4), MaxSegments: n(2), NVMe: result.NVMe{MetadataBytes: n(64), Geometry: result.GeometryIdentify},
	}
	for _, c := range []struct {
		metadata result.Metadata
		bs       int64
		want     string
	}{
		{result.MetadataNone, 8192, ""},
		{result.MetadataBuffer, 8192, "metadata"},
		{result.MetadataPRACT, 12288, "metadata segments tail"},
		{result.MetadataInterleaved, 8192, "metadata segments"}, // 8320 bytes
		{"", 4096, "metadata"},
	} {
		tg.Metadata = c.metadata
		if got := codes(Notes(tg, c.bs)); got != c.want {
			t.Errorf("%q at %d: notes %q, want %q", c.metadata, c.bs, got, c.want)
		}
	}
}
