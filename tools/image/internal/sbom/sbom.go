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

	"github.com/spdx/tools-golang/spdx/v2/common"
	spdx "github.com/spdx/tools-golang/spdx/v2/v2_3"

	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
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
	main.PrimaryPackagePurpose, main.PackageLicenseDeclared = "APPLICATION", "Apache-2.0"
	main.PackageChecksums = []common.Checksum{{Algorithm: common.SHA256, Value: digest}}
	main.PackageComment = "built from commit " + src.Revision + " for " + setting(info, "GOOS") + "/" + setting(info, "GOARCH")

	declared := licenses(notices)
	standard := module("stdlib", strings.TrimPrefix(info.GoVersion, "go"))
	standard.PackageLicenseDeclared = declared.of("the Go standard library and runtime")
	packages := []*spdx.Package{main, standard}
	for _, dep := range info.Deps {
		p := dependency(dep, src.Version)
		if p.PackageLicenseDeclared == noAssertion {
			p.PackageLicenseDeclared = declared.of(dep.Path)
		}
		packages = append(packages, p)
	}
	const itself = common.ElementID("DOCUMENT")
	d := spdx.Document{
		SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: itself, DocumentName: "sickbay-" + src.Version,
		DocumentNamespace: source.Home + "/spdx/" + digest,
		CreationInfo: &spdx.CreationInfo{Created: src.Time.Format("2006-01-02T15:04:05Z"), Creators: []common.Creator{
			{CreatorType: "Organization", Creator: "Sickbay"}, {CreatorType: "Tool", Creator: "sickbay-image"},
		}},
		Packages: packages, Relationships: []*spdx.Relationship{relationship(itself, "DESCRIBES", main)},
	}
	for _, p := range packages[1:] {
		d.Relationships = append(d.Relationships, relationship(main.PackageSPDXIdentifier, "CONTAINS", p))
	}
	out, err := json.MarshalIndent(d, "", "  ")
	return append(out, '\n'), err
}

func relationship(from common.ElementID, kind string, to *spdx.Package) *spdx.Relationship {
	return &spdx.Relationship{
		RefA: common.DocElementID{ElementRefID: from}, Relationship: kind, RefB: common.DocElementID{ElementRefID: to.PackageSPDXIdentifier},
	}
}

// dependency returns a module of the binary, or the module that replaces it. A module that is replaced by a directory belongs to this repository, so
// it has the version that is built.
func dependency(dep *debug.Module, version string) *spdx.Package {
	if dep.Replace != nil && strings.HasPrefix(dep.Replace.Path, ".") {
		p := module(dep.Path, version)
		p.PackageLicenseDeclared = "Apache-2.0"
		return p
	}
	used := dep
	if dep.Replace != nil {
		used = dep.Replace
	}
	p := module(used.Path, used.Version)
	if used.Sum != "" {
		p.PackageComment = "go.sum: " + used.Sum
	}
	return p
}

var notInID = regexp.MustCompile(`[^a-zA-Z0-9.-]`)

func module(path, version string) *spdx.Package {
	return &spdx.Package{
		PackageSPDXIdentifier: common.ElementID(notInID.ReplaceAllString(path, "-") + "-" + notInID.ReplaceAllString(version, "-")),
		PackageName:           path, PackageVersion: version, PrimaryPackagePurpose: "LIBRARY",
		PackageDownloadLocation: noAssertion, PackageLicenseConcluded: noAssertion, PackageLicenseDeclared: noAssertion, PackageCopyrightText: noAssertion,
		PackageExternalReferences: []*spdx.PackageExternalReference{{
			Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL,
			Locator: "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B"),
		}},
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
