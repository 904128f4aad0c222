package e2e

import (
	"context"
	"errors"
	"flag"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sickbay-dev/sickbay/sim/rights"
)

// accounts holds the accounts that Sickbay runs as, and their kubeconfigs by name.
type accounts struct {
	mu    sync.Mutex
	paths map[string]string
	all   []rights.Account
}

// Kubeconfig returns the path of a kubeconfig for the ServiceAccount of a Sickbay with these arguments.
func (h *Harness) Kubeconfig(ctx context.Context, args ...string) (string, error) {
	account, err := rights.ForArgs(h.options.OpenShift, h.options.Others, args...)
	if err != nil {
		return "", err
	}
	h.accounts.mu.Lock()
	defer h.accounts.mu.Unlock()
	if path, ok := h.accounts.paths[account.Name]; ok {
		return path, nil
	}
	path := filepath.Join(h.dir, account.Name+".kubeconfig")
	if err := account.WriteKubeconfig(ctx, h.World.Config(), path); err != nil {
		return "", err
	}
	if h.accounts.paths == nil {
		h.accounts.paths = map[string]string{}
	}
	h.accounts.paths[account.Name] = path
	h.accounts.all = append(h.accounts.all, account)
	return path, nil
}

// checkRights checks that no request was denied and, after all tests have passed, that these tests used all rights
// that they claim to use.
func (h *Harness) checkRights(passed bool) error {
	log, err := rights.ReadLog(h.dir)
	if err != nil {
		return err
	}
	errs := []error{log.CheckDenied()}
	if passed && flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == "" && !testing.Short() {
		errs = append(errs, log.CheckClaims(h.options.Package, h.accounts.all))
	}
	return errors.Join(errs...)
}
