// Package oci makes an image of a static binary from scratch, for a user who is not root.
package oci

import (
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

// Name is the program's name in the image.
const Name = "sickbay"

// labels describe an image. The image has them as labels, and its manifest has them as annotations.
func labels(src source.Source) map[string]string {
	const prefix = "org.opencontainers.image."
	return map[string]string{
		prefix + "title":         "sickbay",
		prefix + "description":   "Sickbay keeps Kubernetes machines healthy",
		prefix + "version":       src.Version,
		prefix + "revision":      src.Revision,
		prefix + "source":        source.Home,
		prefix + "documentation": source.Home + "/tree/main/docs",
		prefix + "licenses":      "Apache-2.0",
		prefix + "created":       src.Time.Format("2006-01-02T15:04:05Z"),
	}
}

// Image returns the image of a binary and its licenses.
func Image(src source.Source, texts Texts, binary Binary) (v1.Image, error) {
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	img, err := mutate.ConfigFile(img, &v1.ConfigFile{
		Architecture: binary.Platform.Arch,
		OS:           binary.Platform.OS,
		Created:      v1.Time{Time: src.Time},
		RootFS:       v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User:       nonRoot + ":" + nonRoot,
			WorkingDir: "/",
			Entrypoint: []string{"/" + Name},
			Labels:     labels(src),
		},
	})
	if err != nil {
		return nil, err
	}
	binaryFiles, err := program(binary.File, Name, texts)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		files []File
		what  string
	}{{system(), "the user, and certificate authorities"}, {binaryFiles, "the binary, and its licenses"}} {
		packed, err := layer(part.files, src.Time)
		if err != nil {
			return nil, fmt.Errorf("packing %s: %w", part.what, err)
		}
		history := v1.History{Created: v1.Time{Time: src.Time}, CreatedBy: "make image", Comment: part.what}
		if img, err = mutate.Append(img, mutate.Addendum{Layer: packed, History: history}); err != nil {
			return nil, err
		}
	}
	return mutate.Annotations(img, labels(src)).(v1.Image), nil
}

// index returns an index of the images by platform.
func index(src source.Source, platforms []gobuild.Platform, images []v1.Image) v1.ImageIndex {
	idx := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for i, platform := range platforms {
		idx = mutate.AppendManifests(idx, mutate.IndexAddendum{
			Add:        images[i],
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: platform.OS, Architecture: platform.Arch}},
		})
	}
	return mutate.Annotations(idx, labels(src)).(v1.ImageIndex)
}
