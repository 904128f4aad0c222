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

// Ordinal returns the ordinal of r among the records of its machine, counted from 1; 0 if neither its annotation nor its
// name says so.
func Ordinal(r *v1alpha1.MachineRemediation) int {
	if n, err := strconv.Atoi(r.Annotations[v1alpha1.OrdinalAnnotation]); err == nil && n > 0 {
		return n
	}
	n, err := strconv.Atoi(r.Name[strings.LastIndexByte(r.Name, '-')+1:])
	if err != nil || n < 0 {
		return 0
	}
	return n
}
