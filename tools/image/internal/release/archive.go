package release

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// entry is a file in an archive.
type entry struct {
	name       string
	executable bool
	content    []byte
}

func (e entry) mode() fs.FileMode {
	if e.executable {
		return 0o755
	}
	return 0o644
}

// tree reads all files below dir, in the order of their names; the archive has them below another directory.
func tree(dir, below string) ([]entry, error) {
	var entries []entry
	err := filepath.WalkDir(dir, func(file string, found fs.DirEntry, err error) error {
		if err != nil || found.IsDir() {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, file)
		entries = append(entries, entry{name: path.Join(below, filepath.ToSlash(name)), content: content})
		return err
	})
	return entries, err
}

// tarred writes a tar archive that depends only on the entries and the time.
func tarred(out io.Writer, entries []entry, at time.Time) error {
	archive := tar.NewWriter(out)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Mode: int64(e.mode()), Size: int64(len(e.content)), ModTime: at, Format: tar.FormatUSTAR}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// gzipped writes a compressed tar archive.
func gzipped(out io.Writer, entries []entry, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := tarred(compressed, entries, at); err != nil {
		return err
	}
	return compressed.Close()
}

// zipped writes a zip archive, for Windows.
func zipped(out io.Writer, entries []entry, at time.Time) error {
	archive := zip.NewWriter(out)
	for _, e := range entries {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at.UTC()}
		header.SetMode(e.mode())
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(e.content); err != nil {
			return err
		}
	}
	return archive.Close()
}

// pack returns an archive of a kind.
func pack(kind func(io.Writer, []entry, time.Time) error, entries []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	err := kind(&out, entries, at)
	return out.Bytes(), err
}
