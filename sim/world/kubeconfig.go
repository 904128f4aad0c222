package world

import (
	"fmt"
	"os"
)

// WriteKubeconfig writes a kubeconfig of the management cluster, readable only by the user. kubectl and
// other processes can use it as long as the world stands.
func (w *World) WriteKubeconfig(path string) error {
	if err := os.WriteFile(path, w.kubeconfig, 0o600); err != nil {
		return fmt.Errorf("writing the kubeconfig: %w", err)
	}
	return nil
}
