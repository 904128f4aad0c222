// Package page runs the commands of a documentation page as written.
//
// It is part of internal/testing. Blocks of a page that are marked as console contain commands, which begin with a dollar sign, and their
// output. A test runs the commands in one shell and compares the output; with the flag -update it writes the output into the page instead.
package page

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Shell is where the commands run.
type Shell struct {
	// Dir is the root of the repository.
	Dir string
	// Tools are directories that come first in PATH.
	Tools []string
	// Env has additional variables, such as KUBECONFIG=file.
	Env []string
	// Timeout limits all commands together.
	Timeout time.Duration
}

// Follow runs the commands of a page, and compares their output with the page.
func (s Shell) Follow(t *testing.T, page string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	blocks := console.FindAllStringSubmatch(string(text), -1)
	if len(blocks) == 0 {
		t.Fatal("the page has no commands")
	}
	got := s.run(t, blocks)
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

var update = flag.Bool("update", false, "write what the commands print into the page instead of comparing it")

// console matches the blocks of a page with commands and their output.
var console = regexp.MustCompile("(?s)```console\n(.*?)```\n")

// mark is printed before each command.
const mark = "===mark==="

// run runs the commands of all blocks in one shell, and returns the blocks with their output.
func (s Shell) run(t *testing.T, blocks [][]string) []string {
	t.Helper()
	var script strings.Builder
	script.WriteString("set -m\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n")
	for _, block := range blocks {
		for _, command := range commands(block[1]) {
			script.WriteString("echo '" + mark + "'\n" + command + "\n")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), s.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", script.String())
	cmd.Dir = s.Dir
	path := strings.Join(append(s.Tools, os.Getenv("PATH")), string(os.PathListSeparator))
	cmd.Env = append(append(os.Environ(), s.Env...), "PATH="+path)
	cmd.WaitDelay = time.Second
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

// jobs matches the lines that a shell prints about its jobs, and the line that sickbay prints when reading takes long.
var jobs = regexp.MustCompile(`(?m)^(\[1\].*|Reading the fleet \.\.\.)\n`)

// commands returns the commands of a block.
func commands(block string) []string {
	var all []string
	for line := range strings.Lines(block) {
		if command, typed := strings.CutPrefix(line, "$ "); typed {
			all = append(all, strings.TrimSuffix(command, "\n"))
		}
	}
	return all
}

// different matches what differs in each run: times, durations, and the hashes of UIDs.
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
