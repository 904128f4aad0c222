package cli

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// user is who runs the command: as the API server says, or if it does not, as the kubeconfig does. Empty: nobody knows.
func (a *access) user(ctx context.Context, c client.Client) string {
	review := &authenticationv1.SelfSubjectReview{}
	if err := c.Create(ctx, review); err == nil && review.Status.UserInfo.Username != "" {
		return review.Status.UserInfo.Username
	}
	return a.configuredUser()
}

func (a *access) configuredUser() string {
	if as := a.overrides.AuthInfo.Impersonate; as != "" {
		return as
	}
	config, err := a.loader().RawConfig()
	if err != nil {
		return ""
	}
	name := a.overrides.CurrentContext
	if name == "" {
		name = config.CurrentContext
	}
	if chosen := config.Contexts[name]; chosen != nil {
		return chosen.AuthInfo
	}
	return ""
}

// fit shortens a text to what a field takes, in characters.
func fit(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
