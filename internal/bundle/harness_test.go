package bundle

import (
	"errors"
	"slices"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/recordstore"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/fakenodes"
	"github.com/sickbay-dev/sickbay/internal/testing/live"
	"github.com/sickbay-dev/sickbay/internal/testing/settle"
)

// harness is a fleet on the API server, with the test's own Nodes and clock.
type harness struct {
	t       *testing.T
	env     *env.Env
	ns      string
	now     time.Time
	cluster *clusterv1.Cluster
	set     *clusterv1.MachineSet
	mhc     *clusterv1.MachineHealthCheck
	nodes   fakenodes.Nodes
	// metal lets the observer read BareMetalHosts.
	metal bool
}

// sickness is why the machines of the tests are sick.
const sickness = "Node condition Ready is Unknown for more than 5m0s"

func newHarness(t *testing.T, opts ...build.MachineHealthCheckOption) *harness {
	t.Helper()
	e := env.Get(t)
	ns := e.Namespace(t)
	f := &harness{
		t: t, env: e, ns: ns, now: time.Now().Truncate(time.Second).Add(300 * time.Millisecond),
		cluster: build.Cluster(ns, "blue"), set: build.MachineSet(ns, "md-0", build.InCluster("blue")),
	}
	f.mhc = build.MachineHealthCheck(ns, "workers", append([]build.MachineHealthCheckOption{
		build.InCluster("blue"), build.Selector(map[string]string{clusterv1.ClusterNameLabel: "blue"}),
		build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionUnknown, 5*time.Minute),
	}, opts...)...)
	f.create(f.cluster, f.set, f.mhc)
	return f
}

func (f *harness) create(objs ...client.Object) {
	f.t.Helper()
	build.Create(f.t.Context(), f.t, f.env.Client, objs...)
}

// machine stores a Machine whose verdict and Node have had this status for so long.
func (f *harness) machine(name string, status metav1.ConditionStatus, since time.Duration, opts ...build.MachineOption) *clusterv1.Machine {
	f.t.Helper()
	stored, ready := build.Condition(verdict.ConditionType, status, verdict.ReasonSucceeded, f.now.Add(-since)), metav1.ConditionTrue
	if status == metav1.ConditionFalse {
		stored, ready = f.sickFor(since), metav1.ConditionUnknown
	}
	machine := build.Machine(f.ns, name, append([]build.MachineOption{build.InCluster("blue"), build.OwnedBy(f.set), build.NodeRef("node-" + name), stored}, opts...)...)
	f.create(machine)
	f.nodes.Put(client.ObjectKeyFromObject(f.cluster), build.Node("node-"+name, build.NodeReady(ready, f.now.Add(-since-5*time.Minute))))
	return machine
}

func (f *harness) sickFor(span time.Duration) build.ConditionOption {
	return build.Condition(verdict.ConditionType, metav1.ConditionFalse, "ReadyUnhealthy", f.now.Add(-span)).WithMessage(sickness)
}

func (f *harness) healthy(name string, opts ...build.MachineOption) *clusterv1.Machine {
	f.t.Helper()
	return f.machine(name, metav1.ConditionTrue, time.Hour, opts...)
}

func (f *harness) sick(name string, opts ...build.MachineOption) *clusterv1.Machine {
	f.t.Helper()
	return f.machine(name, metav1.ConditionFalse, 41*time.Minute, opts...)
}

// Steps of plans.
var (
	reboot  = v1alpha1.RemediationStep{Name: "reboot", Action: v1alpha1.ActionReboot, Attempts: 2, TimeoutSeconds: new(int32(1800))}
	replace = v1alpha1.RemediationStep{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(3600)), Approval: v1alpha1.ApprovalRequired}
	ask     = v1alpha1.RemediationStep{Name: "ask", Action: v1alpha1.ActionHold}
)

// admit stores a record of a Machine and the objects that it creates, and plays the repair from when the machine fell
// sick until now.
func (f *harness) admit(machine *clusterv1.Machine, steps ...v1alpha1.RemediationStep) *v1alpha1.MachineRemediation {
	f.t.Helper()
	r := settle.Admitted(f.cluster, f.mhc, machine, steps...)
	r.Spec.TemplateRef.Name = "metal"
	f.create(r)
	f.play(r)
	return r
}

// play stores the ladder's decisions from when the machine fell sick until now.
func (f *harness) play(r *v1alpha1.MachineRemediation) {
	f.t.Helper()
	facts := ladder.Alone(r)
	for at := f.now.Add(-40 * time.Minute); at.Before(f.now); {
		facts.Record = r
		d := ladder.Decide(facts, at)
		switch {
		case d.Store:
			r.Status = d.Status
			if err := f.env.Client.Status().Update(f.t.Context(), r); err != nil {
				f.t.Fatal(err)
			}
		case d.Act == ladder.CreateReboot && (facts.Request == nil || facts.Request.OperationID != d.Attempt.OperationID):
			asked := remedy.Request{Record: r, Attempt: d.Attempt, Step: r.Spec.Steps[0]}
			if _, err := remedy.MakeReboot(f.t.Context(), f.env.Client, f.env.Client, asked); err != nil {
				f.t.Fatal(err)
			}
			made := &v1alpha1.RebootRemediation{}
			if err := f.env.Client.Get(f.t.Context(), client.ObjectKey{Namespace: f.ns, Name: asked.Name()}, made); err != nil {
				f.t.Fatal(err)
			}
			facts.Request = &ladder.Request{OperationID: d.Attempt.OperationID, Ref: v1alpha1.RemediationObjectReference{
				APIVersion: v1alpha1.GroupVersion.String(), Kind: "RebootRemediation", Name: made.Name, UID: made.UID,
			}, BeganAt: at}
		case d.Act == ladder.WithdrawRequest && facts.Request != nil:
			request := &v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: facts.Request.Ref.Name}}
			if err := f.env.Client.Delete(f.t.Context(), request); err != nil {
				f.t.Fatal(err)
			}
			facts.Request = nil
		default:
			if d.RecheckAt.IsZero() || !d.RecheckAt.After(at) {
				return
			}
			at = d.RecheckAt
		}
	}
}

// observer returns an observer without a cache.
func (f *harness) observer() *fleet.Observer {
	f.t.Helper()
	from := fleet.Sources{
		Client: live.Client(f.env.Client), Live: f.env.Client, Nodes: &f.nodes, GracePeriod: 5 * time.Minute, Policy: mhcspec.Policy{Adopt: mhcspec.AdoptAll},
		Namespace: f.ns, Records: true, AskManagers: true, Clock: testingclock.NewFakePassiveClock(f.now),
	}
	if f.metal {
		s := newSnapshot(f.env.Scheme)
		from.Client = snapshotReader{s, f.env.Client}
		from.Hosts = &machinehealth.Hosts{Client: from.Client, Live: f.env.Client}
		if err := errors.Join(mhcspec.AddTo(f.t.Context(), s, slices.Concat(mhcspec.Indexes(), recordstore.Indexes())), from.Hosts.Appeared(f.t.Context(), s)); err != nil {
			f.t.Fatal(err)
		}
	}
	return fleet.New(from)
}

// host stores a BareMetalHost that runs a Machine.
func (f *harness) host(name, machine string, annotations ...string) {
	f.t.Helper()
	f.metal = true
	host := &metal3v1.BareMetalHost{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.ns, Name: name, Annotations: map[string]string{}},
		Spec: metal3v1.BareMetalHostSpec{
			BMC:         metal3v1.BMCDetails{Address: "ipmi://" + planted, CredentialsName: planted},
			ConsumerRef: &corev1.ObjectReference{APIVersion: "infrastructure.cluster.x-k8s.io/v1beta1", Kind: "DevMachine", Namespace: f.ns, Name: machine},
		},
	}
	for _, key := range annotations {
		host.Annotations[key] = ""
	}
	f.create(host)
}

// ofOldRevision gives the machines' MachineSet to a MachineDeployment of strategy OnDelete that has a newer revision.
func (f *harness) ofOldRevision() {
	f.t.Helper()
	d := &clusterv1.MachineDeployment{}
	d.Namespace, d.Name, d.Annotations = f.ns, "workers-a", map[string]string{clusterv1.RevisionAnnotation: "2"}
	d.Spec.ClusterName, d.Spec.Replicas, d.Spec.Template = "blue", new(int32(1)), f.set.Spec.Template
	d.Spec.Template.Spec.ClusterName = "blue"
	d.Spec.Selector = f.set.Spec.Selector
	d.Spec.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
	f.create(d)
	f.set.Labels = map[string]string{clusterv1.MachineDeploymentNameLabel: d.Name}
	f.set.Annotations = map[string]string{clusterv1.RevisionAnnotation: "1"}
	if err := f.env.Client.Update(f.t.Context(), f.set); err != nil {
		f.t.Fatal(err)
	}
}
