package dashboard

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"time"
)

//go:embed assets templates
var embedded embed.FS

// assetURL returns the URL of a file. It contains the file's hash, so browsers may cache the file forever.
func assetURL(name string) (string, error) {
	data, err := fs.ReadFile(embedded, "assets/"+name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return "/assets/" + name + "?v=" + hex.EncodeToString(sum[:6]), nil
}

// serveAsset serves a file to everybody: the sign-in form needs it.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	data, err := fs.ReadFile(embedded, "assets/"+name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}
