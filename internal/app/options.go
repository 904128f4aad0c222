package app

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/lease/leaseflags"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/repair/retention"
	"github.com/sickbay-dev/sickbay/internal/tracing"
)

// Version is set when the binary is linked.
var Version = "dev"

// off is the address that disables an endpoint.
const off = "0"

// Options say how the manager runs. DefaultOptions returns useful ones.
type Options struct {
	// Controllers are the names of the controllers that run.
	Controllers []string
	// Namespace restricts the manager to one namespace; empty means all.
	Namespace string
	// SecretNamespaces are the namespaces in which the manager reads Secrets; empty means those that it watches.
	SecretNamespaces []string
	// Policy says which MachineHealthChecks Sickbay manages.
	Policy mhcspec.Policy
	// LeaderElect makes all but one of several managers wait.
	LeaderElect bool
	// LeaderElectNamespace is the namespace of the lease; empty means the namespace of the pod.
	LeaderElectNamespace string
	// LeaderElectID is the name of the lease; empty means a name derived from Controllers, Namespace and Policy.WatchFilter.
	LeaderElectID string
	// HealthProbeBindAddress, MetricsBindAddress and PprofBindAddress are host:port; "0" disables them.
	HealthProbeBindAddress string
	MetricsBindAddress     string
	PprofBindAddress       string
	// DashboardBindAddress is host:port; "0" disables the dashboard.
	DashboardBindAddress string
	// DashboardCertDir contains tls.crt and tls.key; empty means a self-signed certificate.
	DashboardCertDir string
	// DashboardActions lets people act in the dashboard, with their own permissions.
	DashboardActions bool
	// RemoteConditionsGracePeriod is how long a healthy Machine stays healthy after the connection to its workload cluster is lost.
	RemoteConditionsGracePeriod time.Duration
	// RemoteConnectTimeout bounds each request to a workload cluster.
	RemoteConnectTimeout time.Duration
	// MaxUpgradePauseWarning is how long MachineHealthChecks may be paused for an upgrade before Sickbay warns.
	MaxUpgradePauseWarning time.Duration
	// UpgradeSettleTimeout is how long Nodes may take to become Ready after an upgrade if another controller manages the machines; zero
	// means no wait.
	UpgradeSettleTimeout time.Duration
	// OpenShiftExternalRemediation makes Sickbay carry out the annotation host.metal3.io/external-remediation of OpenShift's health
	// checks.
	OpenShiftExternalRemediation bool
	// Concurrency is how many objects each controller works on at once; of repairs, repairsPerWorker times as many.
	Concurrency int
	// History limits how many ended MachineRemediations are kept.
	History retention.Limits
	// SyncPeriod is how often everything is looked at again without an event.
	SyncPeriod time.Duration
	// TracingEndpoint is the URL that spans are sent to; empty means none.
	TracingEndpoint string
	// KubeAPIQPS and KubeAPIBurst bound the requests to the management cluster.
	KubeAPIQPS   float32
	KubeAPIBurst int

	// SkipNameValidation allows several managers in one process, as tests have them.
	SkipNameValidation bool
	// NewClient makes the client; tests replace it with a failing one.
	NewClient client.NewClientFunc
	// Logger receives the log lines of the manager; without it, they go to the program's logger.
	Logger logr.Logger

	tracer *tracing.Tracer
	pace   pace
}

// announced returns the labels of the lease. A manager that judges no MachineHealthCheck only says what it manages.
func (o *Options) announced() map[string]string {
	labels := o.scope().Labels(Controllers())
	if len(o.enabled(machinehealthcheck.ControllerName)) > 0 {
		maps.Copy(labels, leaseflags.Flags{Policy: o.Policy, GracePeriod: o.RemoteConditionsGracePeriod}.Labels())
	}
	return labels
}

// DefaultOptions returns the defaults of the command line.
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
		UpgradeSettleTimeout:        15 * time.Minute, // the worst boot time of a bare-metal server
		Concurrency:                 10,
		History:                     retention.Limits{}.OrDefault(),
		SyncPeriod:                  10 * time.Minute,
		KubeAPIQPS:                  1000,
		KubeAPIBurst:                2000,
	}
}

// Validate returns an error that lists every invalid option, by its flag.
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
	for _, name := range o.SecretNamespaces {
		require(len(validation.IsDNS1123Label(name)) == 0, "--secret-namespaces has %q: each must be the name of a namespace", name)
	}
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
	require(!o.OpenShiftExternalRemediation || slices.Contains(o.Controllers, intake.ControllerName),
		"--openshift-external-remediation needs the controller %s, which --controllers leaves out", intake.ControllerName)
	for _, needed := range []string{remediation.ControllerName, reboot.ControllerName} {
		require(!slices.Contains(o.Controllers, intake.ControllerName) || slices.Contains(o.Controllers, needed),
			"the controller %s needs the controller %s, which --controllers leaves out: it carries out what others ask for", intake.ControllerName, needed)
	}
	return errors.Join(errs...)
}

// waiting returns how many workers may wait at once for slow workload clusters: half of one controller's workers. 0 means that all may:
// without controllers, there is no other work.
func (o *Options) waiting() int {
	if len(o.Controllers) == 0 || o.pace.patient {
		return 0
	}
	return max(1, o.Concurrency/2)
}

func (o *Options) hasDashboard() bool { return o.DashboardBindAddress != "0" }

// enabled returns those of these controllers that should run.
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
