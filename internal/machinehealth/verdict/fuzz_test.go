package verdict

import "testing"

// FuzzSteady: the result has no part that changes, and is one line.
func FuzzSteady(f *testing.F) {
	f.Add("dial tcp 10.0.0.1:4242->10.0.0.2:443: i/o timeout at 2026-11-23T01:02:03Z, attempt 7")
	f.Add("redfish+https://admin:pw@bmc: 3 tries\n\treq-0b9e")
	f.Add("\xff://:\x00@")
	f.Fuzz(func(t *testing.T, message string) {
		once := steady(message)
		for range 10 { // removing one part may create another
			once = steady(once)
		}
		if twice := steady(once); twice != once {
			t.Errorf("%q becomes %q, and then %q", message, once, twice)
		}
	})
}
