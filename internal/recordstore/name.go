package recordstore

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
)

// maxName is the maximum length of a record's name: it has to fit into a label.
const maxName = 63

// Name returns the name of a machine's record: the machine's name, a hash of its UID, and the record's ordinal.
func Name(machine string, uid types.UID, ordinal int) string {
	return ownwrites.Name(machine, uid, strconv.Itoa(ordinal), maxName)
}

// alwaysKept is how much of a machine's name no ordinal is long enough to cut off.
const alwaysKept = 32

// IsNameFor reports whether a record of that name is one of a machine, whichever ordinal it has. In a storm it is asked for each machine and
// each record, and mostly the beginning of the name is enough to tell.
func IsNameFor(record, machine string, uid types.UID) bool {
	kept := strings.TrimRight(machine[:min(len(machine), alwaysKept)], "-.")
	return strings.HasPrefix(record, kept) && record == Name(machine, uid, OrdinalIn(record))
}

// Ordinal returns the ordinal of r among the records of its machine, counted from 1; 0 if neither its annotation nor its
// name says so, or if r is nil.
func Ordinal(r *v1alpha1.MachineRemediation) int {
	if r == nil {
		return 0
	}
	if n, err := strconv.Atoi(r.Annotations[v1alpha1.OrdinalAnnotation]); err == nil && n > 0 {
		return n
	}
	return OrdinalIn(r.Name)
}

// OrdinalIn returns the ordinal in the name of a record; 0 if it has none.
func OrdinalIn(name string) int {
	n, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	if err != nil || n < 0 {
		return 0
	}
	return n
}
