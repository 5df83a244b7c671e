# shellcheck shell=bash
# Installs Debian packages; sourced.

# install_packages PACKAGE...: installs as root, or with sudo. If a package cannot be installed, prints the output of
# apt-get and fails.
install_packages() {
  local log as=(env DEBIAN_FRONTEND=noninteractive)
  if ! type -P apt-get >/dev/null; then
    echo "this system has no apt-get; install these packages manually: $*" >&2
    return 1
  fi
  if ((EUID != 0)); then
    as=(sudo env DEBIAN_FRONTEND=noninteractive)
  fi
  if ! log=$("${as[@]}" apt-get update -qq 2>&1 &&
    "${as[@]}" apt-get install -qq -y --no-install-recommends "$@" 2>&1); then
    printf '%s\n' "$log"
    return 1
  fi
}
