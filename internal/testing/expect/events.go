package expect

import "k8s.io/client-go/tools/events"

// Events takes the events that a recorder has, in their order.
func Events(recorder *events.FakeRecorder) []string {
	var all []string
	for len(recorder.Events) > 0 {
		all = append(all, <-recorder.Events)
	}
	return all
}
