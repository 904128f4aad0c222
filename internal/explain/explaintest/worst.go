package explaintest

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// AllSick returns a fleet of 60 machines in one failure domain, none of them healthy, while no manager leads.
func AllSick() *explain.Facts {
	var scenes []*Scene
	for _, cluster := range []string{"blue", "green", "red"} {
		s := In(cluster, cluster+"-workers").AtMost("40%")
		for i := range 20 {
			s.Sick(fmt.Sprintf("%s-%02d", cluster, i), time.Duration(5+i)*time.Minute, Zone("eu-1b"))
		}
		scenes = append(scenes, s)
	}
	all := Merge(scenes...)
	all.Manager = explain.Manager{}
	return all
}

// Unreadable returns a fleet of 15 machines in workload clusters that do not answer; which manager leads is unknown.
func Unreadable() *explain.Facts {
	var scenes []*Scene
	for _, cluster := range []string{"blue", "green", "red"} {
		s := In(cluster, cluster+"-workers")
		s.Unreadable = "connection to the workload cluster is down"
		for i := range 5 {
			s.lost(fmt.Sprintf("%s-%02d", cluster, i))
		}
		scenes = append(scenes, s)
	}
	all := Merge(scenes...)
	all.Manager = explain.Manager{Unknown: "you may not read its lease"}
	for _, m := range all.Machines {
		m.Health.Node = verdict.NodeFacts{State: verdict.NodeUnreadable, Cause: "connection to the workload cluster is down", LostAt: Noon.Add(-20 * time.Minute)}
	}
	return all
}

// lost adds a machine whose Node cannot be read.
func (s *Scene) lost(name string) {
	s.Node(name, corev1.ConditionTrue, 10*time.Hour)
	s.Machine(name, metav1.ConditionUnknown, verdict.ReasonNodeUnavailable, "The Node cannot be read: "+s.Unreadable, 20*time.Minute)
}

// Markup is the text in all free-text fields of Hostile. If a page runs it, the page has a variable hostile.
const Markup = `</script></title></textarea></table><img src=x onerror="window.hostile=1"><script>window.hostile=1</script><b id=hostile>'"` + "`${window.hostile=1}`{{.}}\u202e"

// Hostile returns a fleet with markup in every field that takes text: messages, reasons, holds, decisions, failure domains. One name is
// as long as a name can be, and messages have 1,000 characters without a space.
func Hostile() *explain.Facts {
	s := In("blue", "workers").Annotated(mhcspec.HoldUntilAnnotation, Noon.Add(time.Hour).Format(time.RFC3339)).Annotated(mhcspec.HoldReasonAnnotation, Markup)
	for _, name := range []string{"plain", strings.Repeat("long-", 49) + "name"} {
		m := s.Sick(name, time.Hour, Zone(Markup))
		m.Status.Conditions[len(m.Status.Conditions)-1].Message = Markup + strings.Repeat("w", 1000)
		r := s.Record(m, Metal()...)
		r.Name = name[:min(len(name), 200)] + "-5f2c9d1e-1"
		r.Spec.TemplateRef.Name = Markup
		s.Play(r, Noon.Add(-time.Hour), Noon)
		r.Spec.Decision = &v1alpha1.RemediationDecision{Attempt: 1, Answer: v1alpha1.AnswerDeny, By: Markup, Reason: Markup}
		for i := range r.Status.Attempts {
			r.Status.Attempts[i].Message, r.Status.Attempts[i].Decision = Markup, r.Spec.Decision
		}
		for i := range r.Status.Conditions {
			r.Status.Conditions[i].Message = Markup
		}
	}
	down := In("red", "others")
	metav1.SetMetaDataAnnotation(&down.Check.ObjectMeta, clusterv1.PausedAnnotation, Markup)
	down.Unreadable = Markup
	down.lost("quiet")
	all := Merge(s, down)
	all.Manager = explain.Manager{Name: Markup}
	return all
}
