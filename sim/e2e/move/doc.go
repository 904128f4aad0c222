// Package move tests that clusterctl can move a cluster from one management cluster to another in the middle of repairs, with a Sickbay
// in each. The management clusters are only API servers; the test does the work of Cluster API's controllers and of the garbage
// collector. make test-upgrade runs it.
package move
