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

// File is an entry of an archive; a name that ends in a slash is a directory.
type File struct {
	Name    string
	Mode    int64
	Content []byte
}

// system returns the files that a static program may need: its user, and the certificate authorities to trust.
func system() []File {
	return []File{
		{Name: "etc/", Mode: 0o755},
		{"etc/group", 0o644, []byte("root:x:0:\nnonroot:x:" + nonRoot + ":\n")},
		{"etc/passwd", 0o644, []byte("root:x:0:0:root:/:/sbin/nologin\nnonroot:x:" + nonRoot + ":" + nonRoot + ":nonroot:/:/sbin/nologin\n")},
		{Name: "etc/ssl/", Mode: 0o755},
		{Name: "etc/ssl/certs/", Mode: 0o755},
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
func program(binary, name string, texts Texts) ([]File, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	return []File{
		{Name: "licenses/", Mode: 0o755},
		{"licenses/" + LicenseFile, 0o644, texts.License},
		{"licenses/" + NoticesFile, 0o644, texts.Notices},
		{name, 0o755, content},
	}, nil
}

// Tar writes files in the given order. Root owns all of them, nobody else may write them, and all have the same time.
func Tar(out io.Writer, files []File, at time.Time) error {
	archive := tar.NewWriter(out)
	for _, f := range files {
		header := &tar.Header{Name: f.Name, Mode: f.Mode, Size: int64(len(f.Content)), ModTime: at, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.Name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(f.Content); err != nil {
			return err
		}
	}
	return archive.Close()
}

func layer(files []File, at time.Time) (v1.Layer, error) {
	var out bytes.Buffer
	if err := Tar(&out, files, at); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression), tarball.WithCompressedCaching)
}
