package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/logs"
	logsv1 "k8s.io/component-base/logs/api/v1"
	_ "k8s.io/component-base/logs/json/register" // --logging-format=json
	"k8s.io/klog/v2"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/mask"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// managerFlags holds the values of the manager's flags.
type managerFlags struct {
	kubeconfig string
	options    app.Options
	logging    *logsv1.LoggingConfiguration
}

func newManager() *cobra.Command {
	f := managerFlags{options: app.DefaultOptions(), logging: logs.NewOptions()}
	cmd := &cobra.Command{
		Use:   "manager",
		Short: "Run the controllers",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(cmd.Flags())
	return cmd
}

func (f *managerFlags) add(fs *pflag.FlagSet) {
	o := &f.options
	fs.StringVar(&f.kubeconfig, "kubeconfig", "", "Path of the management cluster's kubeconfig. Default: $KUBECONFIG, the pod's service account, or ~/.kube/config.")
	fs.StringSliceVar(&o.Controllers, "controllers", o.Controllers, "Controllers to run, separated by commas: "+
		"machinehealth judges Machines, machinehealthcheck admits them to repair, remediation repairs them, upgradepause pauses MachineHealthChecks while a cluster upgrades, reboot power-cycles the bare-metal hosts of Machines, intake takes in what people and other controllers ask for.")
	fs.StringVar(&o.Namespace, "namespace", o.Namespace, "Namespace to watch. Default: all namespaces.")
	fs.StringSliceVar(&o.SecretNamespaces, "secret-namespaces", nil, "Namespaces to read the kubeconfig Secrets of workload clusters in, separated by commas. Machines of clusters elsewhere are Unknown. Default: those that are watched.")
	fs.StringVar(&o.Policy.WatchFilter, "watch-filter", "", fmt.Sprintf("Required value of the label %s on a MachineHealthCheck and its Cluster, or on an OpenShift Machine. Default: any.", clusterv1.WatchLabel))
	fs.StringVar((*string)(&o.Policy.Adopt), "adopt", string(o.Policy.Adopt),
		fmt.Sprintf("Which MachineHealthChecks to manage: %q, or %q for those annotated %s: %s, alongside Cluster API's own controller. In both cases, pauses for upgrades apply to all of them.",
			mhcspec.AdoptAll, mhcspec.AdoptHandedOver, clusterv1.PausedAnnotation, mhcspec.HandedOverValue))
	fs.BoolVar(&o.Policy.Drain, "drain", o.Policy.Drain, "Hand everything back, and begin nothing: what you do before you uninstall Sickbay. The command sickbay uninstall says when nothing is left.")
	fs.BoolVar(&o.LeaderElect, "leader-elect", o.LeaderElect, "Let only one of several managers be active at a time.")
	fs.StringVar(&o.LeaderElectNamespace, "leader-elect-namespace", o.LeaderElectNamespace, "Namespace of the lease. Default: the pod's.")
	fs.StringVar(&o.LeaderElectID, "leader-elect-id", o.LeaderElectID,
		"Name of the lease. By default it is derived from --controllers, --namespace and --watch-filter, so that managers with different duties do not wait for each other.")
	fs.StringVar(&o.HealthProbeBindAddress, "health-probe-bind-address", o.HealthProbeBindAddress, "Address of /healthz and /readyz; 0 disables them.")
	fs.StringVar(&o.MetricsBindAddress, "metrics-bind-address", o.MetricsBindAddress, "Address of /metrics, over TLS, for clients with the right to read it; 0 disables it.")
	fs.StringVar(&o.PprofBindAddress, "pprof-bind-address", o.PprofBindAddress, "Address of Go's profiles; 0 disables them. On 127.0.0.1, everybody in the pod can read them; elsewhere, over TLS, only clients with the right to get /debug/pprof/*.")
	fs.StringVar(&o.DashboardBindAddress, "dashboard-bind-address", o.DashboardBindAddress,
		"Address of the dashboard, over TLS, for people with the right to read what it shows; 0 disables it.")
	fs.StringVar(&o.DashboardCertDir, "dashboard-cert-dir", o.DashboardCertDir,
		"Directory with the dashboard's certificate, tls.crt and tls.key. The manager reloads them when they change. Without it, the certificate is self-signed.")
	fs.BoolVar(&o.DashboardActions, "dashboard-actions", o.DashboardActions,
		"Let people approve, deny, retry, cancel, hold and release on the dashboard, each with their own rights.")
	fs.DurationVar(&o.RemoteConditionsGracePeriod, "remote-conditions-grace-period", o.RemoteConditionsGracePeriod,
		"How long a healthy machine stays healthy after Sickbay loses the connection to its workload cluster.")
	fs.DurationVar(&o.RemoteConnectTimeout, "remote-connect-timeout", o.RemoteConnectTimeout, "Timeout of each request to a workload cluster.")
	fs.DurationVar(&o.MaxUpgradePauseWarning, "max-upgrade-pause-warning", o.MaxUpgradePauseWarning,
		"How long a MachineHealthCheck may be paused for an upgrade before Sickbay warns about it.")
	fs.DurationVar(&o.UpgradeSettleTimeout, "upgrade-settle-timeout", o.UpgradeSettleTimeout,
		"How long a MachineHealthCheck may stay paused after an upgrade to wait for its Nodes to become Ready; 0 means not at all. It applies only if a controller other than this Sickbay repairs the machines.")
	fs.BoolVar(&o.OpenShiftExternalRemediation, "openshift-external-remediation", o.OpenShiftExternalRemediation,
		"Power-cycle the hosts of OpenShift Machines that a MachineHealthCheck with the strategy external-baremetal has annotated. "+
			"Sickbay refuses to start with this flag while OpenShift's own bare-metal provider runs, because the provider does the same.")
	fs.DurationVar(&o.History.Age, "history-age", o.History.Age,
		"How long a MachineRemediation is kept after it has ended. The last 10 of a machine or host that still exists, and those within a plan's relapse window, stay longer.")
	fs.IntVar(&o.History.Count, "history-limit", o.History.Count, "How many ended MachineRemediations to keep for each MachineHealthCheck; older ones are deleted before --history-age. Those that --history-age keeps longer do not count.")
	fs.IntVar(&o.Concurrency, "concurrency", o.Concurrency, "How many objects each controller processes at once; remediation processes four times as many.")
	fs.DurationVar(&o.SyncPeriod, "sync-period", o.SyncPeriod, "How often Sickbay reconciles everything, even without events.")
	fs.StringVar(&o.TracingEndpoint, "tracing-endpoint", o.TracingEndpoint,
		"URL to which the manager sends the spans of each incident, with OTLP over gRPC, such as http://collector:4317; https for TLS. Without it, the manager records none.")
	fs.Float32Var(&o.KubeAPIQPS, "kube-api-qps", o.KubeAPIQPS, "Maximum number of requests per second to the management cluster.")
	fs.IntVar(&o.KubeAPIBurst, "kube-api-burst", o.KubeAPIBurst, "Maximum burst of requests to the management cluster.")
	logsv1.AddFlags(f.logging, fs)
	// The manager refuses them: they need a feature gate, which no flag opens.
	fs.VisitAll(func(one *pflag.Flag) { one.Hidden = strings.HasPrefix(one.Usage, "[Alpha]") })
}

func (f *managerFlags) run(cmd *cobra.Command) error {
	if err := f.options.Validate(); err != nil {
		return usageError{err}
	}
	if err := f.checkLogging(); err != nil {
		return usageError{err}
	}
	cfg, err := restConfig(f.kubeconfig)
	if err != nil {
		return err
	}
	if err := f.log(); err != nil {
		return usageError{err}
	}
	defer logs.FlushLogs()
	ctrl.SetLogger(klog.Background())
	ctrl.Log.Info("Sickbay is starting", "version", app.Version, "controllers", f.options.Controllers, "adopt", f.options.Policy.Adopt, "drain", f.options.Policy.Drain)
	a, err := app.New(cmd.Context(), cfg, f.options)
	if err != nil {
		return err
	}
	if err := a.Run(cmd.Context()); err != nil {
		return err
	}
	ctrl.Log.Info("Sickbay has stopped")
	return nil
}

// mostVerbose is the highest verbosity allowed. Above it, client-go logs requests and responses, including Secrets and tokens.
const mostVerbose = 7

// checkLogging refuses invalid logging flags, and those that would log Secrets.
func (f *managerFlags) checkLogging() error {
	if f.logging.Verbosity > mostVerbose {
		return fmt.Errorf("--v is %d: it must be at most %d, because higher levels log Secrets", f.logging.Verbosity, mostVerbose)
	}
	for _, one := range f.logging.VModule {
		if one.Verbosity > mostVerbose {
			return fmt.Errorf("--vmodule has %d for %s: it must be at most %d, because higher levels log Secrets", one.Verbosity, one.FilePattern, mostVerbose)
		}
	}
	return logsv1.Validate(f.logging, nil, nil).ToAggregate()
}

// log starts logging, and masks passwords in errors that come from elsewhere.
func (f *managerFlags) log() error {
	streams := logsv1.LoggingOptions{InfoStream: mask.Writer{W: os.Stdout}, ErrorStream: mask.Writer{W: os.Stderr}}
	return logsv1.ValidateAndApplyWithOptions(f.logging, &streams, nil)
}

// restConfig finds the management cluster. If the file in --kubeconfig cannot be read, that is a usage error.
func restConfig(kubeconfig string) (*rest.Config, error) {
	if kubeconfig == "" {
		cfg, err := ctrl.GetConfig()
		if err != nil {
			return nil, fmt.Errorf("finding the management cluster: %w", err)
		}
		return cfg, nil
	}
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, usageError{fmt.Errorf("reading --kubeconfig: %w", err)}
	}
	return cfg, nil
}
