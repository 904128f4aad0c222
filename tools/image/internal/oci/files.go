package oci

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"io"
	"os"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The names of the license texts in the repository and in the image.
const (
	LicenseFile = "LICENSE"
	NoticesFile = "THIRD_PARTY_NOTICES.txt"
)

// nonRoot is the ID of the image's user.
const nonRoot = "65532"

// file is one entry of a layer; a name that ends in a slash is a directory.
type file struct {
	name    string
	mode    int64
	content []byte
}

// system returns the files that a static program may need: its user, and the certificate authorities to trust.
func system() []file {
	return []file{
		{name: "etc/", mode: 0o755},
		{"etc/group", 0o644, []byte("root:x:0:\nnonroot:x:" + nonRoot + ":\n")},
		{"etc/passwd", 0o644, []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:" + nonRoot + ":" + nonRoot + ":nonroot:/:/sbin/nologin\n")},
		{name: "etc/ssl/", mode: 0o755},
		{name: "etc/ssl/certs/", mode: 0o755},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, roots()},
	}
}

// roots returns the certificate authorities that Go's own list trusts without constraints: a file cannot express constraints.
func roots() []byte {
	var out bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})
		}
	}
	return out.Bytes()
}

// program returns the files of the layer with the binary and its licenses. It has nothing else, so that the other layer stays
// the same between releases.
func program(binary, name string, texts Texts) ([]file, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	return []file{
		{name: "licenses/", mode: 0o755},
		{"licenses/" + LicenseFile, 0o644, texts.License},
		{"licenses/" + NoticesFile, 0o644, texts.Notices},
		{name, 0o755, content},
	}, nil
}

// layer packs files in the given order. Root owns all of them, nobody else may write them, and all have the same time.
func layer(files []file, at time.Time) (v1.Layer, error) {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for _, f := range files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: at, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(f.content); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithCompressedCaching)
}
