package jitter_test

import (
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/internal/jitter"
)

// TestApart: if 10,000 objects begin together, no tenth of the time over which they are spread has more than twice its share.
func TestApart(t *testing.T) {
	const objects, parts = 10_000, 10
	for name, of := range map[string]func(types.UID) time.Duration{
		"up to a minute":   func(uid types.UID) time.Duration { return jitter.UpTo(time.Minute, uid) },
		"in a period less": func(uid types.UID) time.Duration { return 10*time.Minute - jitter.Within(10*time.Minute, uid) },
	} {
		var due [parts]int
		for i := range objects {
			uid := types.UID(fmt.Sprintf("%08x-0000-4000-8000-000000000000", i))
			at := of(uid)
			if at < 0 || at >= time.Minute || at != of(uid) {
				t.Fatalf("%s: %s has %s", name, uid, at)
			}
			due[at*parts/time.Minute]++
		}
		for part, n := range due {
			if n > 2*objects/parts {
				t.Errorf("%s: %d of %d are due in part %d", name, n, objects, part)
			}
		}
	}
	if jitter.Within(0, "uid") != 0 {
		t.Error("never is never")
	}
}
