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

// assetURL is where a file is. It has the file's hash, so that it can be kept for ever.
func assetURL(name string) (string, error) {
	data, err := fs.ReadFile(embedded, "assets/"+name)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return "/assets/" + name + "?v=" + hex.EncodeToString(sum[:6]), nil
}

// serveAsset serves a file. Strangers may have it, too: the sign-in form needs it.
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
