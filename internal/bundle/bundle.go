package bundle

import (
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
	// APIVersion is that of the file. Fields are added within a version, never renamed or given another meaning.
	APIVersion = "bundle.sickbay.dev/v1"
	// Kind is the only one of that version.
	Kind = "Bundle"
)

// Bundle is all that was read to explain something, and what was said.
type Bundle struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Version is that of the Sickbay that wrote it.
	Version string `json:"version"`
	// At is when everything was read.
	At time.Time `json:"at"`
	// Redacted reports that names and addresses have been replaced.
	Redacted bool `json:"redacted,omitempty"`
	// Asked is what was to be explained.
	Asked Asked `json:"asked"`
	// Settings are what the look depends on that is not in the objects.
	Settings Settings `json:"settings"`
	// Manager is who led, or why that could not be told.
	Manager Manager `json:"manager"`
	// Objects are those of the management cluster, reduced to what decisions go by.
	Objects []map[string]any `json:"objects,omitempty"`
	// Refusals are the reads that failed.
	Refusals []Refusal `json:"refusals,omitempty"`
	// Workload is what the workload clusters have answered.
	Workload []Workload `json:"workload,omitempty"`
	// Pages are what was said.
	Pages []explain.Page `json:"pages"`
}

// Asked names an object as a person does.
type Asked struct {
	// Kind may be empty, as for explain.
	Kind string `json:"kind,omitempty"`
	Name string `json:"name"`
}

// Settings are those of the manager that a look from outside takes over.
type Settings struct {
	// Namespace is the one that was looked at; empty means all.
	Namespace string           `json:"namespace,omitempty"`
	Adopt     mhcspec.Adoption `json:"adopt,omitempty"`
	// Assumed reports that nobody knew whether the manager has these flags.
	Assumed     bool            `json:"assumed,omitempty"`
	WatchFilter string          `json:"watchFilter,omitempty"`
	GracePeriod metav1.Duration `json:"gracePeriod"`
	// Records and Hosts report whether MachineRemediations and BareMetalHosts could be read.
	Records bool `json:"records,omitempty"`
	Hosts   bool `json:"hosts,omitempty"`
}

// Manager is the one that led.
type Manager struct {
	Name    string `json:"name,omitempty"`
	Unknown string `json:"unknown,omitempty"`
	// Leads says what it looks after, and who else leads.
	Leads string `json:"leads,omitempty"`
}

// Refusal is a read that failed.
type Refusal struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	// Name is empty if it was a list.
	Name string `json:"name,omitempty"`
	// Status is what the API server has answered; nil if the kind is not installed, or nobody answered.
	Status *metav1.Status `json:"status,omitempty"`
	// NotInstalled reports that the API server does not know the kind.
	NotInstalled bool   `json:"notInstalled,omitempty"`
	Message      string `json:"message,omitempty"`
}

// Workload is one workload cluster.
type Workload struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// LastSeen is when it answered last, if somebody asked for that.
	LastSeen *time.Time `json:"lastSeen,omitempty"`
	Nodes    []Node     `json:"nodes,omitempty"`
}

// Node is what was answered about a Node. It was found if none of the others is set.
type Node struct {
	Name       string            `json:"name"`
	Gone       bool              `json:"gone,omitempty"`
	Unreadable string            `json:"unreadable,omitempty"`
	Error      string            `json:"error,omitempty"`
	Metadata   metav1.ObjectMeta `json:"metadata,omitzero"`
	Conditions []Condition       `json:"conditions,omitempty"`
}

// Condition is one of a Node.
type Condition struct {
	Type    string      `json:"type"`
	Status  string      `json:"status"`
	Since   metav1.Time `json:"since,omitzero"`
	Reason  string      `json:"reason,omitempty"`
	Message string      `json:"message,omitempty"`
}

// Marshal writes a bundle as YAML, without the passwords that messages of others quote.
func (b *Bundle) Marshal() ([]byte, error) {
	data, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("writing a bundle: %w", err)
	}
	tree := map[string]any{}
	if err := json.Unmarshal(data, &tree); err != nil {
		return nil, fmt.Errorf("writing a bundle: %w", err)
	}
	text, err := yaml.Marshal(mask.Tree(withoutNulls(tree)))
	if err != nil {
		return nil, fmt.Errorf("writing a bundle: %w", err)
	}
	return text, nil
}

// withoutNulls drops what is null from a tree, as nothing says the same.
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
		return nil, fmt.Errorf("it is no bundle: %w", err)
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

// maxSize is how large a bundle may be: several times what 10,000 machines and all their repairs take.
const maxSize = 256 << 20

// readAll reads a file, unless it is larger than that.
func readAll(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		return nil, fmt.Errorf("%s is larger than %d MiB, which no bundle is", file, most>>20)
	}
	return data, err
}

// Read reads a bundle from a file.
func Read(file string) (*Bundle, error) {
	data, err := readAll(file, maxSize)
	if err != nil {
		return nil, fmt.Errorf("reading a bundle: %w", err)
	}
	b, err := Unmarshal(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return b, nil
}
