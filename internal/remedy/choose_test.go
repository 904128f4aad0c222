package remedy_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestChoose(t *testing.T) {
	template := build.TemplateRef(env.RemediationGroupVersion.WithKind(env.RemediationTemplateKind), "fix")
	owned := build.OwnedBy(build.MachineSet("ns", "set"))
	// An owner that is no controller does not replace anything.
	parent := build.MachineFunc(func(m *clusterv1.Machine) {
		m.OwnerReferences = []metav1.OwnerReference{{Kind: "Cluster", Name: "c", UID: "c"}}
	})
	tests := map[string]struct {
		mhc      []build.MachineHealthCheckOption
		machine  []build.MachineOption
		strategy remedy.Kind
		want     remedy.Kind
	}{
		"template":                 {[]build.MachineHealthCheckOption{template}, []build.MachineOption{owned}, "", remedy.Request},
		"template, no owner":       {[]build.MachineHealthCheckOption{template}, nil, "", remedy.Request},
		"template before strategy": {[]build.MachineHealthCheckOption{template}, nil, remedy.Reboot, remedy.Request},
		"strategy":                 {nil, []build.MachineOption{owned}, remedy.Reboot, remedy.Reboot},
		"strategy, no owner":       {nil, nil, remedy.Reboot, remedy.Reboot},
		"owner":                    {nil, []build.MachineOption{owned}, "", remedy.Owner},
		"no owner":                 {nil, nil, "", remedy.Delete},
		"no controller":            {nil, []build.MachineOption{parent}, "", remedy.Delete},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := remedy.Choose(build.MachineHealthCheck("ns", "mhc", tt.mhc...), build.Machine("ns", "m", tt.machine...), tt.strategy)
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestUnknownKind(t *testing.T) {
	_, err := remedy.Cabinet{}.Apply(t.Context(), "prayer", remedy.Patient{})
	if err == nil || !strings.Contains(err.Error(), `there is no remedy "prayer"`) {
		t.Errorf("error is %v", err)
	}
}
