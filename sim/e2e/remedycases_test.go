package e2e_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/journal"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// remedyCase is one way of repair, with the places at which its writes go wrong.
type remedyCase struct {
	name        string
	annotations map[string]string
	template    clusterv1.MachineHealthCheckRemediationTemplateReference
	// script waits for what must happen to the sick machine, and plays the other parts.
	script func(*round, *WithT)
	// left is how many machines remain in the end, with that verdict.
	left    int
	verdict metav1.ConditionStatus
	// plan is the plan in the template, if it has one.
	plan *v1alpha1.RemediationPlan
	// crashes are the writes at which the manager crashes.
	crashes []fault.Moment
	// unowned creates the sick machine by hand, without an owner that would replace it.
	unowned bool
	// upgrade lets the script upgrade the cluster, and choose when the machine falls sick.
	upgrade bool
}

// The kinds in testdata/fix.yaml.
const (
	fixVersion = "remediation.example.dev/v1"
	fixKind    = "FixRemediation"
)

var planRef = clusterv1.MachineHealthCheckRemediationTemplateReference{
	APIVersion: v1alpha1.GroupVersion.String(), Kind: "MachineRemediationTemplate", Name: "watch-first",
}

// remedyCases try each kind of write once, in the case that makes it soonest; the long ones try only what no other case has.
var remedyCases = []remedyCase{
	{
		name: "delete", script: deleted, left: 1, verdict: metav1.ConditionUnknown, unowned: true,
		crashes: first(writesVerdict, createsRecord, deletesMachine, withdrawsVerdict),
	},
	{
		name: "reboot", annotations: map[string]string{"sickbay.dev/remediation": "reboot"}, script: rebooted, left: 2, verdict: metav1.ConditionTrue,
		crashes: first(makesCycle, annotatesMachine, storesAttempt, closesRecord),
	},
	{
		name: "request", template: clusterv1.MachineHealthCheckRemediationTemplateReference{
			APIVersion: fixVersion, Kind: fixKind + "Template", Name: "fix",
		},
		script: fixed, left: 2, verdict: metav1.ConditionTrue, crashes: first(makesRequest, endsRequest),
	},
	{
		name: "owner", annotations: map[string]string{"sickbay.dev/max-in-flight": "1"}, script: replaced, left: 2, verdict: metav1.ConditionTrue,
		crashes: first(marksMachine, adoptsCheck, countsMachines),
	},
	{
		name: "plan", plan: &watchFirst, template: planRef, script: approved, left: 2, verdict: metav1.ConditionTrue, crashes: first(admitsRecord),
	},
	{
		name: "upgrade", script: upgraded, left: 2, verdict: metav1.ConditionTrue, upgrade: true,
		crashes: []fault.Moment{{What: pausesCheck, Nth: 1}, {What: pausesCheck, Nth: 2}},
	},
}

func (c remedyCase) namespace() string { return "mishap-" + c.name }
func (c remedyCase) cluster() client.ObjectKey {
	return client.ObjectKey{Namespace: c.namespace(), Name: "mishaps"}
}

// timeout returns the timeout of the check. The kubelet of a sick machine has been silent for longer than that. Only after an
// upgrade does the clock restart.
func (c remedyCase) timeout() time.Duration {
	if c.upgrade {
		return 2 * time.Second
	}
	return time.Minute
}

func (c remedyCase) machineHealthCheck() *clusterv1.MachineHealthCheck {
	mhc := &clusterv1.MachineHealthCheck{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace(), Name: "workers", Annotations: c.annotations},
		Spec: clusterv1.MachineHealthCheckSpec{
			ClusterName: c.cluster().Name,
			Selector:    metav1.LabelSelector{MatchLabels: map[string]string{"pool": "workers"}},
			Checks: clusterv1.MachineHealthCheckChecks{UnhealthyNodeConditions: []clusterv1.UnhealthyNodeCondition{
				{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, TimeoutSeconds: new(int32(c.timeout().Seconds()))},
			}},
			Remediation: clusterv1.MachineHealthCheckRemediation{TemplateRef: c.template},
		},
	}
	return mhc
}

// setUp creates the cluster in which all rounds of the case run.
func (c remedyCase) setUp(t *testing.T) {
	t.Helper()
	newNamespace(t, c.namespace())
	spec := world.ClusterSpec{Namespace: c.namespace(), Name: c.cluster().Name}
	if !c.unowned {
		spec.Workers, spec.WorkerLabels = 2, map[string]string{"pool": "workers"}
	}
	if c.upgrade {
		spec.Annotations, spec.Pools = map[string]string{pause.OptionAnnotation: "true"}, []world.Pool{{Name: otherPool, Size: 1}}
	}
	harness.Cluster(t, spec)
	switch {
	case c.plan != nil:
		template := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace(), Name: c.template.Name}}
		template.Spec.Template.Spec = *c.plan
		NewWithT(t).Expect(harness.World.Client().Create(t.Context(), template)).To(Succeed())
	case c.template.IsDefined():
		template := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"template": map[string]any{"spec": map[string]any{}}}}}
		template.SetAPIVersion(c.template.APIVersion)
		template.SetKind(c.template.Kind)
		template.SetNamespace(c.namespace())
		template.SetName(c.template.Name)
		NewWithT(t).Expect(harness.World.Client().Create(t.Context(), template)).To(Succeed())
	}
}

// machines returns the machines at the beginning of a round. The first one will fall sick.
func (c remedyCase) machines(t *testing.T) []clusterv1.Machine {
	t.Helper()
	g := newTest(t)
	if c.unowned {
		for _, name := range []string{"sick", "spare"} {
			err := harness.World.Client().Create(t.Context(), c.machine(name))
			g.Expect(client.IgnoreAlreadyExists(err)).To(Succeed())
		}
	}
	var machines []clusterv1.Machine
	g.Eventually(func(g Gomega) {
		machines = c.list(t.Context(), g)
		g.Expect(machines).To(HaveLen(2))
		if !c.unowned {
			g.Expect(harness.World.Ready(t.Context(), c.cluster())).To(Succeed())
		}
	}).Should(Succeed())
	return machines
}

// list returns the machines by name.
func (c remedyCase) list(ctx context.Context, g Gomega) []clusterv1.Machine {
	machines := &clusterv1.MachineList{}
	g.Expect(harness.World.Client().List(ctx, machines, client.InNamespace(c.namespace()), client.MatchingLabels{"pool": "workers"})).To(Succeed())
	return machines.Items
}

// machine returns a Machine that exists only in the API.
func (c remedyCase) machine(name string) *clusterv1.Machine {
	return &clusterv1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: c.namespace(), Name: name, Labels: map[string]string{"pool": "workers"}},
		Spec: clusterv1.MachineSpec{
			ClusterName: c.cluster().Name, Bootstrap: clusterv1.Bootstrap{DataSecretName: new("none")},
			InfrastructureRef: clusterv1.ContractVersionedObjectReference{APIGroup: "infrastructure.cluster.x-k8s.io", Kind: "DevMachine", Name: "none"},
		},
	}
}

// replaced: the MachineSet creates one new machine and deletes the sick one.
func replaced(r *round, g *WithT) {
	r.Helper()
	deleted(r, g)
	r.madeMachines(g, 1)
	// The next round would find any surplus machine.
}

// deleted: the sick machine is deleted.
func deleted(r *round, g *WithT) {
	r.Helper()
	g.Eventually(func() bool {
		err := harness.World.Client().Get(r.Context(), client.ObjectKeyFromObject(r.sick), &clusterv1.Machine{})
		return apierrors.IsNotFound(err)
	}).Should(BeTrue())
}

// fixed: there is one request until the machine is healthy again.
func fixed(r *round, g *WithT) {
	r.Helper()
	request := &unstructured.Unstructured{}
	request.SetAPIVersion(fixVersion)
	request.SetKind(fixKind)
	get := func() error {
		return harness.World.Client().Get(r.Context(), client.ObjectKeyFromObject(r.sick), request)
	}
	g.Eventually(get).Should(Succeed())
	g.Expect(request.GetOwnerReferences()).To(ConsistOf(HaveField("UID", r.sick.UID)))
	g.Expect(r.kubelet().Heal(r.Context(), harness.World)).To(Succeed())
	g.Eventually(func() bool { return apierrors.IsNotFound(get()) }).Should(BeTrue())
	g.Expect(touched(r.sick)).To(BeFalse())
}

// rebooted: one power cycle is asked for, and the Machine shows it. The machine comes back without it, so none begins.
func rebooted(r *round, g *WithT) {
	r.Helper()
	made, err := harness.Journal.Request(waitContext(r.T), r.sick, "the RebootRemediation", r.began, func(*v1alpha1.RebootRemediation) bool { return true })
	g.Expect(err).NotTo(HaveOccurred())
	request := made.Object.(*v1alpha1.RebootRemediation)
	g.Expect(request.Spec.RequestedBy.OperationID).To(HaveSuffix("/1"), "the first attempt of its record")
	sign := func() string {
		machine := &clusterv1.Machine{}
		g.Expect(harness.World.Client().Get(r.Context(), client.ObjectKeyFromObject(r.sick), machine)).To(Succeed())
		return machine.Annotations[rebootannotation.Request]
	}
	g.Expect(sign()).To(Or(BeEmpty(), Equal(request.Spec.RequestedBy.OperationID)), "a mishap may have kept the sign away")
	g.Expect(r.kubelet().Heal(r.Context(), harness.World)).To(Succeed())
	g.Eventually(func() bool {
		err := harness.World.Client().Get(r.Context(), client.ObjectKeyFromObject(request), request)
		return apierrors.IsNotFound(err) || request.Status.Phase.Ended()
	}).Should(BeTrue())
	g.Eventually(sign).Should(BeEmpty())
	g.Expect(request.Status.BeganAt).To(BeNil(), "the machine has no host")
	g.Expect(touched(r.sick)).To(BeFalse())
}

// watchFirst is a plan with everything that a record stores: an attempt that fails, one that a person must approve, and a
// probation.
var watchFirst = v1alpha1.RemediationPlan{
	ProbationSeconds: new(int32(1)),
	Steps: []v1alpha1.RemediationStep{
		{Name: "watch", Action: v1alpha1.ActionWait, TimeoutSeconds: new(int32(1))},
		{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(120)), Approval: v1alpha1.ApprovalRequired},
	},
}

// approved: the record asks a person once, who approves. Then the machine is replaced.
func approved(r *round, g *WithT) {
	r.Helper()
	asked, err := harness.Journal.Record(waitContext(r.T), r.sick.UID, "the wait for approval", journal.InPhase(v1alpha1.RemediationPending, v1alpha1.ReasonApprovalRequired))
	g.Expect(err).NotTo(HaveOccurred())
	record := asked.Object.(*v1alpha1.MachineRemediation)
	g.Expect(touched(r.sick)).To(BeFalse())
	decision := v1alpha1.RemediationDecision{Attempt: record.Status.Attempt, Answer: v1alpha1.AnswerApprove, By: "robin"}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"decision": decision}})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(harness.World.Client().Patch(r.Context(), record, client.RawPatch(types.MergePatchType, patch))).To(Succeed())
	replaced(r, g)
	g.Eventually(func() []string { return tried(harness.Journal.Records(r.sick.UID)) }).Should(HaveExactElements("watch: TimedOut", "replace: Succeeded"))
}

// tried returns the steps that records have tried, with their results. Attempts that were aborted or not begun are none: on a busy computer, a
// machine may be unjudged for a moment after a restart, so its act is put off.
func tried(records []*v1alpha1.MachineRemediation) []string {
	var all []string
	for _, record := range records {
		for _, attempt := range record.Status.Attempts {
			if attempt.Result != v1alpha1.ResultAborted && attempt.Result != v1alpha1.ResultNotBegun {
				all = append(all, attempt.Step+": "+string(attempt.Result))
			}
		}
	}
	return all
}

// otherPool is the pool that upgrades in the upgrade case.
const otherPool = "others"

// upgraded: the cluster upgrades, and until that is done, nothing is done to the machine that falls sick meanwhile. Then
// its clock restarts, and it is replaced.
func upgraded(r *round, g *WithT) {
	r.Helper()
	mhc := &clusterv1.MachineHealthCheck{}
	is := func(state func(*clusterv1.MachineHealthCheck) bool) func(Gomega) {
		return func(g Gomega) {
			key := client.ObjectKeyFromObject(r.remedyCase.machineHealthCheck())
			g.Expect(harness.World.Client().Get(r.Context(), key, mhc)).To(Succeed())
			g.Expect(state(mhc)).To(BeTrue(), "%v", mhc.Annotations)
		}
	}
	stuck := r.beginUpgrade(g)
	g.Eventually(is(func(mhc *clusterv1.MachineHealthCheck) bool {
		return isPaused(mhc) && meta.IsStatusConditionTrue(mhc.Status.Conditions, clusterv1.PausedCondition)
	})).Should(Succeed())
	r.strike(g)
	g.Expect(stuck.Heal(r.Context(), harness.World)).To(Succeed())
	g.Eventually(is(isResumed)).Should(Succeed())
	deleted(r, g)
	r.madeMachines(g, 2) // one for the upgrade, one for the sick machine

	resumedAt, err := mhcspec.ResumedAt(mhc)
	g.Expect(err).NotTo(HaveOccurred())
	// Check the mark, not the verdict: a verdict that is in progress when the pause begins is still stored, without
	// consequences.
	marked, err := harness.Journal.Machine(r.Context(), r.sick.UID, "the mark", journal.Marked)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(marked.At).To(BeTemporally(">=", resumedAt.Add(r.remedyCase.timeout())), "the clock restarts")
}

// beginUpgrade makes Cluster API roll out another version in the other pool, and returns the fault that keeps the
// rollout from ending.
func (r *round) beginUpgrade(g *WithT) fault.Fault {
	r.Helper()
	others, err := harness.World.PoolMachines(r.Context(), r.cluster, otherPool)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(others).To(HaveLen(1))
	stuck := fault.HoldDeletion{Machine: client.ObjectKeyFromObject(&others[0])}
	g.Expect(stuck.Inject(r.Context(), harness.World)).To(Succeed())
	upgrade := fault.Upgrade{Cluster: r.cluster, MachineDeployment: world.MachineDeploymentName(r.cluster.Name, otherPool), Version: newer}
	if others[0].Spec.Version == newer {
		upgrade.Version = world.KubernetesVersion
	}
	g.Expect(upgrade.Inject(r.Context(), harness.World)).To(Succeed())
	return stuck
}
