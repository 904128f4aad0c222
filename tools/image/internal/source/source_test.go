package source

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestOf(t *testing.T) {
	dir := t.TempDir()
	run := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-11-22T10:00:00Z", "GIT_AUTHOR_NAME=test", "GIT_AUTHOR_EMAIL=test@example.com",
			"GIT_COMMITTER_NAME=test", "GIT_COMMITTER_EMAIL=test@example.com")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "")
	run("init", "-q")
	if _, err := Of(t.Context(), dir, "v1.0.0"); err == nil {
		t.Error("without a commit there is no source")
	}
	run("commit", "-q", "--allow-empty", "--no-gpg-sign", "-m", "Begin")
	src, err := Of(t.Context(), dir, "v1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC); src.Version != "v1.0.0" || len(src.Revision) != 40 || !src.Time.Equal(want) || src.Changed {
		t.Errorf("the source is %+v", src)
	}

	if err := os.WriteFile(filepath.Join(dir, "new.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	if src, err = Of(t.Context(), dir, "v1.0.0"); err != nil || !src.Changed || src.Time.Unix() != 86400 {
		t.Errorf("a new file is a change, and the time is that of the environment: %+v, %v", src, err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "now")
	if _, err := Of(t.Context(), dir, "v1.0.0"); err == nil {
		t.Error("what is no time is to be refused")
	}
}
