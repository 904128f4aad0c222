// Command pack writes an archive that depends on nothing but the contents of its files, as tar and zip of different systems do not:
//
//	SOURCE_DATE_EPOCH=SECONDS pack FILE.tar|FILE.tar.gz|FILE.zip NAME=SOURCE...
//
// A source is a file, or a directory of which everything is packed. Root owns all entries, and nobody else may write them.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(args []string, epoch string) error {
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil || len(args) < 2 {
		return fmt.Errorf("it needs SOURCE_DATE_EPOCH, a file and what is in it: %q, %w", args, err)
	}
	file, err := os.Create(args[0])
	if err != nil {
		return err
	}
	return errors.Join(pack(file, args[0], args[1:], time.Unix(seconds, 0).UTC()), file.Close())
}

// pack writes an archive of the kind that the name tells.
func pack(out io.Writer, name string, sources []string, at time.Time) error {
	if strings.HasSuffix(name, ".zip") {
		archive := zip.NewWriter(out)
		return errors.Join(each(sources, zipped(archive, at)), archive.Close())
	}
	if strings.HasSuffix(name, ".gz") {
		compressed, err := gzip.NewWriterLevel(out, gzip.BestCompression)
		if err != nil {
			return err
		}
		return errors.Join(pack(compressed, strings.TrimSuffix(name, ".gz"), sources, at), compressed.Close())
	}
	archive := tar.NewWriter(out)
	return errors.Join(each(sources, tarred(archive, at)), archive.Close())
}

// entry writes a file or directory, whose name ends in a slash.
type entry func(name string, mode fs.FileMode, content []byte) error

// each passes on all files and directories of the sources, in the order given, and those of a directory by their names.
func each(sources []string, write entry) error {
	for _, source := range sources {
		below, root, _ := strings.Cut(source, "=")
		err := filepath.WalkDir(root, func(file string, found fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(root, file)
			if err != nil {
				return err
			}
			name := path.Join(below, filepath.ToSlash(relative))
			if found.IsDir() {
				if name == "." {
					return nil
				}
				return write(name+"/", 0o755, nil)
			}
			info, err := found.Info()
			if err != nil {
				return err
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			return write(name, 0o644|info.Mode()&0o100/0o100*0o111, content)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func tarred(archive *tar.Writer, at time.Time) entry {
	return func(name string, mode fs.FileMode, content []byte) error {
		header := &tar.Header{Name: name, Mode: int64(mode), Size: int64(len(content)), ModTime: at, Format: tar.FormatUSTAR, Typeflag: tar.TypeReg}
		if strings.HasSuffix(name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err := archive.Write(content)
		return err
	}
}

func zipped(archive *zip.Writer, at time.Time) entry {
	return func(name string, mode fs.FileMode, content []byte) error {
		header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at}
		header.SetMode(mode)
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		_, err = file.Write(content)
		return err
	}
}
