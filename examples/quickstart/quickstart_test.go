// Package quickstart_test follows docs/quickstart.md to the letter.
package quickstart_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

const (
	root = "../.."
	page = root + "/docs/quickstart.md"
	// patience is how long all of it may take, with the build.
	patience = 10 * time.Minute
)

var update = flag.Bool("update", false, "write what the commands print into the page instead of comparing it")

func TestMain(m *testing.M) { env.Main(m) }

// TestQuickstart types what the page says into one shell, and compares what comes of it with what the page says.
func TestQuickstart(t *testing.T) {
	kubectl, err := filepath.Abs(filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kubectl); err != nil {
		t.Fatalf("there is no kubectl: make controlplane builds it: %v", err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := console.FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Fatal("the page has no commands")
	}
	got := shell(t, filepath.Dir(kubectl), blocks)
	followed := console.ReplaceAllStringFunc(string(text), func(string) string {
		block := got[0]
		got = got[1:]
		return "```console\n" + block + "```\n"
	})
	if *update {
		if err := os.WriteFile(page, []byte(followed), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(scrub(string(text)), scrub(followed)); diff != "" {
		t.Errorf("the page is not what happens; go test -update mends it (-page +happened):\n%s", diff)
	}
}

// console are the blocks of the page that show commands, and what they print.
var console = regexp.MustCompile("(?s)```console\n(.*?)```\n")

// mark is printed before each command.
const mark = "===mark==="

// shell runs the commands of all blocks in one shell, and returns the blocks with what they have printed.
func shell(t *testing.T, tools string, blocks [][]string) []string {
	t.Helper()
	var script strings.Builder
	script.WriteString("set -m\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n")
	for _, block := range blocks {
		for _, command := range commands(block[1]) {
			script.WriteString("echo '" + mark + "'\n" + command + "\n")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script.String())
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig(t), "PATH="+tools+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.WaitDelay = time.Second
	t.Cleanup(func() { _ = os.Remove(filepath.Join(root, "manager.log")) })
	out, err := cmd.CombinedOutput()
	printed := strings.Split(jobs.ReplaceAllString(string(out), ""), mark+"\n")[1:]
	var all []string
	for _, block := range blocks {
		var b strings.Builder
		for _, command := range commands(block[1]) {
			if len(printed) == 0 {
				t.Fatalf("the shell has ended early: %v\n%s", err, out)
			}
			b.WriteString("$ " + command + "\n" + printed[0])
			printed = printed[1:]
		}
		all = append(all, b.String())
	}
	return all
}

// jobs are the lines by which a shell tells of its jobs, and sickbay of a look that takes long.
var jobs = regexp.MustCompile(`(?m)^(\[1\].*|Reading the fleet \.\.\.)\n`)

// commands are the lines of a block that are typed.
func commands(block string) []string {
	var all []string
	for line := range strings.Lines(block) {
		if command, typed := strings.CutPrefix(line, "$ "); typed {
			all = append(all, strings.TrimSuffix(command, "\n"))
		}
	}
	return all
}

// different is what differs each time: times, durations, and the hashes of UIDs.
var different = []struct {
	is   *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`\d{4}-\d\d-\d\dT?`), "DATE"},
	{regexp.MustCompile(`\d\d:\d\d:\d\dZ?`), "TIME"},
	{regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+s\b`), "SOON"},
	{regexp.MustCompile(`-[0-9a-f]{8}-`), "-HASH-"},
	{regexp.MustCompile(` +`), " "},
}

func scrub(text string) string {
	for _, one := range different {
		text = one.is.ReplaceAllString(text, one.name)
	}
	return text
}

// kubeconfig writes one that reaches the API server.
func kubeconfig(t *testing.T) string {
	t.Helper()
	e := env.Get(t)
	config := clientcmdapi.NewConfig()
	config.Clusters["it"] = &clientcmdapi.Cluster{Server: e.Config.Host, CertificateAuthorityData: e.Config.CAData}
	config.AuthInfos["robin"] = &clientcmdapi.AuthInfo{ClientCertificateData: e.Config.CertData, ClientKeyData: e.Config.KeyData}
	config.Contexts["it"] = &clientcmdapi.Context{Cluster: "it", AuthInfo: "robin"}
	config.CurrentContext = "it"
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		t.Fatal(err)
	}
	return path
}
