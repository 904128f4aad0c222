package cycle

import (
	"maps"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

const referenceFile = "../../../docs/reference.md"

// TestReferenceLeftOut renders what is not put back on a Node, because a new one gets it by itself, or must not have it.
func TestReferenceLeftOut(t *testing.T) {
	labels := []string{
		corev1.LabelHostname, corev1.LabelOSStable, corev1.LabelArchStable, corev1.LabelWindowsBuild, "beta.kubernetes.io/os", "beta.kubernetes.io/arch",
	}
	for _, label := range labels {
		if kept := lastingLabels(map[string]string{label: ""}); len(kept) > 0 {
			t.Errorf("the label %s is kept", label)
		}
	}
	annotations := append(slices.Sorted(maps.Keys(maintainedAnnotations)), ovnPrefix+"...")
	taints := append(slices.Sorted(maps.Keys(transientTaints)), "..."+notReadySuffix)
	table := [][]string{{"of the Node", "left out"}}
	for _, row := range []struct {
		of    string
		names []string
	}{{"labels", labels}, {"annotations", annotations}, {"taints", taints}} {
		table = append(table, []string{row.of, docs.Code(strings.Join(row.names, "`, `"))})
	}
	docs.Section(t, referenceFile, "reboot left out", docs.Table(table...))
}
