package scaffold

import "context"

// Everywhere is a manager's Runnable that also runs on a standby.
type Everywhere func(context.Context) error

// Start implements manager.Runnable.
func (e Everywhere) Start(ctx context.Context) error { return e(ctx) }

// NeedLeaderElection implements manager.LeaderElectionRunnable.
func (Everywhere) NeedLeaderElection() bool { return false }
