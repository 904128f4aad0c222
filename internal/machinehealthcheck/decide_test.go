package machinehealthcheck

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/targets"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

func maxInFlight(value string) build.Option { return build.Annotation(MaxInFlightAnnotation, value) }

func byReboot() build.Option { return build.Annotation(StrategyAnnotation, string(remedy.Reboot)) }

func byExternal() build.Option {
	return build.Annotation(ExternalStrategyAnnotation, "external-baremetal")
}

func byTemplate() build.MachineHealthCheckFunc { return build.TemplateRef(templateKind, "fix") }

// TestDecideRemedies has a case for each bullet that says who gets a remedy, and which.
func TestDecideRemedies(t *testing.T) {
	acted := sick("a")
	acted.ActedUntil = now.Add(time.Second)
	tests := map[string]struct {
		mhc     *clusterv1.MachineHealthCheck
		targets []Target
		want    []string
		waiting []string
	}{
		"none sick":                                  {mhc: check(), targets: []Target{healthy("a"), pending("b"), target("c")}},
		"request from templateRef":                   {check(byTemplate()), []Target{sick("a")}, []string{"a: request"}, nil},
		"request, before the strategy":               {check(byTemplate(), byReboot()), []Target{sick("a")}, []string{"a: request"}, nil},
		"strategy annotated":                         {check(byReboot()), []Target{sick("a")}, []string{"a: reboot"}, nil},
		"request, before OpenShift's strategy":       {check(byTemplate(), byExternal()), []Target{sick("a")}, []string{"a: request"}, nil},
		"OpenShift's strategy annotated":             {check(byExternal()), []Target{sick("a")}, []string{"a: reboot"}, nil},
		"strategy, no owner":                         {check(byReboot()), []Target{sick("a", orphan())}, []string{"a: reboot"}, nil},
		"owner":                                      {check(), []Target{sick("a")}, owners("a"), nil},
		"no owner: delete":                           {check(), []Target{sick("a", orphan())}, []string{"a: delete"}, nil},
		"owner, mark is True":                        {check(), []Target{sick("a", marked(metav1.ConditionTrue))}, owners("a"), nil},
		"owner, mark is False: never again":          {mhc: check(), targets: []Target{sick("a", marked(metav1.ConditionFalse))}},
		"marked, and a template since":               {mhc: check(byTemplate()), targets: []Target{sick("a", marked(metav1.ConditionFalse))}},
		"being deleted":                              {mhc: check(), targets: []Target{sick("a", build.Deleting(now))}},
		"request stands":                             {mhc: check(byTemplate()), targets: []Target{withRequest(sick("a"))}},
		"reboot stands":                              {mhc: check(byReboot()), targets: []Target{sick("a", build.Annotation(remedy.RebootAnnotation, ""))}},
		"acted just now":                             {mhc: check(), targets: []Target{acted}},
		"one open request does not block the others": {check(byTemplate()), []Target{withRequest(sick("a")), sick("b")}, []string{"b: request"}, nil},
		"longest sick first": {check(), []Target{
			sick("a", verdict(metav1.ConditionFalse, ago(time.Minute))), sick("b", verdict(metav1.ConditionFalse, ago(time.Hour))),
			sick("c", verdict(metav1.ConditionFalse, ago(2*time.Minute))),
		}, owners("b", "c", "a"), nil},
		"equally long sick: by name": {check(), []Target{sick("b"), sick("a"), sick("c")}, owners("a", "b", "c"), nil},
		"max-in-flight": {
			check(maxInFlight("1")),
			[]Target{sick("b"), sick("a")}, owners("a"), []string{"b: as many remediations as allowed are in flight"},
		},
		"max-in-flight, spent": {
			check(maxInFlight("1")),
			[]Target{sick("a", marked(metav1.ConditionFalse)), sick("b")}, nil, []string{"b: as many remediations as allowed are in flight"},
		},
		"max-in-flight, spent by a deletion": {
			check(maxInFlight("1")),
			[]Target{healthy("a", build.Deleting(now)), sick("b")}, nil, []string{"b: as many remediations as allowed are in flight"},
		},
		"max-in-flight, overspent": {
			check(maxInFlight("1")),
			[]Target{sick("a", marked(metav1.ConditionFalse)), sick("b", marked(metav1.ConditionFalse)), sick("c")}, nil,
			[]string{"c: as many remediations as allowed are in flight"},
		},
		"max-in-flight, percent": {
			check(maxInFlight("50%")),
			[]Target{sick("a"), sick("b"), sick("c"), healthy("d")}, owners("a", "b"), []string{"c: as many remediations as allowed are in flight"},
		},
		"triggerIf holds back":          {mhc: check(build.TriggerIfAtMost(intstr.FromInt32(1))), targets: []Target{sick("a"), sick("b")}},
		"triggerIf counts the starting": {mhc: check(build.TriggerIfAtMost(intstr.FromInt32(1))), targets: []Target{sick("a"), target("b")}},
		"triggerIf counts the pending":  {mhc: check(build.TriggerIfAtMost(intstr.FromInt32(1))), targets: []Target{sick("a"), pending("b")}},
		"triggerIf counts the deleting": {
			mhc:     check(build.TriggerIfAtMost(intstr.FromInt32(1))),
			targets: []Target{sick("a"), healthy("b", build.Deleting(now))},
		},
		"triggerIf is no budget": {check(build.TriggerIfAtMost(intstr.FromInt32(2))), []Target{sick("a"), sick("b")}, owners("a", "b"), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			d := Decide(facts(tt.mhc, tt.targets...), now)
			if diff := cmp.Diff(tt.want, remedies(d)); diff != "" {
				t.Errorf("remedies (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.waiting, waiting(d)); diff != "" {
				t.Errorf("waiting (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecidePaused(t *testing.T) {
	paused := build.Annotation(clusterv1.PausedAnnotation, "")
	tests := map[string]struct {
		mhc     *clusterv1.MachineHealthCheck
		cluster *clusterv1.Cluster
		want    []string
	}{
		"not at all":                         {check(), build.Cluster(ns, "cluster"), nil},
		"spec.paused is false":               {check(), build.Cluster(ns, "cluster", build.ClusterFunc(func(c *clusterv1.Cluster) { c.Spec.Paused = new(false) })), nil},
		"by the Cluster":                     {check(), build.Cluster(ns, "cluster", build.Paused()), []string{"Cluster spec.paused is set to true"}},
		"by annotation":                      {check(paused), build.Cluster(ns, "cluster"), []string{"MachineHealthCheck has the cluster.x-k8s.io/paused annotation"}},
		"by annotation, any other value":     {check(build.Annotation(clusterv1.PausedAnnotation, "true")), build.Cluster(ns, "cluster"), []string{"MachineHealthCheck has the cluster.x-k8s.io/paused annotation"}},
		"handed over is not paused":          {check(handedOver()), build.Cluster(ns, "cluster"), nil},
		"handed over, paused by the Cluster": {check(handedOver()), build.Cluster(ns, "cluster", build.Paused()), []string{"Cluster spec.paused is set to true"}},
		"by both": {check(paused), build.Cluster(ns, "cluster", build.Paused()), []string{
			"Cluster spec.paused is set to true", "MachineHealthCheck has the cluster.x-k8s.io/paused annotation",
		}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := facts(tt.mhc, sick("a"), withRequest(healthy("b")))
			f.Cluster = tt.cluster
			d := Decide(f, now)
			if len(tt.want) == 0 && len(d.Remedies) != 1 {
				t.Errorf("remedies are %v, want one", remedies(d))
			}
			if len(tt.want) > 0 {
				if diff := cmp.Diff(Decision{Paused: tt.want}, d, cmpopts.EquateEmpty(), cmp.AllowUnexported(Decision{}, trigger{})); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func handedOver() build.Option {
	return build.Annotation(clusterv1.PausedAnnotation, targets.HandedOverValue)
}
