package cli

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
	"github.com/sickbay-dev/sickbay/internal/testing/objects"
	"github.com/sickbay-dev/sickbay/internal/testing/settle"
)

// shell runs commands against an API server, in a namespace that has the Cluster blue with the MachineSet md-0 and the
// MachineHealthCheck workers.
type shell struct {
	t          *testing.T
	c          client.Client
	ns         string
	kubeconfig string
	cluster    *clusterv1.Cluster
	set        *clusterv1.MachineSet
	mhc        *clusterv1.MachineHealthCheck
	// stdin is the commands' standard input; nil means empty.
	stdin io.Reader
}

func newShell(t *testing.T) *shell {
	t.Helper()
	e := env.Get(t)
	install(t, e)
	ns := e.Namespace(t)
	s := &shell{
		t: t, c: e.Client, ns: ns, kubeconfig: env.Kubeconfig(t, e.Config, "root", ""),
		cluster: build.Cluster(ns, "blue"), set: build.MachineSet(ns, "md-0", build.InCluster("blue")),
		mhc: build.MachineHealthCheck(ns, "workers", build.InCluster("blue"), build.Selector(map[string]string{clusterv1.ClusterNameLabel: "blue"})),
	}
	build.Create(t.Context(), t, s.c, s.cluster, s.set, s.mhc)
	return s
}

// ran is the result of a command.
type ran struct {
	code           int
	stdout, stderr string
}

// run runs a command in the namespace.
func (s *shell) run(args ...string) ran {
	s.t.Helper()
	var stderr bytes.Buffer
	return s.runInto(&stderr, args...)
}

func (s *shell) runInto(stderr io.ReadWriter, args ...string) ran {
	s.t.Helper()
	var stdout bytes.Buffer
	root := newRoot("sickbay")
	root.SetIn(strings.NewReader(""))
	if s.stdin != nil {
		root.SetIn(s.stdin)
	}
	code := execute(s.t.Context(), root, append(args, "--kubeconfig", s.kubeconfig, "-n", s.ns), &stdout, stderr)
	said, err := io.ReadAll(stderr)
	if err != nil {
		s.t.Fatal(err)
	}
	return ran{code, stdout.String(), string(said)}
}

// offline runs a command without a cluster.
func offline(t *testing.T, args ...string) ran {
	t.Helper()
	var stdout, stderr strings.Builder
	code := Main(t.Context(), args, &stdout, &stderr)
	return ran{code, stdout.String(), stderr.String()}
}

// ends checks the exit code, and something that was said.
func (r ran) ends(t *testing.T, code int, want string) {
	t.Helper()
	if r.code != code || !strings.Contains(r.stdout+r.stderr, want) {
		t.Errorf("exit code is %d, want %d, and %q in\n%s%s", r.code, code, want, r.stdout, r.stderr)
	}
}

// hashes match the parts of record names that depend on UIDs.
var hashes = regexp.MustCompile(`(metal-[0-9]+)-[0-9a-f]{8}-`)

// scrub replaces what differs between runs.
func (s *shell) scrub(text string) string {
	return strings.ReplaceAll(hashes.ReplaceAllString(text, "$1-5f2c9d1e-"), s.ns, "fleet")
}

// golden compares the output of a command with a file.
func (s *shell) golden(name string, got ran, code int) {
	s.t.Helper()
	if got.code != code {
		s.t.Errorf("exit code is %d, want %d", got.code, code)
	}
	docs.Golden(s.t, name, s.scrub(got.stdout+got.stderr))
}

// says checks that a command failed with this one line.
func (s *shell) says(got ran, code int, want string) {
	s.t.Helper()
	if got.code != code {
		s.t.Errorf("exit code is %d, want %d", got.code, code)
	}
	if said := s.scrub(got.stderr); said != "sickbay: "+want+"\n" {
		s.t.Errorf("said   %swanted sickbay: %s", said, want)
	}
}

// fellSick is when the machines of the tests fell sick.
var fellSick = time.Date(2026, 11, 22, 2, 57, 10, 0, time.UTC)

// machine stores a Machine of the MachineSet.
func (s *shell) machine(name string, opts ...build.MachineOption) *clusterv1.Machine {
	s.t.Helper()
	machine := build.Machine(s.ns, name, append([]build.MachineOption{build.InCluster("blue"), build.OwnedBy(s.set), build.NodeRef(name), judgedAs(metav1.ConditionFalse)}, opts...)...)
	build.Create(s.t.Context(), s.t, s.c, machine)
	return machine
}

func judgedAs(status metav1.ConditionStatus) build.ConditionOption {
	return build.Condition(verdict.ConditionType, status, "NodeReadyUnknown", fellSick).WithMessage(sickness)
}

const sickness = "Node condition Ready is Unknown for more than 5m0s"

// The steps of the plans in the tests.
var (
	reboot  = v1alpha1.RemediationStep{Name: "reboot", Action: v1alpha1.ActionReboot, Attempts: 2, TimeoutSeconds: new(int32(1800))}
	replace = v1alpha1.RemediationStep{Name: "replace", Action: v1alpha1.ActionReplace, TimeoutSeconds: new(int32(3600)), Approval: v1alpha1.ApprovalRequired}
	ask     = v1alpha1.RemediationStep{Name: "ask", Action: v1alpha1.ActionHold}
)

// admit stores a record of a Machine with a plan, after the ladder's first decision.
func (s *shell) admit(machine *clusterv1.Machine, steps ...v1alpha1.RemediationStep) *v1alpha1.MachineRemediation {
	s.t.Helper()
	r := settle.Admitted(s.cluster, s.mhc, machine, steps...)
	build.Create(s.t.Context(), s.t, s.c, r)
	return s.settle(r)
}

// settle stores the ladder's decisions about a record whose machine is sick.
func (s *shell) settle(r *v1alpha1.MachineRemediation, changes ...func(*ladder.Facts)) *v1alpha1.MachineRemediation {
	s.t.Helper()
	settle.Record(s.t, s.c, r, fellSick.Add(10*time.Minute), changes...)
	return r
}

// stored reads a record.
func (s *shell) stored(r *v1alpha1.MachineRemediation) *v1alpha1.MachineRemediation {
	s.t.Helper()
	latest, exists := objects.Get(s.t, s.c, r)
	if !exists {
		s.t.Fatalf("%s is gone", r.Name)
	}
	return latest
}

// may grants a user rights in the namespace.
func (s *shell) may(user string, rules ...rbacv1.PolicyRule) {
	s.t.Helper()
	e := env.Get(s.t)
	_, who := e.User(user)
	e.Permit(s.t, s.ns, who, rules...)
}

func rule(group, resource string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: verbs}
}

// terminal connects the commands to a pseudo terminal, and returns the person's end.
func (s *shell) terminal() *os.File {
	s.t.Helper()
	person, tty := openTerminal(s.t)
	s.stdin = tty
	return person
}

// typed types a line at the terminal.
func typed(t *testing.T, person *os.File, line string) {
	t.Helper()
	if _, err := person.WriteString(line + "\n"); err != nil {
		t.Error(err)
	}
}
