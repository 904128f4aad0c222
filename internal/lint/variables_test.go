package lint

import (
	"slices"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// TestVariablesOfAClusterAreNoTemplate: the values of a topology's variables are for machines. A shell's ${X} or cloud-init's {{ x }} in them has
// nobody render the Cluster first, so its mistakes are found.
func TestVariablesOfAClusterAreNoTemplate(t *testing.T) {
	const text = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: c, namespace: a}
spec:
  topology:
    classRef: {name: quick}
    version: v1.30.0
    controlPlane:
      replicas: 3
      healthCheck: {checks: {unhealthyNodeConditions: [{type: Ready, status: Unknown, timeout: 5m}]}}
    variables:
    - {name: preKubeadmCommands, value: ['hostnamectl set-hostname "${HOSTNAME}"']}
    - {name: nodeName, value: {inner: '{{ ds.meta_data.hostname }}'}}
    workers:
      machineDeployments:
      - {class: a, name: a, variables: {overrides: [{name: x, value: '${X}'}]}}
`
	documents, bad := manifest.Parse("c.yaml", []byte(text))
	result, err := Check(documents, bad, nil)
	if err != nil {
		t.Fatal(err)
	}
	errors := 0
	for _, one := range result.Findings {
		if one.Template {
			t.Error(one.String())
		}
		if one.Level == Error {
			errors++
		}
	}
	if errors == 0 {
		t.Error("the field timeout, which v1beta2 does not have, is not found")
	}
}

// TestTemplatesWithoutHealthChecks: a template whose kinds are known, and are none that lint checks, is only named.
func TestTemplatesWithoutHealthChecks(t *testing.T) {
	for kinds, concerns := range map[string]bool{
		"kind: Secret": false, "kind: Cluster": false, "- kind: Secret\n  \"kind\": \"Service\"": false,
		"kind: MachineHealthCheck": true, "kind: Secret\n---\nkind: Secret": false, "kind: Cluster\nspec:\n  topology: {}": true, "kind: ClusterClass": true,
		"kind: 'MachineHealthCheck'": true, "'kind': MachineHealthCheck": true, "kind: Secret\nitems:\n- {apiVersion: v1, kind: MachineHealthCheck}": true,
		"kind: {{ .kind }}": true, "": true, "kind: Machine\nannotations: {sickbay.dev/hold-until: x}": true,
	} {
		documents, bad := manifest.Parse("t.yaml", []byte("{{- if .on }}\n"+kinds+"\n{{ end }}\n"))
		result, err := Check(documents, bad, nil)
		if err != nil {
			t.Fatal(err)
		}
		warned := slices.ContainsFunc(result.Findings, func(f Finding) bool { return f.Template })
		if named := slices.Contains(result.Unchecked, "t.yaml, which is a template without a health check"); warned != concerns || named == concerns {
			t.Errorf("%q: %v, named: %t", kinds, result.Findings, named)
		}
	}
}
