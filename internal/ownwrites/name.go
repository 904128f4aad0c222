package ownwrites

import (
	"fmt"
	"hash/fnv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// Name returns the name of an object that is made for another one: that one's name, a hash of its UID, and a suffix. It cuts the name of the
// other one so that the whole has at most so many bytes.
func Name(other string, uid types.UID, suffix string, longest int) string {
	hash := fnv.New32a()
	hash.Write([]byte(uid))
	end := fmt.Sprintf("-%08x-%s", hash.Sum32(), suffix)
	if most := longest - len(end); len(other) > most {
		other = strings.TrimRight(other[:most], "-.")
	}
	return other + end
}
