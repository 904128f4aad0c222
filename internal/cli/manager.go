package cli

import (
	"fmt"
	"os"

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

// managerFlags is what the flags of the manager command fill in.
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
	fs.StringVar(&f.kubeconfig, "kubeconfig", "", "Path of the kubeconfig of the management cluster. Without it: $KUBECONFIG, the pod's service account, or ~/.kube/config.")
	fs.StringSliceVar(&o.Controllers, "controllers", o.Controllers, "Controllers to run, separated by commas: "+
		"machinehealth judges Machines, machinehealthcheck admits them to repair, remediation repairs them, upgradepause pauses MachineHealthChecks while a cluster upgrades, reboot power-cycles the bare-metal hosts of Machines.")
	fs.StringVar(&o.Namespace, "namespace", o.Namespace, "Namespace to watch. Without it, all namespaces.")
	fs.StringVar(&o.Policy.WatchFilter, "watch-filter", "", fmt.Sprintf("Value of the label %s that a MachineHealthCheck and its Cluster must have, or a Machine of OpenShift. Without it, any.", clusterv1.WatchLabel))
	fs.StringVar((*string)(&o.Policy.Adopt), "adopt", string(o.Policy.Adopt),
		fmt.Sprintf("Which MachineHealthChecks to manage: %q, or %q for those annotated %s: %s, beside Cluster API's own controller. Whatever the value, pauses for upgrades apply to all of them.",
			mhcspec.AdoptAll, mhcspec.AdoptHandedOver, clusterv1.PausedAnnotation, mhcspec.HandedOverValue))
	fs.BoolVar(&o.LeaderElect, "leader-elect", o.LeaderElect, "Let only one of several managers work at a time.")
	fs.StringVar(&o.LeaderElectNamespace, "leader-elect-namespace", o.LeaderElectNamespace, "Namespace of the lease. Without it, the pod's.")
	fs.StringVar(&o.LeaderElectID, "leader-elect-id", o.LeaderElectID,
		"Name of the lease. Without it, the name follows from --controllers, --namespace and --watch-filter, so that managers of different things do not wait for each other.")
	fs.StringVar(&o.HealthProbeBindAddress, "health-probe-bind-address", o.HealthProbeBindAddress, "Address of /healthz and /readyz; 0 is off.")
	fs.StringVar(&o.MetricsBindAddress, "metrics-bind-address", o.MetricsBindAddress, "Address of /metrics, over TLS, for clients that may read it; 0 is off.")
	fs.StringVar(&o.PprofBindAddress, "pprof-bind-address", o.PprofBindAddress, "Address of Go's profiles; 0 is off. On 127.0.0.1, anybody in the pod may read them; elsewhere, over TLS, clients that may get /debug/pprof/*.")
	fs.StringVar(&o.DashboardBindAddress, "dashboard-bind-address", o.DashboardBindAddress,
		"Address of the dashboard, over TLS, for people who may read what it shows; 0 is off.")
	fs.StringVar(&o.DashboardCertDir, "dashboard-cert-dir", o.DashboardCertDir,
		"Directory with the certificate of the dashboard, tls.crt and tls.key. The manager reads them again when they change. Without it, the certificate is self-signed.")
	fs.BoolVar(&o.DashboardActions, "dashboard-actions", o.DashboardActions,
		"Let people approve, deny, retry, cancel, hold and release on the dashboard, each with their own rights.")
	fs.DurationVar(&o.RemoteConditionsGracePeriod, "remote-conditions-grace-period", o.RemoteConditionsGracePeriod,
		"How long a healthy machine stays healthy after Sickbay has lost the connection to its workload cluster.")
	fs.DurationVar(&o.RemoteConnectTimeout, "remote-connect-timeout", o.RemoteConnectTimeout, "Timeout of each request to a workload cluster.")
	fs.DurationVar(&o.MaxUpgradePauseWarning, "max-upgrade-pause-warning", o.MaxUpgradePauseWarning,
		"How long a MachineHealthCheck may be paused for an upgrade before Sickbay warns of it.")
	fs.DurationVar(&o.UpgradeSettleTimeout, "upgrade-settle-timeout", o.UpgradeSettleTimeout,
		"How long a MachineHealthCheck stays paused after an upgrade to wait until all its Nodes are Ready, if another controller than this Sickbay manages its machines; 0 does not wait.")
	fs.BoolVar(&o.OpenShiftExternalRemediation, "openshift-external-remediation", o.OpenShiftExternalRemediation,
		"Power-cycle the hosts of OpenShift's Machines that a MachineHealthCheck with the strategy external-baremetal has annotated. "+
			"Sickbay refuses to start with it while OpenShift's own provider for bare metal runs, which does the same.")
	fs.DurationVar(&o.History.Age, "history-age", o.History.Age,
		"How long a MachineRemediation is kept after it has ended. The last 10 of a machine that still exists, and those within a plan's relapse window, stay longer.")
	fs.IntVar(&o.History.Count, "history-limit", o.History.Count, "How many ended MachineRemediations are kept for each MachineHealthCheck, beside those that --history-age keeps for longer.")
	fs.IntVar(&o.Concurrency, "concurrency", o.Concurrency, "How many objects each controller works on at once.")
	fs.DurationVar(&o.SyncPeriod, "sync-period", o.SyncPeriod, "How often Sickbay looks at everything again, even without events.")
	fs.StringVar(&o.TracingEndpoint, "tracing-endpoint", o.TracingEndpoint,
		"URL to which the manager sends the spans of each incident, by OTLP over gRPC, like http://collector:4317; https for TLS. Without it, the manager makes none.")
	fs.Float32Var(&o.KubeAPIQPS, "kube-api-qps", o.KubeAPIQPS, "Requests per second to the management cluster.")
	fs.IntVar(&o.KubeAPIBurst, "kube-api-burst", o.KubeAPIBurst, "Requests at once to the management cluster.")
	logsv1.AddFlags(f.logging, fs)
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
	ctrl.Log.Info("Sickbay starts", "version", app.Version, "controllers", f.options.Controllers, "adopt", f.options.Policy.Adopt)
	a, err := app.New(cmd.Context(), cfg, f.options)
	if err != nil {
		return err
	}
	if err := a.Run(cmd.Context()); err != nil {
		return err
	}
	ctrl.Log.Info("Sickbay stopped")
	return nil
}

// mostVerbose is the highest verbosity. Beyond it the client of Kubernetes prints what it reads and sends: Secrets, and the tokens of people.
const mostVerbose = 7

// checkLogging refuses what cannot be logged, and what must not be.
func (f *managerFlags) checkLogging() error {
	if f.logging.Verbosity > mostVerbose {
		return fmt.Errorf("--v is %d: it must be at most %d, as more would print Secrets", f.logging.Verbosity, mostVerbose)
	}
	for _, one := range f.logging.VModule {
		if one.Verbosity > mostVerbose {
			return fmt.Errorf("--vmodule has %d for %s: it must be at most %d, as more would print Secrets", one.Verbosity, one.FilePattern, mostVerbose)
		}
	}
	return logsv1.Validate(f.logging, nil, nil).ToAggregate()
}

// log begins to log, without the passwords that errors of others quote.
func (f *managerFlags) log() error {
	streams := logsv1.LoggingOptions{InfoStream: mask.Writer{W: os.Stdout}, ErrorStream: mask.Writer{W: os.Stderr}}
	return logsv1.ValidateAndApplyWithOptions(f.logging, &streams, nil)
}

// restConfig finds the management cluster. A file that was named is a usage error
// if it cannot be read.
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
