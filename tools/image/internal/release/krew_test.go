package release_test

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// plugin has the fields of a manifest that krew knows; krew refuses all others.
type plugin struct {
	APIVersion, Kind string
	Metadata         struct{ Name string }
	Spec             struct {
		Version, Homepage, ShortDescription, Description, Caveats string

		Platforms []struct {
			URI, SHA256, Bin string
			Selector         struct{ MatchLabels map[string]string }
			Files            []struct{ From, To string }
		}
	}
}

// checkKrew checks a manifest against krew's rules, and against the archives that it lists.
func checkKrew(t *testing.T, manifest []byte, archives map[string][]byte) {
	t.Helper()
	var p plugin
	if err := yaml.UnmarshalStrict(manifest, &p); err != nil {
		t.Fatal(err)
	}
	for what, holds := range map[string]bool{
		"apiVersion and kind are those of krew":     p.APIVersion == "krew.googlecontainertools.github.com/v1alpha2" && p.Kind == "Plugin",
		"the name is safe, and kubectl finds by it": p.Metadata.Name == "sickbay",
		"the version is semantic, with a v":         regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`).MatchString(p.Spec.Version),
		"it has a homepage and a description":       strings.HasPrefix(p.Spec.Homepage, "https://") && p.Spec.Description != "",
		"the short description is one line":         p.Spec.ShortDescription != "" && !strings.ContainsAny(p.Spec.ShortDescription, "\r\n"),
		"the short description fits krew's lists":   len(p.Spec.ShortDescription) <= 50,
		"it does not repeat kubectl or Kubernetes":  !strings.Contains(strings.ToLower(p.Spec.ShortDescription), "kube"),
		"there is a platform":                       len(p.Spec.Platforms) > 0,
	} {
		if !holds {
			t.Errorf("krew's rule does not hold: %s", what)
		}
	}
	var seen []string
	for _, platform := range p.Spec.Platforms {
		labels := platform.Selector.MatchLabels
		key := labels["os"] + "/" + labels["arch"]
		if len(labels) != 2 || !slices.Contains([]string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}, key) || slices.Contains(seen, key) {
			t.Errorf("the selector %v is not krew's, or there twice", labels)
		}
		seen = append(seen, key)
		name := path.Base(platform.URI)
		content, ok := archives[name]
		if !ok || platform.URI != "https://github.com/sickbay-dev/sickbay/releases/download/"+p.Spec.Version+"/"+name {
			t.Errorf("the URI %s does not lead to an archive of the release", platform.URI)
			continue
		}
		if sum := sha256.Sum256(content); platform.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("the checksum of %s is not that in the manifest", name)
		}
		var entries map[string][]byte
		switch {
		case strings.HasSuffix(name, ".tar.gz"):
			entries = entriesOf(t, gunzip(t, content))
		case strings.HasSuffix(name, ".zip"):
			entries = zipEntriesOf(t, content)
		default:
			t.Errorf("krew does not unpack %s", name)
		}
		var installed []string
		for _, file := range platform.Files {
			if entries[file.From] == nil || file.To != "." {
				t.Errorf("%s has no %s, or it goes to %s", name, file.From, file.To)
			}
			installed = append(installed, file.From)
		}
		if !slices.Contains(installed, platform.Bin) || !slices.Contains(installed, "LICENSE") || !slices.Contains(installed, "THIRD_PARTY_NOTICES.txt") || strings.TrimSuffix(platform.Bin, ".exe") != "kubectl-sickbay" {
			t.Errorf("%s is to install the license and the program: %v, and runs %s", name, installed, platform.Bin)
		}
	}
}
