// Package bench measures what health checks cost: time, processor, memory, and requests to
// the API server. It measures Gardener's own library next to ours, on the same objects,
// with the very same checks.
//
// Each library runs in a process of its own, which does nothing else. The benchmark creates
// and changes the objects, watches the conditions, and asks that process what it has used.
// make bench-library runs it.
package bench
