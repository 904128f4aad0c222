package healthcheck

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestPanicsBesideChecks: the other functions of a registration run in our goroutines, where a panic would end the
// process.
func TestPanicsBesideChecks(t *testing.T) {
	bad := CheckFunc[string](func(context.Context, Input[string]) (Result, error) {
		return Result{Status: False, Reason: "Bad", Message: "it is bad"}, nil
	})
	tests := map[string]struct {
		change func(*ConditionChecks[string])
		want   Result
		err    string
	}{
		"summary": {
			func(c *ConditionChecks[string]) { c.Summary = func([]NamedResult, Result) string { panic("oh dear") } },
			Result{Status: Unknown, Reason: ReasonCheckPanicked, Message: "making condition Ready panicked: oh dear"}, "making condition Ready panicked: oh dear",
		},
		"conclude": {
			func(c *ConditionChecks[string]) { c.Conclude = func(Findings) Result { panic("oh dear") } },
			Result{Status: Unknown, Reason: ReasonCheckPanicked, Message: "making condition Ready panicked: oh dear"}, "making condition Ready panicked: oh dear",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			conditions := only(bad)
			tt.change(&conditions)
			out := bare(time.Minute).checkCondition(t.Context(), conditions, nil)
			if out.result.Status != tt.want.Status || out.result.Reason != tt.want.Reason || out.result.Message != tt.want.Message {
				t.Errorf("got %+v, want %+v", out.result, tt.want)
			}
			if out.err == nil || out.err.Error() != tt.err {
				t.Errorf("the error to try again by is %v, want %q", out.err, tt.err)
			}
		})
	}
}

// TestSharedNeeds: the first caller meets a need for all, so all must get the same answer, even a failure. A parent
// that could not be read must not look like a missing one.
func TestSharedNeeds(t *testing.T) {
	tests := map[string]struct {
		target func(context.Context) (client.Reader, error)
		want   string
	}{
		"a panic": {
			func(context.Context) (client.Reader, error) { panic("oh dear") },
			"check a panicked: oh dear; check b panicked: oh dear",
		},
		"a timeout": {
			func(ctx context.Context) (client.Reader, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},
			"check a did not answer within 3s; check b did not answer within 3s",
		},
		"a timeout that is called by another name": {
			func(ctx context.Context) (client.Reader, error) {
				<-ctx.Done()
				return nil, errors.New("port 43561 does not answer")
			},
			"check a did not answer within 3s; check b did not answer within 3s",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &Reconciler[*corev1.Pod]{Registration: Registration[*corev1.Pod]{
					CheckTimeout: 3 * time.Second,
					Targets:      TargetsFunc[*corev1.Pod](func(ctx context.Context, _ *corev1.Pod) (client.Reader, error) { return tt.target(ctx) }),
				}}
				fine := CheckFunc[*corev1.Pod](func(context.Context, Input[*corev1.Pod]) (Result, error) {
					return Result{Status: True, Reason: "Fine"}, nil
				})
				conditions := ConditionChecks[*corev1.Pod]{Type: "Ready", Checks: []NamedCheck[*corev1.Pod]{
					{Name: "a", Check: fine, Needs: NeedsTarget}, {Name: "b", Check: fine, Needs: NeedsTarget},
				}}
				// The second check runs later, so that it has time left when the first has none.
				slots := make(chan struct{}, 1)
				out := run[*corev1.Pod]{timeout: 3 * time.Second, around: r.surround(&corev1.Pod{}, &r.hung), poll: r.poll, slots: slots}.checkCondition(t.Context(), conditions, nil)
				if out.result.Message != tt.want {
					t.Errorf("got %+v, want %q", out.result, tt.want)
				}
			})
		})
	}
}
