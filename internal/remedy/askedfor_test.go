package remedy_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	machinev1 "github.com/openshift/api/machine/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/openshift"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
)

// askedFor stores a record of the Machine that somebody has asked for, and returns its first attempt.
func (f *harness) askedFor(t *testing.T, by v1alpha1.RemediationRequester, step v1alpha1.RemediationStep, opts ...func(*v1alpha1.MachineRemediation)) remedy.Request {
	t.Helper()
	cluster := build.Cluster(f.ns, build.ClusterName)
	build.Create(t.Context(), t, f.c, cluster)
	r := recordstore.New(cluster, 1, v1alpha1.MachineRemediationSpec{
		ClusterName: cluster.Name, RequestedBy: &by, Steps: []v1alpha1.RemediationStep{step},
		MachineRef: v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: f.machine.Name, UID: f.machine.UID},
	})
	for _, opt := range opts {
		opt(r)
	}
	build.Create(t.Context(), t, f.c, r)
	return remedy.Request{Record: r, Step: step, Attempt: v1alpha1.RemediationAttempt{Number: 1, OperationID: operation}}
}

// reboot makes the RebootRemediation of an attempt, and returns it.
func (f *harness) reboot(t *testing.T, request remedy.Request) *v1alpha1.RebootRemediation {
	t.Helper()
	if _, err := remedy.MakeReboot(t.Context(), f.c, f.c, request); err != nil {
		t.Fatal(err)
	}
	made := &v1alpha1.RebootRemediation{}
	if err := f.c.Get(t.Context(), client.ObjectKey{Namespace: f.ns, Name: request.Name()}, made); err != nil {
		t.Fatal(err)
	}
	return made
}

func cycleStep() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: "reboot", Action: v1alpha1.ActionReboot, TimeoutSeconds: new(int32(900))}
}

// TestMakeRebootAsTheRequestSays: the cycle has the settings of the RebootRemediation by which somebody asked, within the time of the step.
// Another one that has its name by now says nothing.
func TestMakeRebootAsTheRequestSays(t *testing.T) {
	defaults := v1alpha1.RebootSettings{PowerOffTimeoutSeconds: new(int32(600)), PowerOnTimeoutSeconds: new(int32(600)), NodeTimeoutSeconds: new(int32(900))}
	theirs := v1alpha1.RebootSettings{
		PowerOffTimeoutSeconds: new(int32(77)), PowerOnTimeoutSeconds: new(int32(600)), NodeTimeoutSeconds: new(int32(900)), Isolation: v1alpha1.OutOfServiceTaint,
	}
	for name, tt := range map[string]struct {
		kind    v1alpha1.RemediationRequesterKind
		another bool
		gone    bool
		want    v1alpha1.RebootSettings
	}{
		"a person's":                 {kind: v1alpha1.AskedByRequest, want: theirs},
		"another health check's":     {kind: v1alpha1.AskedByHealthCheck, want: theirs},
		"another one has its name":   {kind: v1alpha1.AskedByHealthCheck, another: true, want: defaults},
		"it is gone in that moment":  {kind: v1alpha1.AskedByRequest, gone: true, want: defaults},
		"by a command, without one":  {kind: v1alpha1.AskedByPerson, gone: true, want: defaults},
		"an annotation, without one": {kind: v1alpha1.AskedByAnnotation, gone: true, want: defaults},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			asked := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: "m"}}
			asked.Spec.RebootSettings = v1alpha1.RebootSettings{
				RetryLimit: new(int32(3)), PowerOffTimeoutSeconds: new(int32(77)), NodeTimeoutSeconds: new(int32(5000)), Isolation: v1alpha1.OutOfServiceTaint,
			}
			build.Create(t.Context(), t, f.c, asked)
			by := v1alpha1.RemediationRequester{Kind: tt.kind, Name: "m", UID: asked.UID}
			if tt.another {
				by.UID = "another"
			}
			if tt.gone {
				objects.Delete(t, f.c, asked)
			}
			if tt.kind == v1alpha1.AskedByPerson || tt.kind == v1alpha1.AskedByAnnotation {
				by.UID = ""
			}
			got := f.reboot(t, f.askedFor(t, by, cycleStep()))
			tt.want.RetryLimit = new(int32(0))
			if diff := cmp.Diff(tt.want, got.Spec.RebootSettings); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
			if got.Spec.Until != "" {
				t.Errorf("until %q", got.Spec.Until)
			}
		})
	}
}

// TestMakeRebootKeepsWhatTheRecordHas: whose manager looks after it, which Cluster it is of, what a person permits, and where it stops.
func TestMakeRebootKeepsWhatTheRecordHas(t *testing.T) {
	by := v1alpha1.RemediationRequester{Kind: v1alpha1.AskedByAnnotation, Name: rebootannotation.Request + "/PowerOff"}
	type kept struct {
		Labels, Annotations map[string]string
		Until               v1alpha1.Step
	}
	for name, tt := range map[string]struct {
		change func(*v1alpha1.MachineRemediation)
		want   kept
	}{
		"nothing more": {func(*v1alpha1.MachineRemediation) {}, kept{
			map[string]string{clusterv1.ClusterNameLabel: build.ClusterName}, map[string]string{v1alpha1.OperationAnnotation: operation}, "",
		}},
		"all": {
			func(r *v1alpha1.MachineRemediation) {
				r.Labels[clusterv1.WatchLabel], r.Labels["another"] = "ours", "x"
				r.Annotations[rebootannotation.AllowQuorumLoss], r.Annotations["another"] = "true", "x"
				r.Spec.Steps[0].Until = v1alpha1.StepPowerOff
			},
			kept{
				map[string]string{clusterv1.ClusterNameLabel: build.ClusterName, clusterv1.WatchLabel: "ours"},
				map[string]string{v1alpha1.OperationAnnotation: operation, rebootannotation.AllowQuorumLoss: "true"}, v1alpha1.StepPowerOff,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t)
			request := f.askedFor(t, by, cycleStep(), tt.change)
			request.Step = request.Record.Spec.Steps[0]
			got := f.reboot(t, request)
			if diff := cmp.Diff(tt.want, kept{got.Labels, got.Annotations, got.Spec.Until}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnswer: the sign takes the place of the annotation that asked, if that is as it was read.
func TestAnswer(t *testing.T) {
	tests := map[string]bound{
		"nothing has changed":            {func(*testing.T, *harness) {}, true},
		"the Machine is written to":      {anotherAnnotation, false},
		"somebody asks in other words":   {annotated(rebootannotation.Request, "please"), false},
		"somebody takes it back":         {annotationGoes(rebootannotation.Request), false},
		"another leader has answered it": {annotated(rebootannotation.Request, operation), false},
		"another Machine has its name":   {anotherMachine, false},
		"the Machine is gone":            {machineGone, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := newHarness(t, build.Annotation(rebootannotation.Request, ""))
			tt.check(t, f, func(m *clusterv1.Machine) error {
				return remedy.Answer(t.Context(), f.c, m, rebootannotation.Request, operation)
			})
			if tt.written && f.stored(t).Annotations[rebootannotation.Request] != operation {
				t.Error("it is not answered")
			}
		})
	}
}

// TestSignInOpenShift: a Machine of OpenShift shows its cycle in the same way, and nothing but its annotation changes.
func TestSignInOpenShift(t *testing.T) {
	e := env.Get(t)
	machine := &machinev1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace(t), Name: "m", Annotations: map[string]string{rebootannotation.Request: ""}}}
	build.Create(t.Context(), t, e.Client, machine)
	read := func() *clusterv1.Machine {
		found, err := openshift.Find(t.Context(), e.Client, client.ObjectKeyFromObject(machine))
		if err != nil || found == nil {
			t.Fatalf("%v, %v", found, err)
		}
		return found
	}
	shows := func(m *clusterv1.Machine, want string) {
		t.Helper()
		stored, _ := objects.Get(t, e.Client, machine)
		if stored.Annotations[rebootannotation.Request] != want || m.Annotations[rebootannotation.Request] != want || m.ResourceVersion != stored.ResourceVersion {
			t.Errorf("it shows %v, and is stored with %v, want %q", m.Annotations, stored.Annotations, want)
		}
	}
	before := read()
	if err := remedy.Sign(t.Context(), e.Client, before, operation); err != nil {
		t.Fatal(err)
	}
	shows(before, "")
	asked := read()
	if err := remedy.Answer(t.Context(), e.Client, asked, rebootannotation.Request, operation); err != nil {
		t.Fatal(err)
	}
	shows(asked, operation)
	if err := remedy.Answer(t.Context(), e.Client, before, rebootannotation.Request, another); !errors.Is(err, remedy.ErrChanged) {
		t.Errorf("answered a second time: %v", err)
	}
	if err := remedy.RemoveSign(t.Context(), e.Client, asked, recordUID); err != nil {
		t.Fatal(err)
	}
	shows(asked, "")
	if err := remedy.RemoveSignOf(t.Context(), e.Client, asked, rebootannotation.Request, operation); !errors.Is(err, remedy.ErrChanged) {
		t.Errorf("removed a second time: %v", err)
	}
}
