package lint

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/convert"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/repair/silence"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// expect compares all findings for a text with the sentences that are wanted, each in one finding, in order. An empty sentence stands for none.
func expect(t *testing.T, text string, live *Fleet, want ...string) {
	t.Helper()
	want = slices.DeleteFunc(want, func(text string) bool { return text == "" })
	found := lint(t, "a.yaml", []byte(text), live).Findings
	fit := len(found) == len(want)
	for i := 0; fit && i < len(want); i++ {
		fit = strings.Contains(found[i].Field+": "+found[i].Message, want[i]) && found[i].Level == Warning && found[i].Line > 0
	}
	if !fit {
		t.Errorf("found %v\nwant %q in\n%s", found, want, text)
	}
}

// TestTrapsInConditions: conditions that every new or every healthy machine has, statuses and types that do not exist, each with what is fine
// beside it, in each dialect.
func TestTrapsInConditions(t *testing.T) {
	const today = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineHealthCheck\nmetadata: {name: a, namespace: default}\nspec:\n  clusterName: blue\n  selector: {matchLabels: {pool: a}}\n" +
		"  checks: {%s: [{type: %s, status: %q, timeoutSeconds: %d}]%s}\n  remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 40%%}}\n"
	machine := func(kind, status string, seconds int) string {
		return fmt.Sprintf(today, "unhealthyMachineConditions", kind, status, seconds, "")
	}
	startup := func(kind, status string, seconds, startup int) string {
		return fmt.Sprintf(today, "unhealthyMachineConditions", kind, status, seconds, fmt.Sprintf(", nodeStartupTimeoutSeconds: %d", startup))
	}
	node := func(kind, status string) string {
		return fmt.Sprintf(today, "unhealthyNodeConditions", kind, status, 300, "")
	}
	dialect := func(head, conditions string) string {
		return head + "\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {pool: a}}\n  unhealthyConditions: [" + conditions + "]\n"
	}
	const (
		old       = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineHealthCheck"
		openShift = "apiVersion: machine.openshift.io/v1beta1\nkind: MachineHealthCheck"
		nodes     = "apiVersion: remediation.medik8s.io/v1alpha1\nkind: NodeHealthCheck"
		limit     = "  maxUnhealthy: 40%\n"
		rest      = "  minHealthy: 51%\n  remediationTemplate: {apiVersion: a.example.com/v1, kind: ATemplate, name: a}\n"
	)
	for text, want := range map[string]string{
		machine("InfrastructureReady", "False", 0):        "every new Machine is InfrastructureReady=False while it is provisioned: 0s is shorter than the 5m that this usually takes",
		machine("InfrastructureReady", "Unknown", 299):    "every new Machine is InfrastructureReady=Unknown while it is provisioned: 4m59s",
		machine("BootstrapConfigReady", "False", 60):      "every new Machine is BootstrapConfigReady=False",
		machine("NodeHealthy", "Unknown", 60):             "every new Machine is NodeHealthy=Unknown",
		machine("NodeHealthy", "False", 60):               "every new Machine is NodeHealthy=False",
		machine("NodeReady", "False", 60):                 "every new Machine is NodeReady=False",
		machine("EtcdMemberHealthy", "Unknown", 60):       "every new Machine is EtcdMemberHealthy=Unknown",
		startup("InfrastructureReady", "False", 899, 900): "14m59s is shorter than the 15m that its Node may take to appear",
		startup("InfrastructureReady", "False", 900, 900): "",
		startup("InfrastructureReady", "False", 299, 0):   "shorter than the 5m that this usually takes",
		startup("InfrastructureReady", "False", 60, 60):   "",
		machine("InfrastructureReady", "False", 300):      "",
		machine("NodeReady", "Unknown", 300):              "",
		machine("EtcdMemberHealthy", "False", 60):         "",
		machine("Deleting", "True", 60):                   "",
		machine("example.com/Broken", "False", 0):         "",
		machine("InfrastructureReady", "True", 60):        "InfrastructureReady is True on every healthy Machine: all machines are repaired",
		machine("BootstrapConfigReady", "True", 60):       "BootstrapConfigReady is True on every healthy Machine",
		machine("NodeReady", "True", 6000):                "NodeReady is True on every healthy Machine",
		machine("NodeHealthy", "True", 60):                "NodeHealthy is True on every healthy Machine",
		machine("UpToDate", "True", 60):                   "UpToDate is True on every healthy Machine",
		machine("Paused", "False", 60):                    "Paused is False on every healthy Machine",
		machine("Deleting", "False", 60):                  "Deleting is False on every healthy Machine",
		machine("Updating", "False", 60):                  "Updating is False on every healthy Machine",
		node("Ready", "True"):                             "Ready is True on every healthy Node",
		node("DiskPressure", "False"):                     "DiskPressure is False on every healthy Node",
		node("KernelDeadlock", "False"):                   "KernelDeadlock is False on every healthy Node",
		node("KernelDeadlock", "True"):                    "",
		node("Ready", "NotReady"):                         `[0].status: it is "NotReady", which no condition ever is, only True, False or Unknown: it matches nothing; perhaps "False" is meant`,
		node("DiskPressure", "Unhealthy"):                 `perhaps "True" is meant`,
		node("Ready", "false"):                            `it is "false", which no condition ever is, only True, False or Unknown: it matches nothing; perhaps "False" is meant`,
		node("Ready", "UNKNOWN"):                          `perhaps "Unknown" is meant`,
		node("Ready", "Unknownn"):                         `perhaps "Unknown" is meant`,
		node("Ready", "Fasle"):                            `perhaps "False" is meant`,
		node("Ready", "5"):                                `it is "5", which no condition ever is, only True, False or Unknown: it matches nothing`,
		node("ready", "False"):                            "[0].type: ready is not a condition that is known here; perhaps Ready is meant",
		node("Raedy", "False"):                            "perhaps Ready is meant",
		node("Redy", "False"):                             "perhaps Ready is meant",
		node("DiskPresure", "True"):                       "perhaps DiskPressure is meant",
		node("MemoryPresssure", "True"):                   "perhaps MemoryPressure is meant",
		node("Steady", "False"):                           "",
		node("Heavy", "False"):                            "",
		node("DiskOk", "False"):                           "",
		node("e2e.remediation.condition", "False"):        "",
		node("InfrastructureReady", "False"):              "InfrastructureReady is a condition of a Machine, not of a Node: it matches nothing here; in Cluster API it belongs in unhealthyMachineConditions",
		machine("MemoryPressure", "True", 300):            "MemoryPressure is a condition of a Node, not of a Machine: it matches nothing here; in Cluster API it belongs in unhealthyNodeConditions",
		machine("InfrastuctureReady", "False", 300):       "perhaps InfrastructureReady is meant",
		dialect(old, "{type: Ready, status: NotReady, timeout: 5m}") + limit + "  clusterName: blue\n": `spec.unhealthyConditions[0].status: it is "NotReady"`,
		dialect(old, "{type: Redy, status: Unknown, timeout: 5m}") + limit + "  clusterName: blue\n":   "spec.unhealthyConditions[0].type: Redy is not a condition",
		dialect(openShift, "{type: Ready, status: NotReady, timeout: 5m}") + limit:                     `spec.unhealthyConditions[0].status: it is "NotReady"`,
		dialect(openShift, "{type: DiskPresure, status: 'True', timeout: 5m}") + limit:                 "spec.unhealthyConditions[0].type: DiskPresure is not a condition",
		dialect(openShift, "{type: DiskPressure, status: 'True', timeout: 5m}") + limit:                "",
		dialect(nodes, "{type: Ready, status: NotReady, duration: 5m}") + rest:                         `spec.unhealthyConditions[0].status: it is "NotReady"`,
		dialect(nodes, "{type: ready, status: Unknown, duration: 5m}") + rest:                          "spec.unhealthyConditions[0].type: ready is not a condition",
		dialect(nodes, "{type: Ready, status: Unknown, duration: 5m}") + rest:                          "",
	} {
		expect(t, text, nil, want)
	}
}

// TestMixed: control plane and workers under one limit, however the selector says it; and not if something else keeps several machines of
// the control plane from being repaired at once.
func TestMixed(t *testing.T) {
	const (
		today = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineHealthCheck\nmetadata: {name: a, namespace: default%s}\nspec:\n  clusterName: blue\n  selector: %s\n" +
			"  checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]}\n  remediation: {triggerIf: {%s}}\n"
		openShift = "apiVersion: machine.openshift.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a, namespace: default}\nspec:\n  selector: %s\n" +
			"  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n  maxUnhealthy: 40%%\n"
		nodes = "apiVersion: remediation.medik8s.io/v1alpha1\nkind: NodeHealthCheck\nmetadata: {name: a}\nspec:\n  selector: %s\n" +
			"  minHealthy: 51%%\n  remediationTemplate: {apiVersion: a.example.com/v1, kind: ATemplate, name: a}\n"
		percent, role, plane = "unhealthyLessThanOrEqualTo: 40%", "machine.openshift.io/cluster-api-machine-role", "node-role.kubernetes.io/control-plane"
	)
	labels := func(key, value string) string { return fmt.Sprintf("{matchLabels: {%s: %q}}", key, value) }
	expressions := func(all ...string) string { return "{matchExpressions: [" + strings.Join(all, ", ") + "]}" }
	in := func(key, operator, values string) string {
		if values == "" {
			return fmt.Sprintf("{key: %s, operator: %s}", key, operator)
		}
		return fmt.Sprintf("{key: %s, operator: %s, values: [%s]}", key, operator, values)
	}
	capi := func(selector string) string { return fmt.Sprintf(today, "", selector, percent) }
	whole := labels(clusterv1.ClusterNameLabel, "blue")
	for text, mixed := range map[string]bool{
		capi(whole): true,
		capi(expressions(in(clusterv1.ClusterNameLabel, "In", "blue, green"))):       true,
		capi(expressions(in(clusterv1.ClusterNameLabel, "Exists", ""))):              true,
		capi(expressions(in(clusterv1.MachineDeploymentNameLabel, "NotIn", "a"))):    true,
		capi(expressions(in("pool", "DoesNotExist", ""))):                            true,
		capi(labels(clusterv1.ClusterTopologyOwnedLabel, "")):                        true,
		capi(expressions(in(clusterv1.MachineControlPlaneLabel, "NotIn", `"true"`))): true,
		capi(labels("pool", "a")):                                                             false,
		capi(labels(clusterv1.MachineControlPlaneLabel, "")):                                  false,
		capi(expressions(in(clusterv1.MachineControlPlaneLabel, "Exists", ""))):               false,
		capi(expressions(in(clusterv1.MachineControlPlaneLabel, "DoesNotExist", ""))):         false,
		capi(expressions(in(clusterv1.MachineControlPlaneLabel, "NotIn", `""`))):              false,
		capi(expressions(in(clusterv1.MachineDeploymentNameLabel, "DoesNotExist", ""))):       false,
		capi(labels(clusterv1.ClusterTopologyMachineDeploymentNameLabel, "a")):                false,
		fmt.Sprintf(today, "", whole, "unhealthyLessThanOrEqualTo: 1"):                        false,
		fmt.Sprintf(today, "", whole, "unhealthyLessThanOrEqualTo: 2"):                        true,
		fmt.Sprintf(today, "", whole, `unhealthyInRange: "[0-1]"`):                            false,
		fmt.Sprintf(today, `, annotations: {sickbay.dev/max-in-flight: "1"}`, whole, percent): false,
		fmt.Sprintf(today, `, annotations: {sickbay.dev/max-in-flight: "2"}`, whole, percent): true,
		fmt.Sprintf(today, `, annotations: {sickbay.dev/dry-run: "true"}`, whole, percent):    false,
		"apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a}\nspec:\n  clusterName: blue\n  selector: " + whole +
			"\n  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n  maxUnhealthy: 40%\n": true,
		fmt.Sprintf(openShift, "{}"):                                                             true,
		fmt.Sprintf(openShift, expressions(in(role, "In", "worker, master"))):                    true,
		fmt.Sprintf(openShift, expressions(in(role, "NotIn", "infra"))):                          true,
		fmt.Sprintf(openShift, expressions(in(role, "Exists", ""))):                              true,
		fmt.Sprintf(openShift, labels("machine.openshift.io/cluster-api-cluster", "a")):          true,
		fmt.Sprintf(openShift, expressions(in(role, "NotIn", "infra, master"))):                  false,
		fmt.Sprintf(openShift, labels(role, "master")):                                           false,
		fmt.Sprintf(openShift, labels(role, "worker")):                                           false,
		fmt.Sprintf(openShift, labels("machine.openshift.io/cluster-api-machineset", "a")):       false,
		fmt.Sprintf(nodes, labels("kubernetes.io/os", "linux")):                                  true,
		fmt.Sprintf(nodes, expressions(in("kubernetes.io/hostname", "NotIn", "a"))):              true,
		fmt.Sprintf(nodes, expressions(in("kubernetes.io/hostname", "Exists", ""))):              true,
		fmt.Sprintf(nodes, expressions(in("topology.kubernetes.io/zone", "Exists", ""))):         true,
		fmt.Sprintf(nodes, expressions(in("node-role.kubernetes.io/infra", "DoesNotExist", ""))): true,
		fmt.Sprintf(nodes, expressions(in("kubernetes.io/hostname", "In", "a"))):                 false,
		fmt.Sprintf(nodes, labels("kubernetes.io/os", "windows")):                                false,
		fmt.Sprintf(nodes, expressions(in(plane, "DoesNotExist", ""))):                           false,
		fmt.Sprintf(nodes, expressions(in(plane, "Exists", ""))):                                 false,
		fmt.Sprintf(nodes, expressions(in("node-role.kubernetes.io/worker", "Exists", ""))):      false,
	} {
		want := ""
		if mixed {
			want = "spec.selector: it selects control plane and workers under one limit, which may allow most of the control plane at once"
		}
		expect(t, text, nil, want)
	}
	live := fleet(map[string]int{"masters": 3, "workers": 7})
	for i := range 3 {
		i = slices.IndexFunc(live.Machines, func(m clusterv1.Machine) bool { return m.Name == fmt.Sprintf("masters-%d", i) })
		live.Machines[i].Labels[clusterv1.MachineControlPlaneLabel] = ""
	}
	all := expressions(in("pool", "In", "masters, workers"))
	expect(t, capi(all), live, "it selects 3 control-plane Machines and 7 workers under one limit: up to 4 may be repaired at once, even if 3 of them are control-plane Machines")
	expect(t, fmt.Sprintf(today, "", all, "unhealthyLessThanOrEqualTo: 10%"), live)
	expect(t, capi(labels("pool", "workers")), live)
	expect(t, capi(expressions(in("pool", "DoesNotExist", ""))), live, "it selects no Machine", "it selects control plane and workers")
}

// TestOneLetterAway: a selector that selects nothing is told with what keeps it from that, unless its machines are only left alone.
func TestOneLetterAway(t *testing.T) {
	check := func(pool string) string {
		return strings.Replace(fmt.Sprintf(one, "unhealthyLessThanOrEqualTo: 40%"), "pool: workers", "pool: "+pool, 1)
	}
	live := fleet(map[string]int{"workers": 3})
	expect(t, check("worker"), live, "it selects no Machine of cluster blue in namespace default: none has pool=worker, but 3 have pool=workers")
	expect(t, check("storage"), live, "it selects no Machine of cluster blue in namespace default: none has pool=storage")
	for i := range live.Machines {
		live.Machines[i].Annotations = map[string]string{clusterv1.MachineSkipRemediationAnnotation: ""}
	}
	found := lint(t, "mhc.yaml", []byte(check("workers")), live).Findings
	if len(found) != 1 || !strings.HasSuffix(found[0].Message, "it selects no Machine of cluster blue in namespace default") {
		t.Errorf("found %v", found)
	}
}

// TestPoolsOfTheFiles: a limit is held against the pool that it is for, if that is in the same files and its size is fixed.
func TestPoolsOfTheFiles(t *testing.T) {
	const (
		check = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineHealthCheck\nmetadata: {name: a, namespace: default}\nspec:\n  clusterName: blue\n  selector: {matchLabels: {%s}}\n" +
			"  checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]}\n  remediation: {triggerIf: {unhealthyLessThanOrEqualTo: %s}}\n---\n"
		deployment = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineDeployment\nmetadata: {name: md%s}\nspec: {clusterName: blue%s, template: {metadata: {labels: {pool: a}}}}\n"
		plane      = "apiVersion: controlplane.cluster.x-k8s.io/v1beta2\nkind: KubeadmControlPlane\nmetadata: {name: cp}\nspec: {replicas: 3}\n---\n" +
			"apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: blue}\nspec: {controlPlaneRef: {name: cp}}\n"
		topology = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: blue}\nspec:\n  topology: {classRef: {name: c}, version: v1.34.0, controlPlane: {replicas: 3}, " +
			"workers: {machineDeployments: [{class: w, name: md-0, replicas: 2, metadata: {labels: {pool: a}}}]}}\n"
		openShift = "apiVersion: machine.openshift.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a}\nspec:\n  selector: {matchLabels: {machine.openshift.io/cluster-api-machineset: ms}}\n" +
			"  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n  maxUnhealthy: 40%\n---\n" +
			"apiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\nmetadata: {name: ms}\nspec: {replicas: 2, template: {metadata: {labels: {machine.openshift.io/cluster-api-machineset: ms}}}}\n"
		never = "40% of 2 Machines in these files is 0: nothing is ever repaired"
	)
	md := func(annotations, replicas string) string { return fmt.Sprintf(deployment, annotations, replicas) }
	two := md("", ", replicas: 2")
	for name, tt := range map[string]struct{ text, want string }{
		"never":               {fmt.Sprintf(check, "pool: a", "40%") + two, never},
		"by the name":         {fmt.Sprintf(check, clusterv1.MachineDeploymentNameLabel+": md", "40%") + two, never},
		"always":              {fmt.Sprintf(check, "pool: a", "2") + two, "2 is no limit for the 2 Machines in these files"},
		"sometimes":           {fmt.Sprintf(check, "pool: a", "50%") + two, ""},
		"another pool":        {fmt.Sprintf(check, "pool: b", "40%") + two, ""},
		"nobody says":         {fmt.Sprintf(check, "pool: a", "40%") + md("", ""), ""},
		"the autoscaler says": {fmt.Sprintf(check, "pool: a", "40%") + md(`, annotations: {cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: "9"}`, ", replicas: 2"), ""},
		"another namespace":   {fmt.Sprintf(check, "pool: a", "40%") + md(", namespace: other", ", replicas: 2"), ""},
		"a control plane":     {fmt.Sprintf(check, `cluster.x-k8s.io/control-plane: ""`, "20%") + plane, "20% of 3 Machines in these files is 0"},
		"a topology":          {fmt.Sprintf(check, clusterv1.ClusterTopologyMachineDeploymentNameLabel+": md-0", "40%") + topology, never},
		"its control plane":   {fmt.Sprintf(check, `cluster.x-k8s.io/control-plane: ""`, "20%") + topology, "20% of 3 Machines in these files is 0"},
		"OpenShift":           {openShift, never},
		"half of both":        {fmt.Sprintf(check, clusterv1.ClusterNameLabel+": blue", "50%") + two, "it selects control plane and workers under one limit, which may allow"},
		"both": {fmt.Sprintf(check, clusterv1.ClusterNameLabel+": blue", "40%") + topology,
			"it selects 3 control-plane Machines and 2 workers under one limit: up to 2 may be repaired at once, even if 2 of them are control-plane Machines"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, tt.text, nil, tt.want)
		})
	}
	// What there is counts more than what is to be.
	expect(t, fmt.Sprintf(check, "pool: workers", "40%")+strings.ReplaceAll(two, "pool: a", "pool: workers"), fleet(map[string]int{"workers": 3}))
}

// TestParts: health checks in ClusterClasses and topologies of both versions are linted in their place.
func TestParts(t *testing.T) {
	const (
		class   = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: ClusterClass\nmetadata: {name: c, namespace: default}\nspec:\n  infrastructure: {}\n  controlPlane: {templateRef: {}%s}\n  workers: {machineDeployments: [{class: w, bootstrap: {}, infrastructure: {}%s}]}\n"
		older   = "apiVersion: cluster.x-k8s.io/v1beta1\nkind: ClusterClass\nmetadata: {name: c, namespace: default}\nspec:\n  controlPlane: {ref: {}%s}\n  workers: {machineDeployments: [{class: w, template: {bootstrap: {}, infrastructure: {}}%s}]}\n"
		cluster = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: {name: blue, namespace: default}\nspec: {topology: {classRef: {name: c}, version: v1.34.0, controlPlane: {replicas: 3%s}, workers: {machineDeployments: [{class: w, name: md, replicas: 2%s}]}}}\n"
		ready   = "unhealthyNodeConditions: [{type: Ready, status: Unknown, timeoutSeconds: 300}]"
		limited = "remediation: {triggerIf: {unhealthyLessThanOrEqualTo: %s}}"
		workers = "spec.workers.machineDeployments[0]."
	)
	good := ", healthCheck: {checks: {" + ready + "}, " + fmt.Sprintf(limited, "40%") + "}"
	limit := func(n string) string {
		return ", healthCheck: {checks: {" + ready + "}, " + fmt.Sprintf(limited, n) + "}"
	}
	asked := func(condition string) string {
		return ", healthCheck: {checks: {" + condition + "}, " + fmt.Sprintf(limited, "50%") + "}"
	}
	fresh := "unhealthyMachineConditions: [{type: InfrastructureReady, status: 'False', timeoutSeconds: 60}]"
	for name, tt := range map[string]struct{ text, want string }{
		"fine":                      {fmt.Sprintf(class, good, good), ""},
		"none":                      {fmt.Sprintf(class, "", ""), ""},
		"no limit for workers":      {fmt.Sprintf(class, "", ", healthCheck: {checks: {"+ready+"}}"), workers + "healthCheck.remediation.triggerIf: there is no limit"},
		"paced":                     {fmt.Sprintf(class, "", ", healthCheck: {checks: {"+ready+"}, remediation: {maxInFlight: 1}}"), ""},
		"no limit for its plane":    {fmt.Sprintf(class, ", healthCheck: {checks: {"+ready+"}}", ""), ""},
		"new machines":              {fmt.Sprintf(class, asked(fresh), ""), "spec.controlPlane.healthCheck.checks.unhealthyMachineConditions[0].timeoutSeconds: every new Machine is InfrastructureReady=False"},
		"a typo":                    {fmt.Sprintf(class, "", asked("unhealthyNodeConditions: [{type: Redy, status: Unknown, timeoutSeconds: 300}]")), workers + "healthCheck.checks.unhealthyNodeConditions[0].type: Redy is not a condition"},
		"older, no limit":           {fmt.Sprintf(older, "", ", machineHealthCheck: {unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]}"), workers + "machineHealthCheck.maxUnhealthy: there is no limit"},
		"older, paced":              {fmt.Sprintf(older, "", ", strategy: {remediation: {maxInFlight: 1}}, machineHealthCheck: {unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]}"), ""},
		"older, healthy":            {fmt.Sprintf(older, ", machineHealthCheck: {unhealthyConditions: [{type: Ready, status: 'True', timeout: 5m}]}", ""), "spec.controlPlane.machineHealthCheck.unhealthyConditions[0].status: Ready is True on every healthy Node"},
		"older, template elsewhere": {fmt.Sprintf(older, ", machineHealthCheck: {unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}], remediationTemplate: {apiVersion: a.example.com/v1, kind: ATemplate, name: a, namespace: b}}", ""), "spec.controlPlane.machineHealthCheck.remediationTemplate.namespace: the template is looked for in namespace default, that of the ClusterClass, and never in b"},
		"a topology":                {fmt.Sprintf(cluster, "", limit("40%")), "spec.topology.workers.machineDeployments[0].healthCheck.remediation.triggerIf.unhealthyLessThanOrEqualTo: 40% of 2 Machines in these files is 0"},
		"its control plane":         {fmt.Sprintf(cluster, limit("20%"), ""), "spec.topology.controlPlane.healthCheck.remediation.triggerIf.unhealthyLessThanOrEqualTo: 20% of 3 Machines in these files is 0"},
		"switched off":              {fmt.Sprintf(cluster, strings.Replace(limit("20%"), "{", "{enabled: false, ", 1), ""), ""},
		"only switched on":          {fmt.Sprintf(cluster, ", healthCheck: {enabled: true}", ""), ""},
		"a class for a cluster":     {fmt.Sprintf(class, "", limit("40%")) + "---\n" + fmt.Sprintf(cluster, "", ""), "40% of 2 Machines in these files is 0"},
		"a cluster with its own":    {fmt.Sprintf(class, "", limit("40%")) + "---\n" + fmt.Sprintf(cluster, "", limit("50%")), ""},
		"a class for another one":   {fmt.Sprintf(class, "", limit("40%")) + "---\n" + strings.Replace(fmt.Sprintf(cluster, "", ""), "name: c}", "name: d}", 1), ""},
		"a template in the patches": {fmt.Sprintf(class, good, good) + "  patches: [{name: a, enabledIf: '{{ .on }}', definitions: ['${A}']}]\n", ""},
		"a template in the class":   {fmt.Sprintf(class, limit("${LIMIT}"), ""), "it is a template, with ${LIMIT}"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, tt.text, nil, tt.want)
		})
	}
	for text, want := range map[string]string{
		fmt.Sprintf(class, ", machineHealthCheck: {maxUnhealthy: 1}", ""):      "spec.controlPlane.machineHealthCheck: there is no such field; it is healthCheck today, and sickbay convert writes it so",
		fmt.Sprintf(class, "", ", healthCheck: {maxUnhealthy: 1}"):             workers + "healthCheck.maxUnhealthy: there is no such field; it is " + workers + "healthCheck.remediation.triggerIf.unhealthyLessThanOrEqualTo today, and",
		fmt.Sprintf(class, ", helthCheck: {}", ""):                             "spec.controlPlane.helthCheck: there is no such field; perhaps healthCheck is meant",
		fmt.Sprintf(older, ", healthCheck: {}", ""):                            "spec.controlPlane.healthCheck: there is no such field; here it is machineHealthCheck",
		fmt.Sprintf(cluster, ", machineHealthCheck: {enable: false}", ""):      "spec.topology.controlPlane.machineHealthCheck: there is no such field; it is healthCheck today, and sickbay convert writes it so",
		fmt.Sprintf(cluster, ", healthCheck: {enable: false}", ""):             "spec.topology.controlPlane.healthCheck.enable: there is no such field; it is enabled today, and sickbay convert writes it so",
		fmt.Sprintf(class, "", asked("nodeStartupTimeoutSeconds: 20, "+ready)): workers + "healthCheck.checks.nodeStartupTimeoutSeconds: it is 20s: Cluster API takes 0",
		strings.Replace(fmt.Sprintf(older, "", ""), "v1beta1", "v1alpha4", 1):  `apiVersion: there is no version "v1alpha4" of it; there is v1beta1, v1beta2`,
	} {
		found := lint(t, "a.yaml", []byte(text), nil).Findings
		if !slices.ContainsFunc(found, func(f Finding) bool { return f.Level == Error && strings.Contains(f.Field+": "+f.Message, want) }) {
			t.Errorf("found %v\nwant %s", found, want)
		}
		if problem := unconfirmed(text, found); problem != "" {
			t.Error(problem)
		}
	}
}

// owner is a controller that owns all Machines of a fleet, and what is known about it.
func owner(kind, name string, change func(*silence.Facts)) silence.Facts {
	f := silence.Facts{
		Controller: &metav1.OwnerReference{APIVersion: "cluster.x-k8s.io/v1beta2", Kind: kind, Name: name, UID: "owner", Controller: new(true)},
		Owner:      &metav1.ObjectMeta{Name: name, Annotations: map[string]string{}, Labels: map[string]string{clusterv1.MachineDeploymentNameLabel: "md"}},
	}
	if change != nil {
		change(&f)
	}
	return f
}

// rolls is a MachineDeployment with a revision of its own.
func rolls(revision string, change func(*clusterv1.MachineDeploymentSpec)) func(*silence.Facts) {
	return func(f *silence.Facts) {
		f.Deployment = &clusterv1.MachineDeployment{ObjectMeta: metav1.ObjectMeta{Name: "md", Annotations: map[string]string{clusterv1.RevisionAnnotation: revision}}}
		f.Deployment.Spec.Replicas = new(int32(3))
		change(&f.Deployment.Spec)
	}
}

// byDeletion is a plan that deletes machines itself.
const byDeletion = "\n---\napiVersion: sickbay.dev/v1alpha1\nkind: MachineRemediationTemplate\nmetadata: {name: deletion, namespace: default}\n" +
	"spec: {template: {spec: {steps: [{name: replace, action: Replace, by: Deletion, timeoutSeconds: 3600}]}}}\n"

// TestSilentOwners: owners that never replace a machine are named with what helps, unless nobody asks them. What keeps an owner from replacing a
// machine that is deleted is named for a plan that does that.
func TestSilentOwners(t *testing.T) {
	text := fmt.Sprintf(one, "unhealthyLessThanOrEqualTo: 40%")
	deletes := strings.Replace(text, "remediation: {", "remediation: {templateRef: {apiVersion: sickbay.dev/v1alpha1, kind: MachineRemediationTemplate, name: deletion}, ", 1) + byDeletion
	paused := func(f *silence.Facts) { f.Owner.GetAnnotations()[clusterv1.PausedAnnotation] = "" }
	for name, tt := range map[string]struct {
		owner          silence.Facts
		asked, deleted string
	}{
		"a MachinePool": {owner("MachinePool", "p", nil), "it selects 3 Machines that nobody replaces when sick (workers-0, workers-1, workers-2), because MachinePool p never answers, as no MachinePool does; " +
			"do not select them, or repair them with a plan that has other steps than Replace, or whose step Replace has by: Deletion", ""},
		"a paused MachinePool": {owner("MachinePool", "p", paused), "MachinePool p never answers", "because MachinePool p is paused: kubectl annotate machinepool p -n default cluster.x-k8s.io/paused- ends that"},
		"a paused MachineSet": {owner("MachineSet", "ms", paused), "because MachineSet ms is paused: kubectl annotate machineset ms -n default cluster.x-k8s.io/paused- ends that",
			"because MachineSet ms is paused: kubectl annotate machineset"},
		"a paused Cluster": {owner("MachineSet", "ms", func(f *silence.Facts) {
			f.Cluster = build.Cluster("default", "blue")
			f.Cluster.Spec.Paused = new(true)
		}), "because Cluster blue is paused: kubectl patch cluster blue -n default", "because Cluster blue is paused"},
		"scaled to zero": {owner("MachineSet", "ms", func(f *silence.Facts) { f.Replicas = new(int32(0)); f.Owner.SetLabels(nil) }),
			"because MachineSet ms is scaled to zero: kubectl scale machineset ms", "because MachineSet ms is scaled to zero"},
		"OnDelete": {owner("MachineSet", "ms", rolls("2", func(s *clusterv1.MachineDeploymentSpec) {
			s.Rollout.Strategy.Type = clusterv1.OnDeleteMachineDeploymentStrategyType
		})), "because MachineDeployment md has the strategy OnDelete: kubectl delete machine workers-0 -n default ends that, and a plan whose step Replace has by: Deletion does it for all of them", ""},
		"none in flight": {owner("MachineSet", "ms", rolls("", func(s *clusterv1.MachineDeploymentSpec) { s.Remediation.MaxInFlight = new(intstr.FromInt32(0)) })),
			"because MachineDeployment md allows no remediation (spec.remediation.maxInFlight): " +
				`kubectl patch machinedeployment md -n default --type=merge -p '{"spec":{"remediation":{"maxInFlight":1}}}' ends that`, ""},
		"it is being deleted": {owner("MachineSet", "ms", func(f *silence.Facts) { f.Owner.SetDeletionTimestamp(new(metav1.Now())) }), "", ""},
		"an unknown kind":     {owner("RKE2ControlPlane", "cp", nil), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			live := fleet(map[string]int{"workers": 3})
			live.Owners = map[client.ObjectKey]silence.Facts{}
			for i := range live.Machines {
				live.Owners[client.ObjectKeyFromObject(&live.Machines[i])] = tt.owner
			}
			expect(t, text, live, tt.asked)
			expect(t, deletes, live, tt.deleted)
			expect(t, strings.Replace(text, "namespace: default", "namespace: default\n  annotations: {sickbay.dev/dry-run: 'true'}", 1), live)
			expect(t, strings.Replace(text, "namespace: default", "namespace: default\n  annotations: {sickbay.dev/remediation: reboot}", 1), live)
		})
	}
	live := fleet(map[string]int{"workers": 3})
	live.Owners = map[client.ObjectKey]silence.Facts{client.ObjectKeyFromObject(&live.Machines[0]): owner("MachinePool", "p", nil)}
	const ask, remove = "{name: ask, action: Replace, timeoutSeconds: 3600}", "{name: replace, action: Replace, by: Deletion, timeoutSeconds: 3600}"
	expect(t, strings.Replace(deletes, remove, ask+", "+remove, 1), live, "it selects 1 Machine that nobody replaces when sick (workers-0), because MachinePool p never answers, as no MachinePool does: "+
		"step ask of its plan asks in vain, and the plan never gets to the step that deletes them; remove step ask, or give it by: Deletion")
	expect(t, strings.Replace(deletes, remove, remove+", "+ask, 1), live)
	live = fleet(map[string]int{"workers": 3})
	live.Machines[1].Labels[clusterv1.MachineControlPlaneLabel] = ""
	expect(t, deletes, live, "it selects 1 control-plane Machine, and step replace of its plan deletes no machine of a control plane: it is skipped for them")
}

// TestPoolWithoutMachines: where a provider makes no Machines for a MachinePool, a health check that would select them is told so.
func TestPoolWithoutMachines(t *testing.T) {
	text := fmt.Sprintf(one, "unhealthyLessThanOrEqualTo: 40%")
	pool := clusterv1.MachinePool{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p", UID: "p"}}
	pool.Spec.ClusterName, pool.Spec.Replicas, pool.Spec.Template.Labels = "blue", new(int32(3)), map[string]string{"pool": "workers"}
	pool.Status.NodeRefs = []corev1.ObjectReference{{Name: "n"}}
	const want = "it would select the Machines of MachinePool p, which has none, as its provider makes none: nobody judges or repairs its Nodes"
	for name, tt := range map[string]struct {
		change func(*Fleet)
		want   string
	}{
		"it has none": {func(*Fleet) {}, want},
		"it has some": {func(f *Fleet) {
			f.Machines[0].OwnerReferences = []metav1.OwnerReference{{Kind: "MachinePool", UID: "p", Controller: new(true)}}
		}, ""},
		"it has just come": {func(f *Fleet) { f.Pools[0].Status = clusterv1.MachinePoolStatus{} }, ""},
		"it wants none":    {func(f *Fleet) { f.Pools[0].Spec.Replicas = new(int32(0)) }, ""},
		"another cluster":  {func(f *Fleet) { f.Pools[0].Spec.ClusterName = "green" }, ""},
		"another selector": {func(f *Fleet) { f.Pools[0].Spec.Template.Labels = nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			live := fleet(map[string]int{"workers": 3})
			live.Pools = []clusterv1.MachinePool{*pool.DeepCopy()}
			tt.change(live)
			expect(t, text, live, tt.want)
		})
	}
}

// TestTemplateElsewhere: a template is looked for in the namespace of its health check.
func TestTemplateElsewhere(t *testing.T) {
	const text = "apiVersion: %s/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: a%s}\nspec:\n  selector: {matchLabels: {pool: a}}\n%s" +
		"  unhealthyConditions: [{type: Ready, status: Unknown, timeout: 5m}]\n  maxUnhealthy: 40%%\n  remediationTemplate: {apiVersion: a.example.com/v1, kind: ATemplate, name: a, namespace: b}\n"
	const clusterAPI, name = "cluster.x-k8s.io", "  clusterName: blue\n"
	const want = "spec.remediationTemplate.namespace: the template is looked for in namespace default, that of the MachineHealthCheck, and never in b"
	expect(t, fmt.Sprintf(text, clusterAPI, ", namespace: default", name), nil, want)
	expect(t, fmt.Sprintf(text, "machine.openshift.io", ", namespace: default", ""), nil, want)
	expect(t, fmt.Sprintf(text, clusterAPI, ", namespace: b", name), nil)
	expect(t, fmt.Sprintf(text, clusterAPI, "", name), nil, "spec.remediationTemplate.namespace: the template is looked for in the namespace of the MachineHealthCheck, which names none; give it the namespace b")
}

// block matches YAML in a page.
var block = regexp.MustCompile("(?s)```ya?ml\n(.*?)```")

// TestUpstreamIsFine: there is no alarm about the health checks in Cluster API's own book, but that one has no limit.
func TestUpstreamIsFine(t *testing.T) {
	dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/cluster-api").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, page := range []string{"automated-machine-management/healthchecking.md", "experimental-features/cluster-class/write-clusterclass.md"} {
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "docs/book/src/tasks", page))
		if err != nil {
			t.Fatal(err)
		}
		for _, yaml := range block.FindAllStringSubmatch(string(data), -1) {
			if !strings.Contains(yaml[1], "ealthCheck") || strings.Contains(yaml[1], "\n...") {
				continue
			}
			seen++
			for _, one := range lint(t, page, []byte(yaml[1]), nil).Findings {
				if one.Level == Warning && !strings.Contains(one.Message, "no limit") {
					t.Errorf("%s\n%s", one, yaml[1])
				}
			}
		}
	}
	if seen < 3 {
		t.Errorf("there are %d health checks", seen)
	}
}

// TestConvertedIsFine: what convert writes has no trap that was not in what it read.
func TestConvertedIsFine(t *testing.T) {
	for _, text := range corpus(t) {
		documents, _ := manifest.Parse("a.yaml", []byte(text))
		for _, document := range documents {
			converted, _ := convert.Document(document, convert.Options{Cluster: "blue", Namespace: "default"})
			before := lint(t, "a.yaml", []byte(document.Text), nil).Findings
			if slices.ContainsFunc(before, func(one Finding) bool { return one.Level == Error }) {
				continue
			}
			for _, one := range lint(t, "a.yaml", []byte(converted), nil).Findings {
				if converted != document.Text && !slices.ContainsFunc(before, func(was Finding) bool { return was.Message == one.Message }) {
					t.Errorf("%s\n%s\nbefore: %v", one, converted, before)
				}
			}
		}
	}
}

// TestTrapsInSignals: settings about conditions of Nodes that change nothing, or that silence healthy detectors.
func TestTrapsInSignals(t *testing.T) {
	check := func(signals string) string {
		return "apiVersion: cluster.x-k8s.io/v1beta2\nkind: MachineHealthCheck\nmetadata: {name: a, namespace: default, annotations: {sickbay.dev/signals: \"" + signals + "\"}}\nspec:\n" +
			"  clusterName: blue\n  selector: {matchLabels: {pool: a}}\n  checks: {unhealthyNodeConditions: [{type: GpuHealthy, status: \"False\", timeoutSeconds: 300}]}\n" +
			"  remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 40%}}\n"
	}
	expect(t, check("GpuHealthy: {silentAfter: 15m, bootGrace: 5m, clock: FirstSeen, flaps: 3, flapWindow: 1h, maxShare: 60%}"), nil)
	expect(t, check("Gpu: {silentAfter: 15m}"), nil, "metadata.annotations[sickbay.dev/signals]: Gpu is in no rule about Nodes: its settings change nothing")
	expect(t, check("GpuHealthy: {silentAfter: 5m}"), nil,
		"metadata.annotations[sickbay.dev/signals]: GpuHealthy: silentAfter is 5m0s, and detectors usually send a heartbeat only every 5m0s: healthy ones count as silent")
	found := lint(t, "a.yaml", []byte(check("GpuHealthy: {flaps: 3}")), nil).Findings
	if len(found) != 1 || found[0].Level != Error || !strings.HasSuffix(found[0].Message, "GpuHealthy: flaps and flapWindow belong together") {
		t.Errorf("found %v", found)
	}
}
