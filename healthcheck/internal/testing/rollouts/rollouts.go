// Package rollouts has histories of real roll-outs, which rules are held against.
//
// They are recorded, and not written: record_test.go tells the stories to a real API server and to the controllers of
// kube-controller-manager, plays the scheduler and the kubelets, and stores each version of the object that they make.
package rollouts

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

//go:embed *.jsonl
var recorded embed.FS

// Workload is a kind that has recorded histories.
type Workload interface {
	client.Object
	*appsv1.Deployment | *appsv1.StatefulSet | *appsv1.DaemonSet
}

// Moment is an object after something happened to it.
type Moment[O Workload] struct {
	Story  string `json:"story"`
	Act    string `json:"act"`
	Object O      `json:"object"`
}

// Histories returns the moments of each story of a kind, in the order of the file.
func Histories[O Workload]() ([][]Moment[O], error) {
	data, err := recorded.ReadFile(file[O]())
	if err != nil {
		return nil, fmt.Errorf("reading the histories of roll-outs: %w", err)
	}
	var histories [][]Moment[O]
	for line := range bytes.Lines(data) {
		var m Moment[O]
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("parsing the histories of roll-outs: %w", err)
		}
		if last := len(histories) - 1; last >= 0 && histories[last][0].Story == m.Story {
			histories[last] = append(histories[last], m)
			continue
		}
		histories = append(histories, []Moment[O]{m})
	}
	return histories, nil
}

func file[O Workload]() string {
	switch any(*new(O)).(type) {
	case *appsv1.Deployment:
		return "deployments.jsonl"
	case *appsv1.StatefulSet:
		return "statefulsets.jsonl"
	}
	return "daemonsets.jsonl"
}
