package chart_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// toggled has another setting for each value of the chart, other values that it needs, and a text that the objects then contain, or,
// with a !, no longer contain.
var toggled = map[string]struct {
	value  string
	beside []string
	text   string
}{
	"adopt":                           {value: `"all"`, text: "--adopt=all"},
	"controllers":                     {value: `["upgradepause"]`, text: "!sickbay-manager-remediation"},
	"watchNamespace":                  {value: `"default"`, text: "--namespace=default"},
	"secretNamespaces":                {value: `["default"]`, text: "--secret-namespaces=default"},
	"extraEnv":                        {value: `[{"name":"HTTPS_PROXY","value":"http://proxy:3128"}]`, text: "value: http://proxy:3128"},
	"extraVolumes":                    {value: `[{"name":"tmp","emptyDir":{}}]`, text: "emptyDir: {}"},
	"extraVolumeMounts":               {value: `[{"name":"tmp","mountPath":"/scratch"}]`, beside: []string{`extraVolumes=[{"name":"tmp","emptyDir":{}}]`}, text: "mountPath: /scratch"},
	"caBundle.configMap":              {value: `"corporate"`, text: "value: /ca-bundle"},
	"watchFilter":                     {value: `"blue"`, text: "--watch-filter=blue"},
	"openshift.enabled":               {value: "true", text: "sickbay-manager-reboot-openshift"},
	"openshift.externalRemediation":   {value: "true", beside: []string{"openshift.enabled=true"}, text: "--openshift-external-remediation"},
	"extraArgs":                       {value: `["--sync-period=5m"]`, text: "- --sync-period=5m"},
	"log.format":                      {value: `"json"`, text: "--logging-format=json"},
	"log.verbosity":                   {value: "3", text: "--v=3"},
	"image.repository":                {value: `"registry.example.com/sickbay"`, text: "registry.example.com/sickbay:"},
	"image.tag":                       {value: `"v9"`, text: "sickbay:v9"},
	"image.digest":                    {value: `"sha256:` + strings.Repeat("0", 64) + `"`, text: "sickbay@sha256:0"},
	"image.pullPolicy":                {value: `"Always"`, text: "imagePullPolicy: Always"},
	"imagePullSecrets":                {value: `[{"name":"pull"}]`, text: "- name: pull"},
	"replicas":                        {value: "3", text: "replicas: 3"},
	"nameOverride":                    {value: `"blue"`, text: "app.kubernetes.io/name: blue"},
	"fullnameOverride":                {value: `"other"`, text: "name: other-manager-reboot"},
	"createNamespace":                 {value: "true", text: "pod-security.kubernetes.io/enforce: restricted"},
	"serviceAccount.create":           {value: "false", text: "!kind: ServiceAccount\nmetadata"},
	"serviceAccount.name":             {value: `"nurse"`, text: "serviceAccountName: nurse"},
	"serviceAccount.annotations":      {value: `{"a":"b"}`, text: "a: b"},
	"rbac.create":                     {value: "false", text: "!sickbay-manager"},
	"rbac.people":                     {value: "false", text: "!sickbay-decide"},
	"rbac.aggregate":                  {value: "false", text: "!aggregate-to-view"},
	"rbac.clusterAPI":                 {value: "false", text: "!aggregate-to-manager: \"true\"\nrules"},
	"rbac.remediationKinds":           {value: `[{"apiGroup":"g.example.com","templates":"ts","requests":"rs"}]`, text: "g.example.com"},
	"crds.install":                    {value: "false", text: "!CustomResourceDefinition"},
	"priorityClassName":               {value: `""`, text: `priorityClassName: ""`},
	"tolerations":                     {value: "[]", text: "!tolerationSeconds"},
	"nodeSelector":                    {value: `{"disk":"ssd"}`, text: "disk: ssd"},
	"affinity":                        {value: `{"nodeAffinity":{}}`, text: "nodeAffinity"},
	"spread.nodes":                    {value: `"ScheduleAnyway"`, text: "!DoNotSchedule"},
	"spread.zones":                    {value: `"DoNotSchedule"`, text: "!ScheduleAnyway"},
	"resources.requests.cpu":          {value: `"2"`, text: `cpu: "2"`},
	"resources.requests.memory":       {value: `"1Gi"`, text: "memory: 1Gi"},
	"podAnnotations":                  {value: `{"c":"d"}`, text: "c: d"},
	"podLabels":                       {value: `{"team":"blue"}`, text: "team: blue"},
	"podDisruptionBudget.enabled":     {value: "false", text: "!PodDisruptionBudget"},
	"networkPolicy.enabled":           {value: "false", text: "!NetworkPolicy"},
	"networkPolicy.metricsFrom":       {value: `[{"namespaceSelector":{}}]`, text: "- namespaceSelector: {}"},
	"networkPolicy.dashboardFrom":     {value: `[{"podSelector":{}}]`, beside: []string{"dashboard.enabled=true"}, text: "- podSelector: {}"},
	"networkPolicy.apiServerPorts":    {value: "[6443]", text: "port: 6443"},
	"metrics.enabled":                 {value: "false", text: "--metrics-bind-address=0"},
	"metrics.port":                    {value: "8555", text: "--metrics-bind-address=:8555"},
	"metrics.annotations":             {value: "true", text: "prometheus.io/scheme: https"},
	"metrics.serviceMonitor.enabled":  {value: "true", text: "kind: ServiceMonitor"},
	"metrics.serviceMonitor.labels":   {value: `{"g":"h"}`, beside: []string{"metrics.serviceMonitor.enabled=true"}, text: "g: h"},
	"metrics.serviceMonitor.interval": {value: `"7s"`, beside: []string{"metrics.serviceMonitor.enabled=true"}, text: "interval: 7s"},
	"alerts.enabled":                  {value: "true", text: "kind: PrometheusRule"},
	"alerts.labels":                   {value: `{"i":"j"}`, beside: []string{"alerts.enabled=true"}, text: "i: j"},
	"grafana.enabled":                 {value: "true", text: "grafana_dashboard:"},
	"grafana.labels.grafana_dashboard": {
		value: `"2"`, beside: []string{"grafana.enabled=true"}, text: `grafana_dashboard: "2"`,
	},
	"drain":                {value: "true", text: "- --drain"},
	"admission.enabled":    {value: "true", text: "kind: ValidatingAdmissionPolicy"},
	"dashboard.enabled":    {value: "true", text: "--dashboard-bind-address=:8444"},
	"dashboard.port":       {value: "8666", beside: []string{"dashboard.enabled=true"}, text: "--dashboard-bind-address=:8666"},
	"dashboard.actions":    {value: "true", beside: []string{"dashboard.enabled=true"}, text: "--dashboard-actions"},
	"dashboard.certSecret": {value: `"tls"`, beside: []string{"dashboard.enabled=true"}, text: "secretName: tls"},
}

// files are the files that a value needs; without them, it renders nothing.
var files = map[string]string{
	"alerts": chartDir + "/files/prometheus", "grafana": chartDir + "/files/grafana", "admission": chartDir + "/files/admission",
}

// TestValues: each value is in the table and has its intended effect, and the API server accepts the result.
func TestValues(t *testing.T) {
	needHelm(t)
	data, err := os.ReadFile(chartDir + "/values.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(data, &values); err != nil {
		t.Fatal(err)
	}
	have, listed := slices.Sorted(maps.Keys(leaves("", values))), slices.Sorted(maps.Keys(toggled))
	if diff := cmp.Diff(have, listed); diff != "" {
		t.Errorf("values of the chart, and of the table here (-chart +table):\n%s", diff)
	}
	prepare(t)
	admitted(t, render(t, "sickbay", systemNamespace))
	for name, toggle := range toggled {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top, _, _ := strings.Cut(name, ".")
			if dir := files[top]; dir != "" {
				if _, err := os.Stat(dir); err != nil {
					t.Skip("nothing is there yet to be copied")
				}
			}
			checkToggle(t, name, toggle.value, toggle.beside, toggle.text)
		})
	}
}

func checkToggle(t *testing.T, name, value string, beside []string, text string) {
	t.Helper()
	args := []string{"template", "sickbay", chartDir, "--namespace", systemNamespace, "--kube-version", "v1.36.3"}
	for _, set := range beside {
		args = append(args, "--set-json", set)
	}
	before, after := helm(t, args...), helm(t, append(args, "--set-json", name+"="+value)...)
	text, gone := strings.CutPrefix(text, "!")
	if had, has := strings.Contains(before, text), strings.Contains(after, text); had != gone || has == gone {
		t.Errorf("%q: it was there %v, and is there %v", text, had, has)
	}
	admitted(t, parse(t, after))
}

// leaves returns the values that are not non-empty maps, by their paths.
func leaves(path string, values map[string]any) map[string]any {
	all := map[string]any{}
	for key, value := range values {
		of := strings.TrimPrefix(path+"."+key, ".")
		if inner, ok := value.(map[string]any); ok && len(inner) > 0 {
			maps.Copy(all, leaves(of, inner))
			continue
		}
		all[of] = value
	}
	return all
}

// prepare creates the namespace that helm install --create-namespace would create, with the restricted standard enforced.
func prepare(t *testing.T) {
	t.Helper()
	ns := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	ns.SetName(systemNamespace)
	ns.SetLabels(map[string]string{"pod-security.kubernetes.io/enforce": "restricted"})
	if err := env.Get(t).Client.Create(t.Context(), ns); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
}

// admitted makes the API server validate objects in a dry run, strictly: it rejects unknown and duplicate fields.
func admitted(t *testing.T, objects []*unstructured.Unstructured) {
	t.Helper()
	e := env.Get(t)
	strict := client.NewDryRunClient(client.WithFieldValidation(e.Client, metav1.FieldValidationStrict))
	for _, obj := range objects {
		apply := client.ApplyConfigurationFromUnstructured(obj)
		if err := strict.Apply(t.Context(), apply, client.FieldOwner("test"), client.ForceOwnership); err != nil {
			t.Errorf("%s %s is refused: %v", obj.GetKind(), obj.GetName(), err)
		}
	}
}

// TestSchema: Helm rejects an unknown or senseless value before it installs anything.
func TestSchema(t *testing.T) {
	for value, why := range map[string]string{
		`controller=["reboot"]`:                    "controller",
		`controllers=["reboots"]`:                  "controllers",
		`controllers=[]`:                           "controllers",
		`adopt="some"`:                             "adopt",
		`networkPolicy={"apiServerPorts":[70000]}`: "apiServerPorts",
		`extraArgs=["sync-period=5m"]`:             "extraArgs",
		`image={"digest":"sha256:1"}`:              "digest",
		`log={"verbosity":8}`:                      "verbosity",
		`secretNamespaces=["Blue"]`:                "secretNamespaces",
		`extraEnv=[{"key":"HTTPS_PROXY"}]`:         "extraEnv",
		`rbac={"remediationKinds":[{"apiGroup":"*","templates":"a","requests":"b"}]}`: "apiGroup",
	} {
		out, err := tryHelm(t, "template", "sickbay", chartDir, "--set-json", value)
		if err == nil || !strings.Contains(out, why) {
			t.Errorf("%s is taken, or the answer does not name %s: %v\n%s", value, why, err, out)
		}
	}
}

// TestNeedsOthers: Helm rejects a value that has no effect without another one, with one sentence that says what it needs.
func TestNeedsOthers(t *testing.T) {
	for values, why := range map[string]string{
		"openshift.externalRemediation=true": "openshift.externalRemediation needs openshift.enabled=true.",
		"openshift.enabled=true openshift.externalRemediation=true controllers=[\"machinehealth\"]": "openshift.externalRemediation needs intake among the controllers.",
		"metrics.enabled=false metrics.serviceMonitor.enabled=true":                                 "metrics.serviceMonitor.enabled needs metrics.enabled=true: without it there is nothing to scrape.",
		"metrics.enabled=false metrics.annotations=true":                                            "metrics.annotations needs metrics.enabled=true: without it there is nothing to scrape.",
		"metrics.enabled=false alerts.enabled=true":                                                 "alerts.enabled needs metrics.enabled=true: without metrics SickbayDown always fires, and nothing else does.",
		"controllers=[\"intake\"]":                                                                  "The controller intake needs reboot and remediation among the controllers: they carry out what others ask for.",
		"dashboard.actions=true":                                                                    "dashboard.actions needs dashboard.enabled=true: without it there is no dashboard.",
		"dashboard.certSecret=\"tls\"":                                                              "dashboard.certSecret needs dashboard.enabled=true: without it there is no dashboard.",
	} {
		args := []string{"template", "sickbay", chartDir}
		for value := range strings.FieldsSeq(values) {
			args = append(args, "--set-json", value)
		}
		refused(t, why, args...)
	}
	policies := []string{"template", "sickbay", chartDir, "--set=admission.enabled=true", "--kube-version"}
	refused(t, "admission.enabled needs Kubernetes 1.30 or later: v1.29.9 has no admissionregistration.k8s.io/v1 ValidatingAdmissionPolicies.",
		append(policies, "v1.29.9")...)
	for _, enough := range []string{"v1.30.0", "v1.30.0-gke.100", "v1.36.3+k3s1"} {
		if out, err := tryHelm(t, append(policies, enough)...); err != nil {
			t.Errorf("refused on %s: %v\n%s", enough, err, out)
		}
	}
}

// refused expects Helm to fail with a sentence of checks.yaml.
func refused(t *testing.T, why string, args ...string) {
	t.Helper()
	out, err := tryHelm(t, args...)
	if err == nil || !strings.Contains(out, "checks.yaml:") || !strings.Contains(out, ": "+why+"\n") {
		t.Errorf("helm %q does not say %q: %v\n%.300s", args, why, err, out)
	}
}

// TestSchemaIsComplete: each value of the chart is in the schema, which rejects all others.
func TestSchemaIsComplete(t *testing.T) {
	data, err := os.ReadFile(chartDir + "/values.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	for name := range toggled {
		if err := described(schema, schema, strings.Split(name, ".")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func described(whole, schema map[string]any, path []string) error {
	if ref, ok := schema["$ref"].(string); ok {
		schema = whole["definitions"].(map[string]any)[strings.TrimPrefix(ref, "#/definitions/")].(map[string]any)
	}
	if len(path) == 0 {
		return nil
	}
	properties, ok := schema["properties"].(map[string]any)
	if !ok {
		return nil // a type that Kubernetes defines, or a map of strings
	}
	inner, ok := properties[path[0]].(map[string]any)
	if !ok {
		return fmt.Errorf("the schema does not know %s", path[0])
	}
	return described(whole, inner, path[1:])
}

// TestLint runs helm lint.
func TestLint(t *testing.T) {
	helm(t, "lint", "--strict", chartDir)
}
