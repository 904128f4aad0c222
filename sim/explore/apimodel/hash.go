package apimodel

import (
	"hash/maphash"
	"maps"
	"slices"
)

var seed = maphash.MakeSeed()

// Hash is that of all objects as they are now, whatever their versions are. It holds for this process.
func (s *Server) Hash() uint64 {
	var sum maphash.Hash
	sum.SetSeed(seed)
	for _, h := range s.kinds {
		for _, obj := range h.latest() {
			maphash.WriteComparable(&sum, obj.hashOf())
		}
	}
	return sum.Sum64()
}

// hashOf is computed once, before another goroutine can see the object.
func (o *Object) hashOf() uint64 {
	if o.hash == 0 {
		var sum maphash.Hash
		sum.SetSeed(seed)
		writeHash(&sum, o.raw)
		o.hash = sum.Sum64()
	}
	return o.hash
}

// writeHash leaves out what differs between versions that say the same.
func writeHash(sum *maphash.Hash, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if key != "resourceVersion" && key != "managedFields" {
				_, _ = sum.WriteString(key)
				writeHash(sum, v[key])
			}
		}
	case []any:
		for _, item := range v {
			writeHash(sum, item)
		}
	default:
		maphash.WriteComparable(sum, v)
	}
	_ = sum.WriteByte(0)
}
