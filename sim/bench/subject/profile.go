package subject

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// Profile writes a profile of the process to a file: "profile" is the processor over a time, "allocs" all allocations
// since the start, "mutex" all waits for locks.
func (p *Process) Profile(ctx context.Context, kind, file string, over time.Duration) error {
	if err := p.profile(ctx, kind, file, over); err != nil {
		return fmt.Errorf("writing the profile %s of %s: %w", kind, p.Subject, err)
	}
	return nil
}

func (p *Process) profile(ctx context.Context, kind, file string, over time.Duration) error {
	url := "http://" + p.pprof + "/debug/pprof/" + kind
	if over > 0 {
		url = fmt.Sprintf("%s?seconds=%.0f", url, over.Seconds())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the answer is %s", answer.Status)
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, answer.Body); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
