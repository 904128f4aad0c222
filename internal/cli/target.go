package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/people"
)

// Kinds that commands take as KIND/NAME.
const (
	kindMachine     = people.Machine
	kindRemediation = "mr"
	kindHealthCheck = people.HealthCheck
	kindCluster     = people.Cluster
	kindHost        = "host"
	kindNode        = "node"
)

// kindNames are the other names of the kinds, as kubectl takes them.
var kindNames = map[string]string{
	kindMachine: kindMachine, "machines": kindMachine, "ma": kindMachine,
	kindRemediation: kindRemediation, "machineremediation": kindRemediation, "machineremediations": kindRemediation,
	kindHealthCheck: kindHealthCheck, "machinehealthcheck": kindHealthCheck, "machinehealthchecks": kindHealthCheck,
	kindCluster: kindCluster, "clusters": kindCluster, "cl": kindCluster,
	kindNode: kindNode, "nodes": kindNode, "no": kindNode,
	kindHost: kindHost, "hosts": kindHost, "baremetalhost": kindHost, "baremetalhosts": kindHost, "bmh": kindHost,
}

// target is what a command is about.
type target struct{ kind, name string }

func (t target) String() string { return t.kind + "/" + t.name }

// parseTarget reads KIND/NAME, or a NAME, whose kind is empty then. The group of a kind may follow it, as in what -o name prints.
func parseTarget(arg string, takes ...string) (target, error) {
	kind, name, ok := strings.Cut(arg, "/")
	if !ok {
		kind, name = "", arg
	} else {
		short, _, _ := strings.Cut(strings.ToLower(kind), ".")
		if kind = kindNames[short]; !slices.Contains(takes, kind) {
			return target{}, usageError{fmt.Errorf("%q: the kind must be one of %s%s", arg, strings.Join(takes, ", "), namespaced(arg))}
		}
	}
	if name == "" || strings.Contains(name, "/") {
		return target{}, usageError{fmt.Errorf("%q: it must be KIND/NAME or NAME", arg)}
	}
	return target{kind, name}, nil
}

// namespaced says how to write what a person has copied as NAMESPACE/NAME, as the pages print it; nothing if it begins with a kind.
func namespaced(arg string) string {
	namespace, name, _ := strings.Cut(arg, "/")
	if strconv.Quote(arg) != `"`+arg+`"` {
		return "" // it is no name, and need not be plain text
	}
	if kindNames[strings.ToLower(namespace)] != "" || name == "" || strings.Contains(namespace, ".") {
		return ""
	}
	return fmt.Sprintf("; if %s is its namespace: %s -n %s", namespace, name, namespace)
}

// oneTarget is the one argument of a command.
func oneTarget(args []string, takes ...string) (target, error) {
	switch len(args) {
	case 0:
		return target{}, usageError{errors.New("it takes the name of what to act on, as KIND/NAME; the kind is one of " + strings.Join(takes, ", "))}
	case 1:
		return parseTarget(args[0], takes...)
	}
	return target{}, usageError{fmt.Errorf("it takes one name, but got %d", len(args))}
}
