package expect_test

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

// failures counts the failures of the test that it replaces.
type failures struct {
	testing.TB
	n int
}

func (f *failures) Errorf(string, ...any) { f.n++ }

var kept []byte

func TestNoAllocation(t *testing.T) {
	count := &failures{TB: t}
	expect.NoAllocation(count, func() { kept = nil })
	if count.n != 0 {
		t.Error("nothing was allocated, and it was told")
	}
	expect.NoAllocation(count, func() { kept = make([]byte, 100) })
	if count.n != 1 {
		t.Error("a slice was allocated, and it was not told")
	}
}
