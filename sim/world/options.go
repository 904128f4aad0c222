package world

import (
	"io"
	"log/slog"
	"time"

	"k8s.io/utils/clock"
)

// Options shape a world. The zero value is a fast world, meant for tests.
type Options struct {
	// AssetsDir holds the binaries etcd and kube-apiserver. Default: the environment variable
	// KUBEBUILDER_ASSETS, else bin/controlplane below the root of the repository.
	AssetsDir string

	// CRDPaths are files or directories with further CustomResourceDefinitions to install.
	CRDPaths []string

	// RateLimit switches Cluster API's own limit on: at least one second between two reconciles of
	// one object. That is how it runs in production; without it a machine is replaced ten times faster.
	// The switch is a feature gate and thereby belongs to the whole process.
	RateLimit bool

	// Concurrency is the number of objects each controller works on at once. Default 4: upstream's 50
	// to 100 make a small machine spend its time on write conflicts and never finish.
	Concurrency int

	// UpstreamMachineHealthCheck also runs Cluster API's own MachineHealthCheck controller.
	UpstreamMachineHealthCheck bool

	// Bare leaves Cluster API and Sickbay's own kinds out: no controllers, no workload clusters. What remains is
	// the API server of the management cluster.
	Bare bool

	// Synthetic leaves Cluster API's controllers out. Its kinds are there, and so are workload clusters: see
	// World.CreateSynthetic.
	Synthetic bool

	// BareMetal adds hosts, and what looks after them: ClusterSpec.BareMetal needs it.
	BareMetal bool

	// Ports are for the API servers of the workload clusters, one port for each cluster ever created.
	// Default: a free block of 500 ports between 20000 and 30000, found by trying.
	Ports PortRange

	// APIServerArgs are further arguments of kube-apiserver, without dashes.
	APIServerArgs map[string]string

	// GOGC is the garbage collection target of kube-apiserver and etcd. Default 400: more memory for
	// less time.
	GOGC int

	// Log receives what Cluster API, the libraries below it and the control plane's processes say.
	// Default: nobody.
	Log io.Writer

	// LogLevel says how much of it. Default slog.LevelInfo.
	LogLevel slog.Level

	// RemoteConditionsGracePeriod is the time after which Cluster API calls the Nodes of an
	// unreachable cluster Unknown. Default and smallest value: two minutes. Production has five.
	RemoteConditionsGracePeriod time.Duration

	// Clock dates the conditions that faults write. Default: the real time. Cluster API itself always
	// uses the real time.
	Clock clock.PassiveClock
}

// PortRange is an inclusive range of TCP ports.
type PortRange struct {
	Min, Max int32
}

func (o Options) withDefaults() Options {
	if o.AssetsDir == "" {
		o.AssetsDir = AssetsDir()
	}
	if o.Concurrency == 0 {
		o.Concurrency = 4
	}
	if o.GOGC == 0 {
		o.GOGC = 400
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	// The control plane's processes and the controllers write to it at the same time.
	o.Log = &sink{to: o.Log}
	if o.RemoteConditionsGracePeriod == 0 {
		o.RemoteConditionsGracePeriod = 2 * time.Minute
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return o
}
