package scenario

import (
	"context"
	"fmt"
)

// stopped is what a step of a story panics with, to end the story with an error.
type stopped struct{ err error }

// Play runs the story on a stage, and returns an error if it did not end as it should. The outcome then has what was measured before.
func (s Scenario) Play(ctx context.Context, stage *Stage) (Outcome, error) {
	err := catch(func() { s.story(ctx, stage) })
	return stage.outcome, err
}

// catch runs steps, and returns the error that stopped them. Goroutines that steps start must return their errors: nothing catches a panic
// there.
func catch(steps func()) (err error) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case stopped:
			err = reason.err
		default: // a bug
			panic(reason)
		}
	}()
	steps()
	return nil
}

// must stops the story if there is an error.
func must(err error) {
	if err != nil {
		panic(stopped{err})
	}
}

// mustGet returns a value, or stops the story if there is an error instead.
func mustGet[T any](value T, err error) T {
	must(err)
	return value
}

// mustDo stops the story with what it was doing, if there is an error.
func mustDo(err error, format string, args ...any) {
	if err != nil {
		failf("%s: %w", fmt.Sprintf(format, args...), err)
	}
}

// failf stops the story.
func failf(format string, args ...any) { must(fmt.Errorf(format, args...)) }
