package targets_test

import (
	"context"
	"net"
	"os"
	"syscall"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// TestErrorsOfNetworks: the error of a credential source on the network is reported without the local port, which differs
// each time.
func TestErrorsOfNetworks(t *testing.T) {
	reset := &net.OpError{
		Op: "read", Net: "tcp", Source: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 7), Port: 41234},
		Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 443}, Err: os.NewSyscallError("read", syscall.ECONNRESET),
	}
	tests := map[string]struct {
		resolve func(context.Context, string) (targets.Access, error)
		want    string
	}{
		"resolving": {func(context.Context, string) (targets.Access, error) { return targets.Access{}, reset }, "the other side closes connections early"},
		"configuration": {one(targets.Access{Key: "c", Config: func(context.Context) (*rest.Config, error) { return nil, reset }}),
			"making a client of cluster c: the other side closes connections early"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c := &targets.Clients[string]{Resolve: tt.resolve}
			defer c.Close()
			if _, err := c.Target(t.Context(), "o"); text(err) != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}
