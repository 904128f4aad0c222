# What make image and make release share. All files get the time of the commit, and no variable of a person's environment makes a difference.
set -euo pipefail
home=https://github.com/sickbay-dev/sickbay
read -r revision SOURCE_DATE_EPOCH created < <(TZ=UTC git log -1 --format='%H %ct %cd' --date=format-local:%Y-%m-%dT%H:%M:%SZ)
export SOURCE_DATE_EPOCH LC_ALL=C
(cd tools && go build -o "$BIN/" ./image/pack ./image/roots)

# tool NAME: the program of a module in tools/shelf, built if need be.
tool() { (cd tools/shelf && go tool -n "$1"); }

# program OS/ARCH FILE: static, stripped, and without a trace of the machine that builds it.
program() {
	echo "Building sickbay for $1"
	GOOS=${1%/*} GOARCH=${1#*/} GOAMD64=v1 GOARM64=v8.0 CGO_ENABLED=0 GOFLAGS='' GOEXPERIMENT='' GOWORK=off GOFIPS140=off \
		go build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X github.com/sickbay-dev/sickbay/internal/app.Version=$VERSION" -o "$2" ./cmd/sickbay
}
