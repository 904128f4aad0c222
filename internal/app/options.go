package app

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/announce"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/remediation/retention"
	"github.com/sickbay-dev/sickbay/internal/tracing"
)

// Version is set when the binary is linked.
var Version = "dev"

// off is the address of what is not served.
const off = "0"

// Options say how the manager runs. DefaultOptions returns useful ones.
type Options struct {
	// Controllers are the names of those that run.
	Controllers []string
	// Namespace restricts the manager to one namespace; empty means all.
	Namespace string
	// Policy says which MachineHealthChecks are taken care of.
	Policy mhcspec.Policy
	// LeaderElect makes all but one of several managers wait.
	LeaderElect bool
	// LeaderElectNamespace holds the lease; empty means the namespace of the pod.
	LeaderElectNamespace string
	// LeaderElectID is the name of the lease; empty means that it goes by Controllers, Namespace and Policy.WatchFilter.
	LeaderElectID string
	// HealthProbeBindAddress, MetricsBindAddress and PprofBindAddress are host:port; "0"
	// is off.
	HealthProbeBindAddress string
	MetricsBindAddress     string
	PprofBindAddress       string
	// DashboardBindAddress is host:port; "0" is off.
	DashboardBindAddress string
	// DashboardCertDir has tls.crt and tls.key; empty means a self-signed certificate.
	DashboardCertDir string
	// DashboardActions lets people act by the dashboard, with their own rights.
	DashboardActions bool
	// RemoteConditionsGracePeriod is how long a healthy Machine stays so after the
	// connection to its workload cluster was lost.
	RemoteConditionsGracePeriod time.Duration
	// RemoteConnectTimeout bounds each request to a workload cluster.
	RemoteConnectTimeout time.Duration
	// MaxUpgradePauseWarning is how long MachineHealthChecks may be paused for an upgrade
	// before that is warned of.
	MaxUpgradePauseWarning time.Duration
	// UpgradeSettleTimeout is how long after an upgrade Nodes may take to get Ready where another controller
	// looks after the machines; zero is not at all.
	UpgradeSettleTimeout time.Duration
	// OpenShiftExternalRemediation has the annotation host.metal3.io/external-remediation of OpenShift's health checks carried out.
	OpenShiftExternalRemediation bool
	// Concurrency is how many objects each controller works on at once.
	Concurrency int
	// History says how many MachineRemediations are kept after they have ended.
	History retention.Limits
	// SyncPeriod is the net below the events: everything is looked at again after it.
	SyncPeriod time.Duration
	// TracingEndpoint is the URL that spans are sent to; empty means none.
	TracingEndpoint string
	// KubeAPIQPS and KubeAPIBurst bound the requests to the management cluster.
	KubeAPIQPS   float32
	KubeAPIBurst int

	// SkipNameValidation allows several managers in one process, as tests have them.
	SkipNameValidation bool
	// NewClient makes the client; tests put a failing one in.
	NewClient client.NewClientFunc
	// Logger gets the lines of the manager; without it, they go where those of the program go.
	Logger logr.Logger

	tracer *tracing.Tracer
	pace   pace
}

// announced are the labels of the lease. A manager that judges no MachineHealthCheck has nothing to announce.
func (o *Options) announced() map[string]string {
	if len(o.enabled(machinehealthcheck.ControllerName)) == 0 {
		return nil
	}
	return announce.Flags{Policy: o.Policy, GracePeriod: o.RemoteConditionsGracePeriod}.Labels()
}

// DefaultOptions are those that the command line begins with.
func DefaultOptions() Options {
	return Options{
		Controllers:                 Controllers(),
		Policy:                      mhcspec.Policy{Adopt: mhcspec.AdoptAll},
		HealthProbeBindAddress:      ":9440",
		MetricsBindAddress:          ":8443",
		PprofBindAddress:            "0",
		DashboardBindAddress:        "0",
		RemoteConditionsGracePeriod: 5 * time.Minute,
		RemoteConnectTimeout:        10 * time.Second,
		MaxUpgradePauseWarning:      4 * time.Hour,
		UpgradeSettleTimeout:        15 * time.Minute, // a bare-metal server takes that long to boot at worst
		Concurrency:                 10,
		History:                     retention.Limits{}.OrDefault(),
		SyncPeriod:                  10 * time.Minute,
		KubeAPIQPS:                  1000,
		KubeAPIBurst:                2000,
	}
}

// Validate returns an error that names every option that cannot be used, by its flag.
func (o *Options) Validate() error {
	var errs []error
	require := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	require(len(o.Controllers) > 0, "--controllers is empty: it must name at least one of %s", strings.Join(Controllers(), ", "))
	for _, name := range o.Controllers {
		require(slices.Contains(Controllers(), name), "--controllers has %q: each must be one of %s", name, strings.Join(Controllers(), ", "))
	}
	require(o.Policy.Adopt == mhcspec.AdoptAll || o.Policy.Adopt == mhcspec.AdoptHandedOver,
		"--adopt is %q: it must be %q or %q", o.Policy.Adopt, mhcspec.AdoptAll, mhcspec.AdoptHandedOver)
	require(o.LeaderElectID == "" || len(validation.IsDNS1123Subdomain(o.LeaderElectID)) == 0,
		"--leader-elect-id is %q: it must be a name of lower case letters, digits, - and .", o.LeaderElectID)
	require(o.Concurrency > 0, "--concurrency is %d: it must be at least 1", o.Concurrency)
	require(o.KubeAPIQPS > 0, "--kube-api-qps is %v: it must be above 0", o.KubeAPIQPS)
	require(o.KubeAPIBurst > 0, "--kube-api-burst is %d: it must be at least 1", o.KubeAPIBurst)
	require(o.SyncPeriod > 0, "--sync-period is %s: it must be above 0", o.SyncPeriod)
	require(o.History.Age > 0, "--history-age is %s: it must be above 0", o.History.Age)
	require(o.History.Count > 0, "--history-limit is %d: it must be at least 1", o.History.Count)
	require(o.RemoteConnectTimeout > 0, "--remote-connect-timeout is %s: it must be above 0", o.RemoteConnectTimeout)
	require(o.RemoteConditionsGracePeriod >= 0, "--remote-conditions-grace-period is %s: it must not be negative", o.RemoteConditionsGracePeriod)
	require(o.MaxUpgradePauseWarning > 0, "--max-upgrade-pause-warning is %s: it must be above 0", o.MaxUpgradePauseWarning)
	require(o.UpgradeSettleTimeout >= 0, "--upgrade-settle-timeout is %s: it must not be negative", o.UpgradeSettleTimeout)
	require(isBindAddress(o.HealthProbeBindAddress), "--health-probe-bind-address is %q: it must be host:port, or 0 for none", o.HealthProbeBindAddress)
	require(isBindAddress(o.MetricsBindAddress), "--metrics-bind-address is %q: it must be host:port, or 0 for none", o.MetricsBindAddress)
	require(isBindAddress(o.PprofBindAddress), "--pprof-bind-address is %q: it must be host:port, or 0 for none", o.PprofBindAddress)
	require(isBindAddress(o.DashboardBindAddress), "--dashboard-bind-address is %q: it must be host:port, or 0 for none", o.DashboardBindAddress)
	require(o.TracingEndpoint == "" || isURL(o.TracingEndpoint), "--tracing-endpoint is %q: it must be a URL like http://collector:4317", o.TracingEndpoint)
	require(o.hasDashboard() || !o.DashboardActions, "--dashboard-actions needs --dashboard-bind-address")
	require(o.hasDashboard() || o.DashboardCertDir == "", "--dashboard-cert-dir needs --dashboard-bind-address")
	require(!o.OpenShiftExternalRemediation || slices.Contains(o.Controllers, reboot.ControllerName),
		"--openshift-external-remediation needs the controller %s, which --controllers leaves out", reboot.ControllerName)
	return errors.Join(errs...)
}

// waiting is how many workers may wait at once for workload clusters that are slow: half of those of one controller. Who only looks has
// nothing else to do, and waits.
func (o *Options) waiting() int {
	if len(o.Controllers) == 0 {
		return 0
	}
	return max(1, o.Concurrency/2)
}

func (o *Options) hasDashboard() bool { return o.DashboardBindAddress != "0" }

// enabled returns those of names that are to run.
func (o *Options) enabled(names ...string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(o.Controllers, name) })
}

func isURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func isBindAddress(address string) bool {
	if address == "0" {
		return true
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}
