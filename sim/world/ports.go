package world

import (
	"errors"
	"fmt"
	"net"

	inmemoryruntime "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/runtime"
	inmemoryserver "sigs.k8s.io/cluster-api/test/infrastructure/inmemory/pkg/server"
)

// Ports below 30000 are neither NodePorts nor, on Linux, ephemeral ports.
const (
	firstPort = 20000
	lastPort  = 29999
	blockSize = 500
)

// workloadHost is the address in the kubeconfig of every workload cluster.
const workloadHost = "127.0.0.1"

// portRange is an inclusive range of TCP ports.
type portRange struct{ Min, Max int32 }

// startWorkloadServers serves the API servers of the workload clusters on a range of ports that nobody else
// uses.
//
// The server listens on its debug port for its whole life. That port is the first of the range, so it also
// serves as the lock that shows worlds of other processes that the range is taken.
func startWorkloadServers(memory inmemoryruntime.Manager) (*inmemoryserver.WorkloadClustersMux, error) {
	var tried []error
	for low := int32(firstPort); low < lastPort; low += blockSize {
		mux, err := serveOn(memory, portRange{Min: low, Max: low + blockSize - 1})
		if err == nil {
			return mux, nil
		}
		tried = append(tried, err)
	}
	return nil, fmt.Errorf("looking for free ports: %w", errors.Join(tried...))
}

func serveOn(memory inmemoryruntime.Manager, ports portRange) (*inmemoryserver.WorkloadClustersMux, error) {
	for port := ports.Min; port <= ports.Max; port++ {
		if err := probe(port); err != nil {
			return nil, err
		}
	}
	mux, err := inmemoryserver.NewWorkloadClustersMux(memory, workloadHost, inmemoryserver.CustomPorts{
		DebugPort: ports.Min,
		MinPort:   ports.Min + 1,
		MaxPort:   ports.Max,
	})
	if err != nil {
		return nil, fmt.Errorf("serving workload clusters on ports %d to %d: %w", ports.Min, ports.Max, err)
	}
	return mux, nil
}

// probe listens on a port the way the in-memory server will, because that server does not check before it
// listens.
func probe(port int32) error {
	listener, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
	if err != nil {
		return fmt.Errorf("probing port %d: %w", port, err)
	}
	return listener.Close()
}
