package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/mask"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

const (
	// APIVersion is the version of the file format. Within a version, fields are only added; none is renamed or
	// changes its meaning.
	APIVersion = "bundle.sickbay.dev/v1"
	// Kind is the only kind in that version.
	Kind = "Bundle"
)

// Bundle holds everything that was read to explain an object, and the explanation.
type Bundle struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Version is the version of Sickbay that wrote it.
	Version string `json:"version"`
	// At is when everything was read.
	At time.Time `json:"at"`
	// Redacted reports that names and addresses were replaced.
	Redacted bool `json:"redacted,omitempty"`
	// Asked is the object to explain.
	Asked Asked `json:"asked"`
	// Settings are the inputs of the explanation that are not objects.
	Settings Settings `json:"settings"`
	// Manager is the leading manager, or why it is unknown.
	Manager explain.Manager `json:"manager"`
	// Objects are objects of the management cluster, reduced to what decisions depend on.
	Objects []map[string]any `json:"objects,omitempty"`
	// Refusals are the reads that failed.
	Refusals []Refusal `json:"refusals,omitempty"`
	// Workload has the answers of the workload clusters.
	Workload []Workload `json:"workload,omitempty"`
	// Pages are the explanation.
	Pages []explain.Page `json:"pages"`
}

// Asked names an object as a person would.
type Asked struct {
	// Kind may be empty, as for explain.
	Kind string `json:"kind,omitempty"`
	Name string `json:"name"`
}

// Settings are the manager's settings that explain adopts.
type Settings struct {
	// Namespace is the namespace that was read; empty means all.
	Namespace string           `json:"namespace,omitempty"`
	Adopt     mhcspec.Adoption `json:"adopt,omitempty"`
	// Assumed reports that the manager's flags were unknown, and defaults were assumed.
	Assumed     bool            `json:"assumed,omitempty"`
	WatchFilter string          `json:"watchFilter,omitempty"`
	GracePeriod metav1.Duration `json:"gracePeriod"`
	// Records and Hosts report whether MachineRemediations and BareMetalHosts could be read.
	Records bool `json:"records,omitempty"`
	Hosts   bool `json:"hosts,omitempty"`
}

// Refusal is a read that failed.
type Refusal struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	// Name is empty for a list.
	Name string `json:"name,omitempty"`
	// Status is the API server's answer; nil if the kind is not installed or there was no answer.
	Status *metav1.Status `json:"status,omitempty"`
	// NotInstalled reports that the API server does not know the kind.
	NotInstalled bool   `json:"notInstalled,omitempty"`
	Message      string `json:"message,omitempty"`
}

// Workload is one workload cluster.
type Workload struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// LastSeen is when it last answered, if that was asked.
	LastSeen *time.Time `json:"lastSeen,omitempty"`
	Nodes    []Node     `json:"nodes,omitempty"`
}

// Node is the answer about a Node. The Node was found if Gone, Unreadable and Error are not set.
type Node struct {
	Name       string            `json:"name"`
	Gone       bool              `json:"gone,omitempty"`
	Unreadable string            `json:"unreadable,omitempty"`
	Error      string            `json:"error,omitempty"`
	Metadata   metav1.ObjectMeta `json:"metadata,omitzero"`
	Boot       string            `json:"boot,omitempty"`
	Conditions []Condition       `json:"conditions,omitempty"`
}

// Condition is a condition of a Node.
type Condition struct {
	Type    string      `json:"type"`
	Status  string      `json:"status"`
	Since   metav1.Time `json:"since,omitzero"`
	Heard   metav1.Time `json:"heard,omitzero"`
	Reason  string      `json:"reason,omitempty"`
	Message string      `json:"message,omitempty"`
}

// Marshal writes a bundle as YAML, and masks passwords in messages that come from elsewhere.
func (b *Bundle) Marshal() ([]byte, error) {
	tree, err := treeOf(b)
	if err != nil {
		return nil, err
	}
	text, err := yaml.Marshal(mask.Tree(withoutNulls(tree)))
	if err != nil {
		return nil, fmt.Errorf("writing a bundle: %w", err)
	}
	return text, nil
}

// withoutNulls drops null values from a tree; an absent value means the same.
func withoutNulls(tree any) any {
	switch tree := tree.(type) {
	case map[string]any:
		for key, value := range tree {
			if value == nil {
				delete(tree, key)
				continue
			}
			tree[key] = withoutNulls(value)
		}
	case []any:
		for i := range tree {
			tree[i] = withoutNulls(tree[i])
		}
	}
	return tree
}

// Unmarshal reads a bundle from YAML or JSON.
func Unmarshal(data []byte) (*Bundle, error) {
	head := metav1.TypeMeta{}
	if err := yaml.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("it is not a bundle: %w", err)
	}
	if head.APIVersion != APIVersion || head.Kind != Kind {
		return nil, fmt.Errorf("it is %q of %q: it must be a %s of %s", head.Kind, head.APIVersion, Kind, APIVersion)
	}
	b := &Bundle{}
	if err := yaml.Unmarshal(data, b); err != nil {
		return nil, fmt.Errorf("reading a bundle: %w", err)
	}
	return b, nil
}

// treeOf returns the serialized form of a bundle.
func treeOf(b *Bundle) (map[string]any, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("writing a bundle: %w", err)
	}
	tree := map[string]any{}
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, fmt.Errorf("writing a bundle: %w", err)
	}
	return tree, nil
}

// maxSize is the largest size of a bundle: several times that of 10,000 machines and all their repairs.
const maxSize = 256 << 20

// readAll reads a file, unless it is larger than most bytes.
func readAll(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%s is not a bundle: it is larger than %d MiB", file, most>>20)
	}
	return data, err
}

// Read reads a bundle from a file.
func Read(file string) (*Bundle, error) {
	data, err := readAll(file, maxSize)
	if err != nil {
		return nil, fmt.Errorf("reading a bundle: %w", err)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", file)
	}
	b, err := Unmarshal(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}
