package pause

import (
	"testing"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// poolFor returns a pool that selects the Nodes of a role; an empty role gives an empty selector.
func poolFor(name, role string) mcfgv1.MachineConfigPool {
	pool := mcfgv1.MachineConfigPool{ObjectMeta: metav1.ObjectMeta{Name: name}}
	pool.Spec.NodeSelector = &metav1.LabelSelector{}
	if role != "" {
		pool.Spec.NodeSelector.MatchLabels = map[string]string{role: ""}
	}
	return pool
}

// TestPoolOf: each Node is in one pool at most, as in the machine config operator.
func TestPoolOf(t *testing.T) {
	pools := []mcfgv1.MachineConfigPool{
		poolFor("worker", workerRole), poolFor("infra", infraRole), poolFor("master", masterRole), poolFor("gpu", "gpu"), poolFor("all", ""),
		{ObjectMeta: metav1.ObjectMeta{Name: "none"}},
	}
	for name, tt := range map[string]struct {
		roles []string
		os    string
		want  string
	}{
		"a worker":                    {roles: []string{workerRole}, want: "worker"},
		"a master":                    {roles: []string{masterRole}, want: "master"},
		"a master that works":         {roles: []string{masterRole, workerRole}, want: "master"},
		"infra, and a worker":         {roles: []string{workerRole, infraRole}, want: "infra"},
		"infra alone":                 {roles: []string{infraRole}, want: "infra"},
		"infra, and a master":         {roles: []string{infraRole, masterRole}, want: "master"},
		"two custom ones":             {roles: []string{infraRole, "gpu", workerRole}},
		"two custom ones, a master":   {roles: []string{infraRole, "gpu", masterRole}},
		"no role":                     {},
		"a worker that runs Windows":  {roles: []string{workerRole}, os: "windows"},
		"a worker that runs Linux":    {roles: []string{workerRole}, os: "linux", want: "worker"},
		"a role that no pool selects": {roles: []string{"node-role.kubernetes.io/edge"}},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}}}
			for _, role := range tt.roles {
				node.Labels[role] = ""
			}
			if tt.os != "" {
				node.Labels[corev1.LabelOSStable] = tt.os
			}
			if got := poolOf(node, pools); got != tt.want {
				t.Errorf("it is in %q, want %q", got, tt.want)
			}
		})
	}
}
