package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// herd is a Herd, a kind of owner that nobody knows. It keeps machines from an image that never comes up: it deletes those that are marked,
// and makes others.
type herd struct {
	*testing.T
	cluster client.ObjectKey
	object  *unstructured.Unstructured
}

// herdLabel is on the machines of a herd.
const herdLabel = "example.dev/herd"

func newHerd(t *testing.T, cluster client.ObjectKey, replicas int64) *herd {
	t.Helper()
	h := &herd{T: t, cluster: cluster, object: &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"replicas": replicas}}}}
	h.object.SetAPIVersion("owners.example.dev/v1")
	h.object.SetKind("Herd")
	h.object.SetNamespace(cluster.Namespace)
	h.object.SetName("herd")
	newTest(t).Expect(harness.World.Client().Create(t.Context(), h.object)).To(Succeed())
	go wait.UntilWithContext(t.Context(), h.tend, 100*time.Millisecond)
	return h
}

// tend does what is to be done, as far as it gets. It looks again soon.
func (h *herd) tend(ctx context.Context) {
	machines, err := harness.World.Machines(ctx, h.cluster, client.HasLabels{herdLabel})
	if err != nil {
		return
	}
	alive := int64(0)
	for i := range machines {
		switch machine := &machines[i]; {
		case journal.Deleting(machine):
		case journal.Marked(machine):
			_ = harness.World.Client().Delete(ctx, machine)
		default:
			alive++
		}
	}
	replicas, _, _ := unstructured.NestedInt64(h.object.Object, "spec", "replicas")
	for ; alive < replicas; alive++ {
		_ = harness.World.Client().Create(ctx, h.machine())
	}
}

func (h *herd) machine() *clusterv1.Machine {
	owner := *metav1.NewControllerRef(h.object, h.object.GroupVersionKind())
	return &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: h.cluster.Namespace, GenerateName: "herd-", OwnerReferences: []metav1.OwnerReference{owner},
			Labels: map[string]string{herdLabel: "", clusterv1.ClusterNameLabel: h.cluster.Name},
		},
		Spec: clusterv1.MachineSpec{
			ClusterName: h.cluster.Name, Bootstrap: clusterv1.Bootstrap{DataSecretName: new("none")},
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachine", Name: "none"},
		},
	}
}

// TestOwnerOfUnknownKind: the machine of an owner that nobody knows is from a bad image. That it is gone proves nothing: its replacement is
// replaced, too, after the rest that a failure costs, and then a person must decide.
func TestOwnerOfUnknownKind(t *testing.T) {
	t.Parallel()
	g := newTest(t)
	spec := world.ClusterSpec{Namespace: herdCluster.Namespace, Name: herdCluster.Name}
	harness.Cluster(t, spec)
	plan := replacements(spec.Namespace, 2)
	plan.Spec.Template.Spec.Pacing = &v1alpha1.RemediationPacing{Domains: []v1alpha1.PacingDomain{v1alpha1.DomainOwner}}
	g.Expect(harness.World.Client().Create(t.Context(), plan)).To(Succeed())
	mhc := healthCheck(spec.Key(), metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: herdLabel, Operator: metav1.LabelSelectorOpExists}}})
	mhc.Spec.Checks.NodeStartupTimeoutSeconds = new(int32(5))
	mhc.Spec.Remediation.TemplateRef = planRef
	g.Expect(harness.World.Client().Create(t.Context(), mhc)).To(Succeed())
	harness.Sickbay(t, spec.Namespace)
	newHerd(t, spec.Key(), 1)

	machine := theMarked(t)
	for n := range 2 {
		gone, err := harness.Journal.Gone(waitContext(t), machine.UID, "the end of machine "+machine.Name)
		g.Expect(err).NotTo(HaveOccurred())
		failed, err := harness.Journal.Record(waitContext(t), machine.UID, fmt.Sprintf("the failure of replacement %d", n+1), journal.EndedAs(v1alpha1.ReasonReplacementFailed))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(gone.Before(failed)).To(BeTrue(), "it ends with its successor, not with the machine")
		next := successorOf(t, failed.Object.(*v1alpha1.MachineRemediation))
		if n == 0 {
			g.Expect(next.At.Sub(failed.At)).To(BeNumerically(">=", time.Minute), "a failure does not speed up what follows")
		}
		of := next.Object.(*v1alpha1.MachineRemediation).Spec.MachineRef
		machine = &clusterv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: spec.Namespace, Name: of.Name, UID: of.UID}}
	}
	_, err := harness.Journal.Record(waitContext(t), machine.UID, "the end of the chain", journal.InPhase(v1alpha1.RemediationHeld, v1alpha1.ReasonNoStepLeft))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(touched(machine)).To(BeFalse(), "no third attempt")
	g.Expect(harness.Journal.Records(machine.UID)).To(HaveExactElements(HaveField("Status.Attempts", BeEmpty())))
}

// herdCluster is the cluster of the herd.
var herdCluster = client.ObjectKey{Namespace: "unknown", Name: "unknown"}

// theMarked waits for the first machine of the herd that is marked.
func theMarked(t *testing.T) *clusterv1.Machine {
	t.Helper()
	entry, err := harness.Journal.Await(waitContext(t), "the mark on a machine", func(e journal.Entry) bool {
		m, ok := e.Object.(*clusterv1.Machine)
		return ok && m.Namespace == herdCluster.Namespace && journal.Marked(m)
	})
	newTest(t).Expect(err).NotTo(HaveOccurred())
	return entry.Object.(*clusterv1.Machine)
}

// longRest is more than pacing waits after a repair that failed.
const longRest = 6 * time.Minute

// successorOf waits for the record of a replacement.
func successorOf(t *testing.T, record *v1alpha1.MachineRemediation) journal.Entry {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longRest)
	defer cancel()
	ref := record.Status.ReplacementRef
	entry, err := harness.Journal.Await(ctx, "the record of the replacement", func(e journal.Entry) bool {
		next, ok := e.Object.(*v1alpha1.MachineRemediation)
		return ok && ref != nil && next.Namespace == record.Namespace && next.Name == ref.Name
	})
	newTest(t).Expect(err).NotTo(HaveOccurred())
	t.Logf("%s after the failure, the next record: %s", entry.At.Sub(record.Status.CompletionTime.Time), entry.Object.GetName())
	return entry
}

// replacements returns a plan with some replacements.
func replacements(namespace string, attempts int32) *v1alpha1.MachineRemediationTemplate {
	template := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: planRef.Name}}
	template.Spec.Template.Spec = v1alpha1.RemediationPlan{
		ProbationSeconds: new(int32(1)),
		Steps:            []v1alpha1.RemediationStep{{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(150)), Attempts: attempts}},
	}
	return template
}
