// Package release makes the files from which people install Sickbay: the image, and everything that is published with a version.
package release

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/oci"
	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

// Sickbay returns the program to build.
func Sickbay(root string, src source.Source) gobuild.Program {
	return gobuild.Program{Dir: root, Package: "./cmd/sickbay", Stamp: "github.com/sickbay-dev/sickbay/internal/app.Version", Version: src.Version}
}

// BinaryFile returns the path of the binary for a platform, as Image writes it.
func BinaryFile(dir string, platform gobuild.Platform) string {
	return filepath.Join(dir, "sickbay-"+platform.OS+"-"+platform.Arch+platform.Suffix())
}

// LayoutDir returns the directory of the image, as Image writes it.
func LayoutDir(dir string) string { return filepath.Join(dir, "layout") }

// Image builds a program for some platforms. It writes the binaries to a directory, with their image as an OCI layout and a bill of
// materials for each.
func Image(ctx context.Context, program gobuild.Program, src source.Source, platforms []gobuild.Platform, dir string) error {
	if err := clean(dir); err != nil {
		return err
	}
	var binaries []oci.Binary
	for _, platform := range platforms {
		if platform.OS != "linux" {
			return fmt.Errorf("images are only for linux, not for %s", platform)
		}
		file := BinaryFile(dir, platform)
		if err := gobuild.Build(ctx, program, platform, file); err != nil {
			return err
		}
		binaries = append(binaries, oci.Binary{Platform: platform, File: file})
	}
	texts, err := textsOf(program.Dir)
	if err != nil {
		return err
	}
	bills, err := oci.Write(LayoutDir(dir), src, texts, binaries)
	if err != nil {
		return fmt.Errorf("making the image: %w", err)
	}
	for i, bill := range bills {
		if err := os.WriteFile(binaries[i].File+".spdx.json", bill, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// textsOf reads the license texts of a repository's binary.
func textsOf(root string) (texts oci.Texts, err error) {
	if texts.License, err = os.ReadFile(filepath.Join(root, oci.LicenseFile)); err != nil {
		return texts, err
	}
	texts.Notices, err = os.ReadFile(filepath.Join(root, oci.NoticesFile))
	return texts, err
}

// clean removes the binaries of an earlier image, which may have been for other platforms.
func clean(dir string) error {
	old, err := filepath.Glob(filepath.Join(dir, "sickbay-*-*"))
	if err != nil {
		return err
	}
	for _, file := range old {
		if err := os.Remove(file); err != nil {
			return err
		}
	}
	return os.MkdirAll(dir, 0o755)
}
