package compat_test

import (
	"context"
	"errors"
	"sync"
	"time"

	theirs "github.com/gardener/gardener/extensions/pkg/controller/healthcheck"
	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// answer is the result of a check, or its error.
type answer struct {
	status    gardencorev1beta1.ConditionStatus
	detail    string
	codes     []gardencorev1beta1.ErrorCode
	threshold time.Duration
	err       string
	// unwanted makes the pre-check return false.
	unwanted bool
}

// script holds the answers of all rows, by namespace.
type script struct {
	mutex   sync.Mutex
	answers map[string][]answer
}

// slots is how many checks are registered. In a row with fewer answers the other checks
// pass.
const slots = 3

func (s *script) answer(request types.NamespacedName, slot int) answer {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if answers := s.answers[request.Namespace]; slot < len(answers) {
		return answers[slot]
	}
	return answer{status: gardencorev1beta1.ConditionTrue}
}

// scripted is a check of Gardener's library. Ours runs the very same one.
type scripted struct {
	script *script
	slot   int
}

func (c *scripted) Check(_ context.Context, request types.NamespacedName) (*theirs.SingleCheckResult, error) {
	a := c.script.answer(request, c.slot)
	if a.err != "" {
		return nil, errors.New(a.err)
	}
	result := &theirs.SingleCheckResult{Status: a.status, Detail: a.detail, Codes: a.codes}
	if a.threshold > 0 {
		result.ProgressingThreshold = &a.threshold
	}
	return result, nil
}

func (c *scripted) SetLoggerSuffix(string, string) {}

// wanted is its pre-check.
func (c *scripted) wanted(_ context.Context, _ client.Client, obj client.Object, _ any) bool {
	return !c.script.answer(client.ObjectKeyFromObject(obj), c.slot).unwanted
}

// codes finds codes by words in the text.
func codes(err error) []gardencorev1beta1.ErrorCode {
	if err.Error() == "over quota" {
		return []gardencorev1beta1.ErrorCode{gardencorev1beta1.ErrorInfraQuotaExceeded}
	}
	return nil
}

// needy is a check that needs the client of the shoot.
type needy struct{ scripted }

func (n *needy) InjectTargetClient(client.Client) {}
