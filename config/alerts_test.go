package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

//go:generate go test -run ^TestReference . -update

const (
	runbooks = "../docs/runbooks"
	// runbookURL is where they can be read.
	runbookURL = "https://github.com/sickbay-dev/sickbay/blob/main/docs/runbooks/"
	// metricsPage names every metric.
	metricsPage = "../docs/reference/metrics.md"
)

// alert is a rule that alerts.
type alert struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func alerts(t *testing.T) map[string]alert {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []alert `json:"rules"`
		} `json:"groups"`
	}
	readYAML(t, "../charts/sickbay/files/prometheus/alerts.yaml", &file)
	found := map[string]alert{}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if _, again := found[rule.Alert]; again {
				t.Errorf("there are two alerts %s", rule.Alert)
			}
			found[rule.Alert] = rule
		}
	}
	return found
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	if err := yaml.Unmarshal(readFile(t, path), into); err != nil {
		t.Fatalf("reading %s: %v", path, err)
	}
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestAlertsSayWhatTheyMean: each has a severity, a summary, a description, and its page.
func TestAlertsSayWhatTheyMean(t *testing.T) {
	for name, rule := range alerts(t) {
		if got := rule.Labels["severity"]; got != "critical" && got != "warning" {
			t.Errorf("the severity of %s is %q", name, got)
		}
		for _, text := range []string{"summary", "description"} {
			if got := rule.Annotations[text]; got == "" || !strings.HasSuffix(strings.TrimSuffix(got, "{{ end }}"), ".") {
				t.Errorf("the %s of %s is no sentence: %q", text, name, got)
			}
		}
		if got := rule.Annotations["runbook_url"]; got != runbookURL+name+".md" {
			t.Errorf("the runbook_url of %s is %s", name, got)
		}
	}
}

// TestReferenceAlerts renders the alerts by severity. Their pages say what they mean.
func TestReferenceAlerts(t *testing.T) {
	table := [][]string{{"severity", "alerts"}, {"critical", ""}, {"warning", ""}}
	all := alerts(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, row := range table[1:] {
			if all[name].Labels["severity"] == row[0] {
				row[1] += ", [`" + name + "`](../runbooks/" + name + ".md)"
			}
		}
	}
	for _, row := range table[1:] {
		row[1] = strings.TrimPrefix(row[1], ", ")
	}
	docs.Section(t, "../docs/operations/monitoring.md", "alerts", docs.Table(table...))
}

// runbookHeadings are those of each page, in this order.
var runbookHeadings = []string{"## How urgent it is", "## Look", "## What to do", "## When it ends"}

// TestRunbooks: each alert has a page of its name, and each page an alert; a page answers the same questions.
func TestRunbooks(t *testing.T) {
	files, err := filepath.Glob(runbooks + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var pages []string
	all := alerts(t)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".md")
		pages = append(pages, name)
		text := string(readFile(t, file))
		if !strings.HasPrefix(text, "# "+name+"\n\n") {
			t.Errorf("%s does not begin with its name", file)
		}
		if diff := cmp.Diff(runbookHeadings, regexp.MustCompile(`(?m)^## .*$`).FindAllString(text, -1)); diff != "" {
			t.Errorf("the headings of %s (-want +got):\n%s", file, diff)
		}
		_, urgent, _ := strings.Cut(text, runbookHeadings[0]+"\n\n")
		if got, _, _ := strings.Cut(urgent, "."); strings.ToLower(got) != all[name].Labels["severity"] {
			t.Errorf("%s says that it is %q, and the alert that it is %s", file, got, all[name].Labels["severity"])
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(all)), pages); diff != "" {
		t.Errorf("pages of alerts (-alerts +pages):\n%s", diff)
	}
}

// TestAlertsAreTested: for each alert, the unit tests have a moment at which it fires, and one at which it does not.
func TestAlertsAreTested(t *testing.T) {
	var file struct {
		Tests []struct {
			AlertRuleTest []struct {
				AlertName string `json:"alertname"`
				ExpAlerts []any  `json:"exp_alerts"`
			} `json:"alert_rule_test"`
		} `json:"tests"`
	}
	readYAML(t, "prometheus/alerts_test.yaml", &file)
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, at := range test.AlertRuleTest {
			if len(at.ExpAlerts) > 0 {
				fires[at.AlertName] = true
			} else {
				silent[at.AlertName] = true
			}
		}
	}
	want := slices.Sorted(maps.Keys(alerts(t)))
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(fires))); diff != "" {
		t.Errorf("alerts that are seen to fire (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(silent))); diff != "" {
		t.Errorf("alerts that are seen to be silent (-want +got):\n%s", diff)
	}
}

// metricName is a metric of Sickbay in a query. Histograms are asked for by their parts.
var metricName = regexp.MustCompile(`\bsickbay_[a-z_]+`)

// histogramPart is what the name of a histogram gets.
var histogramPart = regexp.MustCompile(`_(bucket|sum|count)$`)

// unknownMetrics returns the metrics in a query that the reference does not have.
func unknownMetrics(t *testing.T, query string) []string {
	t.Helper()
	page := string(readFile(t, metricsPage))
	var unknown []string
	for _, name := range metricName.FindAllString(query, -1) {
		if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, "`"+histogramPart.ReplaceAllString(name, "")+"`") {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// TestAlertsAskForMetricsThatExist by the reference, which is generated from the code.
func TestAlertsAskForMetricsThatExist(t *testing.T) {
	for name, rule := range alerts(t) {
		if unknown := unknownMetrics(t, rule.Expr+rule.Annotations["description"]); len(unknown) > 0 {
			t.Errorf("%s asks for %v", name, unknown)
		}
	}
}

// longThreshold is a number of a minute or more that is written as one number, and hence stays as it is where times are shortened.
var longThreshold = regexp.MustCompile(`[<>]=? *([6-9][0-9]|[0-9]{3,})( *[^* 0-9]|$)`)

// TestThresholdsCanBeShortened: a time in an expression is a duration, or a product of 60 or 3600 seconds.
func TestThresholdsCanBeShortened(t *testing.T) {
	for name, rule := range alerts(t) {
		if found := longThreshold.FindString(rule.Expr); found != "" {
			t.Errorf("%s compares with %q", name, found)
		}
	}
}
