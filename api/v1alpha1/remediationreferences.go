package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// RemediatedMachineReference tells the machine of a MachineRemediation from others of its name.
type RemediatedMachineReference struct {
	// apiGroup is the API group of the Machine.
	// +kubebuilder:validation:Enum=cluster.x-k8s.io;machine.openshift.io
	// +required
	APIGroup string `json:"apiGroup,omitempty"`
	// name of the Machine.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name,omitempty"`
	// uid is the UID of the Machine.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +required
	UID types.UID `json:"uid,omitempty"`
}

// RemediationReference tells an object of a known kind from others of its name.
type RemediationReference struct {
	// name of the object.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name,omitempty"`
	// uid is the UID of the object. It may be absent only for a Node, if the workload cluster could not be read.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=63
	// +optional
	UID types.UID `json:"uid,omitempty"`
}

// PlanReference tells which generation of a MachineRemediationTemplate a plan was copied from.
type PlanReference struct {
	// name of the MachineRemediationTemplate.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name,omitempty"`
	// uid is the UID of the MachineRemediationTemplate.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +required
	UID types.UID `json:"uid,omitempty"`
	// generation is the generation that was copied.
	// +kubebuilder:validation:Minimum=1
	// +required
	Generation int64 `json:"generation,omitempty"`
}

// RemediationFinding is the verdict that led to a MachineRemediation.
type RemediationFinding struct {
	// reason of the verdict.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +required
	Reason string `json:"reason,omitempty"`
	// message of the verdict, cut if it is longer.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Message string `json:"message,omitempty"`
	// since is when the verdict was given.
	// +required
	Since metav1.Time `json:"since,omitzero"`
}

// RemediationRequesterKind says who asked for a MachineRemediation without a finding.
// +kubebuilder:validation:Enum=Person;Annotation;HealthCheck;Request
type RemediationRequesterKind string

// Who may ask without a finding.
const (
	// AskedByPerson: a person asked by a command.
	AskedByPerson RemediationRequesterKind = "Person"
	// AskedByAnnotation: a person or a program annotated the Machine.
	AskedByAnnotation RemediationRequesterKind = "Annotation"
	// AskedByHealthCheck: the health check of another controller asked, by a RebootRemediation with the name of the Machine, or by an annotation.
	AskedByHealthCheck RemediationRequesterKind = "HealthCheck"
	// AskedByRequest: somebody made a RebootRemediation by hand.
	AskedByRequest RemediationRequesterKind = "Request"
)

// RemediationRequester says who asked for a MachineRemediation without a finding, and why.
type RemediationRequester struct {
	// kind of the requester.
	// +required
	Kind RemediationRequesterKind `json:"kind,omitempty"`
	// name of the person, of the annotation, or of the RebootRemediation by which somebody asked.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	Name string `json:"name,omitempty"`
	// uid of the RebootRemediation by which somebody asked; absent if there is none.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MaxLength=63
	// +optional
	UID types.UID `json:"uid,omitempty"`
	// reason says why, in the requester's words.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Reason string `json:"reason,omitempty"`
}

// Asker says who asked.
func (r *RemediationRequester) Asker() string {
	switch r.Kind {
	case AskedByAnnotation:
		return "the annotation " + r.Name
	case AskedByHealthCheck:
		return "the health check of another controller, by " + r.Name
	case AskedByRequest:
		return "RebootRemediation " + r.Name
	default:
		return r.Name
	}
}

// String says who asked, and why.
func (r *RemediationRequester) String() string {
	if r.Reason == "" {
		return r.Asker()
	}
	return r.Asker() + ": " + r.Reason
}

// RemediationStart says where in the plan a MachineRemediation begins, and why there.
type RemediationStart struct {
	// step is the name of the step to begin with. Empty: none is left, and a person decides.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Step string `json:"step,omitempty"`
	// reason says why, in one sentence.
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Reason string `json:"reason,omitempty"`
}
