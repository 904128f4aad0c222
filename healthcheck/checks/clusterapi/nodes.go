package clusterapi

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// Workers describes the machines that a cluster has and wants. It does not depend on a kind of machine; WorkersOf
// makes it from those of Cluster API.
type Workers struct {
	// Desired is how many machines are wanted.
	Desired int
	// Workers are the existing machines.
	Workers []Worker
}

// Worker is one machine and its Node.
type Worker struct {
	// Machine is the name of the machine.
	Machine string
	// Node is the name of its Node; empty if there is none yet.
	Node string
	// Ready says that the Node exists and is ready.
	Ready bool
	// Deleting says that the machine is being deleted.
	Deleting bool
	// Failed says that the machine will never have a working Node, or no longer has one.
	Failed bool
}

// EnoughNodes judges whether a cluster has the Nodes that it wants, by Gardener's former rule for the progress of
// nodes.
//
// It is False if machines have failed (ReasonMachinesFailed), even if there are enough Nodes. If Nodes are missing,
// it is Progressing, for the first of these that holds: machines have a Node that is missing or not ready
// (ReasonNodesNotReady, for five minutes: a new one is not ready at first); there are too few machines
// (ReasonMissingMachines, checks.ObservedWithin: they are created one by one); machines have no Node yet
// (ReasonPendingMachines, for five minutes).
//
// Machines that are being deleted do not count. This rule does not judge the owners of the machines: the rules for
// their kinds do.
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

// NoSurplusNodes judges whether a cluster has no more machines than it wants, by the same rule of Gardener.
//
// It is Progressing while machines are being deleted (ReasonDrainingMachines, checks.DrainedWithin), and while there
// are more machines than wanted but none is being deleted (ReasonTooManyMachines, checks.DrainedWithin): in a
// roll-out, the new machine comes first.
func NoSurplusNodes(w Workers) healthcheck.Result {
	if going := w.names(func(m Worker) bool { return m.Deleting }); len(going) > 0 {
		return progressing(checks.DrainedWithin, ReasonDrainingMachines, "Machines are being deleted: %s", some(going))
	}
	if len(w.Workers) > w.Desired {
		return progressing(checks.DrainedWithin, ReasonTooManyMachines, "There are more than %d machines", w.Desired)
	}
	return healthy()
}

// names returns the names of the matching machines, sorted.
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

// maxNamed is the maximum number of machines that a message names.
const maxNamed = 5

// some returns at most maxNamed names in one line. It does not count the others: the text would change as they come
// and go.
func some(names []string) string {
	if len(names) > maxNamed {
		names = append(slices.Clone(names[:maxNamed]), "and more")
	}
	return strings.Join(names, ", ")
}
