package release

import (
	"bytes"
	_ "embed"
	"text/template"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

//go:embed krew.yaml.tmpl
var krewText string

var krewTemplate = template.Must(template.New("krew").Parse(krewText))

// pluginArchive is an archive that krew downloads.
type pluginArchive struct {
	Platform  gobuild.Platform
	URI       string
	SHA256    string
	Bin, From string
}

// krewManifest returns the manifest with which krew finds the plugin for each platform.
func krewManifest(version string, archives []pluginArchive) ([]byte, error) {
	var out bytes.Buffer
	err := krewTemplate.Execute(&out, map[string]any{"Version": version, "Home": source.Home, "Archives": archives})
	return out.Bytes(), err
}
