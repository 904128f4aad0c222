package cycle_test

import (
	"sync"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/workload"
	"github.com/sickbay-dev/sickbay/sim/rights"
)

// accounts are the configurations of the existing ServiceAccounts by their names.
var accounts struct {
	sync.Mutex
	configs map[string]*rest.Config
}

// readsAll allows all reads, because controllers without a cache read directly what a manager gets from watches.
var readsAll = rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "watch"}}

// account returns a connection to the API server with the rights that the chart gives a manager with the controller reboot, and others.
func (s *harness) account(name string, others ...rbacv1.PolicyRule) *rest.Config {
	s.Helper()
	a, err := rights.ForArgs(s.openShift(), others, "--controllers=reboot")
	if err != nil {
		s.Fatal(err)
	}
	a.Name = name
	if s.openShift() {
		a.Name += "-openshift"
	}
	accounts.Lock()
	defer accounts.Unlock()
	if accounts.configs == nil {
		accounts.configs = map[string]*rest.Config{}
	}
	if accounts.configs[a.Name] == nil {
		cfg, err := a.Config(s.ctx, s.e.Config)
		if err != nil {
			s.Fatal(err)
		}
		accounts.configs[a.Name] = cfg
	}
	return accounts.configs[a.Name]
}

// asAdmin returns an administrator's connection to an API server.
func (s *harness) asAdmin(cfg *rest.Config) (client.Client, *rest.Config) { return s.client, cfg }

// nodes returns the access to the Nodes of the workload cluster. On OpenShift, it has the controllers' rights; with Cluster API, it goes through
// a kubeconfig, with an administrator's rights.
func (s *harness) nodes(c client.Client, cfg *rest.Config, byKubeconfig func(*rest.Config) (client.Client, *rest.Config)) workload.Writer {
	if !s.openShift() {
		c, cfg = byKubeconfig(s.e.Config)
	}
	return s.cluster.by(c, cfg)
}
