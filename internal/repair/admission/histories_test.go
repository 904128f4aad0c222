package admission

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/yaml"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
)

// recording is what the Nodes of a pool showed, and what Sickbay has to say about it. Times count from the beginning.
type recording struct {
	Settings string          `json:"settings"`
	Timeout  metav1.Duration `json:"timeout"`
	Nodes    int             `json:"nodes"`
	Steps    []struct {
		At       metav1.Duration  `json:"at"`
		Nodes    []int            `json:"nodes"`
		Settings string           `json:"settings"`
		Boot     string           `json:"boot"`
		Status   string           `json:"status"`
		Reason   string           `json:"reason"`
		Ready    string           `json:"ready"`
		Since    *metav1.Duration `json:"since"`
		Heard    *metav1.Duration `json:"heard"`
		Want     *struct {
			Verdict string         `json:"verdict"`
			Except  map[int]string `json:"except"`
			Says    string         `json:"says"`
			Trusted string         `json:"trusted"`
			Gate    string         `json:"gate"`
			Repairs []int          `json:"repairs"`
		} `json:"want"`
	} `json:"steps"`
}

// replayed is the pool during a replay. Nothing outlives a look but what is stored on Machines and the MachineHealthCheck, so each look is one after a
// restart.
type replayed struct {
	t        *testing.T
	now      time.Time
	timeout  time.Duration
	mhc      *clusterv1.MachineHealthCheck
	machines []*clusterv1.Machine
	nodes    []*corev1.Node
}

func (p *replayed) check(settings string) {
	before := p.mhc
	p.mhc = build.MachineHealthCheck(ns, "mhc", build.Annotation(mhcspec.SignalsAnnotation, "GpuHealthy: {"+settings+"}"),
		build.UnhealthyNodeCondition("GpuHealthy", corev1.ConditionFalse, p.timeout), build.UnhealthyNodeCondition(corev1.NodeReady, corev1.ConditionFalse, p.timeout))
	if before != nil {
		p.mhc.Status = before.Status
	}
}

// look judges all Machines and stores the results, and returns when to look again.
func (p *replayed) look() (again time.Time) {
	for i, machine := range p.machines {
		facts := p.health(i)
		for conditionType, result := range map[string]healthcheck.Result{
			verdict.TrustConditionType: verdict.DecideTrust(facts, p.now), verdict.ConditionType: healthcheck.Merge(p.now, verdict.Decide(facts, p.now)),
		} {
			meta.SetStatusCondition(&machine.Status.Conditions, metav1.Condition{
				Type: conditionType, Status: PresentOf(result), Reason: result.Reason, Message: result.Message, LastTransitionTime: metav1.NewTime(p.now),
			})
			again = healthcheck.Earliest(again, result.NextChange())
		}
	}
	return again
}

func (p *replayed) health(i int) verdict.Facts {
	return verdict.Facts{
		Machine: p.machines[i].DeepCopy(), Cluster: build.Cluster(ns, build.ClusterName), Rules: mhcspec.RulesOf(p.mhc),
		Node: verdict.NodeFacts{State: verdict.NodeFound, Node: p.nodes[i]},
	}
}

// until plays until a time: whenever a verdict is due, somebody looks.
func (p *replayed) until(at time.Time) {
	for next := p.look(); !next.IsZero() && next.Before(at); next = p.look() {
		if !next.After(p.now) {
			p.t.Fatalf("at %s, the next look is at %s", p.now, next)
		}
		p.now = next
	}
	p.now = at
}

// decide returns who is repaired, and stores the status.
func (p *replayed) decide() (repairs []int) {
	var all []Target
	for _, machine := range p.machines {
		all = append(all, Target{Machine: machine})
	}
	f := facts(p.mhc, all...)
	err := f.Suspect(p.now, func(machine *clusterv1.Machine) (verdict.Facts, error) {
		return p.health(slices.Index(p.machines, machine)), nil
	})
	if err != nil {
		p.t.Fatal(err)
	}
	d := Decide(f, p.now)
	p.mhc.Status = Status(f, d, metav1.NewTime(p.now))
	for _, one := range d.Admit {
		repairs = append(repairs, slices.Index(p.machines, one.Machine)+1)
	}
	slices.Sort(repairs)
	return repairs
}

// shows sets a condition of a Node. Only its heartbeat changes if there is no status.
func (p *replayed) shows(i int, conditionType, status, reason string, since, heard *metav1.Duration) {
	node := p.nodes[i].DeepCopy()
	p.nodes[i] = node
	at := slices.IndexFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return string(c.Type) == conditionType })
	if at < 0 {
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{Type: corev1.NodeConditionType(conditionType)})
		at = len(node.Status.Conditions) - 1
	}
	c := &node.Status.Conditions[at]
	if status != "" {
		c.Status, c.Reason, c.LastTransitionTime = corev1.ConditionStatus(status), reason, metav1.NewTime(build.Epoch.Add(since.Duration))
	}
	if heard != nil {
		c.LastHeartbeatTime = metav1.NewTime(build.Epoch.Add(heard.Duration))
	}
}

// TestHistories replays what Nodes have shown, as published cases have it, through restarts at each look.
func TestHistories(t *testing.T) {
	files, err := filepath.Glob("testdata/histories/*.yaml")
	if err != nil || len(files) != 5 {
		t.Fatalf("%d histories: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var r recording
			if err := yaml.UnmarshalStrict(text, &r); err != nil {
				t.Fatal(err)
			}
			r.play(t)
		})
	}
}

func (r recording) play(t *testing.T) {
	t.Helper()
	p := &replayed{t: t, now: build.Epoch, timeout: r.Timeout.Duration}
	p.check(r.Settings)
	var everybody []int
	for i := range r.Nodes {
		name := fmt.Sprintf("m%02d", i+1)
		p.machines = append(p.machines, target(name, build.OwnedBy(machineSet), build.NodeRef(name)).Machine)
		p.nodes = append(p.nodes, build.Node(name))
		everybody = append(everybody, i+1)
	}
	for _, step := range r.Steps {
		if step.At.Duration > 0 {
			p.until(build.Epoch.Add(step.At.Duration))
		}
		for _, n := range everybody {
			if step.Nodes != nil && !slices.Contains(step.Nodes, n) {
				continue
			}
			if step.Boot != "" {
				p.nodes[n-1] = p.nodes[n-1].DeepCopy()
				p.nodes[n-1].Status.NodeInfo.BootID = step.Boot
			}
			if step.Status != "" || step.Heard != nil {
				p.shows(n-1, "GpuHealthy", step.Status, step.Reason, step.Since, step.Heard)
			}
			if step.Ready != "" {
				p.shows(n-1, "Ready", step.Ready, "Kubelet", step.Since, nil)
			}
		}
		if step.Settings != "" {
			p.check(step.Settings)
		}
		p.look()
		repairs := p.decide()
		if step.Want == nil {
			continue
		}
		at := fmt.Sprintf("at %s: ", step.At.Duration)
		if diff := cmp.Diff(step.Want.Repairs, repairs); diff != "" {
			t.Errorf("%srepaired (-want +got):\n%s", at, diff)
		}
		said := false
		for i, machine := range p.machines {
			is := verdict.Of(machine)
			said = said || is.Message == step.Want.Says
			want := step.Want.Verdict
			if other, ok := step.Want.Except[i+1]; ok {
				want = other
			}
			if got := fmt.Sprintf("%s %s", is.Status, is.Reason); want != "" && got != want {
				t.Errorf("%s%s is %s (%s), want %s", at, machine.Name, got, is.Message, want)
			}
			trusted := meta.FindStatusCondition(machine.Status.Conditions, verdict.TrustConditionType)
			if got := fmt.Sprintf("%s %s", trusted.Status, trusted.Reason); step.Want.Trusted != "" && got != step.Want.Trusted {
				t.Errorf("%sthe signals of %s are %s, want %s", at, machine.Name, got, step.Want.Trusted)
			}
		}
		if step.Want.Says != "" && !said {
			t.Errorf("%sno verdict says %s; the first one is %+v", at, step.Want.Says, verdict.Of(p.machines[0]))
		}
		if gate := meta.FindStatusCondition(p.mhc.Status.Conditions, ConditionSignalsTrusted); step.Want.Gate != "" {
			if got := strings.TrimSuffix(fmt.Sprintf("%s %s: %s", gate.Status, gate.Reason, gate.Message), ": "); got != step.Want.Gate {
				t.Errorf("%sthe gate says %s, want %s", at, got, step.Want.Gate)
			}
		}
	}
}

// TestStormWithHistory: 1,000 machines are sick, one may be repaired at once, and of each machine 10 records are kept.
func TestStormWithHistory(t *testing.T) {
	p := plan(func(p *v1alpha1.RemediationPlan) { p.MaxInFlight = new(intstr.FromInt32(1)) })
	var all []Target
	var past []*v1alpha1.MachineRemediation
	for i := range 1000 {
		name := fmt.Sprintf("m-%04d", i)
		all = append(all, sick(name))
		for n := range 10 {
			r := recordOf(name, ended)
			r.Name, r.UID = fmt.Sprintf("%s-%d", name, n), types.UID(fmt.Sprintf("%s-%d", name, n))
			r.Status.CompletionTime = &metav1.Time{Time: now.Add(-time.Hour)}
			past = append(past, r)
		}
	}
	f := planned(p, all...).remembers(past...)
	begun := processor(t)
	d := Decide(f, now)
	if took := processor(t) - begun; took > 500*time.Millisecond {
		t.Errorf("one decision, to admit %d, took %s of a processor; a look makes up to four", len(d.Admit), took.Round(time.Millisecond))
	}
}

// processor is how much of a processor this process has used.
func processor(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano())
}
