package app

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/lease"
	"github.com/sickbay-dev/sickbay/internal/lease/scope"
)

// electionName is the name of the election in logs and events.
const electionName = "lease"

// election lets one manager at a time handle the same scope. The lock is nil without leader election.
type election struct {
	scope scope.Scope
	pace  pace
	key   client.ObjectKey
	lock  *lease.Lock
}

// scopeOf returns the scope of a manager.
func scopeOf(o Options) scope.Scope {
	controllers := slices.DeleteFunc(Controllers(), func(name string) bool { return !slices.Contains(o.Controllers, name) })
	return scope.Scope{Controllers: controllers, Namespace: o.Namespace, WatchFilter: o.Policy.WatchFilter}
}

func newElection(cfg *rest.Config, o Options) (*election, error) {
	e := &election{scope: scopeOf(o), pace: o.pace}
	if !o.LeaderElect {
		return e, nil
	}
	e.key = client.ObjectKey{Namespace: leaseNamespace(o), Name: o.LeaderElectID}
	if e.key.Namespace == "" {
		return nil, errors.New("--leader-elect needs --leader-elect-namespace outside of a pod")
	}
	if e.key.Name == "" {
		e.key.Name = e.scope.Lease(Controllers())
	}
	var err error
	if e.lock, err = lease.NewLock(cfg, e.key, e.scope, o.announced(), ctrl.Log.WithName(electionName)); err != nil {
		return nil, err
	}
	e.lock.Trust(o.LeaderElectTrustedNamespaces...)
	return e, nil
}

// fill makes a manager take part in the election.
func (e *election) fill(o *ctrl.Options) {
	if e.lock != nil {
		o.LeaderElection, o.LeaderElectionID, o.LeaderElectionResourceLockInterface = true, e.key.Name, e.lock
	}
}

// addTo makes a manager report others whose scopes overlap with its own.
func (e *election) addTo(mgr ctrl.Manager) error {
	recorder := mgr.GetEventRecorder(electionName)
	if e.lock != nil {
		e.lock.Recorder = recorder
	}
	watch, err := lease.NewWatch(mgr.GetConfig(), e.key, e.scope, recorder, mgr.GetLogger().WithName(electionName))
	if err != nil {
		return err
	}
	watch.Period = e.pace.leader
	if err := mgr.Add(watch); err != nil {
		return fmt.Errorf("adding the look for other managers: %w", err)
	}
	return nil
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
