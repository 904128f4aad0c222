package browser

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

var (
	chromium = flag.String("chromium", "", "the path of Chromium; without it nothing is tried in a browser")
	pictures = flag.Bool("pictures", false, "take the pictures of the documentation anew")
)

// Pictures reports whether to retake the pictures of the documentation.
func Pictures() bool { return *pictures }

// Main runs the tests of a test binary with a browser. Before that, it calls use with the browser and the script of axe-core. Without a
// browser, it runs no tests and says so.
func Main(m *testing.M, use func(b *Browser, axe string)) (code int) {
	flag.Parse()
	if *chromium == "" {
		fmt.Fprintln(os.Stdout, "Nothing was tried in a browser: make test-browser does that, where Chromium is installed.")
		return 0
	}
	_, file, _, _ := runtime.Caller(0)
	axe, err := Axe(context.Background(), filepath.Join(filepath.Dir(file), "..", "..", "bin"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "sickbay-browser-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "making a directory for the browser:", err)
		return 1
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "creating the log of the browser:", err)
		return 1
	}
	defer func() {
		_ = log.Close()
		if code == 0 {
			_ = os.RemoveAll(dir)
			return
		}
		fmt.Fprintln(os.Stderr, "The log of the browser is", log.Name())
	}()
	b, err := start(dir, log)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := b.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}()
	use(b, axe)
	return m.Run()
}

// fonts makes pictures of pages look as they do for most people, who have a good system font: here it is Inter, if installed.
const fonts = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<include>/etc/fonts/fonts.conf</include>
<match target="pattern">
<test name="family"><string>sans-serif</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit>
</match>
<match target="pattern">
<test name="family"><string>system-ui</string></test>
<edit name="family" mode="prepend" binding="strong"><string>Inter</string></edit>
</match>
</fontconfig>
`

// start starts the browser. The directory holds what it needs while it runs.
func start(dir string, log *os.File) (*Browser, error) {
	if !*pictures {
		return Start(*chromium, log)
	}
	path := filepath.Join(dir, "fonts.conf")
	if err := os.WriteFile(path, []byte(fonts), 0o600); err != nil {
		return nil, fmt.Errorf("choosing the fonts: %w", err)
	}
	return Start(*chromium, log, "FONTCONFIG_FILE="+path)
}
