package cli

import (
	"fmt"
	"net"
	"testing"
)

// TestDashboardPort: a port that cannot be used is an error at once.
func TestDashboardPort(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	port := taken.Addr().(*net.TCPAddr).Port
	s.says(s.run("dashboard", "--port", fmt.Sprint(port)), exitFailure, fmt.Sprintf("--port %d cannot be used: listen tcp 127.0.0.1:%d: bind: address already in use", port, port))
	s.says(s.run("dashboard", "--port", "70000"), exitUsage, "--port is 70000: it must be from 0 to 65535")
}
