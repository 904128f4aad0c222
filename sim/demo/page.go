package demo

import (
	"context"
	"fmt"

	"k8s.io/utils/clock"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/dashboard"
	"github.com/sickbay-dev/sickbay/sim/world"
)

// openPage makes the page show the world, with the rights of its kubeconfig. The returned function ends that; call it even after an
// error.
func (d *demo) openPage(ctx context.Context) (closePage func(), err error) {
	reading, cancel := context.WithCancel(ctx)
	o := app.DefaultOptions()
	o.RemoteConditionsGracePeriod = gracePeriod
	observer, err := app.NewObserver(reading, d.world.Config(), o)
	if err != nil {
		return cancel, fmt.Errorf("reading the world for the page: %w", err)
	}
	page, err := dashboard.New(dashboard.Options{Fleet: observer.Fleet, Policy: o.Policy, Clock: clock.RealClock{}})
	if err != nil {
		return cancel, fmt.Errorf("making the page: %w", err)
	}
	ended := make(chan struct{}, 2)
	go func() { _ = observer.Run(reading); ended <- struct{}{} }()
	go func() { _ = page.Run(reading); ended <- struct{}{} }()
	closePage = func() {
		cancel()
		<-ended
		<-ended
	}
	if err := world.Poll(ctx, observer.Ready); err != nil {
		return closePage, fmt.Errorf("reading the world for the page: %w", err)
	}
	d.web.show(dashboard.Local(page.Handler(), ""))
	return closePage, nil
}
