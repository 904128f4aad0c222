package dashboard_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/explain/explaintest"
	"github.com/sickbay-dev/sickbay/sim/browser"
)

// images is the directory of the documentation's pictures.
var images = filepath.Join("..", "..", "..", "docs", "images")

// maxPicture is the maximum size of a picture, because everybody who clones the repository
// downloads it.
const maxPicture = 200 << 10

// keep writes a picture to the documentation, if pictures are to be taken.
func keep(t *testing.T, name string, picture []byte) {
	t.Helper()
	if len(picture) > maxPicture {
		t.Errorf("the picture %s has %d bytes", name, len(picture))
	}
	if !browser.Pictures() {
		return
	}
	if err := os.MkdirAll(images, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(images, name), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPictures takes the pictures in the documentation.
func TestPictures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		facts   func() *explain.Facts
		path    string
		options browser.Options
	}{
		"fleet-dark.png":  {explaintest.Eleven, "/", browser.Options{Dark: true}},
		"fleet-10000.png": {many, "/", browser.Options{}},
		"fleet-small.png": {explaintest.Eleven, "/", browser.Options{Width: 320, Height: 640}},
		"machine.png":     {explaintest.Eleven, "/machines/default/metal-1", browser.Options{}},
		"history.png":     {many, "/history", browser.Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, tt.facts())
			page := chromium.Page(t, tt.options)
			page.Open(s.address + tt.path)
			page.Await("everything", `document.readyState === "complete"`)
			keep(t, name, page.Picture(false))
		})
	}
}
