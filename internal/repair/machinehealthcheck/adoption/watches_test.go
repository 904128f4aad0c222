package adoption

import (
	"context"
	"errors"
	"testing"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// refusing is a manager whose reads past the cache fail.
type refusing struct {
	ctrl.Manager
	reader client.Reader
}

func (m refusing) GetAPIReader() client.Reader { return m.reader }
func (refusing) GetLogger() logr.Logger        { return logr.Discard() }

// TestNamespacesThatCannotBeRead: only without the right to read namespaces do their labels not count. An API server that does not answer says
// nothing about rights, and the labels must not be ignored until the next start.
func TestNamespacesThatCannotBeRead(t *testing.T) {
	for name, tt := range map[string]struct {
		refusal  error
		may, err bool
	}{
		"they can be read":  {nil, true, false},
		"no right":          {apierrors.NewForbidden(schema.GroupResource{Resource: "namespaces"}, "", nil), false, false},
		"no answer in time": {apierrors.NewTimeoutError("busy", 1), false, true},
		"no connection":     {errors.New("connection refused"), false, true},
	} {
		reader := env.Get(t).Intercept(t, interceptor.Funcs{
			List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
				return tt.refusal
			},
		})
		if may, err := mayRead(t.Context(), refusing{reader: reader}); may != tt.may || (err != nil) != tt.err {
			t.Errorf("%s: may read: %t, error %v", name, may, err)
		}
	}
}
