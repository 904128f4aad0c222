// Package sbom writes a bill of materials in SPDX 2.3 for a Go binary. It reads everything from the binary itself except the licenses, which it
// takes from the notices.
package sbom

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

type (
	document struct {
		Version       string         `json:"spdxVersion"`
		License       string         `json:"dataLicense"`
		ID            string         `json:"SPDXID"`
		Name          string         `json:"name"`
		Namespace     string         `json:"documentNamespace"`
		Creation      creation       `json:"creationInfo"`
		Packages      []item         `json:"packages"`
		Relationships []relationship `json:"relationships"`
	}
	creation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	item struct {
		ID        string     `json:"SPDXID"`
		Name      string     `json:"name"`
		Version   string     `json:"versionInfo"`
		Purpose   string     `json:"primaryPackagePurpose"`
		Download  string     `json:"downloadLocation"`
		Analyzed  bool       `json:"filesAnalyzed"`
		Concluded string     `json:"licenseConcluded"`
		Declared  string     `json:"licenseDeclared"`
		Copyright string     `json:"copyrightText"`
		Comment   string     `json:"comment,omitempty"`
		Checksums []checksum `json:"checksums,omitempty"`
		Refs      []ref      `json:"externalRefs"`
	}
	checksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	ref struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	relationship struct {
		Element string `json:"spdxElementId"`
		Type    string `json:"relationshipType"`
		Related string `json:"relatedSpdxElement"`
	}
)

const noAssertion = "NOASSERTION"

// Of returns the bill of a binary: the binary with its checksum, the modules in it, and Go's standard library. The licenses come from notices.
func Of(src source.Source, file string, notices []byte) ([]byte, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	info, err := buildinfo.Read(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("reading the build information of %s: %w", file, err)
	}
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])

	main := module(info.Main.Path, src.Version)
	main.Purpose, main.Declared = "APPLICATION", "Apache-2.0"
	main.Checksums = []checksum{{"SHA256", digest}}
	main.Comment = "built from commit " + src.Revision + " for " + setting(info, "GOOS") + "/" + setting(info, "GOARCH")

	declared := licenses(notices)
	standard := module("stdlib", strings.TrimPrefix(info.GoVersion, "go"))
	standard.Declared = declared.of("the Go standard library and runtime")
	packages := []item{main, standard}
	for _, dep := range info.Deps {
		p := dependency(dep, src.Version)
		if p.Declared == noAssertion {
			p.Declared = declared.of(dep.Path)
		}
		packages = append(packages, p)
	}
	d := document{
		Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: "sickbay-" + src.Version,
		Namespace: source.Home + "/spdx/" + digest,
		Creation:  creation{src.Time.Format("2006-01-02T15:04:05Z"), []string{"Organization: Sickbay", "Tool: sickbay-image"}},
		Packages:  packages, Relationships: []relationship{{"SPDXRef-DOCUMENT", "DESCRIBES", main.ID}},
	}
	for _, p := range packages[1:] {
		d.Relationships = append(d.Relationships, relationship{main.ID, "CONTAINS", p.ID})
	}
	out, err := json.MarshalIndent(d, "", "  ")
	return append(out, '\n'), err
}

// dependency returns a module of the binary, or the module that replaces it. A module that is replaced by a directory belongs to this repository, so
// it has the version that is built.
func dependency(dep *debug.Module, version string) item {
	if dep.Replace != nil && strings.HasPrefix(dep.Replace.Path, ".") {
		p := module(dep.Path, version)
		p.Declared = "Apache-2.0"
		return p
	}
	used := dep
	if dep.Replace != nil {
		used = dep.Replace
	}
	p := module(used.Path, used.Version)
	if used.Sum != "" {
		p.Comment = "go.sum: " + used.Sum
	}
	return p
}

var notInID = regexp.MustCompile(`[^a-zA-Z0-9.-]`)

func module(path, version string) item {
	return item{
		ID:   "SPDXRef-" + notInID.ReplaceAllString(path, "-") + "-" + notInID.ReplaceAllString(version, "-"),
		Name: path, Version: version, Purpose: "LIBRARY",
		Download: noAssertion, Concluded: noAssertion, Declared: noAssertion, Copyright: noAssertion,
		Refs: []ref{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")}},
	}
}

func setting(info *debug.BuildInfo, key string) string {
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
