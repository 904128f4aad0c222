package oci

import (
	"bytes"
	"encoding/json"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

// SPDX is the media type of bills of materials.
const SPDX = "application/spdx+json"

// emptyConfig is OCI's media type for an empty configuration.
const emptyConfig = types.MediaType("application/vnd.oci.empty.v1+json")

// artifact is a file about an image. Registries and tools find it by its reference to the image.
type artifact struct {
	manifest []byte
	content  v1.Layer
}

// artifactOf returns an artifact about a subject with the given content.
func artifactOf(src source.Source, kind string, content []byte, subject v1.Descriptor) (v1.Image, error) {
	layer := static.NewLayer(content, types.MediaType(kind))
	described, err := partial.Descriptor(layer)
	if err != nil {
		return nil, err
	}
	config, size, err := v1.SHA256(bytes.NewReader([]byte("{}")))
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal(v1.Manifest{
		SchemaVersion: 2,
		MediaType:     types.OCIManifestSchema1,
		ArtifactType:  kind,
		Config:        v1.Descriptor{MediaType: emptyConfig, Size: size, Digest: config},
		Layers:        []v1.Descriptor{*described},
		// The reference to the subject has no platform.
		Subject:     &v1.Descriptor{MediaType: subject.MediaType, Size: subject.Size, Digest: subject.Digest},
		Annotations: map[string]string{"org.opencontainers.image.created": src.Time.Format("2006-01-02T15:04:05Z")},
	})
	if err != nil {
		return nil, err
	}
	return partial.CompressedToImage(artifact{manifest, layer})
}

func (a artifact) RawManifest() ([]byte, error)                           { return a.manifest, nil }
func (a artifact) RawConfigFile() ([]byte, error)                         { return []byte("{}"), nil }
func (a artifact) MediaType() (types.MediaType, error)                    { return types.OCIManifestSchema1, nil }
func (a artifact) LayerByDigest(v1.Hash) (partial.CompressedLayer, error) { return a.content, nil }
