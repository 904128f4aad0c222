package oci

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Push copies a layout to a repository: the images, with the layout's version as their tag, and the artifacts about them. It returns the address of
// the images.
func Push(ctx context.Context, dir, repository string, options ...remote.Option) (name.Digest, error) {
	idx, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return name.Digest{}, err
	}
	manifest, err := idx.IndexManifest()
	if err != nil {
		return name.Digest{}, err
	}
	if len(manifest.Manifests) == 0 {
		return name.Digest{}, errors.New("the layout is empty")
	}
	named, about := manifest.Manifests[0], manifest.Manifests[1:]
	repo, err := name.NewRepository(repository)
	if err != nil {
		return name.Digest{}, err
	}
	options = append(options, remote.WithContext(ctx))
	images, err := idx.ImageIndex(named.Digest)
	if err != nil {
		return name.Digest{}, err
	}
	if err := remote.WriteIndex(repo.Tag(named.Annotations[refName]), images, options...); err != nil {
		return name.Digest{}, fmt.Errorf("pushing the image: %w", err)
	}
	for _, artifact := range about {
		if err := pushArtifact(idx, repo, artifact.Digest, options); err != nil {
			return name.Digest{}, fmt.Errorf("pushing a bill of materials: %w", err)
		}
	}
	return repo.Digest(named.Digest.String()), nil
}

func pushArtifact(idx v1.ImageIndex, repo name.Repository, digest v1.Hash, options []remote.Option) error {
	artifact, err := idx.Image(digest)
	if err != nil {
		return err
	}
	return remote.Write(repo.Digest(digest.String()), artifact, options...)
}
