package rules_test

import (
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/rules"
)

func template(uid types.UID, generation int64, expression string) *v1alpha1.MachineRemediationTemplate {
	made := &v1alpha1.MachineRemediationTemplate{ObjectMeta: metav1.ObjectMeta{UID: uid, Generation: generation}}
	made.Spec.Template.Spec = *plan(rule("r", expression, "wait"))
	return made
}

func TestCache(t *testing.T) {
	cache := &rules.Cache{}
	first, err := cache.Get(template("a", 1, "true"))
	if err != nil {
		t.Fatal(err)
	}
	// Another expression, to see that it is not looked at.
	if again, err := cache.Get(template("a", 1, "false")); again != first || err != nil {
		t.Errorf("the same generation is compiled again: %v", err)
	}
	if other, err := cache.Get(template("b", 1, "true")); other == first || err != nil {
		t.Errorf("another template has the same rules: %v", err)
	}
	if edited, err := cache.Get(template("a", 2, "x")); edited != nil || err == nil {
		t.Errorf("the next generation is not compiled: %v, %v", edited, err)
	}
	if _, err := cache.Get(template("a", 2, "true")); err == nil {
		t.Error("what is wrong with a generation is not kept")
	}
}

func TestCacheConcurrently(t *testing.T) {
	cache := &rules.Cache{}
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for generation := range int64(20) {
				if _, err := cache.Get(template("a", generation, "true")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
}
