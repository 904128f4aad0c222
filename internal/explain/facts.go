package explain

import (
	"slices"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck/admission"
	"github.com/sickbay-dev/sickbay/internal/remediation/ladder"
)

// Facts are what is known about a fleet at one moment. Explaining changes nothing in them.
type Facts struct {
	// Now is when they were read.
	Now time.Time
	// Manager says which manager leads.
	Manager Manager
	// Assumed reports that the flags of the manager are not known.
	Assumed bool
	// Clusters, Checks, Machines and Records are sorted by namespace and name.
	Clusters []Cluster
	Checks   []*Check
	Machines []*Machine
	// Records are all MachineRemediations, ended ones too.
	Records []*Record
	// Hosts are the BareMetalHosts, sorted like the others; none if nobody may read them.
	Hosts []*Host
}

// Manager is the one of several managers that leads, as the lease says.
type Manager struct {
	// Name is empty if nobody leads.
	Name string
	// Unknown says why it cannot be told; empty if it can.
	Unknown string
	// Leads says what it looks after, and who else leads; empty if it looks after everything.
	Leads string
}

// Cluster is one of the clusters whose machines are looked after.
type Cluster struct {
	Cluster *clusterv1.Cluster
	// Unreadable says why its Nodes cannot be read from here; empty if they can, or if nobody has to read any.
	Unreadable string
	// Since is when that began; zero if it is not known.
	Since time.Time
}

// Check is a MachineHealthCheck, with what is decided about it now.
type Check struct {
	MachineHealthCheck *clusterv1.MachineHealthCheck
	Facts              admission.Facts
	Decision           admission.Decision
	// Machines are those that belong to it.
	Machines []*Machine
	// Foreign reports that this Sickbay does not take care of it.
	Foreign bool
	// Problem says why nothing can be decided; empty if something can.
	Problem string
}

// Machine is a Machine, with what its verdict depends on.
type Machine struct {
	Machine *clusterv1.Machine
	// Check is the one that it belongs to; nil if none selects it.
	Check *Check
	// Health is nil if nobody judges it, or if that cannot be told.
	Health *verdict.Facts
	// Record is the open one; nil if it is not under repair.
	Record *Record
	// Past are the records of it, of its Node and of its host that have ended, the latest first.
	Past []*Record
}

// Record is a MachineRemediation, with what its next step depends on.
type Record struct {
	Record *v1alpha1.MachineRemediation
	// Facts are set if it has not ended.
	Facts ladder.Facts
	// Reboot is the power cycle at work; nil if there is none.
	Reboot *v1alpha1.RebootRemediation
	// Problem says why its next step cannot be told; empty if it can.
	Problem string
}

// Select leaves out the machines whose labels do not match, their records, and the MachineHealthChecks that have no machine left.
// What is decided about the others stays as it is: it goes by all machines.
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
