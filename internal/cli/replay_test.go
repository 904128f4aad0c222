package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/bundle"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/testing/docs"
)

// TestReplay: replay prints the same as explain with --bundle, byte for byte, as text and for programs.
func TestReplay(t *testing.T) {
	t.Parallel()
	s := sickFleet(t)
	for _, what := range []string{"metal-1", "machine/metal-2", "metal-3", "node/metal-2", "mhc/workers", "cluster/blue"} {
		file := filepath.Join(t.TempDir(), "bundle.yaml")
		for _, form := range []string{"", "-o=json", "-o=yaml"} {
			args := strings.Fields("explain " + what + " --bundle " + file + " " + atOnce + " " + form)
			then := s.run(args...)
			if then.code != exitOK || quietly(then.stderr) != "" {
				t.Fatalf("%s: exit code %d: %s", what, then.code, then.stderr)
			}
			now := offline(t, strings.Fields("replay "+file+" "+form)...)
			if now.code != exitOK || now.stdout != then.stdout || now.stderr != "" {
				t.Errorf("%s: exit code %d, then it was said\n%snow\n%s%s", what, now.code, then.stdout, now.stdout, now.stderr)
			}
		}
	}
}

// TestReplayKept: an old bundle, such as from a bug report, still gives the pages in it, and the page in the documentation. With -update,
// the test writes this version's pages into the bundle.
func TestReplayKept(t *testing.T) {
	const file = "testdata/bundle.golden"
	b, err := bundle.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if b.Pages, err = bundle.Replay(t.Context(), b, app.Scheme()); err != nil {
		t.Fatal(err)
	}
	data, err := b.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	docs.Golden(t, "bundle", string(data))
	got := offline(t, "replay", file)
	if got.code != exitOK || got.stderr != "" {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
	docs.Golden(t, "replay", got.stdout)
}

// TestReplayDecidesOtherwise: if this version decides differently from the one that wrote the bundle, replay prints the difference line
// by line.
func TestReplayDecidesOtherwise(t *testing.T) {
	t.Parallel()
	s := sickFleet(t)
	file := filepath.Join(t.TempDir(), "bundle.yaml")
	if got := s.run("explain", "metal-3", "--bundle", file, atOnce); got.code != exitOK {
		t.Fatal(got.stderr)
	}
	b, err := bundle.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	b.Version = "v0.9.0"
	b.Pages[0].Headline = strings.Replace(b.Pages[0].Headline, "about to be repaired", "NOT being repaired", 1)
	rewritten(t, file, b)
	got := offline(t, "replay", file)
	headline, _, _ := strings.Cut(got.stdout, "\n")
	want := "which wrote the bundle (-then +now):\n- " + strings.Replace(headline, "about to be repaired", "NOT being repaired", 1) + "\n+ " + headline + "\n"
	if got.code != exitFailure || !strings.HasSuffix(got.stderr, want) || !strings.Contains(got.stderr, "decides differently from v0.9.0") {
		t.Errorf("exit code %d, said %s, want %s", got.code, got.stderr, want)
	}
	b.Pages[0].Headline, b.Pages[0].State = strings.TrimPrefix(headline, "metal-3: "), "Other"
	rewritten(t, file, b)
	if got := offline(t, "replay", file); got.code != exitFailure || !strings.HasSuffix(got.stderr, "-then +now):\n- state: Other\n+ state: Sick\n") {
		t.Errorf("exit code %d, said %s", got.code, got.stderr)
	}
}

func rewritten(t *testing.T, file string, b *bundle.Bundle) {
	t.Helper()
	data, err := b.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestReplayRefuses files that are not bundles.
func TestReplayRefuses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "it")
	for text, want := range map[string]string{
		"kind: [":                     "it is not a bundle: ",
		" \n":                         "the file is empty",
		"apiVersion: v1\nkind: Pod\n": `it is "Pod" of "v1": it must be a Bundle of bundle.sickbay.dev/v1`,
		"apiVersion: bundle.sickbay.dev/v2\nkind: Bundle\n":                            `it is "Bundle" of "bundle.sickbay.dev/v2"`,
		"apiVersion: bundle.sickbay.dev/v1\nkind: Bundle\nat: 5":                       "reading a bundle: ",
		"apiVersion: bundle.sickbay.dev/v1\nkind: Bundle\nasked: {kind: pod, name: a}": `"pod" cannot be explained`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := offline(t, "replay", file)
		if got.code != exitUsage || !strings.Contains(got.stderr, want) || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d, said %s", text, got.code, got.stderr)
		}
	}
	for _, args := range [][]string{{"replay"}, {"replay", "a", "b"}, {"replay", "/does/not/exist"}, {"replay", file, "-o=xml"}, {"explain", "a", "--redact"}} {
		if got := offline(t, args...); got.code != exitUsage {
			t.Errorf("%v: exit code %d, said %s", args, got.code, got.stderr)
		}
	}
}

// TestBundleRedacted: the bundle contains no name of the fleet, and can be replayed.
func TestBundleRedacted(t *testing.T) {
	t.Parallel()
	s := sickFleet(t)
	s.machine("metal-4", judgedAs(metav1.ConditionTrue))
	file := filepath.Join(t.TempDir(), "bundle.yaml")
	then := s.run("explain", "metal-2", "--bundle", file, "--redact", atOnce)
	if then.code != exitOK || !strings.HasPrefix(then.stdout, "metal-2: ") {
		t.Fatalf("exit code %d, said %s%s", then.code, then.stdout, then.stderr)
	}
	data := docs.Text(t, file)
	for _, name := range []string{"metal-", "md-0", "blue", "workers", s.ns} {
		if i := strings.Index(data, name); i >= 0 {
			t.Errorf("%q is in it: %s", name, data[max(0, i-100):min(len(data), i+100)])
		}
	}
	now := offline(t, "replay", file)
	if now.code != exitOK || !strings.Contains(firstLine(now.stdout), "-machine: SICK") || strings.Count(now.stdout, "\n") != strings.Count(then.stdout, "\n") {
		t.Errorf("exit code %d, said %s%s, and before\n%s", now.code, now.stdout, now.stderr, then.stdout)
	}
}

// TestReplayWithoutPages: a bundle without a page has nothing that could be decided differently.
func TestReplayWithoutPages(t *testing.T) {
	b, err := bundle.Read("testdata/bundle.golden")
	if err != nil {
		t.Fatal(err)
	}
	b.Pages = nil
	file := filepath.Join(t.TempDir(), "b.yaml")
	rewritten(t, file, b)
	got := offline(t, "replay", file)
	if got.code != exitOK || got.stdout == "" || got.stderr != "sickbay: the bundle holds no page to compare with\n" {
		t.Errorf("exit code %d, printed %q and %q", got.code, got.stdout, got.stderr)
	}
}

// TestReplayOfStranger: a bundle from somebody else does not control the terminal.
func TestReplayOfStranger(t *testing.T) {
	t.Parallel()
	const bad = "v1\x1b]0;owned\a\x1b[2J"
	b := &bundle.Bundle{APIVersion: bundle.APIVersion, Kind: bundle.Kind, Version: bad, Asked: bundle.Asked{Kind: "machine", Name: "m"}, Pages: []explain.Page{{Name: "m"}}}
	file := filepath.Join(t.TempDir(), "b.yaml")
	rewritten(t, file, b)
	got := offline(t, "replay", file)
	if said := got.stdout + got.stderr; strings.ContainsAny(said, "\x1b\a") || !strings.Contains(said, "v1?]0;owned?") {
		t.Errorf("it prints %q", said)
	}
}
