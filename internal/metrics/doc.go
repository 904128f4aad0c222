// Package metrics contains what the metrics of all controllers share. Gauges compute their series when somebody reads them,
// so no series outlives its object and none is missing between two writes. Tests generate the reference of metrics from the
// catalog.
package metrics
