# shellcheck shell=bash
# The launcher's command `images`, which uses the launcher's functions.
# shellcheck disable=SC2154,SC2034 # variables of the launcher

images_usage() {
  cat <<'TEXT'
Usage: claimstream images (--tar DIR | --push REGISTRY | --load) [OPTIONS]

Build the container image, one for all services, and the list of its contents (CycloneDX).

  --tar DIR          write image archives, contents, checksums and the packaged chart to DIR, for a registry without
                     access to the internet
  --push REGISTRY    push the image as REGISTRY/claimstream:TAG, for amd64 and arm64
  --load             load the image into the local Docker engine as claimstream:TAG

  --base IMAGE       base image with a Java 25 runtime: NAME@sha256:DIGEST, or an archive of deploy/images/base-image
                     (FILE.tar). Default: image.base in pom.xml
  --arch LIST        amd64, arm64 or amd64,arm64. Default: both; the architecture of this machine with --load or an archive
  --tag TAG          default: the version
  --plain-http       let --push use HTTP, for a registry without TLS; the base must be an archive then
  --plain-http-base  let --push and --base use HTTP, also where the registry of the base has TLS: the image then contains
                     what the network delivers

Exit code: 0 done, 1 error. Registry credentials come from Docker's configuration (docker login).
deploy/images/README.md describes signing, private registries and the settings of a container.
TEXT
}

images_error() {
  say "images: $*"
  say 'try: claimstream images --help'
  exit 1
}

images() {
  local target='' place='' base='' archs='' tag='' scheme=https insecure_base=no options=() version
  while [ $# -gt 0 ]; do
    case $1 in
      -h | --help)
        images_usage
        return
        ;;
      --load)
        [ -z "$target" ] || images_error "--$target and --load: name one of them"
        target=load
        ;;
      --plain-http | --plain-http-base)
        scheme=http
        [ "$1" = --plain-http ] || insecure_base=yes
        options+=(-Djib.allowInsecureRegistries=true)
        ;;
      --tar | --push | --base | --arch | --tag)
        [ -n "${2:-}" ] || images_error "$1 needs a value"
        case $1 in
          --base) base=$2 ;;
          --arch) archs=$2 ;;
          --tag) tag=$2 ;;
          *)
            [ -z "$target" ] || images_error "--$target and $1: name one of them"
            target=${1#--}
            place=$2
            ;;
        esac
        shift
        ;;
      *) images_error "there is no option $1" ;;
    esac
    shift
  done
  version=$(sed -n 's/^  <version>\(.*\)<\/version>$/\1/p' "$ROOT/pom.xml" | head -n 1)
  [ -n "$tag" ] || tag=$version
  case $tag in *[!A-Za-z0-9_.-]* | [.-]*) images_error "--tag $tag: use letters, digits, '_', '.' and '-'" ;; esac
  choose_base
  case $target in
    tar) check_folder ;;
    push) check_registry ;;
    load) check_engine ;;
    *) images_error 'name --tar DIR, --push REGISTRY or --load' ;;
  esac
  choose_architectures
  find_jdk
  find_maven
  mkdir -p "$STATE"
  "to_$target"
}

# ---- What must be there, before anything is built ------------------------------------------------------------------------

check_folder() {
  if ! mkdir -p "$place" 2>/dev/null || [ ! -w "$place" ]; then
    images_error "cannot write to $place: name a folder that this user can write to"
  fi
  place=$(cd "$place" && pwd -P)
}

check_registry() {
  local host=${place%%/*} status
  case $place in *://* | *[!A-Za-z0-9./:_-]* | */ | /*) images_error "--push $place: use HOST[:PORT][/PATH], without https://" ;; esac
  case $host in *.* | *:* | localhost) ;; *) images_error "--push $place: '$host' is no host name; write HOST[:PORT][/PATH]" ;; esac
  command -v curl >/dev/null || return 0
  # A registry answers, also if it asks for credentials.
  status=$(curl -s -o /dev/null --max-time 10 -w '%{http_code}' "$scheme://$host/v2/") || true
  case $status in
    200 | 401 | 403) ;;
    000) images_error "the registry $host does not respond over $scheme: check the name, the network, and whether it needs --plain-http" ;;
    *) images_error "$scheme://$host/v2/ responds with status $status: it is not a registry" ;;
  esac
}

check_engine() {
  command -v docker >/dev/null || images_error '--load needs Docker, and there is no docker on the PATH: install it, or use --tar DIR'
  docker version >/dev/null 2>&1 ||
    images_error "--load needs a Docker engine, and none responds${DOCKER_HOST:+ at $DOCKER_HOST}: start it, set DOCKER_HOST, or use --tar DIR"
}

choose_base() {
  local name
  [ -n "$base" ] || base=$(sed -n 's/.*<image.base>\(.*\)<\/image.base>.*/\1/p' "$ROOT/pom.xml")
  base=${base#tar://}
  # jib has one switch for both registries.
  case $scheme:$insecure_base:$base in
    http:no:*.tar) ;;
    http:no:*)
      images_error "--plain-http would pull the base $base without TLS, too: name an archive (docker pull $base; docker save $base -o base.tar; --base base.tar), or allow it with --plain-http-base"
      ;;
  esac
  case $base in
    *.tar)
      [ -r "$base" ] || images_error "--base $base: there is no such archive; deploy/images/base-image $base makes one"
      name=local
      base=tar://$(cd "$(dirname "$base")" && pwd -P)/$(basename "$base")
      ;;
    *@sha256:*) name=$base ;;
    *)
      name=$base
      say "the base $base has no digest, so another build can get another base: pin one with --base ${base%:*}@sha256:DIGEST"
      ;;
  esac
  options+=("-Dimage.base=$base" "-Dimage.base.name=$name")
}

choose_architectures() {
  local machine
  case $(uname -m) in x86_64 | amd64) machine=amd64 ;; *) machine=arm64 ;; esac
  if [ -z "$archs" ]; then
    case $target:$base in load:* | *:tar://*) archs=$machine ;; *) archs=amd64,arm64 ;; esac
  fi
  case $archs in
    amd64 | arm64) ;;
    amd64,arm64 | arm64,amd64)
      [ "$target" != load ] || images_error "--arch $archs: an engine has one architecture; name one"
      case $base in tar://*) images_error "--arch $archs: the archive ${base#tar://} has one architecture; name one" ;; esac
      ;;
    *) images_error "--arch $archs: use amd64, arm64 or amd64,arm64" ;;
  esac
}

# ---- Building ------------------------------------------------------------------------------------------------------------

# jib GOAL PLATFORMS OPTION...: builds the jars and the list of contents, then the image from them.
jib() {
  local goal=$1 platforms=$2 revision
  shift 2
  revision=$(git -C "$ROOT" describe --always --dirty --abbrev=40 --exclude='*' 2>/dev/null) || revision=unknown
  lock
  : >"$STATE/images.start"
  unchecked_since=$STATE/images.start
  say "building the image for $platforms ($MAVEN, JDK in $JAVA_HOME)"
  if ! maven "$STATE/images.log" -T1C -Pimage -pl services/cli -am package "com.google.cloud.tools:jib-maven-plugin:$goal" \
    -Djib.containerize=dev.claimstream:claimstream-cli "-Djib.from.platforms=$platforms" -Djib.console=plain "-Dimage.tag=$tag" "-Dimage.revision=$revision" \
    -Dmaven.test.skip=true -Dspotless.check.skip=true -Dmdep.analyze.skip=true -Denforcer.skip=true -Danalysis=-g \
    ${options[@]+"${options[@]}"} "$@"; then
    mark_unchecked "$STATE/images.start"
    show_errors "$STATE/images.log"
    die "the image was not built"
  fi
  mark_unchecked "$STATE/images.start"
  unchecked_since=
  unlock
}

to_tar() {
  local arch file sums packed='' name=claimstream-$tag
  for arch in ${archs//,/ }; do
    file=$name-linux-$arch.tar
    jib buildTar "linux/$arch" -Dimage.name=claimstream
    mv -f "$CLI/claimstream-image.tar" "$place/$file"
    say "$file: image $(cat "$CLI/jib-image.id")"
  done
  cp "$CLI/claimstream.cdx.json" "$place/$name.cdx.json"
  pack_chart
  sums=$(cd "$place" && checksums "$name"* ${packed:+"$packed"})
  printf '%s\n' "$sums" >"$place/SHA256SUMS"
  (cd "$place" && ls -l "$name"* ${packed:+"$packed"} SHA256SUMS) | awk '{ printf "%9.1f MB  %s\n", $5 / 1000000, $NF }'
}

to_push() {
  jib build "linux/${archs//,/,linux/}" "-Dimage.name=$place/claimstream"
  printf '%s/claimstream:%s\n%s/claimstream@%s\n' "$place" "$tag" "$place" "$(cat "$CLI/jib-image.digest")"
  say "contents: $CLI/claimstream.cdx.json"
}

to_load() {
  jib buildTar "linux/$archs" -Dimage.name=claimstream
  docker load -q -i "$CLI/claimstream-image.tar" >/dev/null || die "the Docker engine did not load $CLI/claimstream-image.tar"
  printf 'claimstream:%s\n' "$tag"
  say "try: docker run --rm claimstream:$tag --help"
}

# The chart belongs to the set of an installation without access to the internet.
pack_chart() {
  local chart=$ROOT/deploy/helm/claimstream helm
  [ -e "$chart/Chart.yaml" ] || return 0
  helm=$(find_helm)
  if [ -z "$helm" ]; then
    say 'the chart is not in the set: install helm on the PATH, or build it with .ci/chart --build'
    return 0
  fi
  "$helm" package "$chart" --destination "$place" >"$STATE/helm.log" 2>&1 || {
    tail -n 5 "$STATE/helm.log" >&2
    die "the chart $chart was not packaged"
  }
  packed=$(sed -n 's|^Successfully packaged chart and saved it to: .*/||p' "$STATE/helm.log")
  without_times "$place/$packed"
}

# without_times ARCHIVE.tgz: gives the files in it a fixed order and time, so that two runs make the same bytes: helm writes the time of the run. Needs GNU tar;
# another tar leaves the archive as it is.
without_times() {
  local files=$STATE/packed-chart
  tar --version 2>/dev/null | grep -q GNU || return 0
  rm -rf "$files"
  mkdir -p "$files"
  tar -xzf "$1" -C "$files"
  tar --sort=name --mtime=@1767225600 --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --format=gnu -C "$files" -cf - claimstream | gzip -n >"$1"
  rm -rf "$files"
}

# find_helm: prints the program, that of the PATH before the one of .ci/chart; nothing if there is none.
find_helm() { command -v helm || find "$ROOT/.claimstream/chart" -name 'helm-v*' 2>/dev/null | sort -V | tail -n 1; }

checksums() { if command -v sha256sum >/dev/null; then sha256sum "$@"; else shasum -a 256 "$@"; fi; }
