// Package explain turns what the controllers see and decide into sentences: what is so, why, what stands in the way, and what
// happens next and when.
//
// It is pure: facts and the time in, pages out. Commands, the dashboard and programs read the same pages. The pages use the
// same words as the conditions, because the same decisions produce both. To find out what happens next, explain repeats these
// decisions for the moment at which they can change by themselves.
package explain

import (
	"cmp"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/repair/onmachine"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
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
	Name string `json:"name,omitempty"`
	// Unknown says why the leader is unknown; empty if it is known.
	Unknown string `json:"unknown,omitempty"`
	// Leads says who leads, and what each leader looks after; empty if that is not known.
	Leads string `json:"leads,omitempty"`
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
	// Open are the open records of its machines, and of those that are gone.
	Open []*Record
	// Foreign reports that this Sickbay does not manage it.
	Foreign bool
	// Problem says why there is no decision; empty if there is one.
	Problem string
	// Nothing says why no machine belongs to it; empty if one does.
	Nothing string
}

// Machine is a Machine and the facts for its verdict.
type Machine struct {
	Machine *clusterv1.Machine
	// Check is its MachineHealthCheck; nil if none selects it. Of several, it is the one that repairs it, or would.
	Check *Check
	// Checks are all that judge it.
	Checks []*Check
	// Health is nil if nobody judges it, or if its facts cannot be read.
	Health *verdict.Facts
	// Record is its open record; nil if it is not under repair.
	Record *Record
	// Past are the ended records of it, of its Node and of its host, latest first.
	Past []*Record
	// Owner is what is known about the owner of a machine that is sick or under repair.
	Owner silence.Facts
}

// Choose chooses which of the MachineHealthChecks that judge a machine its page is about: the one that repairs it, or would; else the oldest that
// is not paused.
func (m *Machine) Choose() {
	if len(m.Checks) == 0 {
		return
	}
	slices.SortFunc(m.Checks, func(a, b *Check) int {
		x, y := a.MachineHealthCheck, b.MachineHealthCheck
		return cmp.Or(x.CreationTimestamp.Compare(y.CreationTimestamp.Time), cmp.Compare(x.Name, y.Name))
	})
	m.Check = m.Checks[max(0, slices.IndexFunc(m.Checks, func(c *Check) bool { return len(c.Decision.Paused) == 0 }))]
	if i := slices.IndexFunc(m.Checks, func(c *Check) bool { return c.finds(m) && c.Decision.Allowed && !c.Decision.Config.OnlyReports() }); i >= 0 {
		m.Check = m.Checks[i]
	}
	for _, c := range m.Checks {
		if shared := c.shared(m); shared != nil && shared.Other != "" {
			m.Check = m.named(shared.Other)
		}
	}
}

// named returns one of the MachineHealthChecks of a machine.
func (m *Machine) named(name string) *Check {
	for _, c := range m.Checks {
		if c.MachineHealthCheck.Name == name {
			return c
		}
	}
	return m.Check
}

// finds reports whether a MachineHealthCheck finds a machine sick that others select, too.
func (c *Check) finds(m *Machine) bool {
	shared := c.shared(m)
	return shared != nil && shared.Part != nil && shared.Part.Status == metav1.ConditionFalse
}

// Judges returns the MachineHealthChecks by whose rules a machine is judged, the oldest first.
func (m *Machine) Judges() (first *clusterv1.MachineHealthCheck, others []*clusterv1.MachineHealthCheck) {
	if shared := m.Check.shared(m); shared != nil {
		return shared.Checks[0], shared.Checks[1:]
	}
	return m.Check.MachineHealthCheck, nil
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

// Sort sorts everything by namespace and name.
func (f *Facts) Sort() {
	slices.SortFunc(f.Clusters, func(a, b Cluster) int { return ByName(a.Cluster, b.Cluster) })
	slices.SortFunc(f.Checks, func(a, b *Check) int { return ByName(a.MachineHealthCheck, b.MachineHealthCheck) })
	slices.SortFunc(f.Machines, func(a, b *Machine) int { return ByName(a.Machine, b.Machine) })
	slices.SortFunc(f.Hosts, func(a, b *Host) int { return ByName(a.Host, b.Host) })
	slices.SortFunc(f.Records, func(a, b *Record) int { return ByName(a.Record, b.Record) })
}

// ByName compares objects by namespace and name.
func ByName(a, b metav1.Object) int {
	return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
}

// NoteBusyOwners notes for each machine under repair whether its owner is at work on another one. The controller asks that only once an answer is late;
// what lies ahead depends on it before.
func (f *Facts) NoteBusyOwners() {
	occupied := onmachine.Occupied{}
	for _, m := range f.Machines {
		occupied.Note(nil, m.Machine)
	}
	for _, m := range f.Machines {
		if m.Record != nil && occupied.Beside(m.Machine) {
			m.Record.Facts.Machine.OwnerActive = true
		}
	}
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
