package app

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// metal is a reader with one Metal3Machine and one BareMetalHost, unless it fails.
type metal struct {
	client.Reader
	host string
	err  error
	// version is the only one in which Metal3Machines are read; empty: any.
	version string
}

// metal3Serves returns a mapper for Metal3Machines in these versions, the preferred one first.
func metal3Serves(versions ...string) meta.RESTMapper {
	var served []schema.GroupVersion
	for _, version := range versions {
		served = append(served, schema.GroupVersion{Group: metal3Machine.Group, Version: version})
	}
	mapper := meta.NewDefaultRESTMapper(served)
	for _, version := range served {
		mapper.Add(version.WithKind(metal3Machine.Kind), meta.RESTScopeNamespace)
	}
	return mapper
}

func (m metal) Get(_ context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	if key.Name == "" || key.Name == ".." || key.Namespace != "ns" {
		return fmt.Errorf("the client refuses %q, or it is of another namespace", key)
	}
	switch kind := obj.GetObjectKind().GroupVersionKind().Kind; {
	case m.err != nil:
		return m.err
	case kind == "Metal3Machine" && key.Name == "infra" && (m.version == "" || m.version == obj.GetObjectKind().GroupVersionKind().Version):
		obj.SetNamespace("ns")
		obj.SetAnnotations(map[string]string{"metal3.io/BareMetalHost": m.host})
	case kind == "BareMetalHost" && key == client.ObjectKey{Namespace: "ns", Name: "h"}:
		obj.SetName("h")
		obj.SetUID("of-h")
	default:
		return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
	}
	return nil
}

func TestHostOfMachine(t *testing.T) {
	on := func(kind, name string) *clusterv1.Machine {
		m := build.Machine("ns", "m")
		m.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: "infrastructure.cluster.x-k8s.io", Kind: kind, Name: name}
		return m
	}
	broken := errors.New("broken")
	tests := map[string]struct {
		metal   metal
		machine *clusterv1.Machine
		want    *v1alpha1.RemediationReference
		err     error
	}{
		"on a host":                   {metal{host: "ns/h"}, on("Metal3Machine", "infra"), &v1alpha1.RemediationReference{Name: "h", UID: "of-h"}, nil},
		"of another kind":             {metal{host: "ns/h", err: broken}, on("DockerMachine", "infra"), nil, nil},
		"infrastructure is gone":      {metal{host: "ns/h"}, on("Metal3Machine", "other"), nil, nil},
		"has no host yet":             {metal{}, on("Metal3Machine", "infra"), nil, nil},
		"annotation without a name":   {metal{host: "ns/"}, on("Metal3Machine", "infra"), nil, nil},
		"annotation with a path":      {metal{host: "ns/.."}, on("Metal3Machine", "infra"), nil, nil},
		"host of another namespace":   {metal{host: "other/h"}, on("Metal3Machine", "infra"), nil, nil},
		"host is gone":                {metal{host: "ns/other"}, on("Metal3Machine", "infra"), nil, nil},
		"the host cannot be read now": {metal{err: broken}, on("Metal3Machine", "infra"), nil, broken},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := hosts{tt.metal, metal3Serves("v1beta1")}.of(t.Context(), tt.machine)
			if !errors.Is(err, tt.err) {
				t.Errorf("error is %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("host (-want +got):\n%s", diff)
			}
		})
	}
}

// TestHostInTheVersionThatIsServed: Metal3 stores v1beta2, and stops to serve v1beta1 in 2027.
func TestHostInTheVersionThatIsServed(t *testing.T) {
	machine := build.Machine("ns", "m")
	machine.Spec.InfrastructureRef = clusterv1.ContractVersionedObjectReference{APIGroup: metal3Machine.Group, Kind: metal3Machine.Kind, Name: "infra"}
	found := &v1alpha1.RemediationReference{Name: "h", UID: "of-h"}
	tests := map[string]struct {
		served []string
		read   string
		want   *v1alpha1.RemediationReference
	}{
		"the old one":    {[]string{"v1beta1"}, "v1beta1", found},
		"both":           {[]string{"v1beta2", "v1beta1"}, "v1beta2", found},
		"the new one":    {[]string{"v1beta2"}, "v1beta2", found},
		"it isn't there": {nil, "", nil},
		"one after that": {[]string{"v1"}, "v1", found},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := hosts{metal{host: "ns/h", version: tt.read}, metal3Serves(tt.served...)}.of(t.Context(), machine)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("host (-want +got), error %v:\n%s", err, diff)
			}
		})
	}
}

// TestWithoutPermissionOnHosts: Metal3 is installed, and Sickbay runs only machinehealth and may not read hosts.
func TestWithoutPermissionOnHosts(t *testing.T) {
	e := env.Get(t)
	e.Install(t, env.WithCRDs(env.AnythingGoes(reboot.HostKind)))
	for name, groups := range map[string][]string{
		"permitted": {"cluster.x-k8s.io", "events.k8s.io", "coordination.k8s.io", "", "metal3.io"},
		"forbidden": {"cluster.x-k8s.io", "events.k8s.io", "coordination.k8s.io", ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			ns := e.Namespace(t)
			cfg, user := e.User("judge-" + ns)
			e.Permit(t, "", user, rbacv1.PolicyRule{APIGroups: groups, Resources: []string{"*"}, Verbs: []string{"*"}})
			machine := build.Machine(ns, "m")
			build.Create(t.Context(), t, e.Client, build.Cluster(ns, build.ClusterName), build.MachineHealthCheck(ns, "mhc"), machine)
			runAs(t, cfg, optionsOf("", machinehealth.ControllerName))
			g.Eventually(func() bool {
				m := &clusterv1.Machine{}
				g.Expect(e.Client.Get(t.Context(), client.ObjectKeyFromObject(machine), m)).To(Succeed())
				return meta.FindStatusCondition(m.Status.Conditions, verdict.ConditionType) != nil
			}, 30*time.Second).Should(BeTrue(), "no verdict")
		})
	}
}
