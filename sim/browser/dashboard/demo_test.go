package dashboard_test

import (
	"bufio"
	"context"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sickbay-dev/sickbay/sim/browser"
	"github.com/sickbay-dev/sickbay/sim/demo"
	"github.com/sickbay-dev/sickbay/sim/scenario"
	"github.com/sickbay-dev/sickbay/sim/sickbay"
)

// played are the stories that the test watches; for a picture, it watches all.
var played = []string{"approval", "held", "on-hold", "kubelet-stops", "short-circuit"}

func stories() []scenario.Scenario {
	all := scenario.All()
	if browser.Pictures() {
		return all
	}
	return slices.DeleteFunc(all, func(s scenario.Scenario) bool { return !slices.Contains(played, s.Name) })
}

// TestDemo watches the demo as a newcomer does. The address comes first, and the page is there at once and says to wait. The page becomes
// the dashboard by itself, and shows without a reload what is being done, and in the end that all machines are healthy. No link is broken.
func TestDemo(t *testing.T) {
	t.Parallel()
	show := start(t)
	page := chromium.Page(t, browser.Options{Width: 1280, Height: 1000})
	page.Open(show.address)
	if text := page.Text(); !strings.Contains(text, "The demo is starting") {
		t.Errorf("the page reads %q", text)
	}
	page.AwaitWithin(scenario.Patience, "the dashboard", `document.querySelector("#live")`)
	browser.Eval[bool](page, `window.loadedOnce = true`)
	waits := `document.querySelector("#needs")`
	if !browser.Pictures() {
		// No story waits for a person for more than two seconds, which a slow machine may miss.
		waits = `/[1-9] (sick|held|in repair)/.test(document.querySelector("main").innerText)`
	}
	page.AwaitWithin(scenario.Patience, "a repair", waits)
	keep(t, "demo.png", page.Picture(false))
	select {
	case <-show.kept:
	case err := <-show.ended:
		t.Fatalf("the demo ended: %v", err)
	}
	page.AwaitWithin(scenario.Patience, "the end of all repairs", `!/[1-9] (sick|in repair|held)/.test(document.querySelector("main").innerText)`)
	if !browser.Eval[bool](page, `window.loadedOnce === true`) {
		t.Error("the page was loaded again")
	}
	crawl(t, page, strings.TrimSuffix(show.address, "/"), func(string) {})
}

// show is a running demo.
type show struct {
	address string
	// kept is closed when all stories have ended as they should and the world is kept; ended receives the result of the demo.
	kept  chan struct{}
	ended chan error
}

// start starts a demo, which ends with the test, and reads the address that it prints.
func start(t *testing.T) *show {
	t.Helper()
	dir := t.TempDir()
	binary, err := sickbay.Build(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s := &show{kept: make(chan struct{}), ended: make(chan error, 1)}
	out, in := io.Pipe()
	ctx, end := context.WithCancel(context.Background())
	go func() {
		s.ended <- demo.Run(ctx, demo.Options{Binary: binary, Keep: true, Out: in, Dir: dir, Began: time.Now(), Stories: stories()})
		_ = in.Close()
	}()
	terminal := bufio.NewScanner(out)
	for s.address == "" && terminal.Scan() {
		_, s.address, _ = strings.Cut(terminal.Text(), "Watch it in a browser: ")
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for terminal.Scan() {
			t.Log(terminal.Text())
			if strings.HasPrefix(terminal.Text(), "The world keeps running") {
				close(s.kept)
			}
		}
	}()
	t.Cleanup(func() {
		end()
		<-read
	})
	return s
}
