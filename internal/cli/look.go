package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/fleet"
	"github.com/sickbay-dev/sickbay/internal/lease/leaseflags"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

const (
	// readyPeriod is how often to ask whether the caches are filled.
	readyPeriod = 20 * time.Millisecond
	// quiet is how long a command reads before it says so.
	quiet = time.Second
)

// lookFlags holds the flags of commands that observe the fleet as the controllers do.
type lookFlags struct {
	access
	adopt          string
	watchFilter    string
	connectTimeout time.Duration
	readTimeout    time.Duration
}

// unknownManager is for the help of commands that say so in one short line.
const unknownManager = "\n\nWho leads is written on the leases of managers, with the flags on which decisions depend. A manager without leader election\n" +
	"has no lease. If there is none, or you may not read it, it is unknown whether a manager is running, and which health checks it\n" +
	"manages: --adopt=all and no --watch-filter are assumed, unless you set them."

func (f *lookFlags) add(fs *pflag.FlagSet) {
	f.addAll(fs)
	fs.StringVar(&f.adopt, "adopt", "", "Value of the manager's flag --adopt. Default: the value that the manager announces on its lease, or else \"all\".")
	fs.StringVar(&f.watchFilter, "watch-filter", "", "Value of the manager's flag --watch-filter. Default: the value that the manager announces on its lease, or else none.")
	fs.DurationVar(&f.connectTimeout, "connect-timeout", 5*time.Second, "How long to wait for connections to workload clusters.")
	fs.DurationVar(&f.readTimeout, "read-timeout", time.Minute, "How long to wait for the management cluster.")
}

func (f *lookFlags) options() (app.Options, error) {
	o := app.DefaultOptions()
	namespace, err := f.namespace()
	if err != nil {
		return o, err
	}
	o.Namespace = namespace
	if f.adopt != "" {
		o.Policy.Adopt = mhcspec.Adoption(f.adopt)
	}
	o.Policy.WatchFilter = f.watchFilter
	if err := o.Validate(); err != nil {
		return o, usageError{err}
	}
	return o, nil
}

// silence drops the logs of libraries, which are for operators of the manager. The command's answer has what matters here.
var silence = sync.OnceFunc(func() {
	ctrl.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
})

// open starts to read the fleet, and returns when it has been read. Shut ends it.
func (f *lookFlags) open(cmd *cobra.Command) (fleetObserver *fleet.Observer, namespace string, shut func(), err error) {
	silence()
	o, err := f.options()
	if err != nil {
		return nil, "", nil, err
	}
	cfg, err := f.config()
	if err != nil {
		return nil, "", nil, err
	}
	assumed := f.listen(cmd.Context(), &o)
	ctx, cancel := context.WithCancelCause(cmd.Context())
	observer, err := app.NewObserver(ctx, cfg, o)
	if err != nil {
		cancel(nil)
		return nil, "", nil, err
	}
	observer.Fleet.Assumed = assumed
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cancel(observer.Run(ctx))
	}()
	shut = func() {
		cancel(nil)
		<-ended
	}
	said := time.AfterFunc(quiet, func() { cmd.PrintErrln("Reading the fleet ...") })
	defer said.Stop()
	if err := f.await(ctx, observer, o.Namespace); err != nil {
		shut()
		return nil, "", nil, err
	}
	return observer.Fleet, o.Namespace, shut, nil
}

// listen adopts the flags that the manager announces, except those that the person gives. It reports whether it had to assume a value.
func (f *lookFlags) listen(ctx context.Context, o *app.Options) (assumed bool) {
	c, err := f.client()
	if err != nil {
		return f.adopt == ""
	}
	asking, cancel := context.WithTimeout(ctx, f.readTimeout)
	defer cancel()
	said, ok := leaseflags.Read(asking, c, o.Namespace, time.Now())
	if !ok {
		return f.adopt == ""
	}
	o.RemoteConditionsGracePeriod, o.Policy.Drain = said.GracePeriod, said.Drain
	if f.adopt == "" {
		o.Policy.Adopt = said.Adopt
	}
	if f.watchFilter == "" {
		o.Policy.WatchFilter = said.WatchFilter
	}
	return false
}

// await waits for the management cluster, and for a short time for workload clusters.
func (f *lookFlags) await(ctx context.Context, observer *app.Observer, namespace string) error {
	reading, cancel := context.WithTimeout(ctx, f.readTimeout)
	defer cancel()
	var missing error
	err := wait.PollUntilContextCancel(reading, readyPeriod, true, func(ctx context.Context) (bool, error) {
		missing = observer.Ready(ctx)
		return missing == nil, nil
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("reading the management cluster took longer than %s: %w", f.readTimeout, missing)
	}
	connecting, cancel := context.WithTimeout(ctx, f.connectTimeout)
	defer cancel()
	return observer.Fleet.Await(connecting, namespace)
}
