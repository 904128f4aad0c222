package targets_test

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// labelled labels the goroutines that a test starts from now on, directly or not: those of earlier tests may still be
// ending.
func labelled(t *testing.T) {
	t.Helper()
	pprof.SetGoroutineLabels(pprof.WithLabels(t.Context(), pprof.Labels("test", t.Name())))
}

// clientGoroutines counts the goroutines of a test that serve connections of HTTP clients.
func clientGoroutines(test string) int {
	return goroutines(test, "persistConn", "ClientConnReadLoop", "clientConnReadLoop")
}

// goroutines counts the goroutines of a test that are in one of these functions.
func goroutines(test string, functions ...string) int {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1)
	count := 0
	for group := range strings.SplitSeq(profile.String(), "\n\n") {
		head, stack, _ := strings.Cut(group, " @ ")
		several, err := strconv.Atoi(head[strings.LastIndex(head, "\n")+1:])
		if err != nil || !strings.Contains(stack, fmt.Sprintf("%q:%q", "test", test)) {
			continue
		}
		if slices.ContainsFunc(functions, func(f string) bool { return strings.Contains(stack, f) }) {
			count += several
		}
	}
	return count
}
