package cycle

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// MissingParts are what to put back on a Node.
type MissingParts struct {
	Labels, Annotations map[string]string
	Taints              []corev1.Taint
	Cordon              bool
	ProviderID          string
}

// Any reports whether anything is missing.
func (m MissingParts) Any() bool {
	return len(m.Labels)+len(m.Annotations)+len(m.Taints) > 0 || m.Cordon || m.ProviderID != ""
}

// String names the parts, for people.
func (m MissingParts) String() string {
	var names []string
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		names = append(names, "label "+key)
	}
	for _, key := range slices.Sorted(maps.Keys(m.Annotations)) {
		names = append(names, "annotation "+key)
	}
	for _, taint := range m.Taints {
		names = append(names, "taint "+taint.Key+":"+string(taint.Effect))
	}
	if m.Cordon {
		names = append(names, "cordon")
	}
	if m.ProviderID != "" {
		names = append(names, "provider ID")
	}
	return strings.Join(names, ", ")
}

// Each returns the same parts one by one.
func (m MissingParts) Each() []MissingParts {
	var parts []MissingParts
	for _, key := range slices.Sorted(maps.Keys(m.Labels)) {
		parts = append(parts, MissingParts{Labels: map[string]string{key: m.Labels[key]}})
	}
	for _, key := range slices.Sorted(maps.Keys(m.Annotations)) {
		parts = append(parts, MissingParts{Annotations: map[string]string{key: m.Annotations[key]}})
	}
	for _, taint := range m.Taints {
		parts = append(parts, MissingParts{Taints: []corev1.Taint{taint}})
	}
	if m.Cordon {
		parts = append(parts, MissingParts{Cordon: true})
	}
	if m.ProviderID != "" {
		parts = append(parts, MissingParts{ProviderID: m.ProviderID})
	}
	return parts
}

// Missing returns what a backup has and a Node lacks. What the Node has is newer, and is never
// overwritten.
func Missing(backup *v1alpha1.NodeBackup, node *corev1.Node) MissingParts {
	var providerID string
	if node.Spec.ProviderID == "" {
		providerID = backup.ProviderID
	}
	return MissingParts{
		ProviderID:  providerID,
		Labels:      absent(backup.Labels, node.Labels),
		Annotations: absent(backup.Annotations, node.Annotations),
		Taints:      missingTaints(backup.Taints, node.Spec.Taints),
		Cordon:      backup.Unschedulable && !node.Spec.Unschedulable,
	}
}

func absent(wanted, present map[string]string) map[string]string {
	missing := map[string]string{}
	for key, value := range wanted {
		if _, ok := present[key]; !ok {
			missing[key] = value
		}
	}
	return missing
}

// missingTaints returns the taints in wanted that are not in present, by key and effect.
func missingTaints(wanted, present []corev1.Taint) []corev1.Taint {
	var missing []corev1.Taint
	for _, w := range wanted {
		found := false
		for _, p := range present {
			found = found || p.Key == w.Key && p.Effect == w.Effect
		}
		if !found {
			missing = append(missing, w)
		}
	}
	return missing
}
