package result

// Metadata is what becomes of the metadata of a namespace's blocks when they
// are read through passthrough.
type Metadata string

// The ways. The zero value is unknown.
const (
	// MetadataNone: the format has none.
	MetadataNone Metadata = "none"
	// MetadataBuffer: it is transferred into a buffer of its own (MPTR).
	MetadataBuffer Metadata = "buffer"
	// MetadataPRACT: it is protection information and nothing else, which the
	// controller checks and strips when PRACT (CDW12 bit 29) is set. No bytes of
	// it are transferred, be it separate or interleaved.
	MetadataPRACT Metadata = "pract"
	// MetadataInterleaved: it follows each LBA in the data buffer.
	MetadataInterleaved Metadata = "interleaved"
)

// Sources of a namespace's geometry.
const (
	GeometryIdentify = "identify" // the Identify command (NVMe base specification)
	GeometrySysfs    = "sysfs"    // the attributes of its block device, when Identify was refused
)

// NVMe is what passthrough needs to know of a namespace. All of it is empty
// unless the target is a KindGeneric. Its LBA size is Target.LogicalBlockBytes,
// its data Target.SizeBytes = LBAs × LBA size, without metadata.
type NVMe struct {
	NSID OptInt `json:"nsid,omitempty"`      // namespace identifier, for each command
	LBAs OptInt `json:"lbas,omitempty"`      // NSZE: valid LBAs are [0, LBAs)
	NUSE OptInt `json:"lbas_used,omitempty"` // NUSE: LBAs allocated at the moment

	MetadataBytes       OptInt  `json:"metadata_bytes,omitempty"` // per LBA
	MetadataInterleaved OptBool `json:"metadata_interleaved,omitempty"`
	PIType              OptInt  `json:"pi_type,omitempty"`       // protection information, DPS bits 2:0; 0 is none
	PIGuardBits         OptInt  `json:"pi_guard_bits,omitempty"` // 16, 32 or 64
	// Metadata is what will be done with it.
	Metadata Metadata `json:"metadata,omitempty"`

	// MaxTransferBytes bounds one command, interleaved metadata included:
	// passthrough is never split.
	MaxTransferBytes OptInt `json:"max_transfer_bytes,omitempty"`

	Geometry    string `json:"geometry,omitempty"`               // GeometryIdentify or GeometrySysfs
	GeometryWhy string `json:"not_identified_because,omitempty"` // why it is the latter: half a sentence
}

// TransferBytes is what a read of bs bytes of data transfers: more than bs
// when each LBA is followed by its metadata.
func (t *Target) TransferBytes(bs int64) int64 {
	if t.Metadata != MetadataInterleaved {
		return bs
	}
	return bs + t.metadataOf(bs)
}

// MetadataBuffer is how many bytes of metadata a read of bs bytes of data
// needs a buffer of their own for; 0 unless Metadata is MetadataBuffer.
func (t *Target) MetadataBuffer(bs int64) int64 {
	if t.Metadata != MetadataBuffer {
		return 0
	}
	return t.metadataOf(bs)
}

func (t *Target) metadataOf(bs int64) int64 {
	if t.MetadataBytes == nil || t.LogicalBlockBytes == nil || *t.LogicalBlockBytes <= 0 {
		return 0
	}
	return bs / *t.LogicalBlockBytes * *t.MetadataBytes
}
