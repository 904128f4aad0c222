package tracing

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
)

// Tracer makes spans. A nil Tracer makes none and costs nothing.
type Tracer struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
}

// New returns a tracer that sends spans to a URL by OTLP over gRPC: http without TLS, https with TLS. The variables
// OTEL_EXPORTER_OTLP_... set everything else, such as certificates. New does not wait for a connection.
func New(ctx context.Context, url, version string) (*Tracer, error) {
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithEndpointURL(url))
	if err != nil {
		return nil, fmt.Errorf("making what sends spans to %s: %w", url, err)
	}
	otel.SetErrorHandler(&problems{})
	return over(sdktrace.NewBatchSpanProcessor(exporter), version), nil
}

// over returns a tracer that passes spans to a processor.
func over(processor sdktrace.SpanProcessor, version string) *Tracer {
	about := resource.NewSchemaless(attribute.String("service.name", "sickbay"), attribute.String("service.version", version))
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(processor), sdktrace.WithResource(about), sdktrace.WithIDGenerator(ids{}),
		sdktrace.WithSampler(sdktrace.AlwaysSample()))
	return &Tracer{provider: provider, tracer: provider.Tracer("github.com/sickbay-dev/sickbay")}
}

// flushTimeout limits how long to wait for the receiver of the last spans.
const flushTimeout = 5 * time.Second

// NeedLeaderElection implements manager.LeaderElectionRunnable. The manager stops the leader's runnables first, so the
// last spans are included.
func (t *Tracer) NeedLeaderElection() bool { return false }

// Start implements manager.Runnable: it sends the last spans when the manager stops.
func (t *Tracer) Start(ctx context.Context) error {
	<-ctx.Done()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		ctrl.Log.Info("The last spans could not be sent", "error", err.Error())
	}
	return nil
}

// span is a finished span.
type span struct {
	// what identifies the span in its record; the root span has incident.
	what, name string
	from, to   time.Time
	attributes []attribute.KeyValue
	err        error
}

// incident is the root span of a record.
const incident = "incident"

func (t *Tracer) tell(record types.UID, s span) {
	chosen := trace.NewSpanContext(trace.SpanContextConfig{TraceID: TraceID(record), SpanID: spanID(record, s.what), TraceFlags: trace.FlagsSampled})
	ctx := context.WithValue(context.Background(), idKey{}, chosen)
	if s.what != incident {
		ctx = trace.ContextWithSpanContext(ctx, chosen.WithSpanID(spanID(record, incident)))
	}
	_, one := t.tracer.Start(ctx, s.name, trace.WithTimestamp(s.from), trace.WithAttributes(s.attributes...))
	if s.err != nil {
		one.SetStatus(codes.Error, s.err.Error())
	}
	one.End(trace.WithTimestamp(s.to))
}

// problems logs why spans are not sent, once for each cause in a row.
type problems struct {
	mu   sync.Mutex
	last string
}

// Handle implements otel.ErrorHandler.
func (p *problems) Handle(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil && err.Error() != p.last {
		p.last = err.Error()
		ctrl.Log.Info("Spans cannot be sent", "error", p.last)
	}
}
