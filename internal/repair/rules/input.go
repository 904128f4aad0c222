package rules

// Input is what a rule sees. The tags are the names in CEL.
type Input struct {
	Findings []Finding
	Machine  Machine
	Attempts []Attempt
}

// Finding is one cause for which a machine is sick.
type Finding struct {
	// Source is Node or Machine.
	Source  string `cel:"source"`
	Type    string `cel:"type"`
	Status  string `cel:"status"`
	Reason  string `cel:"reason"`
	Message string `cel:"message"`
}

// The sources of findings.
const (
	SourceNode    = "Node"
	SourceMachine = "Machine"
)

// Machine is the sick machine.
type Machine struct {
	Name          string            `cel:"name"`
	Labels        map[string]string `cel:"labels"`
	Annotations   map[string]string `cel:"annotations"`
	ControlPlane  bool              `cel:"controlPlane"`
	FailureDomain string            `cel:"failureDomain"`
	Owner         Owner             `cel:"owner"`
}

// Owner is the controller that owns a machine; empty if it has none.
type Owner struct {
	Kind string `cel:"kind"`
	Name string `cel:"name"`
}

// Attempt is one attempt of the repair.
type Attempt struct {
	Step   string `cel:"step"`
	Result string `cel:"result"`
}

// variables are the input by its names in CEL.
func (in Input) variables() map[string]any {
	return map[string]any{"findings": in.Findings, "machine": in.Machine, "attempts": in.Attempts}
}
