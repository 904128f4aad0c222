// Package mask takes passwords and tokens out of sentences that others have written.
//
// It serves what Sickbay logs, stores and shows. What Sickbay holds of Secrets itself it prints nowhere; but an error of a provider, or of
// an API server, may quote the address with which somebody has tried to reach a machine, and what he has sent there.
package mask
