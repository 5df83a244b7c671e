#!/usr/bin/env bash
# Builds examples/application like a user's program, outside this project's build, with the jars in target. Checks the
# program's libraries, runs the program with the broker of bin/rbmq, and checks that its own logback.xml is in effect.
# Run `mvn package` first. The local repository is not changed: the program uses a separate repository that consists of
# links.
set -euo pipefail

home=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
local=${MAVEN_LOCAL_REPOSITORY:-$HOME/.m2/repository}
work=$(mktemp -d)
broker=
trap '[[ -z $broker ]] || kill "$broker" 2>/dev/null || true; rm -rf "$work"' EXIT
version=$(sed -n 's#.*<rocketbufs.version>\(.*\)</rocketbufs.version>.*#\1#p' "$home/examples/application/pom.xml")

# add MODULE: puts a module's pom and jar into the program's repository.
add() {
  local folder=$work/repository/io/rocketbufs/$1/$version
  mkdir -p "$folder"
  cp "$home/$1/pom.xml" "$folder/$1-$version.pom"
  cp "$home/$1/target/$1-$version.jar" "$folder"
}

mkdir "$work/repository"
for group in "$local"/*; do
  if [[ ${group##*/} != io ]]; then
    ln -s "$group" "$work/repository"
  fi
done
mkdir "$work/repository/io"
for group in "$local"/io/*; do
  if [[ ${group##*/} != rocketbufs ]]; then
    ln -s "$group" "$work/repository/io"
  fi
done
add rocketbufs-core
add rbmq-client
add rocketnet-tcp
mkdir -p "$work/repository/io/rocketbufs/rocketbufs-parent/$version"
cp "$home/pom.xml" "$work/repository/io/rocketbufs/rocketbufs-parent/$version/rocketbufs-parent-$version.pom"

cp -r "$home/examples/application" "$work/application"
mvn -q -B -ntp -o "-Dmaven.repo.local=$work/repository" -f "$work/application/pom.xml" \
  process-classes dependency:copy-dependencies -DincludeScope=runtime "-DoutputDirectory=$work/lib"

# The libraries must not include the broker, a command line or metrics.
libraries=$(cd "$work/lib" && printf '%s\n' *.jar | sed -E 's/-[0-9].*//' | grep -v '^netty-' | sort -u | tr '\n' ' ')
expected='config jctools-core jctools-core-jdk11 jffi logback-classic logback-core rbmq-client rocketbufs-core rocketnet-tcp slf4j-api '
if [[ $libraries != "$expected" ]]; then
  echo "the program has the libraries: $libraries"
  echo "expected, apart from Netty:    $expected"
  exit 1
fi

mkfifo "$work/ready"
"$home/bin/rbmq" broker --set rbmq.port=0 --set rbmq.admin.port=0 >"$work/ready" &
broker=$!
read -r -t 120 _ port _ <"$work/ready"
"${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp "$work/application/target/classes:$work/lib/*" prices.Prices "127.0.0.1:${port#*=}" >"$work/out" 2>"$work/err"
cat "$work/out"
[[ $(cat "$work/out") == '12.50 EUR' ]]
if ! grep -q '^prices: ' "$work/err" || grep -v '^prices: ' "$work/err"; then
  echo "the program's logback.xml is not in effect"
  exit 1
fi
