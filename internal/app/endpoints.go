package app

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/http/pprof"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/sickbay-dev/sickbay/internal/dashboard"
)

// guarded returns options to serve over TLS to clients that may read the path.
func guarded(address string) metricsserver.Options {
	if address == off {
		return metricsserver.Options{BindAddress: address}
	}
	return metricsserver.Options{
		BindAddress: address, SecureServing: true, TLSOpts: []func(*tls.Config){plainTLS},
		FilterProvider: filters.WithAuthenticationAndAuthorization,
	}
}

// plainTLS allows only HTTP/1.1: a scraper needs no more, and unauthenticated clients can send less.
func plainTLS(config *tls.Config) {
	config.MinVersion, config.NextProtos = tls.VersionTLS12, []string{"http/1.1"}
}

// openProfiles returns the address at which the manager serves profiles without authentication. It must be reachable only from the
// host or the pod itself.
func openProfiles(o Options) string {
	if dashboard.IsLoopback(o.PprofBindAddress) {
		return o.PprofBindAddress
	}
	return off
}

// addProfiles serves profiles to authorized clients, if the address is reachable from outside of the host or the pod.
func addProfiles(mgr ctrl.Manager, o Options) error {
	if o.PprofBindAddress == off || dashboard.IsLoopback(o.PprofBindAddress) {
		return nil
	}
	options := guarded(o.PprofBindAddress)
	options.ExtraHandlers = map[string]http.Handler{
		"/debug/pprof/":        http.HandlerFunc(pprof.Index),
		"/debug/pprof/cmdline": http.HandlerFunc(pprof.Cmdline),
		"/debug/pprof/profile": http.HandlerFunc(pprof.Profile),
		"/debug/pprof/symbol":  http.HandlerFunc(pprof.Symbol),
		"/debug/pprof/trace":   http.HandlerFunc(pprof.Trace),
	}
	server, err := metricsserver.NewServer(options, mgr.GetConfig(), mgr.GetHTTPClient())
	if err != nil {
		return fmt.Errorf("serving profiles: %w", err)
	}
	if err := mgr.Add(server); err != nil {
		return fmt.Errorf("serving profiles: %w", err)
	}
	return nil
}
