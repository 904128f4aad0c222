package mhcspec

import (
	"fmt"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// HoldUntilAnnotation on a Machine, a MachineHealthCheck or a Cluster is the RFC 3339 time until which nothing is
	// repaired there. It is a pause that ends by itself.
	HoldUntilAnnotation = "sickbay.dev/hold-until"
	// HoldReasonAnnotation says why.
	HoldReasonAnnotation = "sickbay.dev/hold-reason"
)

// OnHold says why a hold on one of the objects forbids repairs, and until when; empty if none does. It names the
// longest of several holds. If a time cannot be parsed, the hold lasts until somebody corrects it, and until is zero.
func OnHold(now time.Time, objs ...client.Object) (why string, until time.Time) {
	for _, obj := range objs {
		value, ok := obj.GetAnnotations()[HoldUntilAnnotation]
		if !ok {
			continue
		}
		at, err := time.Parse(time.RFC3339, value)
		if err != nil {
			return fmt.Sprintf("annotation %s of %s is %s: it must be a time like 2006-01-02T15:04:05Z", HoldUntilAnnotation, nameOf(obj), Quoted(value)), time.Time{}
		}
		if now.Before(at) && at.After(until) {
			why, until = holdMessage(obj, at), at
		}
	}
	return why, until
}

// HoldEnded returns when the last expired hold on one of the objects ended, by their annotations; zero if there was
// none.
func HoldEnded(now time.Time, objs ...client.Object) time.Time {
	var last time.Time
	for _, obj := range objs {
		at, err := time.Parse(time.RFC3339, obj.GetAnnotations()[HoldUntilAnnotation])
		if err == nil && !at.After(now) && at.After(last) {
			last = at
		}
	}
	return last
}

func holdMessage(obj client.Object, until time.Time) string {
	message := fmt.Sprintf("%s is on hold until %s", nameOf(obj), until.UTC().Format(time.RFC3339))
	if reason := obj.GetAnnotations()[HoldReasonAnnotation]; reason != "" {
		message += ": " + cut(reason)
	}
	return message
}

// nameOf names an object for people. Objects that were read by type do not have their kind set.
func nameOf(obj client.Object) string {
	kind := obj.GetObjectKind().GroupVersionKind().Kind
	switch obj.(type) {
	case *clusterv1.Machine:
		kind = "Machine"
	case *clusterv1.MachineHealthCheck:
		kind = "MachineHealthCheck"
	case *clusterv1.Cluster:
		kind = "Cluster"
	}
	return kind + " " + obj.GetName()
}
