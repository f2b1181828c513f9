# Sourced by the commands of this folder, from the project's own folder: what they need to begin.
# Every `need_…` looks first, does what is missing if it may, and otherwise says what to type.

mkdir -p .cache
log=.cache/prepare.log
engine=

step() { printf '• %s\n' "$*"; }

# fail WHAT REMEDY: names the step that failed and what to do about it.
fail() {
  printf '\n✗ %s\n  %s\n' "$1" "$2" >&2
  exit 1
}

# quietly WHAT REMEDY COMMAND…: shows the end of a command's output only when it fails.
quietly() {
  what=$1 remedy=$2
  shift 2
  "$@" >"$log" 2>&1 </dev/null && return
  tail -n 30 "$log" >&2
  fail "$what failed: $*" "$remedy"
}

need_linux_and_node() {
  [ "$(uname -s)" = Linux ] || fail "this is $(uname -s)" "Outwork runs on Linux."
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    fail "Node is $(node --version)" "Install Node 20.19 or later: https://nodejs.org"
}

need_dependencies() {
  npm ls --depth=0 >/dev/null 2>&1 && return
  step "installing the dependencies of package-lock.json"
  quietly "the installation" "Is the npm registry within reach? See .npmrc and \`npm config ls\`." \
    npm ci --include=dev --no-audit
}

# Once the registry has been asked, nothing needs further authorities, which make every Node start slow.
forget_authorities() { unset NODE_EXTRA_CA_CERTS; }

need_build() {
  [ -e dist/agent/agent.cjs ] &&
    [ -z "$(find src package.json tsconfig.json -newer dist/agent/agent.cjs -print -quit)" ] && return
  build
}

build() {
  step "building"
  quietly "the build" "The compiler's own words are above." npm run --silent build
}

package_manager() {
  for name in apt-get dnf apk pacman zypper; do
    command -v "$name" >/dev/null && printf '%s' "$name" && return
  done
}

# package_of PROGRAM: what this distribution calls the package that has it.
package_of() {
  case "$(package_manager):$1" in
    *:bwrap) echo bubblewrap ;;
    *:setsid) echo util-linux ;;
    *:rg) echo ripgrep ;;
    apt-get:dockerd) echo docker.io ;;
    dnf:dockerd) echo moby-engine ;;
    *:dockerd) echo docker ;;
    *:busybox) echo busybox-static ;;
    *) echo "$1" ;;
  esac
}

install_command() {
  case "$(package_manager)" in
    apt-get) echo "apt-get install -y --no-install-recommends" ;;
    dnf) echo "dnf install -y" ;;
    apk) echo "apk add" ;;
    pacman) echo "pacman -S --noconfirm" ;;
    zypper) echo "zypper --non-interactive install" ;;
  esac
}

is_there() {
  case "$1" in
    # The image made of it has no libraries.
    busybox) [ -x /bin/busybox ] && ! ldd /bin/busybox >/dev/null 2>&1 ;;
    *) PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null ;;
  esac
}

# need_programs PROGRAM…: from this distribution's packages, which only root may install.
need_programs() {
  packages=
  for program in "$@"; do
    is_there "$program" || packages="$packages $(package_of "$program")"
  done
  [ -n "$packages" ] || return 0
  [ -n "$(package_manager)" ] || fail "missing:$packages" "Install them with this system's packages."
  remedy="Type: sudo $(install_command)$packages"
  [ "$(id -u)" = 0 ] || fail "missing:$packages" "$remedy"
  step "installing$packages"
  # Unquoted: these are lists of words.
  install_packages >"$log" 2>&1 </dev/null && return
  tail -n 30 "$log" >&2
  fail "the installation of$packages failed" "$remedy"
}

install_packages() {
  export DEBIAN_FRONTEND=noninteractive
  $(install_command) $packages && return
  # The lists of what there is may be missing or old.
  case "$(package_manager)" in
    apt-get) apt-get update ;;
    apk) apk update ;;
    pacman) pacman -Sy ;;
    *) return 1 ;;
  esac && $(install_command) $packages
}

engine_answers() {
  node -e 'new (require("dockerode"))().ping().catch(() => process.exit(1))' >/dev/null 2>&1
}

# A Docker engine: the one that answers, or one of our own until `stop_engine`.
need_engine() {
  engine_answers && return
  need_programs dockerd
  [ "$(id -u)" = 0 ] ||
    fail "no Docker engine answers" "Type: sudo systemctl start docker && sudo usermod -aG docker $(id -un), and log in again."
  step "starting dockerd"
  PATH=$PATH:/usr/sbin:/sbin dockerd >.cache/dockerd.log 2>&1 </dev/null &
  engine=$!
  waited=0
  until engine_answers; do
    waited=$((waited + 1))
    if [ "$waited" -gt 60 ] || ! kill -0 "$engine" 2>/dev/null; then
      tail -n 30 .cache/dockerd.log >&2
      fail "dockerd did not start" "Its own words are above, and in .cache/dockerd.log."
    fi
    sleep 0.5
  done
}

# An engine that does not end in time is ended.
stop_engine() {
  [ -n "$engine" ] || return 0
  kill "$engine" 2>/dev/null
  waited=0
  while kill -0 "$engine" 2>/dev/null; do
    waited=$((waited + 1))
    [ "$waited" -le 60 ] || kill -9 "$engine"
    sleep 0.5
  done
  engine=
}

# Images to run environments in, from this system's own packages: no registry is asked.
need_images() {
  quietly "an image" "They are made of this system's own packages, as root." node dist/images/main.js
}
