package healthcheck_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// patience is far longer than an event takes, and no timer is set that could be the cause.
const patience = 30 * time.Second

// TestManager: a Widget is healthy while a ConfigMap of the same name exists.
func TestManager(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t, healthcheck.Result{})
	r := &healthcheck.Reconciler[*Widget]{Registration: f.Registration}
	r.OnTransition = nil
	mgr := f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.widget.Namespace}, Setup: func(mgr ctrl.Manager) error {
		r.Conditions[0].Checks[0].Check = hasConfigMap(mgr.GetClient())
		r.MoreWatches = func(ctl controller.Controller) error {
			return ctl.Watch(source.Kind(mgr.GetCache(), client.Object(&corev1.ConfigMap{}), &handler.EnqueueRequestForObject{}))
		}
		return r.SetupWithManager(mgr)
	}})
	status := func() metav1.ConditionStatus {
		if c := f.stored(t).Status.Conditions; len(c) == 1 {
			return c[0].Status
		}
		return ""
	}
	g.Eventually(status, patience).Should(Equal(metav1.ConditionFalse), "the widget's own event")
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: f.widget.Namespace, Name: f.widget.Name}}
	g.Expect(mgr.GetClient().Create(t.Context(), config)).To(Succeed())
	g.Eventually(status, patience).Should(Equal(metav1.ConditionTrue), "the event of another object")
}

// TestDependants: a Widget checks an object that it owns, and only events that pass the predicate
// trigger a look.
func TestDependants(t *testing.T) {
	g := NewWithT(t)
	f := newHarness(t, healthcheck.Result{})
	r := &healthcheck.Reconciler[*Widget]{Registration: f.Registration}
	r.OnTransition = nil
	r.Conditions[0].Checks[0] = healthcheck.NamedCheck[*Widget]{Name: "size", Needs: healthcheck.NeedsSource, Check: sizeOfConfigMap}
	r.Watches = []healthcheck.Watch{{
		Object: &corev1.ConfigMap{},
		Predicates: []predicate.Predicate{predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
			return e.ObjectOld.(*corev1.ConfigMap).Data["size"] != e.ObjectNew.(*corev1.ConfigMap).Data["size"]
		}}},
	}}
	mgr := f.env.Manager(t, env.ManagerOptions{Namespaces: []string{f.widget.Namespace}, Setup: r.SetupWithManager})
	message := func() string {
		if c := f.stored(t).Status.Conditions; len(c) == 1 {
			return c[0].Message
		}
		return ""
	}
	config := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: f.widget.Namespace, Name: f.widget.Name},
		Data:       map[string]string{"size": "1", "color": "red"},
	}
	g.Expect(controllerutil.SetControllerReference(f.widget, config, f.env.Scheme)).To(Succeed())
	g.Eventually(message, patience).Should(Equal("there is no ConfigMap"))
	g.Expect(mgr.GetClient().Create(t.Context(), config)).To(Succeed())
	g.Eventually(message, patience).Should(Equal("size 1, red"))

	config.Data["color"] = "blue"
	g.Expect(mgr.GetClient().Update(t.Context(), config)).To(Succeed())
	config.Data["size"] = "2"
	g.Expect(mgr.GetClient().Update(t.Context(), config)).To(Succeed())
	g.Eventually(message, patience).Should(Equal("size 2, blue"))
	g.Expect(mgr.GetClient().Delete(t.Context(), config)).To(Succeed())
	g.Eventually(message, patience).Should(Equal("there is no ConfigMap"))
}

// sizeOfConfigMap returns the verdict in a ConfigMap with the Widget's name.
var sizeOfConfigMap = healthcheck.CheckFunc[*Widget](func(ctx context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
	config := &corev1.ConfigMap{}
	err := in.Env.Source.Get(ctx, client.ObjectKeyFromObject(in.Object), config)
	if client.IgnoreNotFound(err) != nil {
		return healthcheck.Result{}, err
	}
	if err != nil {
		return result(healthcheck.False, "NoConfig", "there is no ConfigMap"), nil
	}
	return result(healthcheck.True, "Configured", "size "+config.Data["size"]+", "+config.Data["color"]), nil
})

func hasConfigMap(reader client.Reader) healthcheck.Check[*Widget] {
	return healthcheck.CheckFunc[*Widget](func(ctx context.Context, in healthcheck.Input[*Widget]) (healthcheck.Result, error) {
		err := reader.Get(ctx, client.ObjectKeyFromObject(in.Object), &corev1.ConfigMap{})
		if client.IgnoreNotFound(err) != nil {
			return healthcheck.Result{}, err
		}
		if err != nil {
			return result(healthcheck.False, "NoConfig", "there is no ConfigMap"), nil
		}
		return result(healthcheck.True, "Configured", ""), nil
	})
}
