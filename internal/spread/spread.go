// Package spread keeps objects apart that would else do the same at the same moment. It is pure: what it says of an object is always the same.
package spread

import (
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// UpTo returns a part of most, in thousandths, which differs from object to object.
func UpTo(most time.Duration, uid types.UID) time.Duration {
	hash := fnv.New32a()
	hash.Write([]byte(uid))
	return most * time.Duration(hash.Sum32()%1000) / 1000
}

// Within returns a period that is at most as long as this one, and up to a tenth shorter. Zero stays zero.
func Within(period time.Duration, uid types.UID) time.Duration { return period - UpTo(period/10, uid) }
