package rights

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/app"
)

// Namespace is Sickbay's own namespace, which has its ServiceAccounts and its lease.
const Namespace = "sickbay-system"

// Account is a ServiceAccount with some of the generated roles.
type Account struct {
	Name  string
	Roles []Role
	// Others are the rights for other parties' remediation kinds, as in the chart's value rbac.remediationKinds.
	Others []rbacv1.PolicyRule
}

// ForArgs returns the account that the chart creates for a manager with these arguments.
func ForArgs(onOpenShift bool, others []rbacv1.PolicyRule, args ...string) (Account, error) {
	names := []string{"manager"}
	controllers := app.Controllers()
	for _, arg := range args {
		flag, value, _ := strings.Cut(arg, "=")
		switch {
		case flag == "--controllers":
			controllers = strings.Split(value, ",")
		case flag == "--dashboard-bind-address" && value != "0":
			names = append(names, "dashboard")
		}
	}
	a := Account{Name: "sickbay", Others: others}
	if len(controllers) < len(app.Controllers()) {
		a.Name += "-" + strings.Join(controllers, "-")
	}
	for _, name := range names[1:] {
		a.Name += "-" + name
	}
	roles, err := Roles()
	if err != nil {
		return Account{}, err
	}
	for _, name := range slices.Concat(names, controllers) {
		a.Roles = append(a.Roles, roles[name])
		if more, ok := roles[name+"-"+openShift]; ok && onOpenShift {
			a.Roles = append(a.Roles, more)
		}
	}
	return a, nil
}

// Config installs the account and returns a configuration for it. It returns once the API server knows the account's
// rights.
func (a Account) Config(ctx context.Context, admin *rest.Config) (*rest.Config, error) {
	c, err := client.New(admin, client.Options{})
	if err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: Namespace, Name: a.Name}}
	objects := append([]client.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}, account}, a.objects()...)
	for _, object := range objects {
		if err := client.IgnoreAlreadyExists(c.Create(ctx, object)); err != nil {
			return nil, fmt.Errorf("installing account %s: %w", a.Name, err)
		}
	}
	if err := a.settle(ctx, c); err != nil {
		return nil, err
	}
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(24 * 3600))}}
	if err := c.SubResource("token").Create(ctx, account, request); err != nil {
		return nil, fmt.Errorf("asking for a token of account %s: %w", a.Name, err)
	}
	config := rest.AnonymousClientConfig(admin)
	config.QPS, config.Burst, config.BearerToken = admin.QPS, admin.Burst, request.Status.Token
	return config, nil
}

// WriteKubeconfig installs the account and writes a kubeconfig for it.
func (a Account) WriteKubeconfig(ctx context.Context, admin *rest.Config, path string) error {
	config, err := a.Config(ctx, admin)
	if err != nil {
		return err
	}
	file := clientcmdapi.NewConfig()
	file.Clusters["world"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	file.AuthInfos[a.Name] = &clientcmdapi.AuthInfo{Token: config.BearerToken}
	file.Contexts["world"] = &clientcmdapi.Context{Cluster: "world", AuthInfo: a.Name}
	file.CurrentContext = "world"
	if err := clientcmd.WriteToFile(*file, path); err != nil {
		return fmt.Errorf("writing the kubeconfig of account %s: %w", a.Name, err)
	}
	return nil
}

// objects returns the roles and their bindings.
func (a Account) objects() []client.Object {
	var rules, local []rbacv1.PolicyRule
	for _, role := range a.Roles {
		rules, local = append(rules, role.Rules...), append(local, role.Local...)
	}
	rules = append(rules, a.Others...)
	everywhere, here := metav1.ObjectMeta{Name: a.Name}, metav1.ObjectMeta{Namespace: Namespace, Name: a.Name}
	to := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: Namespace, Name: a.Name}}
	return []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: everywhere, Rules: rules},
		&rbacv1.Role{ObjectMeta: here, Rules: local},
		&rbacv1.ClusterRoleBinding{ObjectMeta: everywhere, Subjects: to, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: a.Name}},
		&rbacv1.RoleBinding{ObjectMeta: here, Subjects: to, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: a.Name}},
	}
}

// settlePoll is the interval between checks whether the API server knows the rights. It learns them through its own
// watches.
const settlePoll = 20 * time.Millisecond

// settle waits until the API server allows everything in the roles.
func (a Account) settle(ctx context.Context, c client.Client) error {
	for _, role := range a.Roles {
		for _, namespace := range []string{"", Namespace} {
			rules := role.Rules
			if namespace != "" {
				rules = role.Local
			}
			if len(rules) == 0 {
				continue
			}
			if err := a.await(ctx, c, namespace, rules[len(rules)-1]); err != nil {
				return fmt.Errorf("waiting for the rights of account %s: %w", a.Name, err)
			}
		}
	}
	return nil
}

// await waits until the API server allows a rule.
func (a Account) await(ctx context.Context, c client.Client, namespace string, rule rbacv1.PolicyRule) error {
	resource, subresource, _ := strings.Cut(rule.Resources[0], "/")
	name := ""
	if len(rule.ResourceNames) > 0 {
		name = rule.ResourceNames[0]
	}
	for {
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: "system:serviceaccount:" + Namespace + ":" + a.Name,
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Namespace: namespace, Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: resource, Subresource: subresource, Name: name,
			},
		}}
		if err := c.Create(ctx, review); err != nil {
			return err
		}
		if review.Status.Allowed {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(settlePoll):
		}
	}
}
