package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

// scheme knows everything that comes in protobuf: Kubernetes' own kinds, and the metadata of others.
var scheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(metav1.AddMetaToScheme(s))
	return s
})

// listPage reads a page without counting it, and returns its size and where the next one begins.
func (m *meter) listPage(ctx context.Context, one watch, query url.Values) (next string, size int64, err error) {
	at := *m.target
	at.Path, at.RawQuery = one.path, query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), http.NoBody)
	if err != nil {
		return "", 0, err
	}
	req.Header.Set("Accept", listed(one.accept))
	req.Header.Set("Accept-Encoding", plain)
	answer, err := m.real.RoundTrip(req)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return "", 0, err
	}
	if answer.StatusCode != http.StatusOK {
		return "", 0, fmt.Errorf("the answer is %s", answer.Status)
	}
	next, err = continued(answer.Header.Get("Content-Type"), body)
	return next, int64(len(body)), err
}

// listed converts the encoding of a watch to that of a list: metadata lists have their own name.
func listed(accept string) string {
	return strings.NewReplacer(";stream=watch", "", "as=PartialObjectMetadata;", "as=PartialObjectMetadataList;").Replace(accept)
}

// continued returns where the next page begins; empty if there is none.
func continued(contentType string, body []byte) (string, error) {
	if !strings.Contains(contentType, "protobuf") {
		var list struct {
			Metadata metav1.ListMeta `json:"metadata"`
		}
		err := json.Unmarshal(body, &list)
		return list.Metadata.Continue, err
	}
	object, _, err := protobuf.NewSerializer(scheme(), scheme()).Decode(body, nil, nil)
	if err != nil {
		return "", err
	}
	list, ok := object.(metav1.ListInterface)
	if !ok {
		return "", fmt.Errorf("%T is no list", object)
	}
	return list.GetContinue(), nil
}
