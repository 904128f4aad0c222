package fleets

import (
	"strings"
	"time"

	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// Markup is what Hostile has wherever an API server would take it: a page that runs it sets window.hostile.
const Markup = `</script></title></textarea><img src=x onerror="window.hostile=1"><script>window.hostile=1</script>'"` + "`${window.hostile=1}`{{.}}\u202e"

// Hostile is a fleet in which people and controllers have written markup into whatever takes text: messages, reasons, holds,
// decisions, failure domains. One name is as long as names can be, and one message has no space in 1,000 characters.
func Hostile(now time.Time) explain.Facts {
	cluster := build.Cluster(Namespace, "blue")
	p := newPool(now, cluster, "workers", held30(now, Markup))
	for _, name := range []string{"plain", strings.Repeat("long-", 50) + "name"} {
		m := p.sick(name, time.Hour, zone(Markup))
		verdict := &m.Status.Conditions[len(m.Status.Conditions)-1]
		verdict.Message = Markup + strings.Repeat("w", 1000)
		r := p.record(m, plan()...)
		r.Name = name[:min(len(name), 200)] + "-5f2c9d1e-1"
		r.Spec.TemplateRef.Name = Markup
		p.play(r, time.Hour, 0)
		r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerDeny, By: Markup, Reason: Markup}
		for i := range r.Status.Attempts {
			r.Status.Attempts[i].Message = Markup
			r.Status.Attempts[i].Decision = r.Spec.Decision
		}
		for i := range r.Status.Conditions {
			r.Status.Conditions[i].Message = Markup
		}
	}
	down := newPool(now, build.Cluster(Namespace, "red"), "others", build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) {
		mhc.Annotations = map[string]string{clusterv1.PausedAnnotation: Markup}
	}))
	down.unreadable = Markup
	down.undecided("quiet", time.Minute)
	all := facts(now, p, down)
	all.Manager = explain.Manager{Name: Markup}
	return all
}
