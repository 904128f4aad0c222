package useractions

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// TestExplained: an error of the API server gets advice.
func TestExplained(t *testing.T) {
	err := Explained(&meta.NoKindMatchError{GroupKind: v1alpha1.GroupVersion.WithKind("MachineRemediation").GroupKind(), SearchedVersions: []string{"v1alpha1"}})
	want := `the kinds of Sickbay are not installed (sickbay crds | kubectl apply -f - installs them): no matches for kind "MachineRemediation" in version "sickbay.dev/v1alpha1"`
	if err == nil || err.Error() != want {
		t.Errorf("said %v, want %s", err, want)
	}
	if err := Explained(nil); err != nil {
		t.Error(err)
	}
}
