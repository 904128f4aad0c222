package v1alpha1_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

func TestMain(m *testing.M) {
	env.Main(m, env.WithScheme(v1alpha1.AddToScheme), env.WithCRDFiles("config/crd/*.yaml"))
}

// remediation returns a RebootRemediation with some settings, without storing it.
func remediation(namespace, name string, settings v1alpha1.RebootSettings) *v1alpha1.RebootRemediation {
	return &v1alpha1.RebootRemediation{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       v1alpha1.RebootRemediationSpec{RebootSettings: settings},
	}
}

// stored returns the RebootRemediation as the API server stores it.
func stored(t *testing.T, c client.Client, of *v1alpha1.RebootRemediation) *v1alpha1.RebootRemediation {
	t.Helper()
	got := &v1alpha1.RebootRemediation{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(of), got); err != nil {
		t.Fatal(err)
	}
	return got
}
