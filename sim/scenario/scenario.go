// Package scenario holds what can happen to machines. Each scenario is a story whose end is checked: something breaks, Sickbay
// judges, Sickbay acts or refrains, and Cluster API's own controllers do the rest.
//
// The demo shows the stories on the terminal; the end-to-end tests check the same ones.
package scenario

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// Namespace is the namespace of everything that scenarios create.
const Namespace = metav1.NamespaceDefault

// Patience is the time limit of a story. Between two power cycles alone there is a minute, and another one after a pause.
const Patience = 5 * time.Minute

// Scenario is one story.
type Scenario struct {
	// Name is short and unique. The scenario's MachineHealthCheck and its own pool of workers have the same name.
	Name string
	// Title says in a few words what happens.
	Title string
	// Cluster is the cluster in which it happens. Scenarios that break a whole cluster have their own.
	Cluster string
	// Namespace is the namespace of the cluster and everything else.
	Namespace string
	// ClusterAnnotations are set on the cluster.
	ClusterAnnotations map[string]string
	// BareMetal runs the cluster's machines on hosts, with SpareHosts more.
	BareMetal  bool
	SpareHosts int
	// Workers is the size of the pool.
	Workers int
	// Elsewhere are more pools of the cluster that the same MachineHealthCheck checks.
	Elsewhere []world.Pool
	// Others are more pools of the cluster that nobody checks.
	Others []world.Pool
	// Health says what makes a machine sick, and when it is remediated.
	Health clusterv1.MachineHealthCheckSpec
	// Templates are the template that Health's templateRef names, if any, and those that it names in turn.
	Templates []client.Object
	// Annotations are set on the MachineHealthCheck.
	Annotations map[string]string
	// story is what happens. It stops if something does not end as it should: see Play.
	story func(ctx context.Context, s *Stage)
}

// Outcome is how long everything took since something broke. What did not happen, as intended, is zero.
type Outcome struct {
	// Detected: until the verdict was stored. Late is how much of that was after the deadline.
	Detected, Late time.Duration
	// Remediated: until the remedy was applied.
	Remediated time.Duration
	// Ready: until the replacement was healthy.
	Ready time.Duration
	// Remark is the text instead of, or beside, the times.
	Remark string
}

// Kind is the kind of a line.
type Kind string

// The kinds of lines.
const (
	Broke    Kind = "broke"
	Mended   Kind = "mended"
	Judged   Kind = "judged"
	Acted    Kind = "acted"
	Owner    Kind = "owner"
	Healthy  Kind = "healthy"
	Refrains Kind = "refrains"
	Records  Kind = "record"
	Decides  Kind = "decides"
	Upgrades Kind = "upgrades"
	Resumes  Kind = "resumes"
	Power    Kind = "power"
)

// Line is one line of a story.
type Line struct {
	Scenario string
	Kind     Kind
	Text     string
	// At is when it happened.
	At time.Time
}

// Stage is where a scenario runs.
type Stage struct {
	Scenario
	World   *world.World
	Journal *journal.Journal
	// Tell receives the story, line by line.
	Tell func(Line)

	// began is when something broke.
	began time.Time
	// verdicts has the last verdict on each machine that the story waited for.
	verdicts map[types.UID]journal.Entry
	// outcome is what the story has measured.
	outcome Outcome
}

// Key returns the name of the cluster.
func (s *Stage) Key() client.ObjectKey {
	return client.ObjectKey{Namespace: s.Namespace, Name: s.Cluster}
}

// Deployment returns the name of the pool's MachineDeployment.
func (s *Stage) Deployment() string { return world.MachineDeploymentName(s.Cluster, s.Name) }

func (s *Stage) say(kind Kind, at time.Time, format string, args ...any) {
	s.Tell(Line{Scenario: s.Name, Kind: kind, Text: fmt.Sprintf(format, args...), At: at})
}

// since returns how long after the break something happened.
func (s *Stage) since(at time.Time) time.Duration { return max(0, at.Sub(s.began)) }

// measure stores the outcome of a fault that counts after a timeout, in times since the break.
func (s *Stage) measure(timeout time.Duration, judged, remediated, ready time.Time, remark string) {
	detected := s.since(judged)
	s.outcome = Outcome{
		Detected: detected, Late: max(0, detected-timeout), Remediated: s.since(remediated), Ready: s.since(ready), Remark: remark,
	}
}
