package apimodel

import (
	"hash/maphash"
	"math/bits"
)

var seed = maphash.MakeSeed()

// Hash returns a hash of all current objects, without their versions. It is valid only in this process.
func (s *Server) Hash() uint64 {
	sum := uint64(0)
	for _, h := range s.kinds {
		for _, obj := range h.latest() {
			sum = mix(sum, obj.hashOf())
		}
	}
	return sum
}

// hashOf returns the hash of an object. It is first called before another goroutine can see the object.
func (o *Object) hashOf() uint64 {
	if o.hash == 0 {
		o.hash = hashValue(o.raw)
	}
	return o.hash
}

// hashValue hashes a value without the fields that differ between equal versions. The order of map keys does not
// matter.
func hashValue(value any) uint64 {
	switch v := value.(type) {
	case map[string]any:
		sum := uint64(len(v))
		for key, item := range v {
			if key != "resourceVersion" && key != "managedFields" {
				sum += mix(maphash.String(seed, key), hashValue(item))
			}
		}
		return sum
	case []any:
		sum := uint64(1)
		for _, item := range v {
			sum = mix(sum, hashValue(item))
		}
		return sum
	case string:
		return maphash.String(seed, v)
	}
	return maphash.Comparable(seed, value)
}

// mix combines two hashes; their order matters.
func mix(a, b uint64) uint64 { return (a ^ bits.RotateLeft64(b, 31)) * 0x9e3779b97f4a7c15 }
