package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// Kinds that commands take as KIND/NAME.
const (
	kindMachine     = useractions.Machine
	kindRemediation = "mr"
	kindHealthCheck = useractions.HealthCheck
	kindCluster     = useractions.Cluster
	kindHost        = "host"
	kindNode        = "node"
)

// kindNames maps the names that people type for kinds, including kubectl's, to ours.
var kindNames = map[string]string{
	kindMachine: kindMachine, "machines": kindMachine, "ma": kindMachine,
	kindRemediation: kindRemediation, "machineremediation": kindRemediation, "machineremediations": kindRemediation,
	kindHealthCheck: kindHealthCheck, "machinehealthcheck": kindHealthCheck, "machinehealthchecks": kindHealthCheck,
	kindCluster: kindCluster, "clusters": kindCluster, "cl": kindCluster,
	kindNode: kindNode, "nodes": kindNode, "no": kindNode,
	kindHost: kindHost, "hosts": kindHost, "baremetalhost": kindHost, "baremetalhosts": kindHost, "bmh": kindHost,
}

// target is the object that a command is about.
type target struct{ kind, name string }

// parseTarget reads KIND/NAME, or NAME alone; then the kind is empty. KIND may include the group, as -o name prints it.
func parseTarget(arg string, takes ...string) (target, error) {
	kind, name, ok := strings.Cut(arg, "/")
	if !ok {
		kind, name = "", arg
	} else {
		short, _, _ := strings.Cut(strings.ToLower(kind), ".")
		if kind = kindNames[short]; !slices.Contains(takes, kind) {
			return target{}, usageError{fmt.Errorf("%q: the kind must be %s%s", arg, oneOf(takes), namespaced(arg))}
		}
	}
	if name == "" || strings.Contains(name, "/") {
		return target{}, usageError{fmt.Errorf("%q: it must be KIND/NAME or NAME", arg)}
	}
	return target{kind, name}, nil
}

// oneOf names the kinds that a command takes.
func oneOf(kinds []string) string {
	if len(kinds) == 1 {
		return kinds[0]
	}
	return "one of " + strings.Join(kinds, ", ")
}

// namespaced suggests a correction if a person copied NAMESPACE/NAME from a page; empty if arg begins with a kind.
func namespaced(arg string) string {
	namespace, name, _ := strings.Cut(arg, "/")
	if strconv.Quote(arg) != `"`+arg+`"` {
		return "" // arg cannot be a name, and may contain control characters
	}
	if kindNames[strings.ToLower(namespace)] != "" || name == "" || strings.Contains(namespace, ".") {
		return ""
	}
	return fmt.Sprintf("; if %s is its namespace, write %s -n %s", namespace, name, namespace)
}

// oneTarget parses the only argument of a command.
func oneTarget(args []string, takes ...string) (target, error) {
	switch len(args) {
	case 0:
		return target{}, usageError{errors.New("the target is missing: give it as NAME or KIND/NAME; the kind is " + oneOf(takes))}
	case 1:
		return parseTarget(args[0], takes...)
	}
	return target{}, usageError{fmt.Errorf("give one target, not %d", len(args))}
}

// span is the value of a flag for a duration, which may be in days.
type span time.Duration

// spanVar registers a flag for a duration, which may be in days.
func spanVar(fs *pflag.FlagSet, p *time.Duration, name string, value time.Duration, usage string) {
	*p = value
	fs.Var((*span)(p), name, usage)
}

// Set implements pflag.Value.
func (s *span) Set(text string) error {
	parsed, err := humanize.ParseSpan(text)
	*s = span(parsed)
	return err
}

// String implements pflag.Value. Zero is empty, so that the help shows no default.
func (s *span) String() string {
	if *s == 0 {
		return ""
	}
	return humanize.Span(time.Duration(*s))
}

// Type implements pflag.Value.
func (s *span) Type() string { return "duration" }

// files holds the flags of commands that read manifests.
type files struct {
	names     []string
	recursive bool
}

func (f *files) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringArrayVarP(&f.names, "filename", "f", nil, "File or directory to read, or - for standard input; may be given several times.")
	fs.BoolVarP(&f.recursive, "recursive", "R", false, "Also read the subdirectories of directories.")
	_ = cmd.MarkFlagFilename("filename", "yaml", "yml", "json")
}

// read reads the files that the flags name. A file that cannot be read is a usage error.
func (f *files) read(cmd *cobra.Command) ([]manifest.File, error) {
	if len(f.names) == 0 {
		return nil, usageError{errors.New("-f is missing: give a file, a directory, or - for standard input")}
	}
	all, err := manifest.Read(f.names, f.recursive, cmd.InOrStdin())
	if err != nil {
		return nil, usageError{err}
	}
	for _, name := range f.names {
		if !f.recursive && manifest.HasDirectories(name) {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s has subdirectories: -R reads them\n", name)
		}
	}
	return all, nil
}
