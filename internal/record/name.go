package record

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// maxName is the maximum length of a record's name: it has to fit into a label.
const maxName = 63

// Name returns the name of a machine's record: the machine's name, a hash of its UID, and the record's ordinal.
func Name(machine string, uid types.UID, ordinal int) string {
	hash := fnv.New32a()
	hash.Write([]byte(uid))
	suffix := fmt.Sprintf("-%08x-%d", hash.Sum32(), ordinal)
	if most := maxName - len(suffix); len(machine) > most {
		machine = strings.TrimRight(machine[:most], "-.")
	}
	return machine + suffix
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
