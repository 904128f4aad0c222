package alerts_test

import (
	"context"
	"strings"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	machinev1beta1 "github.com/openshift/api/machine/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/intake/ask"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/sim/baremetal"
	"github.com/sickbay-dev/sickbay/sim/fault"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// trouble is the cause of an alert, and the labels that the alert must have.
type trouble struct {
	alert  string
	labels map[string]string
	cause  func(*managementCluster)
}

// check returns the labels of a MachineHealthCheck.
func check(name string) map[string]string {
	return map[string]string{"namespace": namespace, "machinehealthcheck": name}
}

func troubles() []trouble {
	nothing := func(*managementCluster) {}
	return []trouble{
		{"SickbayNotLeading", map[string]string{"watch_namespace": idle, "controller": "machinehealth"}, nothing},
		{"SickbayAPIErrors", map[string]string{"code": "403"}, nothing},
		{"SickbayReconcileErrors", map[string]string{"controller": "machinehealthcheck"}, nothing},
		{"SickbayConfigurationInvalid", check("invalid"), invalid},
		{"SickbayGateClosed", check("gate"), sickens("gate")},
		{"SickbayMachineStaysSick", check("hold"), sickensOnHold},
		// An upgrade cannot end there, because the old machine cannot go.
		{"SickbayDeletionHangs", map[string]string{"cluster": "green"}, nothing},
		{"SickbayHoldTooLong", map[string]string{"kind": "MachineHealthCheck", "name": "hold"}, onHold},
		{"SickbayPauseForgotten", check("paused"), paused},
		{"SickbayWorkloadClusterUnreadable", map[string]string{"cluster": "red"}, cutOff},
		{"SickbayRemediationHeld", check("held"), sickens("held")},
		{"SickbayApprovalAwaited", check("approval"), sickens("approval")},
		{"SickbayOwnerRefuses", check("brain"), refused},
		{"SickbayRemediationStuck", check("stuck"), stuck},
		{"SickbayAttemptsFail", map[string]string{"action": "Wait", "step": "watch"}, fail},
		{"SickbayRelapses", nil, relapse},
		{"SickbayExternalRemediationUnsolved", map[string]string{"machine": "worker-0"}, unsolved},
		{"SickbayHostStaysOff", map[string]string{"phase": string(v1alpha1.PoweringOn)}, staysOff},
		{"SickbayHostKeptOff", nil, keptOff},
		{"SickbayRebootsFail", map[string]string{"reason": v1alpha1.ReasonPowerOffTimedOut}, staysOn},
		{"SickbayHostKeysTaken", nil, keysTaken},
		{"SickbayUpgradePauseTooLong", check("green"), upgrades},
		{"SickbayUpgradeUnknown", map[string]string{"kind": "Cluster", "name": "blue"}, unknown},
	}
}

func healthCheckNamed(name string) *clusterv1.MachineHealthCheck {
	return &clusterv1.MachineHealthCheck{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// invalid sets an annotation that is not a number.
func invalid(c *managementCluster) {
	c.annotate(healthCheckNamed("invalid"), map[string]any{"sickbay.dev/max-in-flight": "some"})
}

func onHold(c *managementCluster) {
	until := time.Now().Add(14 * 24 * time.Hour).UTC().Format(time.RFC3339)
	c.annotate(healthCheckNamed("hold"), map[string]any{"sickbay.dev/hold-until": until, "sickbay.dev/hold-reason": "maintenance"})
}

// sickensOnHold first sets the hold, because a machine that falls sick before it is repaired at
// once.
func sickensOnHold(c *managementCluster) {
	onHold(c)
	sickens("hold")(c)
}

func paused(c *managementCluster) {
	c.annotate(healthCheckNamed("paused"), map[string]any{clusterv1.PausedAnnotation: "maintenance"})
}

func cutOff(c *managementCluster) { c.inject(fault.CutOff{Cluster: key("red")}) }

// refused: the owner cannot replace the only machine of a control plane.
func refused(c *managementCluster) {
	machines, err := harness.World.ControlPlaneMachines(c.Context(), key("blue"))
	c.Expect(err).NotTo(HaveOccurred())
	c.inject(fault.AskRemediation{Machine: client.ObjectKeyFromObject(&machines[0])})
}

// stuck: the owner deletes the machine, whose deletion does not end.
func stuck(c *managementCluster) {
	machine := c.pool("blue", "stuck")[0]
	c.inject(fault.HoldDeletion{Machine: client.ObjectKeyFromObject(machine)})
	c.stopsKubelet(machine)
}

func fail(c *managementCluster) {
	for _, machine := range c.pool("blue", "fails") {
		c.stopsKubelet(machine)
	}
}

// relapse: reboots help only for a moment.
func relapse(c *managementCluster) {
	machines := c.pool("iron", "relapse")
	for range 2 {
		for _, machine := range machines {
			c.inject(fault.HangHost{Host: hostOf(machine)})
		}
		c.eventually("records of all of them end", func(ctx context.Context) (bool, error) {
			records := &v1alpha1.MachineRemediationList{}
			err := c.client.List(ctx, records, client.InNamespace(namespace))
			ended := map[string]bool{}
			for i := range records.Items {
				if r := &records.Items[i]; r.Spec.HealthCheckRef.Name == "relapse" && r.Status.CompletionTime != nil {
					ended[r.Spec.MachineRef.Name] = true
				}
			}
			return len(ended) == len(machines), err
		})
	}
}

func (c *managementCluster) request(machine *clusterv1.Machine, suffix string) {
	c.Helper()
	c.annotate(machine, map[string]any{rebootannotation.Request + suffix: ""})
}

// staysOff: the operator cannot switch the host on again.
func staysOff(c *managementCluster) {
	machine := c.pool("iron", "hosts")[0]
	harness.World.Host(hostOf(machine)).Set(baremetal.Faults{FailOn: 1000})
	c.request(machine, "")
}

func keptOff(c *managementCluster) { c.request(c.pool("iron", "hosts")[1], "/PowerOff") }

// staysOn: the operator cannot switch the host off.
func staysOn(c *managementCluster) {
	machine := c.pool("iron", "hosts")[2]
	harness.World.Host(hostOf(machine)).Set(baremetal.Faults{FailOff: 1000})
	c.create(&v1alpha1.RebootRemediation{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "by-hand"}, Spec: v1alpha1.RebootRemediationSpec{
		Machine:        &v1alpha1.MachineReference{APIGroup: clusterv1.GroupVersion.Group, Name: machine.Name},
		RequestedBy:    &v1alpha1.RebootRequester{Kind: v1alpha1.RequestedByPerson},
		RebootSettings: v1alpha1.RebootSettings{RetryLimit: new(int32(0)), PowerOffTimeoutSeconds: new(int32(3))},
	}})
}

// keysTaken: something repeatedly removes Sickbay's key from a host that is kept off.
func keysTaken(c *managementCluster) {
	machine := c.pool("iron", "hosts")[3]
	c.request(machine, "/PowerOff")
	for range 6 {
		host := &metal3v1.BareMetalHost{}
		gone := map[string]any{}
		c.eventually("the host has the key of Sickbay", func(ctx context.Context) (bool, error) {
			err := c.client.Get(ctx, hostOf(machine), host)
			for key := range host.Annotations {
				if strings.HasPrefix(key, rebootannotation.Request+"/sickbay-") {
					gone[key] = nil
				}
			}
			return len(gone) > 0, err
		})
		c.annotate(host, gone)
	}
}

// upgrades begins an upgrade that cannot end, because the old machine cannot go.
func upgrades(c *managementCluster) {
	machine := c.pool("green", world.DefaultPool)[0]
	c.inject(fault.HoldDeletion{Machine: client.ObjectKeyFromObject(machine)})
	c.inject(fault.Upgrade{Cluster: key("green"), MachineDeployment: world.MachineDeploymentName("green", world.DefaultPool), Version: "v1.36.4"})
}

// unknown sets an annotation to a value that nobody understands.
func unknown(c *managementCluster) {
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "blue"}}
	c.annotate(cluster, map[string]any{"sickbay.dev/pause-on-upgrade": "maybe"})
}

// unsolved: OpenShift's health check asks for a power cycle of a host that cannot be switched off.
func unsolved(c *managementCluster) {
	scheme := c.client.Scheme()
	c.Expect(machinev1beta1.Install(scheme)).To(Succeed())
	meta := metav1.ObjectMeta{Namespace: intake.Namespace, Name: "worker-0"}
	machine := &machinev1beta1.Machine{ObjectMeta: meta}
	machine.Annotations = map[string]string{"metal3.io/BareMetalHost": meta.Namespace + "/" + meta.Name, ask.External: ""}
	c.create(&metal3v1.BareMetalHost{ObjectMeta: meta, Spec: metal3v1.BareMetalHostSpec{
		Online: true, DisablePowerOff: true, BootMACAddress: "00:00:5e:00:53:aa",
		BMC:         metal3v1.BMCDetails{Address: "ipmi://192.0.2.200", CredentialsName: "bmc"},
		ConsumerRef: &corev1.ObjectReference{APIVersion: machinev1beta1.GroupVersion.String(), Kind: "Machine", Namespace: meta.Namespace, Name: meta.Name},
	}}, machine)
}
