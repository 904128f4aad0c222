package app

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	gocmp "github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/metrics"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/tracing"
)

// TestARepairIsSeen: metrics, logs and traces show a repair from the verdict until the machine is gone, and then no series is left.
func TestARepairIsSeen(t *testing.T) {
	e := env.Get(t)
	e.Install(t, env.WithCRDFiles("config/crd/sickbay*.yaml"))
	c, err := client.New(e.Config, client.Options{Scheme: Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	g, ns := NewWithT(t), e.Namespace(t)
	g.SetDefaultEventuallyTimeout(time.Minute)
	set := build.MachineSet(ns, "set")
	machine := build.Machine(ns, "m", build.OwnedBy(set), build.Annotation(clusterv1.RemediateMachineAnnotation, ""))
	build.Create(t.Context(), t, c, build.Cluster(ns, build.ClusterName, build.ControlPlaneNotInitialized()), set, build.MachineHealthCheck(ns, "mhc"))

	received, logged := receiver(t), &lines{}
	o := optionsOf(ns)
	o.TracingEndpoint, o.Logger = received.url, logged.logger()
	manager := run(t, o)
	build.Create(t.Context(), t, c, machine)

	of := fmt.Sprintf(`namespace=%q machinehealthcheck="mhc"`, ns)
	g.Eventually(func() []string { return gathered(t, ns) }).Should(ContainElements(
		`sickbay_remediations `+of+` phase="Acting" reason="Acting" 1`,
		`sickbay_machines `+of+` verdict="False" check="HasRemediateMachineAnnotation" 1`,
		`sickbay_slots_taken `+of+` 1`, `sickbay_gate_open `+of+` 1`, `sickbay_paused `+of+` 0`,
	))
	record := &v1alpha1.MachineRemediation{}
	g.Eventually(func() error { return onlyRecord(t.Context(), c, ns, record) }).Should(Succeed())
	if err := c.Delete(t.Context(), machine); err != nil {
		t.Fatal(err)
	}
	g.Eventually(func() (bool, error) {
		err := onlyRecord(t.Context(), c, ns, record)
		return record.Status.CompletionTime != nil && len(record.Finalizers) == 0, err
	}).Should(BeTrue())
	g.Eventually(func() string { return strings.Join(gathered(t, ns), "\n") }).ShouldNot(Or(ContainSubstring("sickbay_remediation"), ContainSubstring("sickbay_machines")))

	manager.stop()
	if left := gathered(t, ns); len(left) > 0 {
		t.Errorf("series are left of a manager that has ended:\n%s", strings.Join(left, "\n"))
	}
	received.want(t, record)
	logged.want(t, record)
}

func onlyRecord(ctx context.Context, c client.Client, namespace string, record *v1alpha1.MachineRemediation) error {
	var all v1alpha1.MachineRemediationList
	if err := c.List(ctx, &all, client.InNamespace(namespace)); err != nil {
		return err
	}
	if len(all.Items) != 1 {
		return fmt.Errorf("there are %d records", len(all.Items))
	}
	all.Items[0].DeepCopyInto(record)
	return nil
}

// gathered returns a line for each series about a namespace. It checks that our metrics are in the catalog, with their types, and valid for
// Prometheus.
func gathered(t *testing.T, namespace string) []string {
	t.Helper()
	families, err := ctrlmetrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	ours := slices.DeleteFunc(families, func(f *dto.MetricFamily) bool { return !strings.HasPrefix(f.GetName(), "sickbay_") })
	problems, err := promlint.NewWithMetricFamilies(ours).Lint()
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	var all []string
	for _, f := range ours {
		i, found := slices.BinarySearchFunc(metrics.Catalog, f.GetName(), func(e metrics.Entry, name string) int { return cmp.Compare(e.Name, name) })
		if !found || !strings.EqualFold(metrics.Catalog[i].Type, f.GetType().String()) {
			t.Errorf("%s, a %s, is not in the catalog as such", f.GetName(), f.GetType())
			continue
		}
		labels := map[string][]string{}
		for _, gauge := range metrics.Gauges() {
			labels[gauge.Name] = gauge.Labels
		}
		for _, one := range f.Metric {
			if line := lineOf(f.GetName(), labels[f.GetName()], one); strings.Contains(line, fmt.Sprintf("%q", namespace)) {
				all = append(all, line)
			}
		}
	}
	return all
}

func lineOf(name string, order []string, one *dto.Metric) string {
	values := map[string]string{}
	for _, label := range one.Label {
		values[label.GetName()] = label.GetValue()
	}
	line := name
	for _, label := range order {
		line += fmt.Sprintf(" %s=%q", label, values[label])
	}
	return fmt.Sprint(line, " ", one.GetGauge().GetValue())
}

// lines are a manager's log lines, without details.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) logger() logr.Logger {
	return funcr.New(func(_, args string) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all = append(l.all, args)
	}, funcr.Options{})
}

// want checks that each decision to act is one line, which names the record, the machine, the step and the reason. The changed conditions are
// the verdict, and two of the MachineHealthCheck.
func (l *lines) want(t *testing.T, record *v1alpha1.MachineRemediation) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	counts := map[string]int{}
	for _, line := range l.all {
		for _, message := range []string{"Condition changed", "Machine admitted", "Act carried out", "Act not carried out", "Remediation goes on", "Reconciler error"} {
			if strings.Contains(line, fmt.Sprintf(`"msg"=%q`, message)) {
				counts[message]++
			}
		}
		if strings.Contains(line, `"Machine admitted"`) || strings.Contains(line, `"Act carried out"`) {
			for _, want := range []string{record.Name, `"machine"="m"`, `"step"="replace"`, `"reason"="HasRemediateMachineAnnotation"`} {
				if !strings.Contains(line, want) {
					t.Errorf("there is no %s in %s", want, line)
				}
			}
		}
	}
	goesOn := counts["Remediation goes on"]
	if goesOn < 1 || goesOn > 3 {
		t.Errorf("the record goes on %d times", goesOn)
	}
	delete(counts, "Remediation goes on")
	if diff := gocmp.Diff(map[string]int{"Condition changed": 3, "Machine admitted": 1, "Act carried out": 1}, counts); diff != "" {
		t.Errorf("lines (-want +got):\n%s\n%s", diff, strings.Join(l.all, "\n"))
	}
}

// otlp receives spans like a collector.
type otlp struct {
	collector.UnimplementedTraceServiceServer
	url string

	mu    sync.Mutex
	spans []*spans.Span
}

func receiver(t *testing.T) *otlp {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r, server := &otlp{url: "http://" + listener.Addr().String()}, grpc.NewServer()
	collector.RegisterTraceServiceServer(server, r)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)
	return r
}

// Export implements collector.TraceServiceServer.
func (r *otlp) Export(_ context.Context, request *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, resource := range request.ResourceSpans {
		for _, scope := range resource.ScopeSpans {
			r.spans = append(r.spans, scope.Spans...)
		}
	}
	return &collector.ExportTraceServiceResponse{}, nil
}

// want checks that the path of the incident through the controllers is one trace.
func (r *otlp) want(t *testing.T, record *v1alpha1.MachineRemediation) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	id := tracing.TraceID(record.UID)
	var names []string
	for _, span := range r.spans {
		if string(span.TraceId) != string(id[:]) {
			t.Errorf("%s is in another trace", span.Name)
		}
		names = append(names, span.Name)
	}
	slices.Sort(names)
	if diff := gocmp.Diff([]string{"act", "admission", "attempt", "incident", "proof", "record", "verdict"}, names); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}
