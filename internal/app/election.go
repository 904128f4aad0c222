package app

import (
	"errors"
	"os"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// scope returns what a manager handles.
func (o *Options) scope() scope.Scope {
	controllers := slices.DeleteFunc(Controllers(), func(name string) bool { return !slices.Contains(o.Controllers, name) })
	return scope.Scope{Controllers: controllers, Namespace: o.Namespace, WatchFilter: o.Policy.WatchFilter, Drain: o.Policy.Drain}
}

// elections emits the events that say who leads.
type elections struct{ events.EventRecorder }

// Eventf implements resourcelock.EventRecorder.
func (e elections) Eventf(about runtime.Object, kind, reason, format string, args ...any) {
	e.EventRecorder.Eventf(about, nil, kind, reason, "Elect", format, args...)
}

// newLock returns the lease that a manager competes for; nil if it needs none.
func newLock(cfg *rest.Config, o Options) (*resourcelock.LeaseLock, error) {
	if !o.LeaderElect {
		return nil, nil
	}
	key := client.ObjectKey{Namespace: leaseNamespace(o), Name: o.LeaderElectID}
	if key.Namespace == "" {
		return nil, errors.New("--leader-elect needs --leader-elect-namespace outside of a pod")
	}
	if key.Name == "" {
		key.Name = o.scope().Lease(Controllers())
	}
	return lease.NewLock(cfg, key, o.announced())
}

// podNamespace is the file with the namespace of the pod.
const podNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// leaseNamespace returns the namespace of the lease; empty if it is not known.
func leaseNamespace(o Options) string {
	if o.LeaderElectNamespace != "" {
		return o.LeaderElectNamespace
	}
	namespace, err := os.ReadFile(podNamespace)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(namespace))
}
