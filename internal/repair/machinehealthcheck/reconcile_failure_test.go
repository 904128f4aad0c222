package machinehealthcheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/expect"
)

var errRefused = apierrors.NewForbidden(schema.GroupResource{Resource: "machineremediations"}, "a", errors.New("a webhook says no"))

// refuseA returns a function for harness.refusing that is about the record of Machine a alone.
func refuseA(err error, applied bool) func(string) (error, bool) {
	return func(name string) (error, bool) {
		if !strings.HasPrefix(name, "a-") {
			return nil, false
		}
		return err, applied
	}
}

// TestAdoptionRefused: a MachineHealthCheck that nobody may change is retried, and its machines are repaired meanwhile.
func TestAdoptionRefused(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	w.sick(t, "a")
	mhc := w.check(t, build.MachineHealthCheckFunc(func(mhc *clusterv1.MachineHealthCheck) { mhc.Labels = nil }))
	w.restart(w.env.Intercept(t, interceptor.Funcs{
		Apply: func(context.Context, client.WithWatch, runtime.ApplyConfiguration, ...client.ApplyOption) error {
			return errRefused
		},
	}))
	if _, err := w.tryReconcile(t, mhc); !errors.Is(err, errRefused) {
		t.Errorf("got error %v", err)
	}
	w.wantAdmitted(t, "a: replace")
	if c := expect.Condition(t.Context(), t, w.env.Client, mhc, admission.ConditionRemediationAllowed); c.Status != metav1.ConditionTrue {
		t.Errorf("condition is %+v", c)
	}
}

// TestLostAnswer: a record that may have been created takes its slot until it is known.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	for _, applied := range []bool{true, false} {
		t.Run(fmt.Sprint("applied: ", applied), func(t *testing.T) {
			t.Parallel()
			w, mhc := budgetSite(t)
			annotate(t, w, mhc, mhcspec.MaxInFlightAnnotation, "1")
			w.restart(w.refusing(t, refuseA(context.DeadlineExceeded, applied)))
			w.reconcile(t, mhc)
			if applied {
				w.wantAdmitted(t, "a: replace")
			} else {
				w.wantAdmitted(t)
			}
			w.restart(w.env.Client)
			w.reconcile(t, mhc)
			w.wantAdmitted(t, "a: replace")
		})
	}
}

// metalCache is a cache with one host, which every machine runs on, unless hosts cannot be listed now.
type metalCache struct {
	client.Reader

	err error
}

func (c metalCache) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	list.(*metal3v1.BareMetalHostList).Items = []metal3v1.BareMetalHost{{ObjectMeta: metav1.ObjectMeta{Name: "rack2-u7", UID: "u7"}}}
	return c.err
}

func (metalCache) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return nil
}

// TestHostOfARecord: a record has the host of its machine, as the cache shows it. Without hosts, and before anybody reads them, it has none.
func TestHostOfARecord(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	a := w.sick(t, "a")
	mhc := w.check(t)
	w.Observer.Hosts = &machinehealth.Hosts{Client: metalCache{err: errBroken}}
	if err := w.Observer.Hosts.Appeared(t.Context(), metalCache{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.tryReconcile(t, mhc); !errors.Is(err, errBroken) {
		t.Errorf("error is %v, want that of the cache", err)
	}
	w.Observer.Hosts.Client = metalCache{}
	w.reconcile(t, mhc)
	if diff := cmp.Diff(&v1alpha1.RemediationReference{Name: "rack2-u7", UID: "u7"}, w.recordOf(t, a).Spec.HostRef); diff != "" {
		t.Errorf("host (-want +got):\n%s", diff)
	}
	w.Observer.Hosts = &machinehealth.Hosts{Client: metalCache{}}
	b := w.sick(t, "b")
	w.reconcile(t, mhc)
	if host := w.recordOf(t, b).Spec.HostRef; host != nil {
		t.Errorf("nobody reads hosts, and one is %v", host)
	}
}

// TestManyFailures: many that fail are one try each, and no more.
func TestManyFailures(t *testing.T) {
	t.Parallel()
	w := newHarness(t)
	for letter := range strings.SplitSeq("abcdefghijklmnopqrstuvwxyz", "") {
		w.sick(t, letter)
	}
	mhc := w.check(t, maxInFlight("3"))
	tries := 0
	w.restart(w.refusing(t, func(name string) (error, bool) {
		if name == "mhc" {
			return nil, false
		}
		tries++
		return errRefused, false
	}))
	w.reconcile(t, mhc)
	w.reconcile(t, mhc)
	if tries != 26 {
		t.Errorf("%d tries, want one for each of 26", tries)
	}
	w.wantAdmitted(t)
}

// TestMayBeWritten: only a refusal proves that nothing was written.
func TestMayBeWritten(t *testing.T) {
	t.Parallel()
	records, cause := schema.GroupResource{Resource: "machineremediations"}, errors.New("cause")
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"no permission":                 {errRefused, false},
		"an invalid object":             {apierrors.NewInvalid(schema.GroupKind{}, "a", nil), false},
		"its namespace is gone":         {apierrors.NewNotFound(records, "a"), false},
		"the name is taken":             {apierrors.NewAlreadyExists(records, "a"), false},
		"it has changed":                {apierrors.NewConflict(records, "a", cause), false},
		"too many requests":             {apierrors.NewTooManyRequestsError("later"), false},
		"no such verb":                  {apierrors.NewMethodNotSupported(records, "create"), false},
		"a malformed request":           {apierrors.NewBadRequest("no"), false},
		"who asks is unknown":           {apierrors.NewUnauthorized("no"), false},
		"the kind is not installed":     {&meta.NoKindMatchError{}, false},
		"the time is up":                {context.DeadlineExceeded, true},
		"the server's time is up":       {apierrors.NewServerTimeout(records, "create", 1), true},
		"etcd does not answer":          {apierrors.NewInternalError(cause), true},
		"a proxy's server is gone":      {apierrors.NewGenericServerResponse(502, "create", records, "a", "", 0, true), true},
		"the answer cannot be read":     {io.ErrUnexpectedEOF, true},
		"what this version cannot know": {cause, true},
	} {
		if got := mayBeWritten(fmt.Errorf("creating: %w", tt.err)); got != tt.want {
			t.Errorf("%s: it may be written: %t", name, got)
		}
	}
}
