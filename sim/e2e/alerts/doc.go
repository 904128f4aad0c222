// Package alerts brings about in one world all that Sickbay's alerts are about, side by side, and sees that the real Prometheus, which
// scrapes the real Sickbay, fires each of them. The rules are those of config/prometheus, with shorter times. The queries of the
// dashboards are tried there, too. make test-operate runs it.
package alerts
