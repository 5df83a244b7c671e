# shellcheck shell=bash
# What the launchers share; sourced, not run. Needs bash 5 and, in a checkout, flock from util-linux.
#
# In a checkout the class path is a private copy, .launch/MODULE.<time>/lib, made after each build, and
# .launch/MODULE.current names the newest: a build never touches the jars of a process that is running. An unpacked
# distribution has lib/*.jar and builds nothing.

if [[ -z ${home:-} ]]; then
  home=$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd -P)
fi

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() {
  say "$@"
  exit 1
}

# Puts the feature version (17, 25, ..) of the JDK or JRE in folder $1 into java_feature, the whole into java_version.
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

# Sets java_home: JAVA_HOME, else the java of PATH, else what Debian installed; the first that is 17 or newer. With an
# argument, only one that has that program too.
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

# True when file $2 is there and nothing that module $1 is built from is newer. The launcher's fast path: one find that
# stops at the first newer file; a folder is newer when a file was added or removed.
is_newest() {
  local newer
  [[ -e $2 ]] || return 1
  newer=$(find "$home/pom.xml" "$home"/{rocketbufs,rocketnet}-*/{pom.xml,src/main} "$home"/rbmq/{pom.xml,src/main} \
    "$home/$1"/{pom.xml,src/main} -newer "$2" -print -quit 2>/dev/null || true)
  [[ -z $newer ]]
}

# True when module $1 has a class path, set as staged, that is no older than its sources.
is_fresh() {
  local name
  [[ -r $home/.launch/$1.current ]] || return 1
  read -r name <"$home/.launch/$1.current"
  staged=$home/.launch/$name
  is_newest "$1" "$staged/stamp"
}

# Joins the jars in folder $1 to class_path, always in the same order: a class-data archive fits one order only.
join_jars() {
  local LC_ALL=C IFS=: jars
  jars=("$1"/*.jar)
  class_path="${jars[*]}"
}

# Makes what `mvn package` left in module $1, with its stamp, the class path that its launcher uses. $2 is the main class.
# Call it under the lock. Sets staged.
stage() {
  local module=$1 previous='' name new old
  name=$module.$(date +%s%N)
  new=$home/.launch/$name
  mkdir -p "$new"
  cp -r "$home/$module/target/dist/lib" "$new/lib"
  archive_classes "$new" "$2"
  touch -r "$home/$module/target/dist/stamp" "$new/stamp"
  if [[ -r $home/.launch/$module.current ]]; then
    read -r previous <"$home/.launch/$module.current"
  fi
  printf '%s\n' "$name" >"$home/.launch/$module.current.new"
  mv -f "$home/.launch/$module.current.new" "$home/.launch/$module.current"
  staged=$new
  for old in "$home/.launch/$module".[0-9]*; do
    if [[ ${old##*/} != "$name" && ${old##*/} != "$previous" ]]; then
      rm -rf "$old"
    fi
  done
}

# Saves the classes that are loaded in a trial run, if the launcher has named one: trial=(ARGUMENT...). That cuts the
# start-up time by a third. It is an extra: without it, or with another JVM, everything works the same.
archive_classes() {
  local dump="$1/java-$java_version.jsa"
  if ((${#trial[@]} == 0)); then
    return
  fi
  join_jars "$1/lib"
  timeout 30 "$java_home/bin/java" "${jvm_flags[@]}" -XX:+UseSerialGC -XX:ArchiveClassesAtExit="$dump" \
    -cp "$class_path" "$2" "${trial[@]}" </dev/null >/dev/null 2>&1 || rm -f "$dump"
}
trial=()

# Takes the lock on the build folders, as descriptor 9, until `exec 9>&-`.
lock_build() {
  mkdir -p "$home/.launch"
  exec 9>"$home/.launch/lock"
  if ! flock -n 9; then
    say "waiting for another build in $home"
    flock 9
  fi
}

# Brings the class path of module $1 with main class $2 up to date.
build() {
  local module=$1 main=$2 log=$home/.launch/build.log started=$SECONDS start
  local dist=$home/$module/target/dist
  if ! find_java javac || ! type -P mvn >/dev/null; then
    die "building needs a JDK (17 or newer) and Maven: apt-get install -y openjdk-17-jdk-headless maven"
  fi
  lock_build
  if ! is_fresh "$module"; then
    printf '%s: building %s ... ' "${0##*/}" "$module" >&2
    # What bin/check has built and tested is taken as it is.
    if ! is_newest "$module" "$dist/stamp"; then
      start=$home/.launch/start
      touch "$start"
      rm -rf "$dist"
      if ! (cd "$home" && JAVA_HOME=$java_home mvn -B -q -ntp -Dstyle.color=never -Dquick -pl "$module" -am package) \
        </dev/null >"$log" 2>&1 9>&-; then
        printf 'failed:\n' >&2
        tail -n 40 "$log" >&2
        exit 1
      fi
      touch -r "$start" "$dist/stamp"
    fi
    stage "$module" "$main" 9>&-
    printf 'done (%d s)\n' $((SECONDS - started)) >&2
  fi
  exec 9>&-
}

# JVM flags of every command.
jvm_flags=(
  # jffi and Netty call native code; newer JVMs warn about it otherwise.
  --enable-native-access=ALL-UNNAMED
  # What the JVM itself has to say goes to stderr: stdout belongs to the program. Of an archive that does not fit
  # nobody needs to hear.
  -XX:+DisplayVMOutputToStderr
  -Xlog:disable
  "-Xlog:all=warning,cds=off,cds+dynamic=off:stderr"
  -Xshare:auto
  # No file of counters under /tmp: writing it can wait for a disk in the middle of a pause.
  -XX:-UsePerfData
)

# launch MODULE MAIN_CLASS [JVM FLAG]... -- [ARGUMENT]...: becomes the program. $ROCKETBUFS_JAVA_OPTS adds JVM flags.
launch() {
  local module=$1 main=$2 flags=("${jvm_flags[@]}") more archive
  shift 2
  while [[ $1 != -- ]]; do
    flags+=("$1")
    shift
  done
  shift
  if [[ -e $home/pom.xml ]]; then
    is_fresh "$module" || build "$module" "$main"
  else
    staged=$home
  fi
  find_java || die "needs Java 17 or newer: apt-get install -y openjdk-17-jre-headless"
  if ((java_feature >= 23)); then
    # JCTools' maps use it; newer JVMs warn about it otherwise, and older ones do not know the flag.
    flags+=(--sun-misc-unsafe-memory-access=allow)
  fi
  if ((java_feature < 25)); then
    # No periodic stop of all threads; Java 25 has none by itself.
    flags+=(-XX:+UnlockDiagnosticVMOptions -XX:GuaranteedSafepointInterval=0)
  fi
  archive=$staged/java-$java_version.jsa
  if [[ -e $archive ]]; then
    flags+=("-XX:SharedArchiveFile=$archive")
  fi
  read -ra more <<<"${ROCKETBUFS_JAVA_OPTS:-}"
  # Without a locale the JVM would take arguments for ASCII and damage every other byte.
  case "${LC_ALL:-${LC_CTYPE:-${LANG:-C}}}" in
    C | POSIX) export LC_ALL=C.UTF-8 ;;
  esac
  join_jars "$staged/lib"
  exec "$java_home/bin/java" "${flags[@]}" "${more[@]}" -cp "$class_path" "$main" "$@"
}
