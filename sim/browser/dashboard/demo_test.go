package dashboard_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/sim/browser"
	"github.com/sickbay-dev/sickbay/sim/demo"
	"github.com/sickbay-dev/sickbay/sim/scenario"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// played are the stories that are watched; for a picture it is all of them.
var played = []string{"approval", "held", "on-hold", "kubelet-stops", "short-circuit"}

func stories() []scenario.Scenario {
	all := scenario.All()
	if browser.Pictures() {
		return all
	}
	return slices.DeleteFunc(all, func(s scenario.Scenario) bool { return !slices.Contains(played, s.Name) })
}

// TestDemo watches the demo as a newcomer does: the address comes first, the page is there at once, says to wait, becomes the
// dashboard by itself, and shows without being loaded again that a machine waits for a person, and in the end that all are healthy.
func TestDemo(t *testing.T) {
	dir := t.TempDir()
	binary, err := sickbay.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		err := demo.Run(ctx, demo.Options{Binary: binary, Keep: true, Out: in, Dir: dir, Began: time.Now(), Stories: stories()})
		ended <- err
		_ = in.CloseWithError(io.EOF)
	}()
	terminal := bufio.NewScanner(out)
	address := ""
	for address == "" && terminal.Scan() {
		_, address, _ = strings.Cut(terminal.Text(), "Watch it in a browser: ")
	}
	kept := make(chan struct{})
	go func() {
		for terminal.Scan() {
			t.Log(terminal.Text())
			if strings.HasPrefix(terminal.Text(), "The world keeps running") {
				close(kept)
			}
		}
	}()

	page := chromium.Page(t, browser.Options{Height: 1000, Width: 1280})
	page.Open(address)
	if text := page.Text(); !strings.Contains(text, "The demo is starting") {
		t.Errorf("the page reads %q", text)
	}
	page.Await("the dashboard", `document.querySelector("#connection")`)
	browser.Eval[bool](page, `window.loadedOnce = true`)
	page.AwaitWithin(scenario.Patience, "a machine that waits for a person", `document.querySelector("main").innerText.includes("approve or deny replace")`)
	keep(t, "demo.png", page.Picture(false))
	if !browser.Eval[bool](page, `window.loadedOnce === true`) {
		t.Error("the page was loaded again")
	}
	select {
	case <-kept:
	case err := <-ended:
		t.Fatalf("the demo ended: %v", err)
	}
	page.AwaitWithin(scenario.Patience, "the end of all repairs", `!/\d (sick|in repair|held)/.test(document.querySelector("main").innerText)`)
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "stories.log")); err != nil {
		t.Error(err)
	}
}
