package remediation

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// askedBy makes a record that somebody has asked for without a finding.
func askedBy(kind v1alpha1.RemediationRequesterKind, name string, steps ...v1alpha1.RemediationStep) recordOption {
	return func(s *v1alpha1.MachineRemediationSpec) {
		askedByAnn(s)
		s.RequestedBy = &v1alpha1.RemediationRequester{Kind: kind, Name: name}
		if len(steps) > 0 {
			s.Steps = steps
		}
	}
}

// cycleAnnotation asks for a whole cycle, and powerOff for the host to be kept off.
const (
	cycleAnnotation = rebootannotation.Request
	powerOff        = rebootannotation.Request + "/PowerOff"
	// answered is the value with which intake answers an annotation.
	answered = "6f1c9d1e-0000-4000-8000-00000000000f/1"
)

func byAnnotation() recordOption { return askedBy(v1alpha1.AskedByAnnotation, cycleAnnotation) }

// keepsOff makes a record for single steps.
func keepsOff() recordOption {
	return askedBy(v1alpha1.AskedByAnnotation, powerOff, step(v1alpha1.ActionReboot, func(s *v1alpha1.RemediationStep) { s.Until = v1alpha1.StepPowerOff }))
}

// request stores a RebootRemediation by which somebody asks for a power cycle of a Machine, and returns it with the option for its record. If it has
// the name of the Machine, a health check asks.
func (f *harness) request(machine *clusterv1.Machine, name string) (*v1alpha1.RebootRemediation, recordOption) {
	f.t.Helper()
	asked := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: name}}
	asked.Spec.Machine = &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name}
	if name != machine.Name {
		asked.Spec.RequestedBy = &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson}
	}
	build.Create(f.t.Context(), f.t, f.env.Client, asked)
	return asked, func(s *v1alpha1.MachineRemediationSpec) {
		kind := v1alpha1.AskedByRequest
		if name == machine.Name {
			kind = v1alpha1.AskedByHealthCheck
		}
		askedBy(kind, name)(s)
		s.RequestedBy.UID = asked.UID
	}
}

// signed has intake answer the annotation that asked for a record.
func (f *harness) signed(machine *clusterv1.Machine, record *v1alpha1.MachineRemediation) {
	f.t.Helper()
	annotate(f, machine, cycleAnnotation, string(record.UID)+"/1")
}

// cycleEnds has the reboot controller end the cycle of the attempt at work.
func (f *harness) cycleEnds(record *v1alpha1.MachineRemediation, phase v1alpha1.Phase, reason, message string) {
	f.t.Helper()
	status := metav1.ConditionFalse
	if phase == v1alpha1.Succeeded {
		status = metav1.ConditionTrue
	}
	f.cycle(record, func(s *v1alpha1.RebootRemediationStatus) {
		s.Phase, s.FinishedAt = phase, new(metav1.NewTime(f.clock.Now()))
	})
	f.cycleSays(record, v1alpha1.ConditionSucceeded, status, reason, message)
}

// withdrawal is how somebody takes back what they have asked for.
type withdrawal struct {
	// asks stores what asks, and returns the option for its record.
	asks func(f *harness, machine *clusterv1.Machine) recordOption
	back func(f *harness, machine *clusterv1.Machine)
}

var withdrawals = map[string]withdrawal{
	"the annotation is removed": {
		func(*harness, *clusterv1.Machine) recordOption { return byAnnotation() },
		func(f *harness, m *clusterv1.Machine) { unannotate(f, m, cycleAnnotation) },
	},
	"the request is deleted": {
		func(f *harness, m *clusterv1.Machine) recordOption { _, by := f.request(m, "asked"); return by },
		func(f *harness, _ *clusterv1.Machine) { remove(f, cycleNamed(f, "asked")) },
	},
	"the request is being deleted": {
		func(f *harness, m *clusterv1.Machine) recordOption {
			_, by := f.request(m, "asked")
			change(f, cycleNamed(f, "asked"), func(r *v1alpha1.RebootRemediation) { r.Finalizers = []string{keep} })
			return by
		},
		func(f *harness, _ *clusterv1.Machine) { remove(f, cycleNamed(f, "asked")) },
	},
	"another request has its name": {
		func(f *harness, m *clusterv1.Machine) recordOption { _, by := f.request(m, "asked"); return by },
		func(f *harness, m *clusterv1.Machine) { remove(f, cycleNamed(f, "asked")); f.request(m, "asked") },
	},
}

func cycleNamed(f *harness, name string) *v1alpha1.RebootRemediation {
	return &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: name}}
}

// cycles are the RebootRemediations that records have made.
func (f *harness) cycles() int {
	f.t.Helper()
	n := 0
	for _, one := range f.objects(cycleKind) {
		if one.GetAnnotations()[v1alpha1.OperationAnnotation] != "" {
			n++
		}
	}
	return n
}

// TestWhatIsTakenBackBeforeItBeginsIsNotDone: what has begun is left to the reboot controller, which finishes it. The
// record ends as soon as nothing of it stands any more.
func TestWhatIsTakenBackBeforeItBeginsIsNotDone(t *testing.T) {
	t.Parallel()
	rows(t, withdrawals, func(t *testing.T, tt withdrawal) {
		t.Helper()
		for _, when := range []string{"at first", "before it begins", "while it is at work", "under a pause"} {
			f := newHarness(t)
			a := f.sick("a")
			record := f.admit(a, tt.asks(f, a))
			f.signed(a, record)
			want := "Ended Ended Cancelled"
			if when != "at first" {
				f.reconcile(record)
				f.wantRecord(record, "Acting Acting reboot:-")
				want += " reboot:NotBegun"
			}
			if when == "while it is at work" || when == "under a pause" {
				f.cycleBegins(record)
				f.reconcile(record)
				want = "Ended Ended Cancelled reboot:Aborted"
			}
			if when == "under a pause" {
				annotate(f, a, clusterv1.PausedAnnotation, "")
			}
			if when != "at first" {
				// The reboot controller finishes the cycle before it lets go.
				change(f, cycleNamed(f, record.Name+"-1"), func(r *v1alpha1.RebootRemediation) { r.Finalizers = []string{keep} })
			}
			tt.back(f, a)
			f.reconcile(record)
			if when != "at first" {
				if got, exists := stored(f, cycleNamed(f, record.Name+"-1")); !exists || got.DeletionTimestamp.IsZero() {
					t.Errorf("%s: the cycle is not withdrawn", when)
				}
				if got, _ := stored(f, record); got.Status.CompletionTime != nil {
					t.Errorf("%s: it does not wait for the cycle: %s", when, f.summary(record))
				}
				change(f, cycleNamed(f, record.Name+"-1"), func(r *v1alpha1.RebootRemediation) { r.Finalizers = nil })
				f.reconcile(record)
			}
			f.wantRecord(record, want)
			f.reconcile(record)
			if n := f.cycles(); n != 0 || (f.sign(a) != "" && when != "at first") {
				t.Errorf("%s: %d cycles are left, and the Machine shows %q", when, n, f.sign(a))
			}
		}
	})
}

// TestPausesOfWhoAsks: all obey the pauses of the Machine and of its Cluster, as Cluster API's contract has it, and holds. Another health check obeys
// also its own pause and skip-remediation. What people ask for is not ended by any of these once it has begun.
func TestPausesOfWhoAsks(t *testing.T) {
	t.Parallel()
	hold := func(f *harness) string { return f.clock.Now().Add(time.Hour).UTC().Format(time.RFC3339) }
	const acts, paused, held = "Acting Acting reboot:-", "Pending Paused", "Pending OnHold"
	type row struct {
		happens func(f *harness, m *clusterv1.Machine)
		// want is the record of a person, of an annotation, of a request and of another health check.
		want [4]string
		// atWork has it happen once more while the host is cycled.
		atWork bool
	}
	rows(t, map[string]row{
		"nothing": {func(*harness, *clusterv1.Machine) {}, [4]string{acts, acts, acts, acts}, false},
		"the Machine is paused": {
			func(f *harness, m *clusterv1.Machine) { annotate(f, m, clusterv1.PausedAnnotation, "") }, [4]string{paused, paused, paused, paused}, false,
		},
		"the Cluster is paused": {
			func(f *harness, _ *clusterv1.Machine) {
				change(f, f.cluster, func(c *clusterv1.Cluster) { c.Spec.Paused = new(true) })
			}, [4]string{paused, paused, paused, paused}, true,
		},
		"the MachineHealthCheck is paused": {
			func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, clusterv1.PausedAnnotation, "") }, [4]string{acts, acts, acts, paused}, false,
		},
		"skip-remediation": {
			func(f *harness, m *clusterv1.Machine) { annotate(f, m, clusterv1.MachineSkipRemediationAnnotation, "") }, [4]string{acts, acts, acts, paused}, true,
		},
		"the Machine is on hold": {
			func(f *harness, m *clusterv1.Machine) { annotate(f, m, mhcspec.HoldUntilAnnotation, hold(f)) }, [4]string{held, held, held, held}, true,
		},
		"the Cluster is on hold": {
			func(f *harness, _ *clusterv1.Machine) { annotate(f, f.cluster, mhcspec.HoldUntilAnnotation, hold(f)) }, [4]string{held, held, held, held}, false,
		},
		"the MachineHealthCheck is on hold": {
			func(f *harness, _ *clusterv1.Machine) { annotate(f, f.mhc, mhcspec.HoldUntilAnnotation, hold(f)) }, [4]string{held, held, held, held}, false,
		},
	}, func(t *testing.T, tt row) {
		t.Helper()
		for i, who := range []string{"a person", "an annotation", "a request", "a health check"} {
			ask := func() (*harness, *clusterv1.Machine, *v1alpha1.MachineRemediation) {
				f := newHarness(t)
				a := f.sick("a")
				by := []recordOption{askedByAnn, byAnnotation(), nil, nil}[i]
				if name := []string{"", "", "asked", "a"}[i]; name != "" {
					_, by = f.request(a, name)
				}
				record := f.admit(a, by)
				f.signed(a, record)
				return f, a, record
			}
			f, a, record := ask()
			tt.happens(f, a)
			f.reconcile(record)
			if got := f.summary(record); got != tt.want[i] {
				t.Errorf("%s, at first: %s, want %s", who, got, tt.want[i])
			}
			if !tt.atWork {
				continue
			}
			f, a, record = ask()
			f.reconcile(record)
			f.cycleBegins(record)
			f.reconcile(record)
			tt.happens(f, a)
			f.reconcile(record)
			want := acts
			if i == 3 && tt.want[i] != acts {
				want = tt.want[i] + " reboot:Aborted"
			}
			if got := f.summary(record); got != want {
				t.Errorf("%s, while it is at work: %s, want %s", who, got, want)
			}
		}
	})
}

// TestRequestsAreWatched: a RebootRemediation concerns the record that has made it, and the one that was made of it.
func TestRequestsAreWatched(t *testing.T) {
	t.Parallel()
	f := newHarness(t)
	a := f.sick("a")
	asked, asks := f.request(a, "asked")
	record := f.admit(a, asks)
	f.reconcile(record)
	f.admitAgain(a, 2, askedByAnn)
	made, _ := stored(f, cycleNamed(f, record.Name+"-1"))
	for what, obj := range map[string]*v1alpha1.RebootRemediation{"that asked": asked, "that it has made": made} {
		if got := f.ofRequest(t.Context(), obj); len(got) != 1 || got[0].Name != record.Name {
			t.Errorf("the RebootRemediation %s concerns %v", what, got)
		}
	}
}

// recordsMade returns how many records there are.
func (f *harness) recordsMade() int {
	f.t.Helper()
	return len(f.objects(v1alpha1.GroupVersion.WithKind("MachineRemediation")))
}

// TestTemplatesAskForNothing: an annotation that the template of a Machine's owner carries is on all its machines, and comes back whenever it is
// removed. So all such annotations are refused, for owners of any kind.
func TestTemplatesAskForNothing(t *testing.T) {
	t.Parallel()
	type row struct {
		key   string
		owner func(f *harness, key string) metav1.OwnerReference
	}
	rows(t, map[string]row{
		"reboot.metal3.io of a MachineSet":          {cycleAnnotation, ownedByTemplatedSet},
		"reboot.metal3.io/PowerOff of a MachineSet": {powerOff, ownedByTemplatedSet},
		"reboot.metal3.io of a KubeadmControlPlane": {cycleAnnotation, func(f *harness, key string) metav1.OwnerReference {
			u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": int64(3), "machineTemplate": map[string]any{
				"metadata": map[string]any{"annotations": map[string]any{key: ""}},
			}}}}
			u.SetGroupVersionKind(controlPlaneKind)
			u.SetNamespace(f.ns)
			u.SetName("cp")
			build.Create(f.t.Context(), f.t, f.env.Client, u)
			return *metav1.NewControllerRef(u, controlPlaneKind)
		}},
	}, func(t *testing.T, tt row) {
		t.Helper()
		f := newHarness(t)
		a := f.sick("a", build.Annotation(tt.key, ""))
		owner := tt.owner(f, tt.key)
		change(f, a, func(m *clusterv1.Machine) { m.OwnerReferences = []metav1.OwnerReference{owner} })
		f.takesIn(a)
		if n := f.recordsMade(); n > 0 {
			t.Errorf("%d record is made of what the template of %s %s says about all its machines", n, owner.Kind, owner.Name)
		}
	})
}

func ownedByTemplatedSet(f *harness, key string) metav1.OwnerReference {
	f.t.Helper()
	change(f, f.set, func(s *clusterv1.MachineSet) { s.Spec.Template.Annotations = map[string]string{key: ""} })
	return *metav1.NewControllerRef(f.set, clusterv1.GroupVersion.WithKind("MachineSet"))
}

// TestAnnotationsNeedSlots: a program annotates a whole rack. What is asked for by annotation needs a slot (a person's command does not), so with a
// budget of one, one host is cycled at a time.
func TestAnnotationsNeedSlots(t *testing.T) {
	t.Parallel()
	f := newHarness(t, build.Annotation("sickbay.dev/max-in-flight", "1"))
	for i := range 5 {
		m := f.sick(fmt.Sprintf("m%d", i))
		record := f.admit(m, byAnnotation())
		f.signed(m, record)
		f.reconcile(record)
		f.wantRecord(record, "Pending NoSlot")
		if i == 0 {
			f.grant(record)
			f.reconcile(record)
			f.wantRecord(record, "Acting Acting reboot:-")
		}
	}
	if n := f.cycles(); n != 1 {
		t.Errorf("with max-in-flight 1, %d hosts are cycled at once", n)
	}
}
