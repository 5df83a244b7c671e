# shellcheck shell=bash
# Starts the programs; sourced, not run. Needs bash 5. In a checkout, builds the programs first (see build.sh). An
# unpacked distribution contains lib/*.jar.

if [[ -z ${home:-} ]]; then
  home=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
fi

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# Sets java_feature to the feature version (such as 17 or 25) of the JDK or JRE in folder $1, and java_version to the
# full version.
java_release() {
  local key value
  java_feature=0 java_version=
  [[ -r $1/release ]] || return 1
  while IFS='=' read -r key value; do
    if [[ $key == JAVA_VERSION ]]; then
      value=${value%$'\r'}
      java_version=${value//\"/}
      java_feature=${java_version%%[!0-9]*}
      return 0
    fi
  done <"$1/release"
  return 1
}

# Sets java_home to the first of the following that is Java 17 or newer: JAVA_HOME, the java in PATH, Debian's
# installations. With an argument, skips installations that do not contain that program.
find_java() {
  local candidate path
  path=$(type -P java || true)
  if [[ -n $path ]]; then
    path=$(readlink -f "$path")
    path=${path%/bin/java}
  fi
  for candidate in "${JAVA_HOME:-}" "$path" /usr/lib/jvm/java-17-openjdk-* /usr/lib/jvm/*; do
    if [[ -n $candidate && -x $candidate/bin/java && -x $candidate/bin/${1:-java} ]] &&
      java_release "$candidate" && ((java_feature >= 17)); then
      java_home=$candidate
      return 0
    fi
  done
  return 1
}

# Joins the jars in folder $1 to class_path, always in the same order, because a class-data archive requires that order.
join_jars() {
  local LC_ALL=C IFS=: jars
  jars=("$1"/*.jar)
  class_path="${jars[*]}"
}

# JVM flags that every command uses.
jvm_flags=(
  # jffi and Netty call native code; without this flag, newer JVMs print warnings.
  --enable-native-access=ALL-UNNAMED
  # The JVM's own messages go to stderr, because stdout belongs to the program. A class-data archive that does not match
  # is not reported.
  -XX:+DisplayVMOutputToStderr
  -Xlog:disable
  "-Xlog:all=warning,cds=off,cds+dynamic=off:stderr"
  -Xshare:auto
  # Disables the file with performance counters under /tmp, because writes to it can wait for the disk during a JVM
  # pause.
  -XX:-UsePerfData
)

# Returns true if the arguments start a demo that may install packages.
installs() {
  local argument
  if [[ ${1:-} == demo ]]; then
    for argument in "${@:2}"; do
      [[ $argument == --install ]] && return 0
    done
  fi
  return 1
}

# require WHY PACKAGE...: installs packages for `demo --install`; otherwise prints the command that installs them, and
# exits.
install=false
require() {
  local why=$1 program=rbmq
  shift
  if [[ ${0##*/} == livestream ]]; then
    program=livestream
  fi
  $install || die "$why: apt-get install -y $*, or bin/$program demo --install"
  # shellcheck source=bin/lib/packages.sh
  . "$home/bin/lib/packages.sh"
  say "installing $*"
  install_packages "$@" >&2 || die "could not install $*"
}

# launch MODULE MAIN_CLASS [JVM FLAG]... -- [ARGUMENT]...: replaces the shell with the program. $ROCKETBUFS_JAVA_OPTS
# adds JVM flags. If trial=(ARGUMENT...) is set, a checkout archives the classes that a run with these arguments loads.
trial=()
launch() {
  local module=$1 main=$2 flags=("${jvm_flags[@]}") more archive
  shift 2
  while [[ $1 != -- ]]; do
    flags+=("$1")
    shift
  done
  shift
  if installs "$@"; then
    install=true
  fi
  staged=$home
  if [[ -e $home/pom.xml ]]; then
    # shellcheck source=bin/lib/build.sh
    . "$home/bin/lib/build.sh"
    build "$module"
  fi
  if ! find_java; then
    require "needs Java 17 or newer" default-jre-headless
    find_java || die "needs Java 17 or newer, but this system's default-jre-headless is older"
  fi
  join_jars "$staged/lib"
  archive=$staged/java-$java_version.jsa
  if [[ -e $home/pom.xml ]] && ((${#trial[@]} > 0)); then
    archive_classes "$archive" "$main" "${trial[@]}"
  fi
  if [[ -s $archive ]]; then
    flags+=("-XX:SharedArchiveFile=$archive")
  fi
  if ((java_feature >= 23)); then
    # JCTools' maps use Unsafe; without this flag, newer JVMs print warnings. Older JVMs do not support the flag.
    flags+=(--sun-misc-unsafe-memory-access=allow)
  fi
  if ((java_feature < 25)); then
    # Disables the periodic stop of all threads, a feature that Java 25 no longer has.
    flags+=(-XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0)
  fi
  # The demo shows commands as the user types them.
  export ROCKETBUFS_COMMAND=$0
  read -ra more <<<"${ROCKETBUFS_JAVA_OPTS:-}"
  # Without a locale, the JVM would decode arguments as ASCII and corrupt all other characters.
  case "${LC_ALL:-${LC_CTYPE:-${LANG:-C}}}" in
    C | POSIX) export LC_ALL=C.UTF-8 ;;
  esac
  exec "$java_home/bin/java" "${flags[@]}" "${more[@]}" -cp "$class_path" "$main" "$@"
}
