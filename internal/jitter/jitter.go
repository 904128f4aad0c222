// Package jitter keeps objects from doing the same thing at the same moment. It is pure: the result for an object is always the same.
package jitter

import (
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// UpTo returns a part of most, in thousandths, that differs from object to object.
func UpTo(most time.Duration, uid types.UID) time.Duration {
	hash := fnv.New32a()
	hash.Write([]byte(uid))
	return most * time.Duration(hash.Sum32()%1000) / 1000
}

// Within returns a period that is up to a tenth shorter than the given one. Zero stays zero.
func Within(period time.Duration, uid types.UID) time.Duration { return period - UpTo(period/10, uid) }
