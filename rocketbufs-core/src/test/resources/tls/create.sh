#!/bin/sh
# Creates the certificates of the tests: two authorities, and certificates of servers and clients. They are valid from
# 2020 to 2119, except for the expired one. The keys are public and protect nothing. Also creates lists of revoked
# certificates: one that is outdated, one that is empty, and one that contains edge2.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

cat > "$work/ca.conf" <<END
[ca]
default_ca = tests
[tests]
new_certs_dir = $work
database = $work/index
serial = $work/serial
crlnumber = $work/serial
default_md = sha256
policy = any
unique_subject = no
[any]
organizationName = optional
commonName = supplied
[req]
distinguished_name = name
[name]
END
: > "$work/index"
echo 1000 > "$work/serial"

# name, subject, extensions, authority, end
certificate() {
    openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -config "$work/ca.conf" -subj "$2" \
        -keyout "$1.key" -out "$work/request"
    printf '%b\n' "$3" > "$work/extensions"
    if [ "$4" = "$1" ]; then signer=-selfsign; else signer="-cert $4.pem"; fi
    # shellcheck disable=SC2086
    openssl ca -batch -notext -config "$work/ca.conf" $signer -keyfile "$4.key" -in "$work/request" \
        -extfile "$work/extensions" -startdate 20200101000000Z -enddate "$5" -out "$1.pem"
    chmod a+r "$1.key"
}

authority="basicConstraints=critical,CA:true\nkeyUsage=critical,keyCertSign,cRLSign\nsubjectKeyIdentifier=hash"
here="subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1\nextendedKeyUsage=serverAuth"
names="subjectAltName=DNS:broker.example,DNS:*.brokers.example,IP:192.0.2.1\nextendedKeyUsage=serverAuth"
client="extendedKeyUsage=clientAuth"
late=21191231235959Z

certificate ca "/O=RocketBufs tests/CN=Authority" "$authority" ca $late
certificate other-ca "/O=RocketBufs tests/CN=Another authority" "$authority" other-ca $late
certificate server "/CN=server" "$here" ca $late
certificate renewed "/CN=server" "$here" ca $late
certificate elsewhere "/CN=localhost" "$names" ca $late
certificate expired "/CN=server" "$here" ca 20200102000000Z
certificate edge1 "/O=Example/CN=edge1" "$client" ca $late
certificate edge2 "/O=Example/CN=edge2" "$client" ca $late
# Tests replace the port of the distribution point and sign the certificate again.
certificate point "/O=Example/CN=edge3" "$client\ncrlDistributionPoints=URI:http://127.0.0.1:00000/ca.crl" ca $late
rm point.key
certificate stranger "/O=Example/CN=edge1" "$client" other-ca $late

# name, end
revoked() {
    openssl ca -config "$work/ca.conf" -cert ca.pem -keyfile ca.key -gencrl -crl_lastupdate 20200101000000Z \
        -crl_nextupdate "$2" -out "$1.crl"
}

revoked outdated 20200102000000Z
revoked none $late
openssl ca -config "$work/ca.conf" -cert ca.pem -keyfile ca.key -revoke edge2.pem
revoked edge2 $late
