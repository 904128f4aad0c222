package verdict

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// now is when the pure tests judge: an hour after everything was built and became ready.
var now = build.Epoch.Add(time.Hour)

func ago(d time.Duration) time.Time { return now.Add(-d) }

// verdict is a result as the condition shows it, with the time until it changes by itself.
type verdict struct {
	Status  healthcheck.Status
	Reason  string
	Message string
	Recheck time.Duration
}

// verdictOf judges the facts. Progressing is stored as Unknown, so it returns Unknown.
func verdictOf(f Facts, at time.Time) verdict {
	result := healthcheck.Merge(at, Decide(f, at))
	v := verdict{Status: result.Status, Reason: result.Reason, Message: result.Message}
	if result.Status == healthcheck.Progressing {
		v.Status = healthcheck.Unknown
	}
	if next := result.NextChange(); !next.IsZero() {
		v.Recheck = next.Sub(at)
	}
	return v
}

// The verdicts that many rows have in common.
var (
	healthy        = verdict{Status: healthcheck.True, Reason: "Succeeded"}
	nodeNotFound   = verdict{Status: healthcheck.False, Reason: "NodeNotFound", Message: "Node not found"}
	waitForInfra   = verdict{Status: healthcheck.Unknown, Reason: "WaitingForClusterInfrastructure", Message: "Waiting for the cluster infrastructure to be ready"}
	waitForPlane   = verdict{Status: healthcheck.Unknown, Reason: "WaitingForControlPlaneInitialized", Message: "Waiting for the control plane to be initialized"}
	notProvisioned = verdict{Status: healthcheck.Unknown, Reason: "WaitingForProvisioning", Message: "Waiting for Machine to be provisioned"}
	waitForNode    = verdict{Status: healthcheck.Unknown, Reason: "WaitingForNodeRef", Message: "Waiting for Node to be created"}
	nodeNotReady   = verdict{Status: healthcheck.False, Reason: "ReadyUnhealthy", Message: "Node condition Ready is False for more than 5m0s"}
	failed         = verdict{Status: healthcheck.False, Reason: "MachineFailed", Message: "Machine is in phase Failed"}
	provisioning   = verdict{Status: healthcheck.False, Reason: "MachineProvisioningTimedOut", Message: "Machine is provisioning for more than 5m0s"}
	startedLate    = verdict{Status: healthcheck.False, Reason: "NodeStartupTimedOut", Message: "Node failed to start within 10m0s"}
	notYetNode     = verdict{Status: healthcheck.Unknown, Reason: "NodeConditionsNotYetUnhealthy", Message: "Waiting for unhealthyCondition timeout"}
	notYetMachine  = verdict{Status: healthcheck.Unknown, Reason: "MachineConditionsNotYetUnhealthy", Message: "Waiting for unhealthyCondition timeout"}
	isDeleting     = verdict{Status: healthcheck.Unknown, Reason: "Deleting", Message: "Machine is being deleted"}
)

func (v verdict) in(d time.Duration) verdict {
	v.Recheck = d
	return v
}

// row is one case of a table: what is observed, and what the condition says.
type row struct {
	facts Facts
	want  verdict
}

func run(t *testing.T, rows map[string]row) {
	t.Helper()
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, verdictOf(row.facts, now)); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
		})
	}
}

// fact changes the facts of a healthy Machine.
type fact func(*Facts)

// facts returns the facts of a Machine with a Node that is ready, in a Cluster that is up, with
// the rules Ready=False for 5m on Nodes, Disk=False or phase Provisioning for 5m on Machines,
// and an error for 5m on hosts.
func facts(differences ...fact) Facts {
	f := Facts{
		Machine: build.Machine("ns", "m", build.NodeRef("node")),
		Cluster: build.Cluster("ns", build.ClusterName),
		Rules: mhcspec.RulesOf(build.MachineHealthCheck("ns", "mhc",
			build.Annotation(mhcspec.ProvisioningTimeoutAnnotation, "5m"), build.Annotation(mhcspec.HostErrorTimeoutAnnotation, "5m"),
			build.UnhealthyMachineCondition("Disk", metav1.ConditionFalse, 5*time.Minute),
			build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, 5*time.Minute))),
		Node:        NodeFacts{State: NodeFound, Node: build.Node("node")},
		GracePeriod: 5 * time.Minute,
	}
	for _, differ := range differences {
		differ(&f)
	}
	return f
}

func machine(opts ...build.MachineOption) fact {
	return func(f *Facts) {
		f.Machine = build.Machine("ns", "m", append([]build.MachineOption{build.NodeRef("node")}, opts...)...)
	}
}

func machineWithoutNode(opts ...build.MachineOption) fact {
	return func(f *Facts) {
		f.Machine = build.Machine("ns", "m", opts...)
		f.Node = NodeFacts{State: NodeNone}
	}
}

func cluster(opts ...build.ClusterOption) fact {
	return func(f *Facts) { f.Cluster = build.Cluster("ns", build.ClusterName, opts...) }
}

func node(opts ...build.NodeOption) fact {
	return func(f *Facts) { f.Node = NodeFacts{State: NodeFound, Node: build.Node("node", opts...)} }
}

func notReady(since time.Time) fact { return node(build.NodeReady(metav1.ConditionFalse, since)) }

func noDisk(since time.Time) build.ConditionOption {
	return build.Condition("Disk", metav1.ConditionFalse, "Failed", since)
}

// machineProvisioning makes the Machine one that has been in phase Provisioning since it was
// created.
func machineProvisioning(since time.Time, opts ...build.MachineOption) fact {
	return machineWithoutNode(append([]build.MachineOption{build.CreatedAt(since), build.InPhase("Provisioning", since)}, opts...)...)
}

func nodeGone(f *Facts) { f.Node = NodeFacts{State: NodeGone} }

func rules(opts ...build.MachineHealthCheckOption) fact {
	return func(f *Facts) { f.Rules = mhcspec.RulesOf(build.MachineHealthCheck("ns", "mhc", opts...)) }
}

func resumed(at time.Time) fact { return func(f *Facts) { f.Rules.ResumedAt = at } }

func deleting() build.Option { return build.Deleting(ago(time.Minute)) }

func remediate() build.Option { return build.Annotation(clusterv1.RemediateMachineAnnotation, "") }
