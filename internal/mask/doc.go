// Package mask removes passwords and tokens from text written by others.
//
// It is for what Sickbay logs, stores and shows. Sickbay never prints the Secrets that it reads. But an error of a provider or an API
// server may quote the address that was used to reach a machine, and what was sent there.
package mask
