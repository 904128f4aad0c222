package browser

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// Pages are judged by the rules of axe-core. It is not part of this repository: it comes from npm's registry, and only this version
// with this checksum is run.
const (
	axeVersion   = "4.14.1"
	axeIntegrity = "FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ=="
	registry     = "https://registry.npmjs.org"
)

// Axe returns the script of axe-core from a directory. If it is not there, Axe downloads it.
func Axe(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "axe-core-"+axeVersion+".tgz")
	if packed, err := os.ReadFile(path); err == nil {
		if script, err := unpack(packed); err == nil {
			return script, nil
		}
	}
	packed, err := fetch(ctx, registry+"/axe-core/-/axe-core-"+axeVersion+".tgz")
	if err != nil {
		return "", fmt.Errorf("axe-core, which finds what keeps people from using a page, is fetched from npm's registry, and that failed: %w", err)
	}
	script, err := unpack(packed)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making a directory for axe-core: %w", err)
	}
	if err := os.WriteFile(path, packed, 0o644); err != nil {
		return "", fmt.Errorf("keeping axe-core: %w", err)
	}
	return script, nil
}

// fetch downloads an address, within a minute.
func fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	answer, err := http.DefaultClient.Do(ask)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", address, answer.Status)
	}
	return io.ReadAll(answer.Body)
}

// unpack returns the script in the package, if the package has the right checksum.
func unpack(packed []byte) (string, error) {
	if sum := sha512.Sum512(packed); base64.StdEncoding.EncodeToString(sum[:]) != axeIntegrity {
		return "", fmt.Errorf("the package axe-core %s is not the one that was tried: its checksum is another", axeVersion)
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", fmt.Errorf("unpacking axe-core: %w", err)
	}
	for files := tar.NewReader(plain); ; {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			return "", errors.New("there is no axe.min.js in axe-core")
		}
		if err != nil {
			return "", fmt.Errorf("unpacking axe-core: %w", err)
		}
		if file.Name != "package/axe.min.js" {
			continue
		}
		script, err := io.ReadAll(files)
		if err != nil {
			return "", fmt.Errorf("unpacking axe-core: %w", err)
		}
		return string(script), nil
	}
}

// Barriers returns what axe-core finds on the page that breaks WCAG 2.2 AA or is a known bad practice, in one line per element. If
// rules are given, only those are checked.
func (p *Page) Barriers(axe string, rules ...string) []string {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, Patience)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`!!window.axe || (() => { `+axe+`; return true })()`))
	p.must("loading axe-core", err)
	only := ""
	if len(rules) > 0 {
		only = `, runOnly: ["` + strings.Join(rules, `", "`) + `"]`
	}
	return Eval[[]string](p, `axe.run(document, {resultTypes: ["violations"]`+only+`}).then(found =>
		found.violations.flatMap(v => v.nodes.map(n => v.id + " (" + v.help + "): " + n.html.slice(0, 160) + " " + (n.any[0] || n.all[0] || n.none[0] || {message: ""}).message)))`)
}
