package gobuild

import (
	"slices"
	"strings"
	"testing"
)

func TestPlatforms(t *testing.T) {
	got, err := Platforms("linux/amd64,windows/amd64")
	if err != nil || !slices.Equal(got, []Platform{{"linux", "amd64"}, {"windows", "amd64"}}) {
		t.Errorf("the platforms are %v: %v", got, err)
	}
	for _, list := range []string{"", "linux", "linux/", "/amd64", "linux/arm/v7", "linux/amd64,"} {
		if _, err := Platforms(list); err == nil || !strings.Contains(err.Error(), "is not a platform") {
			t.Errorf("%q is to be refused: %v", list, err)
		}
	}
}

// TestBuildSaysWhatIsWrong: the error has the compiler's words.
func TestBuildSaysWhatIsWrong(t *testing.T) {
	program := Program{Dir: t.TempDir(), Package: "./cmd/none"}
	if err := Build(t.Context(), program, Platform{"linux", "amd64"}, t.TempDir()+"/none"); err == nil || !strings.Contains(err.Error(), "building ./cmd/none for linux/amd64") {
		t.Errorf("the error is %v", err)
	}
}
