package explain

import (
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Facts is what is known about a fleet at one moment. Explaining does not change it.
type Facts struct {
	// Now is when they were read.
	Now time.Time
	// Manager says which manager leads.
	Manager Manager
	// Assumed reports that the flags of the manager are unknown, and defaults are assumed.
	Assumed bool
	// Clusters, Checks, Machines and Records are sorted by namespace and name.
	Clusters []Cluster
	Checks   []*Check
	Machines []*Machine
	// Records are all MachineRemediations, including ended ones.
	Records []*Record
	// Hosts are the BareMetalHosts, sorted like the others; none if they cannot be read.
	Hosts []*Host
}

// Manager is the leading manager, as the lease says.
type Manager struct {
	// Name is empty if nobody leads.
	Name string
	// Unknown says why the leader is unknown; empty if it is known.
	Unknown string
	// Leads says what the leader looks after, and who else leads; empty if it looks after everything.
	Leads string
}

// Cluster is a Cluster with machines in the fleet.
type Cluster struct {
	Cluster *clusterv1.Cluster
	// Unreadable says why its Nodes cannot be read from here; empty if they can, or if there is no need to read any.
	Unreadable string
	// Since is when that began; zero if unknown.
	Since time.Time
}

// Check is a MachineHealthCheck and the decision about it.
type Check struct {
	MachineHealthCheck *clusterv1.MachineHealthCheck
	Facts              admission.Facts
	Decision           admission.Decision
	// Machines are the machines that belong to it.
	Machines []*Machine
	// Foreign reports that this Sickbay does not manage it.
	Foreign bool
	// Problem says why there is no decision; empty if there is one.
	Problem string
}

// Machine is a Machine and the facts for its verdict.
type Machine struct {
	Machine *clusterv1.Machine
	// Check is its MachineHealthCheck; nil if none selects it.
	Check *Check
	// Health is nil if nobody judges it, or if its facts cannot be read.
	Health *verdict.Facts
	// Record is its open record; nil if it is not under repair.
	Record *Record
	// Past are the ended records of it, of its Node and of its host, latest first.
	Past []*Record
}

// Record is a MachineRemediation and the facts for its next step.
type Record struct {
	Record *v1alpha1.MachineRemediation
	// Facts are set if it has not ended.
	Facts ladder.Facts
	// Reboot is the current power cycle; nil if there is none.
	Reboot *v1alpha1.RebootRemediation
	// Problem says why its next step is unknown; empty if it is known.
	Problem string
}

// Select drops the machines whose labels do not match, their records, and the MachineHealthChecks without a machine left. The
// decisions about the others still count all machines.
func (f *Facts) Select(matches func(labels map[string]string) bool) {
	f.Machines = slices.DeleteFunc(f.Machines, func(m *Machine) bool { return !matches(m.Machine.Labels) })
	checks, records := map[*Check]bool{}, map[*Record]bool{}
	for _, m := range f.Machines {
		checks[m.Check], records[m.Record] = true, true
		for _, past := range m.Past {
			records[past] = true
		}
	}
	f.Checks = slices.DeleteFunc(f.Checks, func(c *Check) bool { return !checks[c] })
	f.Records = slices.DeleteFunc(f.Records, func(r *Record) bool { return !records[r] })
}
