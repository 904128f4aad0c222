package release

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/oci"
	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

// notesFile is the first file of a release.
const notesFile = "RELEASE_NOTES.md"

// Options are the inputs of a release.
type Options struct {
	// Root is the repository, Out is the directory for the release, and Work is a directory for intermediate files.
	Root, Out, Work string
	Program         gobuild.Program
	Source          source.Source
	// Image and Plugin are the platforms of the image and of the kubectl plugin.
	Image, Plugin []gobuild.Platform
}

// Make makes a release. It first checks everything that can be refused. Afterwards the directory holds only the release.
func Make(ctx context.Context, o Options) error {
	changelog, err := os.ReadFile(filepath.Join(o.Root, "CHANGELOG.md"))
	if err != nil {
		return err
	}
	notes, err := Notes(string(changelog), o.Source.Version)
	if err != nil {
		return err
	}
	if o.Source.Changed {
		return errors.New("there are uncommitted changes: a release must be made from a commit")
	}
	if err := empty(o.Out); err != nil {
		return err
	}
	steps := []func() error{
		func() error { return o.write([]byte(notes), notesFile) },
		func() error { return o.image(ctx) },
		o.chart,
		o.manifests,
		func() error { return o.plugins(ctx) },
		o.sums,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// empty empties a directory that holds a release or nothing, and returns an error for others.
func empty(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, notesFile)); errors.Is(err, fs.ErrNotExist) {
		if entries, _ := os.ReadDir(dir); len(entries) > 0 {
			return fmt.Errorf("%s holds something other than a release", dir)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

// write adds a file to the release; its name consists of the parts. It returns an error if the name is taken.
func (o Options) write(content []byte, parts ...string) error {
	name := strings.Join(parts, "-")
	file, err := os.OpenFile(filepath.Join(o.Out, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// image packs the layout, and adds the bills of materials.
func (o Options) image(ctx context.Context) error {
	if err := Image(ctx, o.Program, o.Source, o.Image, o.Work); err != nil {
		return err
	}
	layout, err := tree(LayoutDir(o.Work), "")
	if err != nil {
		return err
	}
	packed, err := pack(oci.Tar, layout, o.Source.Time)
	if err != nil {
		return err
	}
	if err := o.write(packed, "sickbay", o.Source.Version, "image.tar"); err != nil {
		return err
	}
	for _, platform := range o.Image {
		bill, err := os.ReadFile(BinaryFile(o.Work, platform) + ".spdx.json")
		if err != nil {
			return err
		}
		if err := o.write(bill, "sickbay", o.Source.Version, platform.OS, platform.Arch+".spdx.json"); err != nil {
			return err
		}
	}
	return nil
}

// chart packs the chart, if there is one.
func (o Options) chart() error {
	entries, err := tree(filepath.Join(o.Root, "charts", "sickbay"), "sickbay")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if entries, err = chartOf(entries, o.Source.Version); err != nil {
		return err
	}
	packed, err := pack(gzipped, entries, o.Source.Time)
	if err != nil {
		return err
	}
	return o.write(packed, "sickbay", strings.TrimPrefix(o.Source.Version, "v")+".tgz")
}

// manifests adds the manifests for installing without Helm.
func (o Options) manifests() error {
	files, err := filepath.Glob(filepath.Join(o.Root, "config", "install", "*.yaml"))
	if err != nil {
		return err
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if content, err = manifestOf(content, o.Source.Version); err != nil {
			return fmt.Errorf("config/install/%s: %w", filepath.Base(file), err)
		}
		if err := o.write(content, filepath.Base(file)); err != nil {
			return err
		}
	}
	return nil
}

// plugins adds the archives with the kubectl plugin, and the krew manifest that lists them.
func (o Options) plugins(ctx context.Context) error {
	texts, err := textsOf(o.Root)
	if err != nil {
		return err
	}
	var archives []pluginArchive
	for _, platform := range o.Plugin {
		archive, err := o.plugin(ctx, platform, texts)
		if err != nil {
			return err
		}
		archives = append(archives, archive)
	}
	manifest, err := krewManifest(o.Source.Version, archives)
	if err != nil {
		return err
	}
	return o.write(manifest, "krew-sickbay.yaml")
}

func (o Options) plugin(ctx context.Context, platform gobuild.Platform, texts oci.Texts) (pluginArchive, error) {
	file := BinaryFile(o.Work, platform)
	// The image has the same binary.
	if !slices.Contains(o.Image, platform) {
		if err := gobuild.Build(ctx, o.Program, platform, file); err != nil {
			return pluginArchive{}, err
		}
	}
	binary, err := os.ReadFile(file)
	if err != nil {
		return pluginArchive{}, err
	}
	bin, kind, suffix := "kubectl-sickbay"+platform.Suffix(), gzipped, ".tar.gz"
	if platform.OS == "windows" {
		kind, suffix = zipped, ".zip"
	}
	name := strings.Join([]string{"kubectl-sickbay", o.Source.Version, platform.OS, platform.Arch + suffix}, "-")
	content, err := pack(kind, []oci.File{
		{Name: oci.LicenseFile, Mode: 0o644, Content: texts.License}, {Name: oci.NoticesFile, Mode: 0o644, Content: texts.Notices},
		{Name: bin, Mode: 0o755, Content: binary},
	}, o.Source.Time)
	if err == nil {
		err = o.write(content, name)
	}
	if err != nil {
		return pluginArchive{}, err
	}
	return pluginArchive{
		Platform: platform, Bin: bin, From: bin, SHA256: digest(content),
		URI: source.Home + "/releases/download/" + o.Source.Version + "/" + name,
	}, nil
}

// sums lists the checksums of all files in the format of sha256sum --check.
func (o Options) sums() error {
	entries, err := tree(o.Out, "")
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&list, "%s  %s\n", digest(e.Content), e.Name)
	}
	return o.write([]byte(list.String()), "SHA256SUMS")
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
