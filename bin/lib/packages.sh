# shellcheck shell=bash
# Installs Debian packages; sourced.

# install_packages PACKAGE...: as root, or with sudo. Prints what apt-get printed, and fails, when a package could not be
# installed.
install_packages() {
  local log as=(env DEBIAN_FRONTEND=noninteractive)
  if ! type -P apt-get >/dev/null; then
    echo "this system has no apt-get: install these yourself: $*" >&2
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
