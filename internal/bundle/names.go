package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Classes of names; the pseudonyms show them. A name in several classes counts as the first.
const (
	classMachine = iota
	classCluster
	classNode
	classHost
	classCheck
	classPlan
	classRecord
	classZone
	classNamespace
	classPerson
	classOther
	classes
)

var classWords = [classes]string{"machine", "cluster", "node", "host", "check", "plan", "record", "zone", "namespace", "person", "object"}

// ofKind maps kinds to the classes of their names.
var ofKind = map[string]int{
	"Machine": classMachine, "Cluster": classCluster, "BareMetalHost": classHost, "MachineHealthCheck": classCheck,
	"MachineRemediationTemplate": classPlan, "MachineRemediation": classRecord,
}

// ofField maps fields to the classes of the names in them, or in the references that they hold.
var ofField = map[string]int{
	"clusterName": classCluster, "failureDomain": classZone, "namespace": classNamespace, "by": classPerson,
	"workload": classCluster, "nodes": classNode, "ownerReferences": classOther, "requestedBy": classOther, "manager": classOther, "refusals": classOther,
	"nodeRef": classNode, "machineRef": classMachine, "hostRef": classHost, "consumerRef": classOther, "templateRef": classPlan, "healthCheckRef": classCheck,
}

// names are the names to replace.
type names struct {
	class map[string]int
	// records maps records to their machines; a record's name contains its machine's.
	records map[string]string
	// replacements are names of records whose machines are unknown.
	replacements []string
	// texts are free texts by people.
	texts map[string]bool
}

func (n *names) add(name any, class int) {
	text, _ := name.(string)
	if text == "" {
		return
	}
	if before, known := n.class[text]; !known || class < before {
		n.class[text] = class
	}
}

// find searches a tree for names.
func (n *names) find(field string, tree any) {
	switch tree := tree.(type) {
	case []any:
		for _, one := range tree {
			n.find(field, one)
		}
	case map[string]any:
		n.findIn(field, tree)
		for key, value := range tree {
			n.find(key, value)
		}
	}
}

func (n *names) findIn(field string, object map[string]any) {
	for _, key := range []string{"clusterName", "failureDomain", "namespace", "by"} {
		if field != "steps" { // There, by is no person.
			n.add(object[key], ofField[key])
		}
	}
	if _, answered := object["answer"]; answered {
		n.text(object["reason"])
	}
	switch field {
	case "metadata":
		annotations, _ := object["annotations"].(map[string]any)
		n.text(annotations["sickbay.dev/hold-reason"])
		n.add(annotations["sickbay.dev/failure-domain"], classZone)
		if owner, _ := annotations["sickbay.dev/owner"].(string); owner != "" {
			n.add(owner[strings.LastIndexByte(owner, ' ')+1:], classOther)
		}
	case "objects":
		n.object(object)
	case "replacementRef":
		// It may name a record that does not exist yet.
		name, _ := object["name"].(string)
		n.replacements = append(n.replacements, name)
	default:
		if class, known := named(field, object); known {
			n.add(object["name"], class)
		}
	}
}

// named returns the class of the name in an object that is the value of a field; false if it has none.
func named(field string, object map[string]any) (int, bool) {
	if field == "requestedBy" {
		switch {
		case object["kind"] == "Person":
			return classPerson, true
		case object["uid"] == nil:
			// It is the key of an annotation.
			return classOther, false
		}
	}
	if class, known := ofField[field]; known {
		return class, true
	}
	return classOther, strings.HasSuffix(field, "Ref")
}

// object adds the name of a whole object.
func (n *names) object(object map[string]any) {
	kind, _ := object["kind"].(string)
	class, known := ofKind[kind]
	if !known {
		class = classOther
	}
	metadata, _ := object["metadata"].(map[string]any)
	n.add(metadata["name"], class)
	if class != classRecord {
		return
	}
	spec, _ := object["spec"].(map[string]any)
	machine, _ := spec["machineRef"].(map[string]any)
	record, _ := metadata["name"].(string)
	n.records[record], _ = machine["name"].(string)
}

func (n *names) text(value any) {
	if text, _ := value.(string); text != "" {
		n.texts[text] = true
	}
}

// pseudonyms returns a pseudonym for each name. Pseudonyms sort like the names, because some decisions and outputs
// depend on the order.
func (n *names) pseudonyms() map[string]string {
	all := map[string]string{}
	for i, name := range slices.Sorted(maps.Keys(n.class)) {
		all[name] = fmt.Sprintf("n%0*d-%s", len(fmt.Sprint(len(n.class))), i+1, classWords[n.class[name]])
	}
	for name := range n.class {
		if n.madeForRecord(name) {
			delete(all, name)
		}
	}
	for _, record := range n.replacements {
		if _, known := n.records[record]; !known {
			n.records[record] = n.machineOf(record)
		}
	}
	for record, machine := range n.records {
		// The name of a record consists of its machine's name, a hash of the UID and a number. Long names are cut.
		if parts := strings.Split(record, "-"); len(parts) > 2 && all[machine] != "" {
			all[record] = all[machine] + "-" + strings.Join(parts[len(parts)-2:], "-")
		}
	}
	return all
}

// madeForRecord reports whether a name consists of a record's name and the number of an attempt.
func (n *names) madeForRecord(name string) bool {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return false
	}
	_, is := n.records[name[:i]]
	return is
}

// machineOf finds the machine of a record by its name.
func (n *names) machineOf(record string) string {
	parts := strings.Split(record, "-")
	began := strings.Join(parts[:max(0, len(parts)-2)], "-")
	for _, name := range slices.Sorted(maps.Keys(n.class)) {
		if name == began || (began != "" && len(record) == maxLabel && strings.HasPrefix(name, began)) {
			return name
		}
	}
	return ""
}

// maxLabel is the length of record names that were cut.
const maxLabel = 63
