package clusterapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// Workers is what a cluster has of machines, and what it wants. It knows of no kind of
// machine, so that it can be made for any: for those of Cluster API see WorkersOf.
type Workers struct {
	// Desired is how many are wanted.
	Desired int
	// Workers are those that there are.
	Workers []Worker
}

// Worker is one machine and its Node.
type Worker struct {
	// Machine is its name.
	Machine string
	// Node is the name of its Node; empty if it has none yet.
	Node string
	// Ready says that the Node is there and ready.
	Ready bool
	// Deleting says that the machine is going away.
	Deleting bool
	// Failed says that it will never become a Node, or is one no more.
	Failed bool
}

// EnoughNodes asks whether a cluster has the Nodes that it wants, by the rule that
// Gardener had for the progress of its nodes.
//
// It is False if machines have failed (ReasonMachinesFailed), even if there are Nodes
// enough. Where Nodes are missing it is Progressing, since machines have a Node that is
// not ready, or not there (ReasonNodesNotReady, for five minutes: a new one is not ready at
// first), since they have none yet (ReasonPendingMachines, for five minutes), or since there
// are too few of them (ReasonMissingMachines, checks.ObservedWithin: they are made one by one).
//
// Machines that are being deleted do not count. The rule says nothing about whatever
// owns the machines: the rules of those kinds do.
func EnoughNodes(w Workers) healthcheck.Result {
	if failed := w.names(func(m Worker) bool { return m.Failed && !m.Deleting }); len(failed) > 0 {
		return unhealthy(ReasonMachinesFailed, "Machines have failed: %s", some(failed))
	}
	ready := len(w.names(func(m Worker) bool { return m.Ready && !m.Deleting }))
	if ready >= w.Desired {
		return healthy()
	}
	missing := fmt.Sprintf("Fewer than %d Nodes are ready", w.Desired)
	if broken := w.names(func(m Worker) bool { return m.Node != "" && !m.Ready && !m.Deleting }); len(broken) > 0 {
		return progressing(nodesWithin, ReasonNodesNotReady, "%s; machines with a Node that is not: %s", missing, some(broken))
	}
	pending := w.names(func(m Worker) bool { return m.Node == "" && !m.Deleting })
	if ready+len(pending) < w.Desired {
		return progressing(checks.ObservedWithin, ReasonMissingMachines, "%s; machines are missing", missing)
	}
	return progressing(nodesWithin, ReasonPendingMachines, "%s; machines without a Node yet: %s", missing, some(pending))
}

// NoSurplusNodes asks whether a cluster is rid of the machines that it does not want,
// by the same rule of Gardener.
//
// While machines are being deleted it is Progressing (ReasonDrainingMachines,
// checks.DrainedWithin), and so it is where there are more machines than wanted although none
// is (ReasonTooManyMachines, checks.DrainedWithin): in a roll-out the new one comes first.
func NoSurplusNodes(w Workers) healthcheck.Result {
	if going := w.names(func(m Worker) bool { return m.Deleting }); len(going) > 0 {
		return progressing(checks.DrainedWithin, ReasonDrainingMachines, "Machines are being deleted: %s", some(going))
	}
	if len(w.Workers) > w.Desired {
		return progressing(checks.DrainedWithin, ReasonTooManyMachines, "There are more than %d machines", w.Desired)
	}
	return healthy()
}

// names returns the names of some machines, in order.
func (w Workers) names(which func(Worker) bool) []string {
	var names []string
	for _, worker := range w.Workers {
		if which(worker) {
			names = append(names, worker.Machine)
		}
	}
	slices.Sort(names)
	return names
}

// maxNamed is how many machines a message names.
const maxNamed = 5

// some puts names into one line, maxNamed at most. It counts none: the text would change with those that come and go.
func some(names []string) string {
	if len(names) > maxNamed {
		names = append(slices.Clone(names[:maxNamed]), "and more")
	}
	return strings.Join(names, ", ")
}
