package healthcheck_test

import (
	"errors"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// TestTerminalErrorOfACheck: after a terminal error the queue would never retry, and the other conditions would not
// be checked either.
func TestTerminalErrorOfACheck(t *testing.T) {
	f := inMemory(t, condition("Probed", says(healthcheck.Result{}, reconcile.TerminalError(errors.New("it is not worth it")))))
	_, err := f.Reconcile(t.Context(), f.request())
	if err == nil || errors.Is(err, reconcile.TerminalError(nil)) {
		t.Errorf("error is %v, of which the queue would not try again", err)
	}
	if got := f.kept()["Probed"]; got != healthcheck.Unknown {
		t.Errorf("it is %q", got)
	}
}
