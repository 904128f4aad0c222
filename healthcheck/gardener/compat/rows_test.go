package compat_test

import (
	"testing"
	"time"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	v1beta1constants "github.com/gardener/gardener/pkg/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// row is one situation in which the libraries are compared.
type row struct {
	name    string
	variant string
	answers []answer
	// old is the existing condition.
	old *gardencorev1beta1.Condition
	// change makes another change to the object.
	change     func(*extensionsv1alpha1.Worker)
	hibernated bool
	// want is the status that the original library returns; empty if it does nothing.
	want gardencorev1beta1.ConditionStatus

	namespace string
	before    []condition
}

const (
	statusTrue        = gardencorev1beta1.ConditionTrue
	statusFalse       = gardencorev1beta1.ConditionFalse
	statusUnknown     = gardencorev1beta1.ConditionUnknown
	statusProgressing = gardencorev1beta1.ConditionProgressing

	// threshold is far longer than preparing all rows takes, so that a progress within it is still within it when
	// it is judged.
	threshold = 20 * time.Minute
)

var (
	passes     = answer{status: statusTrue, codes: []gardencorev1beta1.ErrorCode{gardencorev1beta1.ErrorConfigurationProblem}}
	bad        = answer{status: statusFalse, detail: "bad", codes: []gardencorev1beta1.ErrorCode{gardencorev1beta1.ErrorInfraUnauthorized}}
	worse      = answer{status: statusFalse, detail: "worse."}
	overQuota  = answer{status: statusFalse, detail: "over quota"}
	rolling    = answer{status: statusProgressing, detail: "rolling", threshold: threshold, codes: []gardencorev1beta1.ErrorCode{gardencorev1beta1.ErrorInfraDependencies}}
	scaling    = answer{status: statusProgressing, detail: "scaling", threshold: time.Hour}
	unlimited  = answer{status: statusProgressing, detail: "rolling"}
	noRoute    = answer{err: "no route"}
	noName     = answer{err: "no name."}
	cannotTell = answer{status: statusUnknown, detail: "who knows"}
	saysNot    = answer{}
)

// old returns a condition of the given age.
func old(status gardencorev1beta1.ConditionStatus, age time.Duration) *gardencorev1beta1.Condition {
	since := metav1.NewTime(time.Now().Add(-age))
	return &gardencorev1beta1.Condition{
		Type: everyNodeReady, Status: status, Reason: "Old", Message: "old", Codes: []gardencorev1beta1.ErrorCode{gardencorev1beta1.ErrorInfraQuotaExceeded},
		LastTransitionTime: since, LastUpdateTime: since,
	}
}

func rows() []row {
	return append(append(mergeRows(), progressRows()...), lifeRows()...)
}

func mergeRows() []row {
	return []row{
		{name: "all pass", answers: []answer{passes, passes}, want: statusTrue},
		{name: "all pass, which they did not", answers: []answer{passes}, old: old(statusFalse, time.Hour), want: statusTrue},
		{name: "Unknown", answers: []answer{cannotTell}, want: statusTrue},
		{name: "no status", answers: []answer{saysNot}, want: statusTrue},
		{name: "one error", answers: []answer{noRoute}, want: statusUnknown},
		{name: "two errors", answers: []answer{noRoute, noName}, want: statusUnknown},
		{name: "an error and a failure", answers: []answer{bad, noRoute}, want: statusUnknown},
		{name: "an error and progress", answers: []answer{rolling, noRoute}, want: statusUnknown},
		{name: "error, failure, progress", answers: []answer{rolling, noRoute, bad}, want: statusUnknown},
		{name: "two errors and a failure", answers: []answer{noName, bad, noRoute}, want: statusUnknown},
		{name: "one failure", answers: []answer{bad}, want: statusFalse},
		{name: "one failure, which was one", answers: []answer{bad}, old: old(statusFalse, time.Hour), want: statusFalse},
		{name: "two failures", answers: []answer{bad, worse}, want: statusFalse},
		{name: "a code by words", answers: []answer{overQuota}, want: statusFalse},
		{name: "failure and progress", answers: []answer{rolling, bad}, want: statusFalse},
		{name: "two failures and progress", answers: []answer{rolling, bad, worse}, want: statusFalse},
		{name: "failure and two that progress", answers: []answer{rolling, bad, scaling}, want: statusFalse},
		{name: "progress", answers: []answer{rolling}, want: statusProgressing},
		{name: "two that progress", answers: []answer{rolling, scaling}, want: statusProgressing},
	}
}

func progressRows() []row {
	short, long := threshold/2, threshold+threshold/2
	return []row{
		{name: "True, new", answers: []answer{rolling}, old: old(statusTrue, 10*time.Second), want: statusProgressing},
		{name: "True, old", answers: []answer{rolling}, old: old(statusTrue, time.Hour), want: statusProgressing},
		{name: "Progressing, in time", answers: []answer{rolling}, old: old(statusProgressing, short), want: statusProgressing},
		{name: "Progressing, too long", answers: []answer{rolling}, old: old(statusProgressing, long), want: statusFalse},
		{name: "Unknown, in time", answers: []answer{rolling}, old: old(statusUnknown, short), want: statusProgressing},
		{name: "Unknown, too long", answers: []answer{rolling}, old: old(statusUnknown, long), want: statusFalse},
		{name: "False, new", answers: []answer{rolling}, old: old(statusFalse, short), want: statusFalse},
		{name: "False, old", answers: []answer{rolling}, old: old(statusFalse, time.Hour), want: statusFalse},
		{name: "no threshold", answers: []answer{unlimited}, want: statusFalse},
		{name: "no threshold, True", answers: []answer{unlimited}, old: old(statusTrue, time.Hour), want: statusFalse},
		{name: "the smallest threshold, too long", answers: []answer{scaling, rolling}, old: old(statusProgressing, long), want: statusFalse},
		{name: "the only threshold", answers: []answer{scaling, unlimited}, old: old(statusProgressing, long), want: statusProgressing},
	}
}

func lifeRows() []row {
	class := func(class extensionsv1alpha1.ExtensionClass) func(*extensionsv1alpha1.Worker) {
		return func(w *extensionsv1alpha1.Worker) { w.Spec.Class = &class }
	}
	return []row{
		{name: "hibernated", answers: []answer{bad}, hibernated: true, want: statusTrue},
		{name: "hibernated, False before", answers: []answer{bad}, old: old(statusFalse, time.Hour), hibernated: true, want: statusTrue},
		{name: "no shoot at all", answers: []answer{bad}, change: class(extensionsv1alpha1.ExtensionClassSeed), hibernated: true, want: statusFalse},
		{name: "another class", answers: []answer{bad}, change: class(extensionsv1alpha1.ExtensionClassGarden)},
		{name: "asked to migrate", answers: []answer{bad}, old: old(statusTrue, time.Hour), change: func(w *extensionsv1alpha1.Worker) {
			w.Annotations = map[string]string{v1beta1constants.GardenerOperation: v1beta1constants.GardenerOperationMigrate}
		}},
		{name: "migrating", answers: []answer{bad}, old: old(statusTrue, time.Hour), change: func(w *extensionsv1alpha1.Worker) {
			w.Status.LastOperation = &gardencorev1beta1.LastOperation{
				Type: gardencorev1beta1.LastOperationTypeMigrate, State: gardencorev1beta1.LastOperationStateProcessing, LastUpdateTime: metav1.Now(),
			}
		}},
		{name: "deleted", answers: []answer{bad}, old: old(statusTrue, time.Hour), change: func(w *extensionsv1alpha1.Worker) {
			w.Finalizers = []string{"test.sickbay.dev/stays"}
		}},
		{name: "former and foreign conditions", answers: []answer{bad}, change: func(w *extensionsv1alpha1.Worker) {
			for _, conditionType := range []gardencorev1beta1.ConditionType{"Foreign", former, "Another"} {
				c := *old(statusTrue, time.Hour)
				c.Type = conditionType
				w.Status.Conditions = append(w.Status.Conditions, c)
			}
		}, want: statusFalse},
		{name: "a pre-check says no", variant: preChecked, answers: []answer{{unwanted: true, err: "no route"}}, want: statusTrue},
		{name: "a pre-check says yes", variant: preChecked, answers: []answer{bad}, want: statusFalse},
		{name: "the shoot has no Secret", variant: needsShoot, answers: []answer{passes, bad}, want: statusUnknown},
	}
}

// prepare creates the objects, one for each library, before any library checks.
func (r *row) prepare(t *testing.T, e *env.Env, s *script) {
	t.Helper()
	r.namespace = e.Namespace(t)
	s.answers[r.namespace] = r.answers
	newCluster(t, e, r.namespace, r.hibernated)
	for _, library := range []string{original, ours} {
		worker := workerOf(r.namespace, library, r.variant)
		if r.old != nil {
			worker.Status.Conditions = []gardencorev1beta1.Condition{*r.old}
		}
		if r.change != nil {
			r.change(worker)
		}
		status := worker.Status
		must(t, e.Client.Create(t.Context(), worker))
		worker.Status = status
		must(t, e.Client.Status().Update(t.Context(), worker))
		if len(worker.Finalizers) > 0 {
			must(t, e.Client.Delete(t.Context(), worker))
		}
		r.before = conditionsOf(worker)
	}
}
