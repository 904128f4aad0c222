package machinehealthcheck

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/cached"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
)

// state is what one of two MachineHealthChecks that select a machine finds, and whether it may repair it.
type state struct {
	name string
	// finds is its own part of the verdict.
	finds metav1.ConditionStatus
	// repairs reports whether it may repair what it finds sick.
	repairs bool
	// by makes it so; the built-in plan or one of Sickbay's own.
	by func(mhc *clusterv1.MachineHealthCheck, plan bool)
}

func annotated(key, value string) func(*clusterv1.MachineHealthCheck, bool) {
	return func(mhc *clusterv1.MachineHealthCheck, _ bool) {
		metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, key, value)
	}
}

var states = []state{
	{"healthy", metav1.ConditionTrue, false, nil},
	{"pending", metav1.ConditionUnknown, false, nil},
	{"sick", metav1.ConditionFalse, true, nil},
	{"paused", "paused", false, annotated(clusterv1.PausedAnnotation, "")},
	{"dry-run", metav1.ConditionFalse, false, annotated(mhcspec.DryRunAnnotation, "true")},
	{"on hold", metav1.ConditionFalse, false, annotated(mhcspec.HoldUntilAnnotation, build.Epoch.Add(24*time.Hour).Format(time.RFC3339))},
	{"gate closed", metav1.ConditionFalse, false, func(mhc *clusterv1.MachineHealthCheck, _ bool) {
		mhc.Spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo = new(intstr.FromInt32(0))
	}},
	{"plan invalid", metav1.ConditionFalse, false, func(mhc *clusterv1.MachineHealthCheck, plan bool) {
		if plan {
			mhc.Spec.Remediation.TemplateRef.Name = "none"
			return
		}
		metav1.SetMetaDataAnnotation(&mhc.ObjectMeta, mhcspec.StrategyAnnotation, "prayer")
	}},
	{"another controller's", "", false, nil},
}

// TestPairs: whatever two MachineHealthChecks that select a machine find, it is sick if either finds it so, unknown rather than healthy if either is
// not sure, and the older of those that find it sick and may repair it does. One of another controller has the machine to itself.
func TestPairs(t *testing.T) {
	t.Parallel()
	for _, plan := range []bool{false, true} {
		for _, older := range states {
			for _, younger := range states {
				t.Run(fmt.Sprintf("%s, then %s, plan %v", older.name, younger.name, plan), func(t *testing.T) {
					t.Parallel()
					got, want := look(t, plan, older, younger), wanted(older, younger)
					if got != want {
						t.Errorf("got %q, want %q", got, want)
					}
				})
			}
		}
	}
}

// wanted is what becomes of a machine that two MachineHealthChecks select: its verdict, and which one repairs it.
func wanted(pair ...state) string {
	if slices.ContainsFunc(pair, func(s state) bool { return s.finds == "" }) {
		return "left alone, repaired by nobody"
	}
	status, by := metav1.ConditionTrue, "nobody"
	for i, s := range slices.Backward(pair) {
		switch {
		case s.finds == metav1.ConditionFalse:
			status = s.finds
		case s.finds != metav1.ConditionTrue && status == metav1.ConditionTrue:
			status = metav1.ConditionUnknown
		}
		if s.repairs {
			by = []string{"a-older", "b-younger"}[i]
		}
	}
	if pair[0].finds == "paused" && pair[1].finds == "paused" {
		return "left alone, repaired by nobody"
	}
	return string(status) + ", repaired by " + by
}

// look stores the verdict that two MachineHealthChecks lead to, and returns it, and which of them admits the machine.
func look(t *testing.T, plan bool, older, younger state) string {
	t.Helper()
	now, cluster := build.Epoch.Add(time.Hour), build.Cluster("ns", build.ClusterName)
	machine := build.Machine("ns", "m", build.NodeRef("m"), disk("A", older, now), disk("B", younger, now))
	checks := []*clusterv1.MachineHealthCheck{pairOf("a-older", "A", older, plan), pairOf("b-younger", "B", younger, plan)}
	policy := mhcspec.Policy{}
	if older.finds == "" || younger.finds == "" {
		policy.Adopt = mhcspec.AdoptHandedOver
		for i, s := range []state{older, younger} {
			if s.finds != "" && s.finds != "paused" {
				annotated(clusterv1.PausedAnnotation, mhcspec.HandedOverValue)(checks[i], plan)
			}
		}
	}
	nodes := &fakenodes.Nodes{}
	nodes.Put(client.ObjectKeyFromObject(cluster), build.Node("m"))
	observer := &machinehealth.Observer{Nodes: nodes}
	said := "left alone"
	ours, stranger := policy.Share(slices.Clone(checks))
	if stranger == nil && slices.ContainsFunc(ours, func(mhc *clusterv1.MachineHealthCheck) bool { return len(mhcspec.Paused(mhc, cluster)) == 0 }) {
		facts, err := observer.CachedFacts(t.Context(), machine, ours[0], cluster, ours[1:]...)
		if err != nil {
			t.Fatal(err)
		}
		status := admission.PresentOf(verdict.Decide(facts, now))
		machine.Status.Conditions = append(machine.Status.Conditions, metav1.Condition(build.Condition(verdict.ConditionType, status, "Because", now)))
		said = string(status)
	}
	objects := []client.Object{cluster, machine, checks[0], checks[1], &v1alpha1.MachineRemediationTemplate{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "plan", UID: "plan"},
		Spec: v1alpha1.MachineRemediationTemplateSpec{Template: v1alpha1.MachineRemediationTemplateResource{Spec: v1alpha1.RemediationPlan{
			Steps: []v1alpha1.RemediationStep{{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(60))}},
		}}},
	}}
	r := readerOf(t, observer, policy, now, objects)
	who := r.whoAdmits(t, checks)
	if !plan {
		leaves := map[string]bool{"a-older": older.finds == metav1.ConditionTrue, "b-younger": younger.finds == metav1.ConditionTrue}
		wantHandedOver(t, who, leaves, checks, machine, func(records ...client.Object) slots.Reader {
			return readerOf(t, observer, policy, now, append(slices.Clone(objects), records...)).Reader
		})
	}
	return said + ", repaired by " + who
}

func readerOf(t *testing.T, observer *machinehealth.Observer, policy mhcspec.Policy, now time.Time, objects []client.Object) *Reader {
	t.Helper()
	all := cached.New(t, nil, func(ctx context.Context, indexer client.FieldIndexer) error {
		return mhcspec.AddTo(ctx, indexer, slices.Concat(mhcspec.Indexes(), recordstore.Indexes()))
	}, objects...)
	return &Reader{Reader: slots.Reader{Cache: all, Live: all, Observer: observer, Selectors: &mhcspec.Selectors{}, Policy: policy, Clock: testingclock.NewFakePassiveClock(now)}}
}

// wantHandedOver asserts that a record which has begun nothing ends if, and only if, another MachineHealthCheck would admit its machine, or its own one
// leaves the machine, which is not healthy, alone: otherwise records would be made and ended without end.
func wantHandedOver(t *testing.T, who string, leaves map[string]bool, checks []*clusterv1.MachineHealthCheck, machine *clusterv1.Machine, reading func(...client.Object) slots.Reader) {
	t.Helper()
	var records []*v1alpha1.MachineRemediation
	var objects []client.Object
	for i, mhc := range checks {
		record := recordstore.New(build.Cluster("ns", build.ClusterName), i+1, v1alpha1.MachineRemediationSpec{
			ClusterName: build.ClusterName, HealthCheckRef: v1alpha1.RemediationReference{Name: mhc.Name, UID: mhc.UID},
			MachineRef: v1alpha1.RemediatedMachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name, UID: machine.UID},
			Steps:      []v1alpha1.RemediationStep{{Name: "replace", Action: v1alpha1.ActionReplace}}, Grant: 1,
		})
		record.UID = mhc.UID + "-record"
		records, objects = append(records, record), append(objects, record)
	}
	reader := reading(objects...)
	repairs := remediation.Reader{Reader: reader, Gatekeeper: &slots.Gatekeeper{Reader: reader}}
	for i, mhc := range checks {
		facts, err := repairs.Look(t.Context(), records[i])
		if err != nil {
			t.Fatal(err)
		}
		want := who != "nobody" && who != mhc.Name
		if who == "nobody" && verdict.Of(machine).Status != metav1.ConditionTrue && !facts.Safety.Unmanaged.IsSet() {
			want = leaves[mhc.Name]
		}
		if got := facts.Safety.HandedOver.IsSet(); got != want {
			t.Errorf("a record of %s is handed over: %v, want %v, since %s admits", mhc.Name, got, want, who)
		}
	}
}

// whoAdmits returns which MachineHealthChecks would create a record.
func (r *Reader) whoAdmits(t *testing.T, checks []*clusterv1.MachineHealthCheck) string {
	t.Helper()
	var who []string
	for _, mhc := range checks {
		if !r.Policy.Manages(mhc) {
			continue
		}
		_, decision, err := r.Look(t.Context(), mhc)
		if err != nil {
			t.Fatal(err)
		}
		if len(decision.Admit) > 0 && !decision.Config.OnlyReports() {
			who = append(who, mhc.Name)
		}
	}
	if len(who) == 0 {
		return "nobody"
	}
	return strings.Join(who, " and ")
}

func pairOf(name, disk string, s state, plan bool) *clusterv1.MachineHealthCheck {
	mhc := build.MachineHealthCheck("ns", name, build.UnhealthyMachineCondition(disk, metav1.ConditionFalse, 5*time.Minute))
	if plan {
		mhc.Spec.Remediation.TemplateRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: mhcspec.PlanKind.Kind, Name: "plan",
		}
	}
	if s.by != nil {
		s.by(mhc, plan)
	}
	return mhc
}

// disk is the condition that one of the two looks at.
func disk(name string, s state, now time.Time) build.ConditionOption {
	switch s.finds {
	case metav1.ConditionTrue:
		return build.Condition(name, metav1.ConditionTrue, "Fine", now)
	case metav1.ConditionUnknown:
		return build.Condition(name, metav1.ConditionFalse, "Broken", now.Add(-time.Minute))
	default:
		return build.Condition(name, metav1.ConditionFalse, "Broken", now.Add(-10*time.Minute))
	}
}
