package bundle

import (
	"testing"

	"github.com/sickbay-dev/sickbay/internal/app"
)

// FuzzBundle: any file is read, replayed and redacted, or refused; nothing panics.
func FuzzBundle(f *testing.F) {
	for _, text := range []string{
		"", "apiVersion: bundle.sickbay.dev/v1\nkind: Bundle\n", "apiVersion: bundle.sickbay.dev/v1\nkind: Bundle\nasked: {name: m}\nat: 2026-11-23T00:00:00Z\n",
		"apiVersion: bundle.sickbay.dev/v1\nkind: Bundle\nasked: {kind: machine, name: m}\nobjects:\n- {apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m, namespace: n}, spec: {clusterName: c}}\n" +
			"- {apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineHealthCheck, metadata: {name: h, namespace: n}, spec: {clusterName: c, selector: {}}}\n" +
			"- {apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: c, namespace: n}}\n" +
			"workload: [{namespace: n, name: c, nodes: [{name: m, gone: true}]}]\nrefusals: [{apiVersion: v1, kind: Secret, message: x}]\n",
		"apiVersion: bundle.sickbay.dev/v1\nkind: Bundle\nobjects: [null, {}, {kind: 7}]\n", "apiVersion: bundle.sickbay.dev/v1\nkind: Bundle\nobjects: [{metadata: {labels: 3}}]\n", "{", "a: &a [*a]",
	} {
		f.Add([]byte(text))
	}
	scheme := app.Scheme()
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := Unmarshal(data)
		if err != nil {
			return
		}
		if _, err := b.Marshal(); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
		if b.Pages, err = Replay(t.Context(), b, scheme); err != nil {
			return
		}
		if _, err := b.Redact(t.Context(), scheme); err != nil && err.Error() == "" {
			t.Error("it says nothing")
		}
	})
}
