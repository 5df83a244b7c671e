# shellcheck shell=bash disable=SC2154,SC2016
# Writes an OCI image layout without a container engine. Sourced by bin/package, whose variables it uses. The formats
# follow the OCI image specification 1.0.
#
# The image has two layers: the base with a JRE, and the programs. A new version of the programs changes only the second
# layer.

# The packages in the base, in addition to Debian's essential packages.
base_packages=default-jre-headless,libfabric1
# The numeric id of the user that runs the programs; the user has no name.
image_user=10001

# add_blob LAYOUT FILE: moves a file into the layout, and sets digest and blob_length.
add_blob() {
  digest=$(sha256sum "$2")
  digest=${digest%% *}
  blob_length=$(stat -c %s "$2")
  mv "$2" "$1/blobs/sha256/$digest"
}

# add_layer LAYOUT TAR: compresses a tar file and adds it as a layer. Appends to layers and diff_ids.
add_layer() {
  local diff_id
  diff_id=$(sha256sum "$2")
  gzip -n "$2"
  add_blob "$1" "$2.gz"
  diff_ids+=${diff_ids:+,}'"sha256:'${diff_id%% *}'"'
  layers+=${layers:+,}'{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip"'
  layers+=',"digest":"sha256:'$digest'","size":'$blob_length'}'
}

# tar_folder FOLDER FILE OPTION...: archives a folder reproducibly. The options set the owners, because only root can
# create files that belong to other users.
tar_folder() {
  tar -C "$1" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --clamp-mtime --numeric-owner \
    --format=posix --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime -f "$2" "${@:3}"
}

# make_base TAR: builds a minimal Debian with a JRE, without documents, apt's state and this machine's apt sources.
# Unless it runs as root, only mmdebstrap can determine the owners of the files.
make_base() {
  local removed='etc/dpkg/dpkg.cfg.d/* var/lib/apt var/cache/* var/log/* usr/share/man etc/resolv.conf etc/hostname'
  # mmdebstrap removes 00mmdebstrap itself. Container engines create /dev.
  TMPDIR=${TMPDIR:-/var/tmp} mmdebstrap --quiet --variant=essential --include="$base_packages" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --essential-hook='mkdir -p "$1"/usr/share/man/man1' \
    --customize-hook='find "$1/etc/apt" -type f ! -name 00mmdebstrap -delete' \
    --customize-hook="cd \"\$1\" && rm -rf $removed" --skip=cleanup/apt,output/dev \
    "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$1" 9>&-
}

# build_image ARCHIVE LAYOUT BASE WORK: builds the image in folder LAYOUT. BASE is a folder or a tar file with a root file
# system; if it is empty, make_base builds one. WORK is an empty folder for temporary files.
build_image() {
  local archive=$1 layout=$2 base=$3 work=$4 created architecture layers='' diff_ids='' config_digest config_length
  mkdir -p "$layout/blobs/sha256" "$work/programs/opt/rocketbufs" "$work/programs/etc/rocketbufs"
  created=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
  architecture=$(uname -m)
  case $architecture in
    x86_64) architecture=amd64 ;;
    aarch64) architecture=arm64 ;;
  esac
  if [[ -z $base ]]; then
    make_base "$work/base.tar"
  elif [[ -f $base ]]; then
    cp "$base" "$work/base.tar"
  elif ((EUID == 0)); then
    tar_folder "$base" "$work/base.tar" -c .
  else
    # The unpacked files belong to the user that unpacked them.
    tar_folder "$base" "$work/base.tar" --owner=0 --group=0 -c .
  fi
  add_layer "$layout" "$work/base.tar"

  tar -xf "$archive" -C "$work/programs/opt/rocketbufs" --strip-components=1 --no-same-owner
  # The documents are not needed to run the programs.
  rm -rf "$work/programs/opt/rocketbufs"/{docs,benchmarks,share}
  cp distribution/debian/{rbmq,livestream}.conf "$work/programs/etc/rocketbufs"
  sed -i "s|/usr/share/doc/rocketbufs/docs/|docs/|; s|/usr/share/rocketbufs/|/opt/rocketbufs/|" \
    "$work/programs/etc/rocketbufs"/*.conf
  install -d "$work/programs/var/lib/rocketbufs"
  tar_folder "$work/programs" "$work/programs.tar" --owner=0 --group=0 --exclude=./var/lib/rocketbufs -c .
  tar_folder "$work/programs" "$work/programs.tar" --owner="$image_user" --group="$image_user" -r ./var/lib/rocketbufs
  add_layer "$layout" "$work/programs.tar"

  cat >"$work/config" <<END
{"created":"$created","architecture":"$architecture","os":"linux","config":{"User":"$image_user:$image_user",
"ExposedPorts":{"7610/tcp":{},"7611/tcp":{},"7612/tcp":{},"7613/tcp":{}},
"Env":["PATH=/opt/rocketbufs/bin:/usr/local/bin:/usr/bin:/bin","LANG=C.UTF-8","HOME=/var/lib/rocketbufs"],
"Entrypoint":["rbmq"],"Cmd":["broker","--config","/etc/rocketbufs/rbmq.conf"],
"WorkingDir":"/","StopSignal":"SIGTERM","Labels":{"org.opencontainers.image.title":"rocketbufs",
"org.opencontainers.image.description":"A publish/subscribe message broker over TCP or RDMA",
"org.opencontainers.image.licenses":"Apache-2.0","org.opencontainers.image.version":"$version",
"org.opencontainers.image.revision":"$revision"}},"rootfs":{"type":"layers","diff_ids":[$diff_ids]}}
END
  add_blob "$layout" "$work/config"
  config_digest=$digest config_length=$blob_length
  cat >"$work/manifest" <<END
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",
"config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:$config_digest",
"size":$config_length},"layers":[$layers]}
END
  add_blob "$layout" "$work/manifest"
  cat >"$layout/index.json" <<END
{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json",
"digest":"sha256:$digest","size":$blob_length,"platform":{"architecture":"$architecture","os":"linux"},
"annotations":{"org.opencontainers.image.ref.name":"$version"}}]}
END
  printf '{"imageLayoutVersion":"1.0.0"}' >"$layout/oci-layout"
}
