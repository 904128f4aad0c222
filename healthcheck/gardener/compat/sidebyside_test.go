package compat_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	theirs "github.com/gardener/gardener/extensions/pkg/controller/healthcheck"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"

	"github.com/sickbay-dev/sickbay/healthcheck/gardener"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// former is a condition type that both libraries must remove.
const former = gardencorev1beta1.ConditionType("Former")

// classes are the classes of all registrations.
var classes = []extensionsv1alpha1.ExtensionClass{extensionsv1alpha1.ExtensionClassShoot, extensionsv1alpha1.ExtensionClassSeed}

// registerOriginal registers Gardener's own library, in the variants with and without checks that need the shoot.
func registerOriginal(mgr ctrl.Manager, s *script, variant string) error {
	var checks []theirs.ConditionTypeToHealthCheck
	for slot := range slots {
		c := &scripted{s, slot}
		check := theirs.ConditionTypeToHealthCheck{
			ConditionType: string(everyNodeReady), HealthCheck: c, ErrorCodeCheckFunc: codes, PreCheckFunc: preCheckOf(c, variant),
		}
		if variant == needsShoot && slot == 0 {
			check.HealthCheck = &needy{*c}
		}
		checks = append(checks, check)
	}
	opts := theirs.DefaultAddArgs{Controller: controller.Options{MaxConcurrentReconciles: 5}, ExtensionClasses: classes}
	opts.HealthCheckConfig.SyncPeriod = metav1.Duration{Duration: period}
	return theirs.DefaultRegistration(original+variant, workerKind, newWorkers, newWorker, mgr, opts, nil, checks, sets.New(former))
}

// registerOurs registers the same with our library, in compatible mode.
func registerOurs(mgr ctrl.Manager, s *script, variant string) error {
	var checks []gardener.ConditionTypeToHealthCheck
	for slot := range slots {
		c := &scripted{s, slot}
		check := gardener.ConditionTypeToHealthCheck{
			ConditionType: string(everyNodeReady), HealthCheck: gardener.Of(func() *scripted { return c }), ErrorCodeCheckFunc: codes, PreCheckFunc: preCheckOf(c, variant),
		}
		if variant == needsShoot && slot == 0 {
			check.HealthCheck = gardener.Of(func() *needy { return &needy{*c} })
		}
		checks = append(checks, check)
	}
	opts := gardener.DefaultAddArgs{
		Controller: controller.Options{MaxConcurrentReconciles: 5}, ExtensionClasses: classes,
		// By default ours differs in one row of the tables; this option removes the difference.
		UnknownPasses: true,
	}
	opts.HealthCheckConfig.SyncPeriod = metav1.Duration{Duration: period}
	return gardener.DefaultRegistration(ours+variant, workerKind, newWorkers, newWorker, mgr, opts, nil, checks, sets.New(former))
}

// preCheckOf returns the pre-check of a variant.
func preCheckOf(c *scripted, variant string) gardener.PreCheckFunc {
	if variant == preChecked {
		return c.wanted
	}
	return nil
}

// The variants of the registration.
const (
	plain      = ""
	preChecked = "-prechecked"
	needsShoot = "-needs-shoot"
)

// TestSideBySide runs both libraries on the objects of all rows.
func TestSideBySide(t *testing.T) {
	e, s := env.Get(t), &script{answers: map[string][]answer{}}
	start = time.Now().Add(-5 * time.Second)
	all := rows()
	for i := range all {
		all[i].prepare(t, e, s)
	}
	e.Manager(t, env.ManagerOptions{Setup: func(mgr ctrl.Manager) error {
		for _, variant := range []string{plain, preChecked, needsShoot} {
			if err := registerOriginal(mgr, s, variant); err != nil {
				return err
			}
			if err := registerOurs(mgr, s, variant); err != nil {
				return err
			}
		}
		return nil
	}})
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) {
			g := NewWithT(t)
			look := func(library string) func() []condition {
				return func() []condition { return r.stored(t, e, library) }
			}
			if r.want == "" {
				// Both should do nothing, which is certain once both have done the other rows.
				g.Consistently(look(ours), time.Second).Should(Equal(r.before))
				g.Expect(look(original)()).To(Equal(r.before))
				return
			}
			g.Eventually(look(original), patience).Should(ContainElement(HaveField("Status", r.want)), "the original library says what we know of it")
			if r.want == statusOf(r.old) {
				g.Eventually(look(original), patience).ShouldNot(Equal(r.before))
			}
			theirs := look(original)()
			g.Eventually(func() string { return cmp.Diff(theirs, look(ours)()) }, patience).Should(BeEmpty(), "what theirs has, and ours has not")
		})
	}
}

func statusOf(c *gardencorev1beta1.Condition) gardencorev1beta1.ConditionStatus {
	if c == nil {
		return ""
	}
	return c.Status
}

// condition is what both must agree on. Of times it only has whether they are new.
type condition struct {
	Type          gardencorev1beta1.ConditionType
	Status        gardencorev1beta1.ConditionStatus
	Reason        string
	Message       string
	Codes         []gardencorev1beta1.ErrorCode
	Since, Update bool
}

// stored returns the stored conditions of one library.
func (r *row) stored(t *testing.T, e *env.Env, library string) []condition {
	t.Helper()
	worker := &extensionsv1alpha1.Worker{}
	must(t, e.Client.Get(t.Context(), client.ObjectKey{Namespace: r.namespace, Name: library}, worker))
	return conditionsOf(worker)
}

func conditionsOf(worker *extensionsv1alpha1.Worker) []condition {
	conditions := []condition{}
	for _, c := range worker.Status.Conditions {
		slices.Sort(c.Codes)
		conditions = append(conditions, condition{
			Type: c.Type, Status: c.Status, Reason: c.Reason, Message: inOrder(c.Message), Codes: slices.Compact(c.Codes),
			Since: c.LastTransitionTime.After(start), Update: c.LastUpdateTime.After(start),
		})
	}
	return conditions
}

// start is before all writes of the test, and after all earlier times. The API server may take long to start, so it is
// not the start of the process.
var start time.Time

var (
	number      = regexp.MustCompile(`\d+\) `)
	enumeration = regexp.MustCompile(`(?:\d+\) [^.]*\. ?)+`)
)

// inOrder sorts the enumerated texts, and keeps what is before and after: the order of the original library is random.
func inOrder(message string) string {
	return enumeration.ReplaceAllStringFunc(message, func(list string) string {
		items := number.Split(list, -1)[1:]
		for i := range items {
			items[i] = strings.TrimSpace(items[i])
		}
		slices.Sort(items)
		return strings.Join(items, " | ") + " "
	})
}

func TestInOrder(t *testing.T) {
	for message, want := range map[string]string{
		"all is well.": "all is well.",
		"Unable to execute checks: 1) no route. 2) no name. Failed check: bad.": "Unable to execute checks: no name. | no route. Failed check: bad.",
		"Unable to execute checks: 1) no name. 2) no route. Failed check: bad.": "Unable to execute checks: no name. | no route. Failed check: bad.",
		"Failed checks: 1) worse. 2) bad. Unable: 1) b. 2) a.":                  "Failed checks: bad. | worse. Unable: a. | b. ",
	} {
		if got := inOrder(message); got != want {
			t.Errorf("%q becomes %q, want %q", message, got, want)
		}
	}
}
