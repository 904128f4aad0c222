package oci

import (
	"fmt"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/partial"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/sbom"
	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

// refName is the annotation with the name of an image in a layout.
const refName = "org.opencontainers.image.ref.name"

// Binary is a program for one platform.
type Binary struct {
	Platform gobuild.Platform
	File     string
}

// Texts are included with the binary, as its license and those of its modules require.
type Texts struct{ License, Notices []byte }

// Write makes a layout in a directory, after emptying it: an index of the images of all binaries, named by the version, and a
// bill of materials for each image. It returns the bills in the order of the binaries.
func Write(dir string, src source.Source, texts Texts, binaries []Binary) ([][]byte, error) {
	images, bills, artifacts, platforms := []v1.Image{}, [][]byte{}, []v1.Image{}, []gobuild.Platform{}
	for _, binary := range binaries {
		img, err := Image(src, texts, binary)
		if err != nil {
			return nil, err
		}
		bill, err := sbom.Of(src, binary.File, texts.Notices)
		if err != nil {
			return nil, err
		}
		about, err := billOf(src, bill, img)
		if err != nil {
			return nil, err
		}
		images, bills, artifacts, platforms = append(images, img), append(bills, bill), append(artifacts, about), append(platforms, binary.Platform)
	}
	path, err := fresh(dir)
	if err != nil {
		return nil, err
	}
	named := layout.WithAnnotations(map[string]string{refName: src.Version})
	if err := path.AppendIndex(index(src, platforms, images), named); err != nil {
		return nil, fmt.Errorf("writing the index: %w", err)
	}
	for _, about := range artifacts {
		if err := path.AppendImage(about); err != nil {
			return nil, fmt.Errorf("writing a bill of materials: %w", err)
		}
	}
	return bills, nil
}

func billOf(src source.Source, bill []byte, img v1.Image) (v1.Image, error) {
	subject, err := partial.Descriptor(img)
	if err != nil {
		return nil, err
	}
	return artifactOf(src, SPDX, bill, *subject)
}

// fresh makes an empty layout. It returns an error if the directory holds something else.
func fresh(dir string) (layout.Path, error) {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		if _, err := os.Stat(filepath.Join(dir, "oci-layout")); err != nil {
			return "", fmt.Errorf("%s holds something other than an image", dir)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return layout.Write(dir, empty.Index)
}
