package subject

import (
	"context"
	"flag"
	"fmt"
	"runtime"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/cluster-api/feature"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/sickbay-dev/sickbay/sim/bench/result"
)

// flags are the flags of Sickbay's manager that other subjects need, too.
type flags struct {
	kubeconfig, metrics, probe, pprof string
	subject, leaderNamespace          string
	leaderElect                       bool
}

// Main runs a subject other than Sickbay. As with Sickbay, the first argument is "manager".
func Main(ctx context.Context, args []string) error {
	var f flags
	set := flag.NewFlagSet("manager", flag.ContinueOnError)
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "")
	set.StringVar(&f.metrics, "metrics-bind-address", "0", "")
	set.StringVar(&f.probe, "health-probe-bind-address", "0", "")
	set.StringVar(&f.pprof, "pprof-bind-address", "0", "")
	set.StringVar(&f.subject, "subject", "", "")
	set.BoolVar(&f.leaderElect, "leader-elect", false, "")
	set.StringVar(&f.leaderNamespace, "leader-elect-namespace", "", "")
	if err := set.Parse(args); err != nil {
		return err
	}
	ctrl.SetLogger(klog.Background())
	runtime.SetMutexProfileFraction(100) // like Sickbay when it serves profiles
	config, err := clientcmd.BuildConfigFromFlags("", f.kubeconfig)
	if err != nil {
		return fmt.Errorf("reading the kubeconfig: %w", err)
	}
	var mgr ctrl.Manager
	ready := healthz.Ping
	switch s := result.Subject(f.subject); s {
	case result.Upstream, result.Unlimited:
		if err := feature.MutableGates.Set(fmt.Sprintf("%s=%t", feature.ReconcilerRateLimiting, s == result.Upstream)); err != nil {
			return fmt.Errorf("setting Cluster API's rate limit: %w", err)
		}
		mgr, err = upstream(ctx, config, f.managerOptions())
	case result.Floor:
		mgr, ready, err = floor(ctx, config, f.managerOptions())
	default:
		return fmt.Errorf("there is no subject %q", f.subject)
	}
	if err != nil {
		return err
	}
	if err := mgr.AddReadyzCheck("started", ready); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// managerOptions returns the options that all subjects share.
func (f flags) managerOptions() ctrl.Options {
	return ctrl.Options{
		HealthProbeBindAddress: f.probe, PprofBindAddress: f.pprof,
		Metrics: metricsserver.Options{
			BindAddress: f.metrics, SecureServing: true, FilterProvider: filters.WithAuthenticationAndAuthorization,
		},
		LeaderElection: f.leaderElect, LeaderElectionID: "controller-leader-election-capi", LeaderElectionNamespace: f.leaderNamespace,
	}
}

// limited sets the rate limits that Cluster API's manager has by default.
func limited(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = 100, 200
	return config
}
