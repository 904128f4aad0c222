package release

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/sickbay-dev/sickbay/tools/image/internal/oci"
)

// Repository is the address of the published image.
const Repository = "ghcr.io/sickbay-dev/sickbay"

var (
	chartVersion = regexp.MustCompile(`(?m)^version:.*$`)
	appVersion   = regexp.MustCompile(`(?m)^appVersion:.*$`)
	imageTag     = regexp.MustCompile(regexp.QuoteMeta(Repository) + `:[A-Za-z0-9_][A-Za-z0-9_.-]*`)
	chartLabel   = regexp.MustCompile(`(?m)^( *(?:- )?"?helm\.sh/chart"?:).*$`)
	versionLabel = regexp.MustCompile(`(?m)^( *(?:- )?"?app\.kubernetes\.io/version"?:).*$`)
)

// chartOf returns the chart with the version in it. The chart derives the image's tag from appVersion.
func chartOf(entries []oci.File, version string) ([]oci.File, error) {
	for i, e := range entries {
		if e.Name != "sickbay/Chart.yaml" {
			continue
		}
		if !chartVersion.Match(e.Content) || !appVersion.Match(e.Content) {
			return nil, fmt.Errorf("charts/sickbay/Chart.yaml has no version or no appVersion")
		}
		content := chartVersion.ReplaceAll(e.Content, []byte("version: "+strings.TrimPrefix(version, "v")))
		entries[i].Content = appVersion.ReplaceAll(content, []byte("appVersion: "+version))
		return entries, nil
	}
	return nil, fmt.Errorf("charts/sickbay has no Chart.yaml")
}

// manifestOf returns a manifest with the image of this version.
func manifestOf(content []byte, version string) ([]byte, error) {
	content = imageTag.ReplaceAll(content, []byte(Repository+":"+version))
	if bytes.Count(content, []byte(Repository)) != bytes.Count(content, []byte(Repository+":"+version)) {
		return nil, fmt.Errorf("it names the image %s without a tag", Repository)
	}
	content = chartLabel.ReplaceAll(content, []byte("${1} sickbay-"+strings.TrimPrefix(version, "v")))
	return versionLabel.ReplaceAll(content, []byte("${1} "+version)), nil
}
