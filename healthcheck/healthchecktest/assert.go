package healthchecktest

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// repeats is how often Stable runs a check again. A random order of two items goes unnoticed
// only once in a million tests.
const repeats = 20

// Sound makes all assertions of this package about one check and one input.
func Sound[T client.Object](t TB, check healthcheck.NamedCheck[T], in healthcheck.Input[T]) {
	t.Helper()
	sound(t, check, in, metav1Words)
}

// metav1Words returns a condition as a metav1.Condition is stored.
var metav1Words = healthcheck.Metav1Store[healthcheck.Metav1Object]{}.Normalize

// sound is Sound for conditions that are stored as normalize returns them.
func sound[T client.Object](t TB, check healthcheck.NamedCheck[T], in healthcheck.Input[T], normalize func(healthcheck.Condition) healthcheck.Condition) {
	t.Helper()
	Stable(t, check, in)
	Harmless(t, check, in)
	storable(t, check, in, normalize)
	EndsInFalse(t, check, in)
	SurvivesEmpty(t, check, in)
}

// Storable fails the test if an API server would refuse the words of a check's result in a
// metav1.Condition, so that the engine has to change them: a reason, or Overdue, that is no
// word, empty or too long, and a message that is too long or not UTF-8.
func Storable[T client.Object](t TB, check healthcheck.NamedCheck[T], in healthcheck.Input[T]) {
	t.Helper()
	storable(t, check, in, metav1Words)
}

func storable[T client.Object](t TB, check healthcheck.NamedCheck[T], in healthcheck.Input[T], normalize func(healthcheck.Condition) healthcheck.Condition) {
	t.Helper()
	got := ask(check, in)
	if got.broken != "" || got.err != nil || got.result.Status == healthcheck.Skipped {
		return
	}
	for _, reason := range []string{got.result.Reason, cmp.Or(got.result.Overdue, healthcheck.ReasonDeadlineExceeded)} {
		c := healthcheck.Condition{Type: "Sound", Status: got.result.Status, Reason: reason, Message: got.result.Message}
		stored := normalize(c)
		if stored.Reason != reason {
			t.Errorf("check %s gives the reason %q, which would be stored as %q", check.Name, clipped(reason), clipped(stored.Reason))
		}
		if stored.Message != c.Message && c.Message != "" {
			t.Errorf("check %s gives a message of %d bytes, of which would be stored: %q", check.Name, len(c.Message), clipped(stored.Message))
			return
		}
	}
}

// clipped cuts a text to what fits into the output of a test.
func clipped(text string) string { return text[:min(len(text), 60)] }

// Stable fails the test if a check answers differently when it runs again on the same
// object: with another status, reason, message, codes, cause or error. A second later the
// verdict may change, but not the words for the same verdict. Otherwise the engine would
// write and report the condition again and again.
func Stable[T client.Object](t TB, check healthcheck.NamedCheck[T], in healthcheck.Input[T]) {
	t.Helper()
	first := ask(check, in)
	if first.broken != "" {
		t.Errorf("check %s %s", check.Name, first.broken)
		return
	}
	for range repeats {
		if again := ask(check, in); again.said() != first.said() {
			t.Errorf("check %s gives different answers for the same object:\n%s\n%s", check.Name, first.said(), again.said())
			return
		}
	}
	in.Now = in.Now.Add(time.Second)
	later := ask(check, in)
	if later.result.Status == first.result.Status && later.result.Reason == first.result.Reason && later.said() != first.said() {
		t.Errorf("check %s uses other words for the same result a second later:\n%s\n%s", check.Name, first.said(), later.said())
	}
}

// Harmless fails the test if a check changes its object, or the parent in its Env. Both come
// from a cache, which others read at the same time.
func Harmless[T client.Object](t TB, check healthcheck.NamedCheck[T], in healthcheck.Input[T]) {
	t.Helper()
	object, parent := copyOf(in.Object), copyOf(in.Env.Parent)
	ask(check, in)
	if !reflect.DeepEqual(object, client.Object(in.Object)) {
		t.Errorf("check %s changes its object:\n%+v\n%+v", check.Name, object, in.Object)
	}
	if !reflect.DeepEqual(parent, in.Env.Parent) {
		t.Errorf("check %s changes the parent:\n%+v\n%+v", check.Name, parent, in.Env.Parent)
	}
}

func copyOf(obj client.Object) client.Object {
	if obj == nil {
		return nil
	}
	return obj.DeepCopyObject().(client.Object)
}

// maxStages is how many deadlines in a row a check may give.
const maxStages = 16

// EndsInFalse fails the test if a check would be Progressing for ever although nothing
// happens: without a deadline, with one that moves along with the time, or with another
// Cause each time. It goes from deadline to deadline; several are allowed. A check that is
// not Progressing passes.
func EndsInFalse[T client.Object](t TB, check healthcheck.NamedCheck[T], in healthcheck.Input[T]) {
	t.Helper()
	clocks := map[string]time.Time{}
	for stage := range maxStages {
		got := ask(check, in)
		if stage > 0 && got.result.Status != healthcheck.Progressing && got.result.Status != healthcheck.False {
			t.Errorf("check %s is not False at its deadline %s: %s", check.Name, in.Now, got.said())
		}
		if got.broken != "" || got.err != nil || got.result.Status != healthcheck.Progressing {
			return
		}
		deadline := got.deadline(clocks, in.Now)
		if deadline.IsZero() {
			t.Errorf("check %s says Progressing with neither Deadline nor Within: %s", check.Name, got.said())
		}
		if !deadline.After(in.Now) {
			return // The engine makes it False.
		}
		in.Current = got.stored(in.Current, in.Now)
		in.Now = deadline
	}
	t.Errorf("check %s would be Progressing for ever: at %s, after %d deadlines, it returns another one", check.Name, in.Now, maxStages)
}

// SurvivesEmpty fails the test if a check panics or returns an undefined status, given an
// empty object and empty clusters.
func SurvivesEmpty[T client.Object](t TB, check healthcheck.NamedCheck[T], in healthcheck.Input[T]) {
	t.Helper()
	in.Object = reflect.New(reflect.TypeOf(in.Object).Elem()).Interface().(T)
	in.Env.Source, in.Env.Target, in.Current = empty{}, empty{}, nil
	if got := ask(check, in); got.broken != "" {
		t.Errorf("check %s of an empty object %s", check.Name, got.broken)
	}
}

// empty is the client of an empty cluster.
type empty struct{}

// Get implements client.Reader.
func (empty) Get(_ context.Context, key client.ObjectKey, _ client.Object, _ ...client.GetOption) error {
	return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// List implements client.Reader.
func (empty) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// answer is what a check returned.
type answer struct {
	result healthcheck.Result
	err    error
	// broken says why the answer is useless; it is empty if it is not.
	broken string
}

// ask runs a check as the engine does: Env contains only what the check declared.
func ask[T client.Object](check healthcheck.NamedCheck[T], in healthcheck.Input[T]) (got answer) {
	env := healthcheck.Env{}
	if check.Needs&healthcheck.NeedsSource != 0 {
		env.Source = in.Env.Source
	}
	if check.Needs&healthcheck.NeedsTarget != 0 {
		env.Target = in.Env.Target
	}
	if check.Needs&healthcheck.NeedsParent != 0 {
		env.Parent = in.Env.Parent
	}
	in.Env = env
	ctx, cancel := context.WithTimeout(context.Background(), healthcheck.DefaultCheckTimeout)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			got.broken = fmt.Sprintf("panics: %v", cause)
		}
	}()
	got.result, got.err = check.Check.Check(ctx, in)
	if got.err == nil && !got.result.Status.Valid() {
		got.broken = fmt.Sprintf("returns the undefined status %q", got.result.Status)
	}
	return got
}

// said returns the words of an answer.
func (a answer) said() string {
	if a.err != nil {
		return "error: " + a.err.Error()
	}
	codes := slices.Sorted(slices.Values(a.result.Codes))
	return fmt.Sprintf("%s %s %q, codes %q, cause %q", a.result.Status, a.result.Reason, a.result.Message, codes, a.result.Cause)
}

// deadline returns the deadline of a Progressing result, by the clocks of the causes so far.
func (a answer) deadline(clocks map[string]time.Time, now time.Time) time.Time {
	if !a.result.Deadline.IsZero() || a.result.Within <= 0 {
		return a.result.Deadline
	}
	cause := cmp.Or(a.result.Cause, a.result.Reason)
	if _, known := clocks[cause]; !known {
		clocks[cause] = now
	}
	return clocks[cause].Add(a.result.Within)
}

// stored returns the condition as the check finds it in its next run.
func (a answer) stored(current *healthcheck.Condition, now time.Time) *healthcheck.Condition {
	c := healthcheck.Condition{
		Status: a.result.Status, Reason: a.result.Reason, Message: a.result.Message, Codes: a.result.Codes, LastTransitionTime: now,
	}
	if current != nil {
		c.Type, c.ObservedGeneration = current.Type, current.ObservedGeneration
		if current.Status == c.Status {
			c.LastTransitionTime = current.LastTransitionTime
		}
	}
	return &c
}
