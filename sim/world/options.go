package world

import (
	"io"
	"log/slog"
	"time"

	"k8s.io/utils/clock"
)

// Options are the options of a world. The zero value is a fast world for tests.
type Options struct {
	// AssetsDir is the directory of the binaries etcd and kube-apiserver. Default: the environment variable
	// KUBEBUILDER_ASSETS, else bin/controlplane below the root of the repository.
	AssetsDir string

	// CRDPaths are more files or directories with CustomResourceDefinitions to install.
	CRDPaths []string

	// RateLimit switches on Cluster API's own limit: at least one second between two reconciles of one object.
	// Production runs with it. Without it, a machine is replaced ten times faster. The switch is a feature gate,
	// so it applies to the whole process.
	RateLimit bool

	// Concurrency is the number of objects that each controller works on at once. Default 4: with upstream's 50
	// to 100, a small machine spends its time on write conflicts and never finishes.
	Concurrency int

	// UpstreamMachineHealthCheck also runs Cluster API's own MachineHealthCheck controller.
	UpstreamMachineHealthCheck bool

	// Bare leaves out Cluster API and Sickbay's own kinds: no controllers, no workload clusters, only the API
	// server of the management cluster.
	Bare bool

	// Synthetic leaves out Cluster API's controllers but keeps its kinds and workload clusters: see
	// World.CreateSynthetic.
	Synthetic bool

	// BareMetal adds hosts and the controllers that manage them. ClusterSpec.BareMetal needs it.
	BareMetal bool

	// APIServerArgs are additional arguments of kube-apiserver, without dashes.
	APIServerArgs map[string]string

	// GOGC is the garbage collection target of kube-apiserver and etcd. Default 400, which trades memory for
	// time.
	GOGC int

	// Log receives the logs of Cluster API, the libraries below it and the control plane's processes. Default:
	// discard them.
	Log io.Writer

	// LogLevel is the minimum level of those logs. Default slog.LevelInfo.
	LogLevel slog.Level

	// RemoteConditionsGracePeriod is the time after which Cluster API sets the Nodes of an unreachable cluster
	// to Unknown. Default and minimum: two minutes. Production uses five.
	RemoteConditionsGracePeriod time.Duration

	// Clock gives the time of the conditions that faults write. Default: the real time. Cluster API itself
	// always uses the real time.
	Clock clock.PassiveClock
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
	// The control plane's processes and the controllers write to it concurrently.
	o.Log = &sink{to: o.Log}
	if o.RemoteConditionsGracePeriod == 0 {
		o.RemoteConditionsGracePeriod = 2 * time.Minute
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	return o
}
