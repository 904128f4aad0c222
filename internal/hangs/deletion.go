package hangs

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
)

// Deletion is what a Machine says about its own deletion.
type Deletion struct {
	// Since is when it began.
	Since time.Time
	Stage Stage
	// StageSince is when the stage began; zero if unknown.
	StageSince time.Time
	// GivesUp is when Cluster API itself gives the stage up and goes on; zero if it never does, or if that is unknown.
	GivesUp time.Time
	// Unset names the timeout that would end the stage, if it is not set; empty if it is, or if there is none for the stage.
	Unset string
	// Says quotes the condition; its Type is empty if there is none.
	Says Says
	// Hooks are the annotations of others, and Finalizers the finalizers of others, that keep it.
	Hooks      []Hook
	Finalizers []string

	machine *clusterv1.Machine
}

// Hook is an annotation that keeps a stage from beginning.
type Hook struct {
	Key string
	// Owner is who has set it, by convention the annotation's value; empty if unknown.
	Owner string
}

// OfDeletion returns what a Machine says about its own deletion; false if it is not being deleted. Cluster may be nil.
func OfDeletion(machine *clusterv1.Machine, cluster *clusterv1.Cluster) (Deletion, bool) {
	if machine.DeletionTimestamp.IsZero() {
		return Deletion{}, false
	}
	d := Deletion{Since: machine.DeletionTimestamp.Time, machine: machine}
	d.Stage, d.Says = saidStage(machine)
	others := slices.DeleteFunc(slices.Clone(machine.Finalizers), func(f string) bool { return f == clusterv1.MachineFinalizer })
	done := d.Stage == Completed || d.Stage == Silent && len(others) == len(machine.Finalizers)
	switch {
	case done && len(others) > 0:
		d.Stage, d.Finalizers = Finalizing, others
		return d, true
	case pausedBy(machine, cluster):
		d.Stage = Paused
	}
	d.hooks()
	d.times()
	return d, true
}

func pausedBy(machine *clusterv1.Machine, cluster *clusterv1.Cluster) bool {
	if _, paused := machine.Annotations[clusterv1.PausedAnnotation]; paused {
		return true
	}
	if cluster != nil {
		return ptr.Deref(cluster.Spec.Paused, false)
	}
	says, _ := condition(machine, clusterv1.PausedCondition)
	return says.Status == string(metav1.ConditionTrue)
}

// hooks finds the annotations that the stage waits for.
func (d *Deletion) hooks() {
	prefix := map[Stage]string{
		PreDrainHook: clusterv1.PreDrainDeleteHookAnnotationPrefix, PreTerminateHook: clusterv1.PreTerminateDeleteHookAnnotationPrefix,
	}[d.Stage]
	if prefix == "" {
		return
	}
	for key, owner := range d.machine.Annotations {
		if strings.HasPrefix(key, prefix) {
			d.Hooks = append(d.Hooks, Hook{key, owner})
		}
	}
	slices.SortFunc(d.Hooks, func(a, b Hook) int { return strings.Compare(a.Key, b.Key) })
}

// times finds when the stage began, and when Cluster API gives it up.
func (d *Deletion) times() {
	status, spec := d.machine.Status.Deletion, d.machine.Spec.Deletion
	if status == nil {
		status = &clusterv1.MachineDeletionStatus{}
	}
	switch d.Stage {
	case PreDrainHook:
		d.StageSince = drainHooksSince(status)
	case Draining:
		d.StageSince = status.NodeDrainStartTime.Time
		d.ends("drain timeout", d.StageSince, spec.NodeDrainTimeoutSeconds, clusterv1.ExcludeNodeDrainingAnnotation)
	case Detaching:
		d.StageSince = status.WaitForNodeVolumeDetachStartTime.Time
		d.ends("volume detach timeout", d.StageSince, spec.NodeVolumeDetachTimeoutSeconds, clusterv1.ExcludeWaitForNodeVolumeDetachAnnotation)
	case PreTerminateHook:
		d.StageSince = terminateHooksSince(status)
	case DeletingNode:
		d.ends("Node deletion timeout", d.Since, spec.NodeDeletionTimeoutSeconds, "")
	default:
	}
}

// ends finds when a timeout ends the stage. If nobody has set it, only the annotation that skips the stage ends it, if there is one.
func (d *Deletion) ends(name string, since time.Time, timeout *int32, skips string) {
	_, skipped := d.machine.Annotations[skips]
	switch {
	case timeout != nil && *timeout > 0 && !since.IsZero():
		d.GivesUp = since.Add(time.Duration(*timeout) * time.Second)
	case (timeout == nil || *timeout <= 0) && !skipped:
		d.Unset = name
	}
}
