package fleet

import (
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/workload"
)

// Sources are what the fleet is read from.
type Sources struct {
	// Client reads like a cache: it has the indexes of targets and record. Live reads past it.
	Client, Live client.Reader
	Nodes        workload.Nodes
	// Hosts are the bare-metal hosts; nil if none are read.
	Hosts *machinehealth.Hosts
	// GracePeriod is the grace period for machines whose workload clusters cannot be read.
	GracePeriod time.Duration
	Policy      mhcspec.Policy
	// Namespace is the namespace to read; empty means all.
	Namespace string
	// Records reports whether MachineRemediations can be read.
	Records bool
	// AskManagers makes the observer read the leases of managers, to find out who leads.
	AskManagers bool
	Clock       clock.PassiveClock
}

// New sets up the Readers of the controllers to read a fleet from outside. They have no expectations of a manager's writes.
func New(s Sources) *Observer {
	selectors := &mhcspec.Selectors{}
	health := &machinehealth.Observer{Nodes: s.Nodes, Hosts: s.Hosts, GracePeriod: s.GracePeriod}
	counts := slots.Reader{Cache: s.Client, Live: s.Live, Observer: health, Selectors: selectors, Policy: s.Policy, Clock: s.Clock}
	return &Observer{
		Client: s.Client, Live: s.Live, Health: health, Selectors: selectors, Policy: s.Policy, Records: s.Records, AskManagers: s.AskManagers, Clock: s.Clock,
		Checks: &machinehealthcheck.Reader{
			Reader: counts, Namespace: s.Namespace, RecordsInstalled: func() bool { return s.Records },
		},
		Repairs: &remediation.Reader{Reader: counts, Namespace: s.Namespace, Gatekeeper: &slots.Gatekeeper{Reader: counts}},
	}
}
