package sickbay

import (
	"fmt"
	"net"
	"os"
	"sync"
)

// given are the addresses returned so far.
var given sync.Map

// FreeAddress returns a host:port on this machine at which nobody listens, and that nobody else gets before it is used:
// this process has its own address on the loopback interface, so other processes get ports of other addresses.
func FreeAddress() (string, error) {
	pid := os.Getpid()
	host := net.IPv4(127, byte(1+pid>>16), byte(pid>>8), byte(pid))
	for {
		listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: host})
		if err != nil {
			return "", fmt.Errorf("finding a free port: %w", err)
		}
		address := listener.Addr().String()
		if err := listener.Close(); err != nil {
			return "", fmt.Errorf("finding a free port: %w", err)
		}
		if _, again := given.LoadOrStore(address, true); !again {
			return address, nil
		}
	}
}
