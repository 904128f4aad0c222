package convert

import (
	"strings"

	"github.com/sickbay-dev/sickbay/internal/manifest"
)

// serverFields are the metadata that the API server writes; an object read from it contains them.
var serverFields = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"}

// copies are annotations with a copy of the whole original object.
var copies = []string{"kubectl.kubernetes.io/last-applied-configuration", "cluster.x-k8s.io/conversion-data"}

// dropServerFields removes what an API server has written: it would be wrong for the new object.
func (c *conversion) dropServerFields() {
	var dropped []string
	at := c.root
	metadata := manifest.Get(c.root, "metadata")
	for _, field := range serverFields {
		if key, value := take(metadata, field); key != nil && !isNull(value) {
			dropped, at = append(dropped, "metadata."+field), key
		}
	}
	annotations := manifest.Get(metadata, "annotations")
	for _, annotation := range copies {
		if key, _ := take(annotations, annotation); key != nil {
			dropped, at = append(dropped, "annotation "+annotation), key
		}
	}
	prune(metadata, "annotations")
	if key, value := take(c.root, "status"); key != nil && !isNull(value) && len(value.Content) > 0 {
		dropped, at = append(dropped, "status"), key
	}
	if len(dropped) > 0 {
		delete(c.paths, at)
		c.note(at, "left out, as servers and controllers write it: "+strings.Join(dropped, ", "))
	}
}
