// Package metrics has what the metrics of all controllers share: gauges whose series are computed when somebody reads them,
// so that none outlives what it is about and none is missing between two writes; and the catalog, which the reference of
// metrics is generated from.
package metrics
