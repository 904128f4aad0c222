package ownwrites_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// FuzzWrote: whatever the managed fields contain, a field owner that wrote nothing of a condition does not
// count as its writer.
func FuzzWrote(f *testing.F) {
	f.Add([]byte(`{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{}}}}`), "Ready")
	f.Add([]byte(`{"f:status":{"f:conditions":[]}}`), "f:status")
	f.Add([]byte(`null`), "")
	f.Add([]byte(`{"f:status":`), "\xff")
	f.Fuzz(func(t *testing.T, raw []byte, conditionType string) {
		node := &corev1.Node{}
		fields := &metav1.FieldsV1{}
		fields.SetRawBytes(raw)
		node.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "us", FieldsV1: fields}}
		ownwrites.Wrote(node, conditionType, "us")
		if ownwrites.Wrote(node, conditionType, "others") {
			t.Errorf("others wrote %q by %q", conditionType, raw)
		}
	})
}
