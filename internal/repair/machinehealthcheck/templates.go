package machinehealthcheck

import (
	"context"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/repair/admission"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// templateTimeout limits reads of templates. Their kinds are not ours, and a cache that may not list a kind waits for ever.
const templateTimeout = 10 * time.Second

// observeTemplate reads the template that the MachineHealthCheck refers to, as metadata, since the decision needs no more. It also
// checks whether the requests made from it can be read. It reads no kind that cannot be that of a template, which the decision refuses:
// otherwise anybody who may write a MachineHealthCheck could make Sickbay watch all objects of any kind.
func (r *Reader) observeTemplate(ctx context.Context, f *admission.Facts) error {
	ref := f.MachineHealthCheck.Spec.Remediation.TemplateRef
	if !ref.IsDefined() || !strings.HasSuffix(ref.Kind, clusterv1.TemplateSuffix) {
		return nil
	}
	if mhcspec.NamesPlan(f.MachineHealthCheck) {
		return r.observePlan(ctx, f)
	}
	ctx, cancel := context.WithTimeout(ctx, templateTimeout)
	defer cancel()
	for _, one := range []struct {
		what string
		gvk  schema.GroupVersionKind
	}{{"request", remedy.RequestKind(ref)}, {"template", ref.GroupVersionKind()}} {
		missing, err := r.whyUnreadable(ctx, one.gvk, one.what)
		if missing != "" || err != nil {
			f.Template.Missing = missing
			return err
		}
	}
	missing, err := r.missingTemplate(ctx, f.MachineHealthCheck)
	if err != nil {
		f.Template.Missing = r.forgetUninstalled(err, ref.GroupVersionKind(), "template")
		return ignoreUninstalled(err)
	}
	f.Template.Missing = missing
	if missing == "" && admission.NamesReboots(f.MachineHealthCheck) {
		if f.Template.Reboot, err = r.rebootSettings(ctx, f.MachineHealthCheck); err != nil {
			return err
		}
	}
	return r.watchTemplates(ref.GroupVersionKind())
}

// rebootSettings reads what a RebootRemediationTemplate says.
func (r *Reader) rebootSettings(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (v1alpha1.RebootSettings, error) {
	key := client.ObjectKey{Namespace: mhc.Namespace, Name: mhc.Spec.Remediation.TemplateRef.Name}
	template, err := scaffold.Find(ctx, r.Cache, key, &v1alpha1.RebootRemediationTemplate{})
	if template == nil {
		return v1alpha1.RebootSettings{}, err
	}
	return template.Spec.Template.Spec, nil
}

// missingTemplate says that a template does not exist; empty if it does.
func (r *Reader) missingTemplate(ctx context.Context, mhc *clusterv1.MachineHealthCheck) (string, error) {
	ref := mhc.Spec.Remediation.TemplateRef
	template := scaffold.MetadataOf(ref.GroupVersionKind())
	err := r.Cache.Get(ctx, client.ObjectKey{Namespace: mhc.Namespace, Name: ref.Name}, template)
	if apierrors.IsNotFound(err) {
		return fmt.Sprintf("remediation template %s %s does not exist", ref.Kind, ref.Name), nil
	}
	if err != nil {
		return "", fmt.Errorf("getting remediation template %s %s: %w", ref.Kind, ref.Name, err)
	}
	return "", nil
}

// forgetUninstalled marks a kind that could be read before as unreadable, and says that it is not installed; empty if err is a different error.
func (r *Reader) forgetUninstalled(err error, gvk schema.GroupVersionKind, what string) string {
	if !meta.IsNoMatchError(err) {
		return ""
	}
	r.readable.Delete(gvk)
	return notInstalled(gvk, what)
}

func ignoreUninstalled(err error) error {
	if meta.IsNoMatchError(err) {
		return nil
	}
	return err
}

func notInstalled(gvk schema.GroupVersionKind, what string) string {
	return fmt.Sprintf("remediation %s kind %s of %s is not installed", what, gvk.Kind, gvk.GroupVersion())
}

// whyUnreadable says why objects of a kind cannot be read; empty if they can. A cache waits for ever for a kind that it may not list,
// so it asks the API server once before.
func (r *Reader) whyUnreadable(ctx context.Context, gvk schema.GroupVersionKind, what string) (string, error) {
	if _, ok := r.readable.Load(gvk); ok {
		return "", nil
	}
	err := r.Live.List(ctx, scaffold.MetadataListOf(gvk), client.InNamespace(r.Namespace), client.Limit(1))
	switch {
	case meta.IsNoMatchError(err), apierrors.IsNotFound(err):
		return notInstalled(gvk, what), nil
	case apierrors.IsForbidden(err):
		return fmt.Sprintf("remediation %s kind %s of %s may not be read: Sickbay lacks the permission", what, gvk.Kind, gvk.GroupVersion()), nil
	case scaffold.Answered(err):
		// For example, the webhook that converts the kind is away with its provider.
		return fmt.Sprintf("remediation %s kind %s of %s cannot be read: %s", what, gvk.Kind, gvk.GroupVersion(), ownwrites.Cause(err)), nil
	case err != nil:
		return "", fmt.Errorf("listing %s: %w", gvk.Kind, err)
	}
	r.readable.Store(gvk, true)
	return "", nil
}
