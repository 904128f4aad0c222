package app

import (
	"context"
	"runtime"

	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/sickbay-dev/sickbay/internal/metrics"
)

var (
	buildInfo   = metrics.NewGauge("sickbay_build_info", "1, with the version of Sickbay and of Go that it was built with.", "version", "go_version")
	leaderGauge = metrics.NewGauge("sickbay_leader",
		"For each controller that a manager should run: 1 while it leads or needs no lease, 0 while it waits for the lease. The other labels say to what the manager is restricted.",
		"controller", "watch_namespace", "watch_filter")
)

// addMetrics adds the manager's own metrics, whether it leads or not.
func addMetrics(mgr ctrl.Manager, o Options) error {
	return mgr.Add(metrics.Always(func(_ context.Context, s *metrics.Samples) {
		s.Set(buildInfo, 1, Version, runtime.Version())
		leads := 0.0
		select {
		case <-mgr.Elected():
			leads = 1
		default:
		}
		for _, name := range o.Controllers {
			s.Set(leaderGauge, leads, name, o.Namespace, o.Policy.WatchFilter)
		}
	}))
}
