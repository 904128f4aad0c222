package checks_test

import (
	"cmp"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
	"github.com/sickbay-dev/sickbay/healthcheck/checks/kstatus"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/rollouts"
)

var update = flag.Bool("update", false, "write the golden file")

// verdictsFile is part of docs/library-compared.md.
const verdictsFile = "testdata/rollouts.md"

// rules are those that judge a kind: ours, kstatus, Gardener's, and Argo's.
type rules[O rollouts.Workload] struct {
	kind                                          string
	rolledOut, available, stated, gardener, argos checks.Rule[O]
}

// TestRollouts holds our rules against kstatus, Gardener's and Argo's, over recorded histories of roll-outs and outages.
func TestRollouts(t *testing.T) {
	kinds := runtime.NewScheme()
	if err := scheme.AddToScheme(kinds); err != nil {
		t.Fatal(err)
	}
	table := "| history | `RolledOut` | `Available` | kstatus | Gardener | Argo CD |\n|---|---|---|---|---|---|\n" +
		compare(t, rules[*appsv1.Deployment]{
			"Deployment", checks.DeploymentRolledOut, checks.DeploymentAvailable, checks.Generic[*appsv1.Deployment](kinds, kstatus.Rule), checks.Deployment, argoDeployment,
		}) +
		compare(t, rules[*appsv1.StatefulSet]{
			"StatefulSet", checks.StatefulSetRolledOut, checks.StatefulSetAvailable, checks.Generic[*appsv1.StatefulSet](kinds, kstatus.Rule), checks.StatefulSet, argoStatefulSet,
		}) +
		compare(t, rules[*appsv1.DaemonSet]{
			"DaemonSet", checks.DaemonSetRolledOut, checks.DaemonSetAvailable, checks.Generic[*appsv1.DaemonSet](kinds, kstatus.Rule), checks.DaemonSet, argoDaemonSet,
		})
	if *update {
		if err := os.WriteFile(verdictsFile, []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	golden, err := os.ReadFile(verdictsFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(golden), table); diff != "" {
		t.Errorf("verdicts (-golden +now):\n%s", diff)
	}
}

// outages are the histories in which RolledOut says False, where kstatus and Argo say in progress, but for the last one: past
// the deadline of a Deployment all say failed. In no other history RolledOut raises an alarm.
var outages = []string{
	"Deployment: all old Pods fail in a rolling update", "StatefulSet: two of three Pods fail", "StatefulSet: quorum lost in a rolling update",
	"DaemonSet: two Pods fail in a rolling update", "Deployment: a Pod that never comes",
}

// shortages are the histories in which Available says False: too few serve. In no other history Available raises an alarm.
var shortages = []string{
	"Deployment: paused at rest", "Deployment: scaled up and down", "Deployment: one Pod fails", "Deployment: two of three Pods fail",
	"Deployment: all old Pods fail in a rolling update",
	"StatefulSet: by hand", "StatefulSet: scaled up and down", "StatefulSet: from none to three", "StatefulSet: one Pod fails",
	"StatefulSet: two of three Pods fail", "StatefulSet: quorum lost in a rolling update",
	"DaemonSet: by hand", "DaemonSet: three Nodes join", "DaemonSet: two of three Pods fail", "DaemonSet: two Pods fail in a rolling update",
}

// differs says why kstatus or Argo says something else than RolledOut, in other histories than outages.
var differs = map[string]string{
	"Deployment: paused in the middle": "Argo calls what is paused Suspended",
	"Deployment: paused at rest":       "Argo calls what is paused Suspended, and kstatus in progress, whatever runs",
	"Deployment: scaled up and down":   "Argo does not count Pods that are too many",
	"StatefulSet: scaled up and down":  "Argo does not count Pods that are too many",
	"StatefulSet: by hand":             "kstatus never looks at one that is updated by hand",
	"DaemonSet: by hand":               "kstatus waits for somebody to delete Pods, and Argo never looks at one that is updated by hand",
}

// compare tests the verdicts on each moment, and returns a row for each history: what each rule says, one after the other.
func compare[O rollouts.Workload](t *testing.T, r rules[O]) string {
	t.Helper()
	histories, err := rollouts.Histories[O]()
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for _, history := range histories {
		said := make([][]healthcheck.Status, 5)
		name := r.kind + ": " + history[0].Story
		same := true
		for _, m := range history {
			created := noon.AddDate(-1, 0, 0)
			if strings.HasPrefix(m.Story, "created") {
				created = noon
			}
			m.Object.SetCreationTimestamp(metav1.NewTime(created))
			if d, isDeployment := any(m.Object).(*appsv1.Deployment); isDeployment {
				for i := range d.Status.Conditions {
					d.Status.Conditions[i].LastTransitionTime = metav1.NewTime(noon)
				}
			}
			for i, rule := range []checks.Rule[O]{r.rolledOut, r.available, r.stated, r.gardener, r.argos} {
				said[i] = append(said[i], now(rule(m.Object)).Status)
			}
			rolledOut, stated, argo := now(r.rolledOut(m.Object)), r.stated(m.Object).Status, r.argos(m.Object).Status
			if rolledOut.Status != no && (stated != rolledOut.Status || argo != rolledOut.Status) {
				if same = false; differs[name] == "" {
					t.Errorf("%s, %s: RolledOut says %+v, kstatus %s, and Argo %s", name, m.Act, rolledOut, stated, argo)
				}
			}
		}
		if same && differs[name] != "" {
			t.Errorf("%s: nothing differs although %s", name, differs[name])
		}
		if got := slices.Contains(said[0], no); got != slices.Contains(outages, name) {
			t.Errorf("%s: RolledOut raises an alarm: %t", name, got)
		}
		if got := slices.Contains(said[1], no); got != slices.Contains(shortages, name) {
			t.Errorf("%s: Available raises an alarm: %t", name, got)
		}
		rows.WriteString("| " + name)
		for _, statuses := range said {
			rows.WriteString(" | " + sequence(statuses))
		}
		rows.WriteString(" |\n")
	}
	return rows.String()
}

// sequence names what a rule says as often as that changes.
func sequence(statuses []healthcheck.Status) string {
	var words []string
	for _, s := range slices.Compact(statuses) {
		words = append(words, string(s))
	}
	return strings.Join(words, ", ")
}

// What follows are the rules of Argo CD's gitops-engine, in our words: True is its Healthy, False its Degraded, and Skipped its
// Suspended.

func argo(observed bool, verdict healthcheck.Status) healthcheck.Result {
	if !observed {
		verdict = yet
	}
	return healthcheck.Result{Status: verdict}
}

func argoDeployment(d *appsv1.Deployment) healthcheck.Result {
	s, verdict := d.Status, yes
	late := slices.ContainsFunc(s.Conditions, func(c appsv1.DeploymentCondition) bool {
		return c.Type == appsv1.DeploymentProgressing && c.Reason == "ProgressDeadlineExceeded"
	})
	switch {
	case d.Spec.Paused:
		return healthcheck.Result{Status: healthcheck.Skipped}
	case late:
		verdict = no
	case s.UpdatedReplicas < *d.Spec.Replicas, s.Replicas > s.UpdatedReplicas, s.AvailableReplicas < s.UpdatedReplicas:
		verdict = yet
	}
	return argo(d.Generation <= s.ObservedGeneration, verdict)
}

func argoStatefulSet(s *appsv1.StatefulSet) healthcheck.Result {
	verdict, rolling := yes, s.Spec.UpdateStrategy.RollingUpdate
	switch {
	case s.Status.ReadyReplicas < *s.Spec.Replicas:
		verdict = yet
	case s.Spec.UpdateStrategy.Type == appsv1.OnDeleteStatefulSetStrategyType:
	case rolling != nil && rolling.Partition != nil && s.Status.UpdatedReplicas < *s.Spec.Replicas-*rolling.Partition,
		rolling == nil && s.Status.UpdateRevision != s.Status.CurrentRevision:
		verdict = yet
	}
	return argo(s.Generation <= cmp.Or(s.Status.ObservedGeneration, -1), verdict)
}

func argoDaemonSet(d *appsv1.DaemonSet) healthcheck.Result {
	s, verdict := d.Status, yes
	if byHand := d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType; !byHand && min(s.UpdatedNumberScheduled, s.NumberAvailable) < s.DesiredNumberScheduled {
		verdict = yet
	}
	return argo(d.Generation <= s.ObservedGeneration, verdict)
}
