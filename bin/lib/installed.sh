#!/usr/bin/env bash
# Installs /check/rocketbufs.deb, runs its services with the users, commands and limits of their units, upgrades the
# package, and purges it. Run by bin/check-package in a separate Debian system without systemd.
set -euxo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

broker=/usr/lib/systemd/system/rbmq.service
[[ -e $broker ]] || broker=/lib/systemd/system/rbmq.service
units=${broker%/*}
configuration=/etc/rocketbufs/rbmq.conf

# Prints a setting of a unit: setting UNIT NAME.
setting() {
  sed -n "s/^$2=//p" "$1"
}

# fails COMMAND...: returns true if the command fails.
fails() {
  if "$@"; then
    return 1
  fi
}

# Returns true if the mode and owner of a path are as given: owned PATH MODE OWNER:GROUP.
owned() {
  [[ $(stat -c '%a %U:%G' "$1") == "$2 $3" ]]
}

# Prints all files except those of processes and of apt, and the backups of the user lists.
list_files() {
  find / -xdev \( -path /check -o -path /proc -o -path /dev -o -path /tmp -o -path /var/cache -o -path /var/log \
    -o -path /var/lib/apt -o -path '/var/lib/dpkg/*-old' -o -path '/etc/*shadow-' -o -path /var/backups -o -path /run \) -prune -o -print | sort
}

# Listens on $notify like a service manager, and writes each message to /check/told as one line.
listen() {
  perl -MSocket -e '
    $| = 1;
    socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die;
    bind($socket, pack_sockaddr_un(shift)) or die "bind: $!";
    chmod(0666, "/check/notify");
    while (defined(recv($socket, my $message, 4096, 0))) {
      $message =~ s/\n/ /g;
      print "$message\n";
    }' /check/notify >>/check/told &
  local tries
  for ((tries = 0; tries < 3000; tries++)); do
    [[ ! -S /check/notify ]] || return 0
    sleep 0.1
  done
  return 1
}

# Waits until a file contains a matching line, for a few minutes at most and only while a process is alive:
# await FILE PATTERN PID.
await() {
  local tries
  for ((tries = 0; tries < 3000; tries++)); do
    if grep -qE "$2" "$1"; then
      return 0
    fi
    kill -0 "$3" || return 1
    sleep 0.1
  done
  return 1
}

# Waits, while a process is alive, until the service manager receives the next message, which must match:
# told PATTERN PID.
told_count=0
told() {
  local tries
  told_count=$((told_count + 1))
  for ((tries = 0; tries < 3000; tries++)); do
    if (($(wc -l </check/told) >= told_count)); then
      sed -n "${told_count}p" /check/told | grep -E "$1"
      return
    fi
    kill -0 "$2" || return 1
    sleep 0.1
  done
  return 1
}

# Starts a service as systemd does: as its user, with its command, environment and limits. Sets pid.
start() {
  local unit=$units/$1.service user command
  user=$(setting "$unit" User)
  [[ $(setting "$unit" Type) == notify && $(setting "$unit" LimitMEMLOCK) == infinity ]]
  [[ $(setting "$unit" SuccessExitStatus) == 143 ]]
  if [[ -n $(setting "$unit" StateDirectory) ]]; then
    install -d -o "$user" -g "$user" -m "$(setting "$unit" StateDirectoryMode)" "/var/lib/$(setting "$unit" StateDirectory)"
  fi
  read -ra command < <(setting "$unit" ExecStart)
  (
    cd "$(setting "$unit" WorkingDirectory)"
    umask "$(setting "$unit" UMask)"
    # Signals that this program ignores, such as HUP under nohup, would be ignored by the service as well.
    exec env -i --default-signal PATH=/usr/bin:/bin LANG=C.UTF-8 NOTIFY_SOCKET=/check/notify HOME=/var/lib/rocketbufs \
      setpriv --reuid "$user" --regid "$user" --init-groups --no-new-privs --bounding-set -all \
      "${command[@]}" >"/check/$1.out" 2>"/check/$1.err"
  ) &
  pid=$!
  told '^READY=1 STATUS=ready ' "$pid"
}

# Stops a service as systemd does.
stop() {
  local code=0
  kill -TERM "$pid"
  wait "$pid" || code=$?
  ((code == 143))
  told '^STOPPING=1$' $$
}

# The dependencies are installed first, so that the lists of files differ only by the files of the package.
apt-get update -qq
apt-get satisfy -qq -y --no-install-recommends "$(dpkg-deb -f /check/rocketbufs.deb Depends)"
list_files >/check/before

dpkg -i /check/rocketbufs.deb
getent passwd rocketbufs
owned $configuration 640 root:rocketbufs
owned /etc/rocketbufs 750 root:rocketbufs
[[ $(dpkg-query -W -f '${Conffiles}' rocketbufs | grep -c /etc/rocketbufs/) == 2 ]]
# The broker starts when the system boots; a relay and an edge do not.
[[ -L /etc/systemd/system/multi-user.target.wants/rbmq.service ]]
[[ ! -e /etc/systemd/system/multi-user.target.wants/livestream-relay.service ]]
[[ ! -e /etc/systemd/system/multi-user.target.wants/livestream-edge.service ]]
bash -c 'source /usr/share/bash-completion/completions/rbmq && complete -p rbmq'
cd /usr/share/doc/rocketbufs && ls docs/operations.md sbom.cdx.json && cd /

# A busy machine may be slow.
patient=(--set rocketbufs.greeting-timeout=60s --set rocketbufs.heartbeat-timeout=60s)
echo 'rocketbufs { greeting-timeout = 60s, heartbeat-timeout = 60s }' >>$configuration

chmod 0777 /check
listen
# jffi cannot load its library from this /tmp, which is mounted noexec, and uses the working directory instead.
mount -t tmpfs -o noexec tmpfs /tmp
start rbmq
# The broker may still be using /tmp.
umount --lazy /tmp
grep '^ready rbmq=7610 admin=7611$' /check/rbmq.out
rbmq health
rbmq sub prices --count 1 "${patient[@]}" >/check/received 2>/check/subscriber &
subscriber=$!
await /check/subscriber '^subscribed prices' $subscriber
rbmq pub prices '12.50 EUR' "${patient[@]}"
wait $subscriber
[[ $(cat /check/received) == '12.50 EUR' ]]

# Runs the unit's ExecReload= command.
sed -i 's/^rbmq {/rbmq {\n  limits.topics-per-connection = 5/' $configuration
reload=$(setting $broker ExecReload)
MAINPID=$pid bash -c "${reload/\/bin\/kill/kill}"
told '^RELOADING=1 MONOTONIC_USEC=[0-9]+$' "$pid"
await /check/rbmq.err 'rbmq.limits.topics-per-connection: [0-9]+ -> 5,' "$pid"
told '^READY=1' "$pid"
rbmq health
stop

start livestream-relay
relay=$pid
start livestream-edge
test -s /var/lib/rocketbufs/livestream/cert.pem
stop
pid=$relay
stop

# An upgrade keeps the edited file and replaces the other file.
dpkg-deb -R /check/rocketbufs.deb /check/next
sed -i 's/^Version: .*/&+1/' /check/next/DEBIAN/control
for file in rbmq livestream; do
  echo '# the next version' >>"/check/next/etc/rocketbufs/$file.conf"
done
rm /check/next/DEBIAN/md5sums
dpkg-deb -b /check/next /check/next.deb
dpkg --force-confdef --force-confold -i /check/next.deb
grep 'topics-per-connection = 5' $configuration
fails grep 'the next version' $configuration
grep 'the next version' /etc/rocketbufs/livestream.conf
owned $configuration 640 root:rocketbufs
owned /etc/rocketbufs/livestream.conf 640 root:rocketbufs

# Removing the package keeps the configuration. Purging it keeps only files that an operator has added, which still
# belong to the group.
dpkg -r rocketbufs
test -e $configuration
fails test -e /usr/bin/rbmq
install -o root -g rocketbufs -m 0640 /dev/null /etc/rocketbufs/key
mount -t tmpfs tmpfs /var/lib/rocketbufs
touch /var/lib/rocketbufs/file
dpkg -P rocketbufs
getent passwd rocketbufs
owned /etc/rocketbufs/key 640 root:rocketbufs
fails test -e $configuration
fails test -e /var/lib/rocketbufs/file
umount /var/lib/rocketbufs

# An installation after an incomplete installation protects the folder, and a purge removes the state.
rm -r /etc/rocketbufs
dpkg -i /check/rocketbufs.deb
owned /etc/rocketbufs 750 root:rocketbufs
owned $configuration 640 root:rocketbufs
dpkg -P rocketbufs
fails test -e /var/lib/rocketbufs
list_files >/check/after
diff /check/before /check/after
