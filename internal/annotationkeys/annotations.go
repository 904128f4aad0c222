package annotationkeys

import (
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/remedy/rebootannotation"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// Prefix begins the names of all annotations, labels and finalizers of Sickbay.
const Prefix = "sickbay.dev/"

// The kinds that may have annotations of Sickbay, those of Cluster API and of OpenShift alike. Leases have some, too, which package
// lease/scope names.
const (
	HealthCheck = "MachineHealthCheck"
	Machine     = "Machine"
	Cluster     = "Cluster"
)

// Writer is who writes an annotation.
type Writer int

// The writers.
const (
	// Person means that people write it, to tell Sickbay what to do.
	Person Writer = iota
	// Sickbay means that Sickbay writes it for itself.
	Sickbay
	// Either means that Sickbay writes it, and people may write it, too.
	Either
)

// Annotation is an annotation that a kind may have.
type Annotation struct {
	Key string
	By  Writer
}

var onHealthChecks = []Annotation{
	{mhcspec.DryRunAnnotation, Person},
	{mhcspec.HoldReasonAnnotation, Person},
	{mhcspec.HoldUntilAnnotation, Person},
	{mhcspec.HostErrorTimeoutAnnotation, Person},
	{mhcspec.MaxInFlightAnnotation, Person},
	{mhcspec.PauseOnUpgradeAnnotation, Person},
	{mhcspec.ProvisioningTimeoutAnnotation, Person},
	{mhcspec.SignalsAnnotation, Person},
	{mhcspec.StrategyAnnotation, Person},
	{mhcspec.ResumedAtAnnotation, Either},
	{pause.HandledAnnotation, Sickbay},
	{pause.PausedAtAnnotation, Sickbay},
	{pause.WarnedAtAnnotation, Sickbay},
	{pause.SettlingAnnotation, Sickbay},
}

var onMachines = []Annotation{
	{mhcspec.HoldReasonAnnotation, Person},
	{mhcspec.HoldUntilAnnotation, Person},
	{rebootannotation.Outcome, Sickbay},
}

var onClusters = []Annotation{
	{quorum.Permission, Person},
	{mhcspec.HoldReasonAnnotation, Person},
	{mhcspec.HoldUntilAnnotation, Person},
	{mhcspec.PauseOnUpgradeAnnotation, Person},
}

// On returns the annotations that a kind may have; none for other kinds.
func On(kind string) []Annotation {
	switch kind {
	case HealthCheck:
		return onHealthChecks
	case Machine:
		return onMachines
	case Cluster:
		return onClusters
	}
	return nil
}

// Unknown reports whether a name looks like an annotation of Sickbay, but is none that the kind may have.
func Unknown(kind, key string) bool {
	return strings.HasPrefix(key, Prefix) && !slices.ContainsFunc(On(kind), func(a Annotation) bool { return a.Key == key })
}

// ForPeople returns the annotations that a person may write on a kind, sorted.
func ForPeople(kind string) (names []string) {
	for _, a := range On(kind) {
		if a.By != Sickbay {
			names = append(names, a.Key)
		}
	}
	slices.Sort(names)
	return names
}
