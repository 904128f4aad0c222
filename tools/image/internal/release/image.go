// Package release makes what people install Sickbay from: the image, and all that goes with it when a version is published.
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

// Sickbay is the program that all is about.
func Sickbay(root string, src source.Source) gobuild.Program {
	return gobuild.Program{Dir: root, Package: "./cmd/sickbay", Stamp: "github.com/sickbay-dev/sickbay/internal/app.Version", Version: src.Version}
}

// BinaryFile is where Image puts the binary for a platform.
func BinaryFile(dir string, platform gobuild.Platform) string {
	return filepath.Join(dir, "sickbay-"+platform.OS+"-"+platform.Arch+platform.Suffix())
}

// LayoutDir is where Image puts the image.
func LayoutDir(dir string) string { return filepath.Join(dir, "layout") }

// Image builds a program for some platforms, and puts into a directory its binaries, an image of them as an OCI layout, and for each binary
// its bill of materials.
func Image(ctx context.Context, program gobuild.Program, src source.Source, platforms []gobuild.Platform, dir string) error {
	if err := clean(dir); err != nil {
		return err
	}
	var binaries []oci.Binary
	for _, platform := range platforms {
		if platform.OS != "linux" {
			return fmt.Errorf("an image is for linux, and not for %s", platform)
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

// textsOf reads from a repository what goes with its binary.
func textsOf(root string) (texts oci.Texts, err error) {
	if texts.License, err = os.ReadFile(filepath.Join(root, oci.LicenseFile)); err != nil {
		return texts, err
	}
	texts.Notices, err = os.ReadFile(filepath.Join(root, oci.NoticesFile))
	return texts, err
}

// clean removes the binaries of an image before, which may have been for more platforms.
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
