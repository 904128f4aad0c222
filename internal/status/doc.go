// Package status writes conditions and status fields: only ours, and only when
// they changed.
//
// It writes by server-side apply, so that there is no read-modify-write and no
// conflict with the writers of other conditions.
package status
