package release

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/sickbay-dev/sickbay/tools/image/internal/oci"
)

// tree reads all files below dir, in the order of their names; the archive has them below another directory.
func tree(dir, below string) ([]oci.File, error) {
	var entries []oci.File
	err := filepath.WalkDir(dir, func(file string, found fs.DirEntry, err error) error {
		if err != nil || found.IsDir() {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		entries = append(entries, oci.File{Name: path.Join(below, filepath.ToSlash(name)), Mode: 0o644, Content: content})
		return err
	})
	return entries, err
}

// gzipped writes a compressed tar archive.
func gzipped(out io.Writer, entries []oci.File, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := oci.Tar(compressed, entries, at); err != nil {
		return err
	}
	return compressed.Close()
}

// zipped writes a zip archive, for Windows.
func zipped(out io.Writer, entries []oci.File, at time.Time) error {
	archive := zip.NewWriter(out)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.Name, Method: zip.Deflate, Modified: at.UTC()}
		header.SetMode(fs.FileMode(e.Mode))
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(e.Content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// pack returns an archive of a kind.
func pack(kind func(io.Writer, []oci.File, time.Time) error, entries []oci.File, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	err := kind(&out, entries, at)
	return out.Bytes(), err
}
