// Package move has the real clusterctl move a cluster from one management cluster to another in the middle of repairs, with a Sickbay on
// each side. The management clusters are API servers alone: what Cluster API's controllers and the garbage collector would do there, the
// test does. It is tried by make test-upgrade.
package move
