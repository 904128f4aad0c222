package explain_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

const core = "cluster.x-k8s.io/v1beta2"

// setOf is a MachineSet of the first revision of MachineDeployment md-0.
func setOf(annotations map[string]string) *metav1.ObjectMeta {
	return &metav1.ObjectMeta{Name: "ms", Annotations: annotations, Labels: map[string]string{clusterv1.MachineDeploymentNameLabel: "md-0"}}
}

// rolledOn is MachineDeployment md-0, which has a newer revision.
func rolledOn(change func(*clusterv1.MachineDeployment)) *clusterv1.MachineDeployment {
	d := &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Name: "md-0", Annotations: map[string]string{clusterv1.RevisionAnnotation: "2"}}}
	d.Spec.Replicas = new(int32(3))
	change(d)
	return d
}

func onDelete(d *clusterv1.MachineDeployment) {
	d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
}

// allowsNone is MachineDeployment md-0, which has the revision of its MachineSet.
func allowsNone() *clusterv1.MachineDeployment {
	return rolledOn(func(d *clusterv1.MachineDeployment) {
		delete(d.Annotations, clusterv1.RevisionAnnotation)
		d.Spec.Remediation.MaxInFlight = new(intstr.FromInt32(0))
	})
}

func ofTopology(d *clusterv1.MachineDeployment) *clusterv1.MachineDeployment {
	d.Labels = map[string]string{clusterv1.ClusterTopologyOwnedLabel: "", clusterv1.ClusterNameLabel: "blue"}
	return d
}

var paused = map[string]string{clusterv1.PausedAnnotation: ""}

// owned is a machine that is sick, and whose owner was asked to replace it.
type owned struct {
	name       string
	apiVersion string
	kind, of   string
	known      silence.Facts
	// reason and message are what the owner answers.
	reason, message string
	// since is when the machine fell sick.
	since time.Duration
	// plan has it repaired by a plan, not by the built-in one, and by deletion has that plan delete it.
	plan, byDeletion bool
}

var ownedMachines = []owned{
	{name: "the owner has not answered yet", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(nil)}, since: time.Minute},
	{name: "the owner defers", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(nil)}, since: time.Minute, reason: "RemediationDeferred", message: "Waiting because there are already too many remediations in progress"},
	{name: "the owner is paused", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(paused)}, since: time.Minute},
	{name: "the owner is paused, and has had its time", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(paused)}, since: 11 * time.Minute},
	{name: "it is paused, and had answered before", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(paused)}, since: time.Minute, reason: "RemediationDeferred", message: "Too many"},
	{name: "its MachineDeployment is paused", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(nil), Deployment: rolledOn(func(d *clusterv1.MachineDeployment) { d.Spec.Paused = new(true) })}, since: time.Minute},
	{name: "its MachineDeployment has the annotation", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(nil), Deployment: rolledOn(func(d *clusterv1.MachineDeployment) { d.Annotations[clusterv1.PausedAnnotation] = "" })}, since: time.Minute},
	{name: "OnDelete", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(nil), Deployment: rolledOn(onDelete)}, since: time.Minute, reason: "CannotBeRemediated", message: "Machine won't be remediated because it is pending removal due to rollout"},
	{name: "OnDelete, at the end of a plan", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(nil), Deployment: rolledOn(onDelete)}, since: time.Minute, reason: "CannotBeRemediated", message: "Machine won't be remediated because it is pending removal due to rollout", plan: true},
	{name: "its MachineDeployment allows none", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(nil), Deployment: allowsNone()}, since: time.Minute, reason: "RemediationDeferred", message: "Waiting because there are already too many remediations in progress (spec.strategy.remediation.maxInFlight is 0)"},
	{name: "its topology allows none", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(nil), Deployment: ofTopology(allowsNone())}, since: time.Minute},
	{name: "the owner is scaled to zero", kind: "MachineSet", of: "alone", known: silence.Facts{Owner: &metav1.ObjectMeta{Name: "alone"}, Replicas: new(int32(0))}, since: time.Minute},
	{name: "the owner is being deleted", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: &metav1.ObjectMeta{DeletionTimestamp: new(metav1.NewTime(explaintest.Noon))}}, since: time.Minute},
	{name: "a MachinePool", kind: "MachinePool", of: "pool", since: time.Minute},
	{name: "a MachinePool, by a plan that deletes the machine", kind: "MachinePool", of: "pool", since: time.Minute, plan: true, byDeletion: true},
	{name: "a paused MachinePool, by that plan", kind: "MachinePool", of: "pool", known: silence.Facts{Owner: &metav1.ObjectMeta{Annotations: paused}}, since: 4 * time.Minute, plan: true, byDeletion: true},
	{name: "OnDelete, by that plan", kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(nil), Deployment: rolledOn(onDelete)}, since: time.Minute, plan: true, byDeletion: true},
	{name: "an unknown kind", apiVersion: "controlplane.cluster.x-k8s.io/v1beta1", kind: "RKE2ControlPlane", of: "cp", since: time.Minute},
}

// scene returns a fleet with the machine m1.
func (o owned) scene(steps ...v1alpha1.RemediationStep) *explaintest.Scene {
	s := explaintest.New()
	m := s.Sick("m1", o.since)
	if o.apiVersion == "" {
		o.apiVersion = core
	}
	s.OwnedBy(m, o.apiVersion, o.kind, o.of, o.known)
	if len(steps) == 0 {
		return s
	}
	if o.byDeletion {
		steps[0].By = v1alpha1.ReplaceByDeletion
	}
	r := s.Record(m, steps...)
	if !o.plan {
		r.Spec.TemplateRef, r.Spec.ProbationSeconds = nil, new(int32)
	}
	s.Play(r, s.Now.Add(-o.since), s.Now.Add(-time.Second))
	if o.reason != "" {
		s.Answer(m, o.reason, o.message)
	}
	s.Play(r, s.Now, s.Now)
	return s
}

// TestOwners: Sickbay's own mark is not quoted as its owner's words, and what keeps an owner from answering is named, with the command that ends it, on
// the page of the machine, on that of its record and in status. Read testdata/owners.golden as a person on call would.
func TestOwners(t *testing.T) {
	var b strings.Builder
	for _, one := range ownedMachines {
		f := one.scene(explaintest.Step("replace", v1alpha1.ActionReplace, 1, time.Hour)).Facts()
		show(&b, one.name, f.Page(f.Machines[0]))
		fleet := f.Fleet()
		for section, items := range map[string][]explain.Item{"NEEDS YOU": fleet.NeedsYou, "WAITING": fleet.Waiting, "IN REPAIR": fleet.InRepair} {
			for _, item := range items {
				fmt.Fprintf(&b, "status: %s %s\n\n", section, item.Text)
			}
		}
		if got, want := rowText(f.RecordPage(f.Records[0]), "Owner"), rowText(f.Page(f.Machines[0]), "Owner"); got != want {
			t.Errorf("%s: the record says %q, the machine %q", one.name, got, want)
		}
	}
	if strings.Contains(b.String(), "says: Waiting for remediation") {
		t.Error("Sickbay's own mark is quoted as the owner's words")
	}
	docs.Golden(t, "owners", b.String())
}

// TestAskedBeforeDeleted: where a plan asks an owner that never answers before it deletes the machine, the page says that the plan does not get there.
func TestAskedBeforeDeleted(t *testing.T) {
	ask, remove := explaintest.Step("ask", v1alpha1.ActionReplace, 1, time.Hour), explaintest.Step("delete", v1alpha1.ActionReplace, 1, time.Hour)
	remove.By = v1alpha1.ReplaceByDeletion
	f := owned{kind: "MachinePool", of: "pool", since: time.Minute, plan: true}.scene(ask, remove).Facts()
	const want = "MachinePool pool never replaces a machine when asked: no MachinePool does. The plan never gets from step ask to the step that deletes the machine. " +
		"For later repairs, remove step ask from the plan, or give it by: Deletion"
	if got := rowText(f.Page(f.Machines[0]), "Owner"); !strings.HasPrefix(got, want) {
		t.Errorf("it says %q", got)
	}
}

// TestOwnersThatMatter: an owner is named before it is asked, but not while the repair does something else first, while the machine is healthy, and
// while it is being deleted anyway.
func TestOwnersThatMatter(t *testing.T) {
	one := owned{kind: "MachineSet", of: "ms", known: silence.Facts{Owner: setOf(paused)}, since: time.Minute}
	replace, reboot := explaintest.Step("replace", v1alpha1.ActionReplace, 1, time.Hour), explaintest.Step("reboot", v1alpha1.ActionReboot, 1, time.Hour)
	healthy := explaintest.New()
	healthy.OwnedBy(healthy.Healthy("m1"), core, "MachineSet", "ms", one.known)
	deleting := one.scene(replace)
	deleting.Machines[0].DeletionTimestamp = new(metav1.NewTime(deleting.Now))
	pausedAnyway := one.scene(replace)
	pausedAnyway.Cluster.Spec.Paused = new(true)
	unknown := owned{apiVersion: "controlplane.cluster.x-k8s.io/v1beta1", kind: "RKE2ControlPlane", of: "cp", since: time.Minute}
	for name, tt := range map[string]struct {
		scene *explaintest.Scene
		named bool
	}{
		"before it is asked":       {one.scene(), true},
		"as it is asked":           {one.scene(replace), true},
		"after something else":     {one.scene(reboot, replace), false},
		"nobody has to be asked":   {healthy, false},
		"the machine goes anyway":  {deleting, false},
		"everything is paused":     {pausedAnyway, false},
		"an unknown one, before":   {unknown.scene(), false},
		"an unknown one, as asked": {unknown.scene(replace), true},
	} {
		f := tt.scene.Facts()
		if got := rowText(f.Page(f.Machines[0]), "Owner"); (got != "") != tt.named {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// rowText returns the text of a row; empty if there is none.
func rowText(p explain.Page, label string) string {
	if i := rowOf(p, label); i >= 0 {
		return p.Rows[i].Text
	}
	return ""
}
