package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// TestStrangersLockNobodyOut: however many strangers send forged tokens, somebody who has seen the page still sees it.
func TestStrangersLockNobodyOut(t *testing.T) {
	at := clocktesting.NewFakeClock(time.Now())
	d := newDoor(t, at)
	alice := d.account("alice", sees()...)
	if got := asks(t, d.site, http.MethodGet, "/", nil, "Authorization", "Bearer "+alice); got.StatusCode != http.StatusOK {
		t.Fatalf("before: %s", got.Status)
	}
	at.Step(reviewTTL + time.Second)

	const strangers = 400
	ctx, stop := context.WithCancel(t.Context())
	answers, all := make(chan int, strangers), sync.WaitGroup{}
	defer all.Wait()
	defer stop()
	for i := range strangers {
		all.Go(func() {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.site.URL+"/", nil)
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("Authorization", fmt.Sprintf("Bearer forged-%d", i))
			if response, err := d.site.Client().Do(request); err == nil {
				_ = response.Body.Close()
				answers <- response.StatusCode
			}
		})
	}
	for code := range answers {
		if code == http.StatusServiceUnavailable {
			break // the limit is reached
		}
	}
	if got := asks(t, d.site, http.MethodGet, "/", nil, "Authorization", "Bearer "+alice); got.StatusCode != http.StatusOK {
		t.Errorf("meanwhile: %s", got.Status)
	}
}
