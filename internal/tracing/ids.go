package tracing

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
)

// TraceID returns the ID of a record's trace: the UID of the record. A UID that is no UUID, as from a fake API server, is
// hashed.
func TraceID(record types.UID) trace.TraceID {
	var id trace.TraceID
	if b, err := hex.DecodeString(strings.ReplaceAll(string(record), "-", "")); err == nil && len(b) == len(id) {
		return trace.TraceID(b)
	}
	hash := sha256.Sum256([]byte(record))
	copy(id[:], hash[:])
	return id
}

// spanID returns the ID of a span of a record. It is always the same, so a span that is sent again, for example after a
// restart, counts as the same span.
func spanID(record types.UID, what string) trace.SpanID {
	var id trace.SpanID
	hash := sha256.Sum256([]byte(string(record) + "/" + what))
	copy(id[:], hash[:])
	return id
}

type idKey struct{}

// ids gives the SDK the IDs from the context.
type ids struct{}

// NewIDs implements sdktrace.IDGenerator.
func (ids) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if chosen, ok := ctx.Value(idKey{}).(trace.SpanContext); ok {
		return chosen.TraceID(), chosen.SpanID()
	}
	var id trace.TraceID
	_, _ = rand.Read(id[:]) // it never fails
	return id, ids{}.NewSpanID(ctx, id)
}

// NewSpanID implements sdktrace.IDGenerator.
func (ids) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	if chosen, ok := ctx.Value(idKey{}).(trace.SpanContext); ok {
		return chosen.SpanID()
	}
	var id trace.SpanID
	_, _ = rand.Read(id[:]) // it never fails
	return id
}
