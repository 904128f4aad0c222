package fault

import (
	"encoding/json"
	"io"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// stream is a watch, read event by event.
type stream struct {
	wire     *Wire
	resource string
	body     io.ReadCloser
	// frames are the events that have arrived, and end is why there are no more.
	frames chan []byte
	end    error
	// rest is the unread part of the current event.
	rest []byte
	// expired is true once the reader knows that events were dropped.
	expired   bool
	closed    chan struct{}
	closeOnce sync.Once
}

func (w *Wire) stream(resource string, body io.ReadCloser) *stream {
	s := &stream{wire: w, resource: resource, body: body, frames: make(chan []byte), closed: make(chan struct{})}
	go s.receive()
	return s
}

// receive reads the events one by one.
func (s *stream) receive() {
	defer close(s.frames)
	decoder := json.NewDecoder(s.body)
	for {
		var frame json.RawMessage
		if s.end = decoder.Decode(&frame); s.end != nil {
			return
		}
		select {
		case s.frames <- append(frame, '\n'):
		case <-s.closed:
			return
		}
	}
}

// event is one watch event.
type event struct {
	Type   watch.EventType              `json:"type"`
	Object metav1.PartialObjectMetadata `json:"object"`
}

// note records an event if its object has a role.
func (s *stream) note(frame []byte) {
	var e event
	if json.Unmarshal(frame, &e) != nil || e.Type == watch.Bookmark || e.Type == watch.Error {
		return
	}
	if role := s.wire.Role(s.resource, e.Object.Name); role != "" {
		s.wire.reach("event "+string(e.Type)+" of "+role, s.resource, true)
	}
}

// Read implements io.Reader.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.expired {
			return 0, io.EOF
		}
		if err := s.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// next waits for the next event for the reader.
func (s *stream) next() error {
	if stale := s.wire.staleness(s.resource); stale > 0 {
		return s.disturbed(stale)
	}
	select {
	case frame, ok := <-s.frames:
		if !ok {
			return s.end
		}
		s.note(frame)
		if s.wire.staleness(s.resource) == 0 {
			s.rest = frame
			return nil
		}
		return s.hold(frame)
	case <-s.begins():
		return nil
	case <-s.closed:
		return io.EOF
	}
}

// begins returns a channel that is closed when the disturbance begins; nil after that.
func (s *stream) begins() <-chan struct{} {
	select {
	case <-s.wire.disturbed:
		return nil
	default:
		return s.wire.disturbed
	}
}

// hold delays or drops an event that has already arrived.
func (s *stream) hold(frame []byte) error {
	err := s.disturbed(s.wire.staleness(s.resource))
	if err == nil && !s.expired {
		s.rest = frame
	}
	return err
}

// disturbed delays or drops events until the time is up.
func (s *stream) disturbed(stale time.Duration) error {
	timer := time.NewTimer(stale)
	defer timer.Stop()
	frames := s.frames
	if s.wire.Mishap == Delayed {
		frames = nil
	}
	for {
		select {
		case _, ok := <-frames:
			if !ok {
				return s.end
			}
		case <-timer.C:
			return s.over()
		case <-s.closed:
			return io.EOF
		}
	}
}

// over ends the disturbance. A watch that lost events must list again.
func (s *stream) over() error {
	if s.wire.Mishap == Delayed {
		return nil
	}
	s.expired = true
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
		Reason: metav1.StatusReasonExpired, Code: http.StatusGone, Message: "too old resource version",
	}
	var err error
	s.rest, err = json.Marshal(map[string]any{"type": watch.Error, "object": status})
	return err
}

// Close implements io.Closer.
func (s *stream) Close() error {
	s.closeOnce.Do(func() { close(s.closed) })
	return s.body.Close()
}
