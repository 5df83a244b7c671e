# shellcheck shell=bash disable=SC2154
# Builds the programs that a checkout's launchers start. Sourced by bin/check and by launch.sh, whose variables it uses.
# Needs a JDK, Maven and flock.
#
# A build is copied to .launch/MODULE.<time>, and the link .launch/MODULE names the newest copy. A build therefore never
# changes the jars of a running process. A copy contains lib/, a stamp file that shows when the build started, and
# class-data archives.

# A build is too short to benefit from the optimising compiler of Maven's JVM: without it, a build takes half the time.
# The serial collector needs no additional threads.
export MAVEN_OPTS=${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}

# Acquires the lock on the build folders. It is released when descriptor 9 is closed with `exec 9>&-`.
lock_build() {
  mkdir -p "$home/.launch"
  exec 9>"$home/.launch/lock"
  if ! flock -n 9; then
    say "waiting for another build in $home"
    flock 9
  fi
}

# Sets staged to the newest copy of module $1. Returns true if there is no copy or if a source is newer. The single find
# stops at the first newer source. A folder counts as newer if a file was added or removed.
is_stale() {
  staged=$home/.launch/$(readlink "$home/.launch/$1") && [[ -e $staged/stamp ]] || return 0
  [[ -n $(find "$home/pom.xml" "$home"/{rocketbufs*,rocketnet*,rbmq*,rocketlog,"$1"}/{pom.xml,src/main} -newer "$staged/stamp" -print -quit \
    2>/dev/null) ]]
}

# Copies the jars that Maven has built in module $1, from sources that are not newer than file $2. The caller must hold
# the lock. Keeps the previous copy, which another launcher may be about to use. Sets staged.
stage() {
  local old previous
  previous=$(readlink "$home/.launch/$1" || true)
  staged=$home/.launch/$1.$(date +%s%N)
  mkdir "$staged" && cp -r "$home/$1/target/dist/lib" "$staged/lib" && touch -r "$2" "$staged/stamp" &&
    ln -s "${staged##*/}" "$staged/link" && mv -T "$staged/link" "$home/.launch/$1" || return 1
  for old in "$home/.launch/$1".[0-9]*; do
    if [[ $old != "$staged" && ${old##*/} != "$previous" ]]; then
      rm -rf "$old"
    fi
  done
}

# Builds module $1 if its newest copy is outdated, and sets staged.
build() {
  local revision start=$home/.launch/start log=$home/.launch/build.log begin=$SECONDS
  is_stale "$1" || return 0
  lock_build
  # Another launcher may have built the module while this one was waiting for the lock.
  if is_stale "$1"; then
    if ! find_java javac || ! type -P mvn >/dev/null; then
      require "building needs a JDK (17 or newer) and Maven" default-jdk-headless maven
      find_java javac || die "building needs a JDK (17 or newer), but this system's default-jdk-headless is older"
    fi
    printf '%s: building %s ... ' "${0##*/}" "$1" >&2
    touch "$start"
    rm -rf "$home/$1/target/dist"
    revision=$(git -C "$home" describe --always --dirty 2>/dev/null || true)
    if ! (cd "$home" && JAVA_HOME=$java_home mvn -Drocketbufs.revision="$revision" -B -q -ntp -Dstyle.color=never -Dquick -pl "$1" -am package) \
      </dev/null >"$log" 2>&1 9>&-; then
      printf 'failed:\n' >&2
      tail -n 40 "$log" >&2
      exit 1
    fi
    stage "$1" "$start"
    printf 'done (%d s)\n' $((SECONDS - begin)) >&2
  fi
  exec 9>&-
}

# archive_classes FILE MAIN_CLASS ARGUMENT...: archives the classes that a trial run loads, which shortens startup by a
# third. This is done once for each build and JVM. An empty file means that the trial run failed. The archive is
# optional: launchers that start before it exists run without it.
archive_classes() {
  local file=$1
  shift
  if [[ -e $file ]] || ! mkdir "$file.new" 2>/dev/null; then
    return
  fi
  timeout 30 "$java_home/bin/java" "${jvm_flags[@]}" -XX:+UseSerialGC -XX:ArchiveClassesAtExit="$file.new/jsa" \
    -cp "$class_path" "$@" </dev/null >/dev/null 2>&1 || : >"$file.new/jsa"
  mv "$file.new/jsa" "$file"
  rmdir "$file.new"
}
