// Package alerts causes everything that Sickbay's alerts are about, in one world at the same time, and checks that the real
// Prometheus, which scrapes the real Sickbay, fires each alert. The rules are those of the chart, with shorter times. It also
// tries the queries of the dashboards. make test-operate runs it.
package alerts
