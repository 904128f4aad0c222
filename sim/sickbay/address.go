package sickbay

import (
	"fmt"
	"net"
	"os"
	"sync"
)

// given are the addresses that were returned before.
var given sync.Map

// FreeAddress returns host:port on this machine on which nobody listens, and which nobody gets before it is used: among the
// addresses of the loopback interface this process takes one of its own, and other processes are given ports of another.
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
