package reboot

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
)

// Sweeper removes our keys from hosts if no RebootRemediation looks after them any more: somebody may have deleted it by force. It
// sweeps at the start and then once every Period, and sooner after a failure. When Sickbay drains, it also removes the marks of failed
// cycles, which otherwise stay until the Node is back.
type Sweeper struct {
	Client    client.Client
	Live      client.Reader
	Namespace string
	Period    time.Duration
	// Policy says whether Sickbay drains, and whose cycles are left to other managers.
	Policy mhcspec.Policy
}

// drainPeriod is how often to sweep while Sickbay drains.
const drainPeriod = 10 * time.Second

// sweepRetry is the wait after a failure. It doubles with each failure, up to Period: an API server that is not ready yet delays the
// sweep only briefly, and a host that always refuses does not cause extra load.
const sweepRetry = time.Second

// Start sweeps until ctx ends.
func (s *Sweeper) Start(ctx context.Context) error {
	if s.Policy.Drain {
		s.Period = min(s.Period, drainPeriod)
	}
	backoff := s.backoff()
	for ctx.Err() == nil {
		err := s.Sweep(ctx)
		pause := s.Period
		if err == nil {
			backoff = s.backoff()
		} else if ctx.Err() == nil {
			pause = backoff.Step()
			ctrl.LoggerFrom(ctx).Error(err, "Cannot look for keys that were left on hosts", "next", pause)
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
	return nil
}

func (s *Sweeper) backoff() wait.Backoff {
	return wait.Backoff{Duration: min(sweepRetry, s.Period), Factor: 2, Cap: s.Period, Steps: math.MaxInt32}
}

// Sweep checks all hosts once.
func (s *Sweeper) Sweep(ctx context.Context) error {
	hosts, cycles, err := reader{live: s.Live}.hostsAndCycles(ctx, s.Namespace)
	if err != nil {
		return err
	}
	// If a host refuses, its key waits for the next sweep; the others go on.
	var refused []error
	for i := range hosts {
		refused = append(refused, s.sweep(ctx, &hosts[i], cycles))
	}
	return errors.Join(refused...)
}

// hostsAndCycles lists the hosts before the RebootRemediations: so a key on a host belongs to a RebootRemediation that is in the later list, or
// that is gone.
func (r reader) hostsAndCycles(ctx context.Context, namespace string) ([]metal3v1.BareMetalHost, []*v1alpha1.RebootRemediation, error) {
	var hosts metal3v1.BareMetalHostList
	if err := r.live.List(ctx, &hosts, client.InNamespace(namespace)); err != nil {
		return nil, nil, fmt.Errorf("listing hosts: %w", err)
	}
	cycles, err := cyclesIn(ctx, r.live, namespace)
	return hosts.Items, cycles, err
}

func (s *Sweeper) sweep(ctx context.Context, host *metal3v1.BareMetalHost, cycles []*v1alpha1.RebootRemediation) error {
	var refused []error
	for key := range host.Annotations {
		uid, ours := strings.CutPrefix(key, cycle.KeyPrefix)
		if !ours || stoodBehind(host, types.UID(uid), cycles) {
			continue
		}
		if err := (writer{Client: s.Client, live: s.Live}).takeKey(ctx, host, types.UID(uid)); err != nil {
			refused = append(refused, err)
			continue
		}
		ctrl.LoggerFrom(ctx).Info("Removed a key without a RebootRemediation from a host", "host", client.ObjectKeyFromObject(host), "key", key)
	}
	if s.Policy.Drain && marked(host) && !s.foreign(host, cycles) {
		refused = append(refused, (writer{Client: s.Client}).unmarkHost(ctx, host))
	}
	return errors.Join(refused...)
}

// foreign reports whether the cycle of another manager has marked a host.
func (s *Sweeper) foreign(host *metal3v1.BareMetalHost, cycles []*v1alpha1.RebootRemediation) bool {
	r := Reconciler{WatchFilter: s.Policy.WatchFilter}
	return slices.ContainsFunc(cycles, func(c *v1alpha1.RebootRemediation) bool {
		return c.Status.HostMarkedSince != nil && c.Status.Host != nil && c.Status.Host.UID == host.UID && r.foreign(c)
	})
}

// takeKey removes a key from a host, retrying if others write to the host.
func (w writer) takeKey(ctx context.Context, host *metal3v1.BareMetalHost, uid types.UID) error {
	current := host.DeepCopy()
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		err := w.removeKey(ctx, current, uid)
		if !apierrors.IsConflict(err) {
			return err
		}
		if reread := w.live.Get(ctx, client.ObjectKeyFromObject(host), current); reread != nil {
			return reread
		}
		return err
	})
	return client.IgnoreNotFound(err)
}

// stoodBehind reports whether a cycle looks after the key on a host.
func stoodBehind(host *metal3v1.BareMetalHost, uid types.UID, cycles []*v1alpha1.RebootRemediation) bool {
	return slices.ContainsFunc(cycles, func(c *v1alpha1.RebootRemediation) bool {
		return c.UID == uid && controllerutil.ContainsFinalizer(c, cycle.Finalizer) && c.Status.Host != nil && c.Status.Host.UID == host.UID
	})
}
