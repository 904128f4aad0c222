package fleet

import (
	"context"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// failing is an API server that answers with an error.
type failing struct {
	client.Reader
	err error
}

func (f failing) List(context.Context, client.ObjectList, ...client.ListOption) error { return f.err }

// TestManagerUnknown: a person who may not read the lease learns that. If the API server does not answer, the look fails, since the caches
// may be stale.
func TestManagerUnknown(t *testing.T) {
	observer := func(err error) *Observer {
		return &Observer{Live: failing{err: err}, AskManagers: true, Clock: clocktesting.NewFakePassiveClock(build.Epoch)}
	}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "leases"}, "sickbay-manager", errors.New("no"))
	if m, err := observer(forbidden).manager(t.Context(), ""); err != nil || m.Unknown != "you may not read its lease" {
		t.Errorf("it is %+v, %v", m, err)
	}
	alone := observer(forbidden)
	alone.Alone = "host-1"
	if m, err := alone.manager(t.Context(), ""); err != nil || m.Name != "host-1" {
		t.Errorf("alone it is %+v, %v", m, err)
	}
	alone.Live = failing{err: errors.New("connection refused")}
	if m, err := alone.manager(t.Context(), ""); err == nil {
		t.Errorf("alone, and without an answer, it is %+v", m)
	}
	_, err := observer(errors.New("connection refused")).Look(t.Context(), "")
	if err == nil || !strings.Contains(err.Error(), "asking the API server who leads: connection refused") {
		t.Errorf("the look ends with %v", err)
	}
}
