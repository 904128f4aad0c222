package planted

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/testing/build"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// harness is a manager that handles a fleet with planted values.
type harness struct {
	*env.Env
	t                         *testing.T
	ns, kubeconfig            string
	metrics, pprof, dashboard string
	said                      output
	tattler                   *tattler
	// collected is all output, by description.
	collected map[string]string
}

// TestNothingComesOut: the content of Secrets, and passwords that others quote, are in nothing that Sickbay prints, stores, shows or sends,
// even at the highest verbosity.
func TestNothingComesOut(t *testing.T) {
	s := &harness{Env: env.Get(t), t: t, tattler: newTattler(t), collected: map[string]string{}}
	s.Install(t, env.WithCRDs(env.AnythingGoes(reboot.HostKind)))
	s.ns = s.Namespace(t)
	s.kubeconfig = env.Kubeconfig(t, s.Config, "root", s.ns)
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(planted("file")), 0o600); err != nil {
		t.Fatal(err)
	}
	plant(t, s.Env, s.ns, s.tattler.URL, file)
	s.manager()
	s.settled()
	s.collect()
	for what, text := range s.collected {
		if text == "" {
			t.Errorf("nothing was collected of %s", what)
		}
		for _, leak := range leaks(text) {
			t.Errorf("%s has %s", what, leak)
		}
	}
	if received := s.tattler.said(); strings.Contains(received, planted("file")) {
		t.Error("a file of the manager was sent to the server that a kubeconfig names")
	} else if !strings.Contains(received, planted("token")) {
		t.Errorf("the workload cluster was not asked with its token: %s", received)
	}
}

// sickbay returns a command that runs the program.
func (s *harness) sickbay(ctx context.Context, args ...string) *exec.Cmd {
	s.t.Helper()
	binary, err := os.Executable()
	if err != nil {
		s.t.Fatal(err)
	}
	if _, looks := map[string]bool{"status": true, "explain": true, "history": true, "simulate": true}[args[0]]; looks {
		args = append(args, "--connect-timeout=1s")
	}
	cmd := exec.CommandContext(ctx, binary, append(args, "--kubeconfig", s.kubeconfig)...)
	cmd.Env = append(os.Environ(), asSickbay+"=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return cmd
}

// manager runs a manager until the test ends.
func (s *harness) manager() {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	s.metrics, s.pprof, s.dashboard = freeAddress(s.t), freeAddress(s.t), freeAddress(s.t)
	cmd := s.sickbay(ctx, "manager", "--namespace="+s.ns, "--v=7", "--health-probe-bind-address=0", "--remote-conditions-grace-period=0",
		"--metrics-bind-address="+s.metrics, "--pprof-bind-address="+s.pprof, "--dashboard-bind-address="+s.dashboard)
	cmd.Stdout, cmd.Stderr = &s.said, &s.said
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		if s.t.Failed() && os.Getenv("SICKBAY_TEST_LOG") != "" {
			s.t.Log(s.said.String())
		}
	})
}

// settled waits until all machines have their verdicts, and the manager has tried all clusters.
func (s *harness) settled() {
	s.t.Helper()
	g := NewWithT(s.t)
	g.Eventually(func(g Gomega) {
		var machines clusterv1.MachineList
		g.Expect(s.Client.List(s.t.Context(), &machines, client.InNamespace(s.ns))).To(Succeed())
		g.Expect(machines.Items).NotTo(BeEmpty())
		for _, m := range machines.Items {
			stored := meta.FindStatusCondition(m.Status.Conditions, verdict.ConditionType)
			g.Expect(stored).NotTo(BeNil(), m.Name)
			g.Expect(stored.Message).To(And(ContainSubstring("cannot reach redfish"), ContainSubstring("Host host-"+m.Name+" has an error")), m.Name)
		}
		var records v1alpha1.MachineRemediationList
		g.Expect(s.Client.List(s.t.Context(), &records, client.InNamespace(s.ns))).To(Succeed())
		g.Expect(records.Items).To(HaveLen(len(machines.Items)))
		for _, m := range machines.Items {
			g.Expect(s.said.String()).To(MatchRegexp(`"Connect failed".* Cluster="` + s.ns + "/" + m.Name))
		}
	}).WithTimeout(time.Minute).WithPolling(200 * time.Millisecond).Should(Succeed())
}

// collect gathers all output.
func (s *harness) collect() {
	s.t.Helper()
	s.collected["logs"] = s.said.String()
	s.collected["events"] = s.list(&eventsv1.EventList{})
	s.collected["records"] = s.list(&v1alpha1.MachineRemediationList{})
	s.collected["cycles"] = s.list(&v1alpha1.RebootRemediationList{})
	s.collected["conditions"] = s.conditions()
	for _, args := range [][]string{{"status", "-A"}, {"status", "-A", "-o", "json"}, {"history", "-A"}, {"simulate", "--for=1h"}, {"lint", "--live"}} {
		s.collected[strings.Join(args, " ")] = s.command(args...)
	}
	for _, name := range []string{"blue", "red", "black"} {
		s.collected["explain "+name] = s.command("explain", name, "-n", s.ns)
		s.collected["explain mhc/"+name] = s.command("explain", "mhc/"+name, "-n", s.ns)
		s.collected["explain host/"+name] = s.command("explain", "host/host-"+name, "-n", s.ns)
		for _, redact := range []string{"--redact=false", "--redact"} {
			file := filepath.Join(s.t.TempDir(), "bundle.yaml")
			s.command("explain", name, "-n", s.ns, "--bundle", file, redact)
			text, err := os.ReadFile(file)
			if err != nil {
				s.t.Fatal(err)
			}
			s.collected["bundle of "+name+" "+redact] = string(text)
			s.collected["replay of "+name+" "+redact] = s.command("replay", file)
		}
	}
	s.collectServed()
}

// command runs a command and returns its output.
func (s *harness) command(args ...string) string {
	s.t.Helper()
	cmd := s.sickbay(s.t.Context(), args...)
	if args[0] == "replay" { // it needs no API server
		cmd.Args = cmd.Args[:len(cmd.Args)-2]
	}
	text, err := cmd.CombinedOutput()
	if err != nil && len(text) == 0 {
		s.t.Fatalf("%v: %v", args, err)
	}
	return string(text)
}

// list returns all objects of a kind that Sickbay creates.
func (s *harness) list(list client.ObjectList) string {
	s.t.Helper()
	if err := s.Client.List(s.t.Context(), list, client.InNamespace(s.ns)); err != nil {
		s.t.Fatal(err)
	}
	text, err := json.Marshal(list)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// conditions returns the conditions of Machines and MachineHealthChecks.
func (s *harness) conditions() string {
	s.t.Helper()
	var machines clusterv1.MachineList
	var checks clusterv1.MachineHealthCheckList
	_, _ = s.list(&machines), s.list(&checks)
	var all []metav1.Condition
	for i := range machines.Items {
		all = append(all, machines.Items[i].Status.Conditions...)
	}
	for i := range checks.Items {
		all = append(all, checks.Items[i].Status.Conditions...)
	}
	return fmt.Sprint(all)
}

// collectServed gathers what the manager serves to a user who may read everything.
func (s *harness) collectServed() {
	s.t.Helper()
	token := s.administrator()
	for _, path := range []string{"goroutine?debug=2", "heap?debug=1", "allocs?debug=1", "mutex?debug=1", "cmdline", "symbol", "heap", "goroutine"} {
		s.collected["profile "+path] = s.get("http://"+s.pprof+"/debug/pprof/"+path, "")
	}
	s.collected["metrics"] = s.get("https://"+s.metrics+"/metrics", token)
	for _, path := range []string{"/", "/machines", "/machines/" + s.ns + "/blue", "/machines/" + s.ns + "/red", "/machines/" + s.ns + "/black", "/history", "/clusters"} {
		s.collected["dashboard "+path] = s.get("https://"+s.dashboard+path, token)
	}
}

// administrator returns a token of a user who may read everything.
func (s *harness) administrator() string {
	s.t.Helper()
	account, request := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: s.ns, Name: "admin"}}, &authenticationv1.TokenRequest{}
	build.Create(s.t.Context(), s.t, s.Client, account, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "admin-" + s.ns}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: s.ns, Name: "admin"}},
	})
	if err := s.Client.SubResource("token").Create(s.t.Context(), account, request); err != nil {
		s.t.Fatal(err)
	}
	return request.Status.Token
}

// freeAddress returns an unused address.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// get reads a page; a profile is decompressed.
func (s *harness) get(url, token string) string {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, url, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	response, err := c.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("%s answers %s: %s (%v)", url, response.Status, text, err)
	}
	if zipped, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
		if text, err = io.ReadAll(zipped); err != nil {
			s.t.Fatal(err)
		}
	}
	return string(text)
}
