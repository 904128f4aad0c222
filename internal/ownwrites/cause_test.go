package ownwrites

import (
	"errors"
	"testing"
)

func TestCause(t *testing.T) {
	for text, want := range map[string]string{
		"read tcp 192.0.2.1:40001->192.0.2.2:6443: reset": "read tcp 192.0.2.1->192.0.2.2:6443: reset",
		"read tcp [fd00::1]:40001->[fd00::2]:6443: reset": "read tcp [fd00::1]->[fd00::2]:6443: reset",
		"a webhook says no: 5 of 7":                       "a webhook says no: 5 of 7",
	} {
		if got := Cause(errors.New(text)); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
