#!/usr/bin/env bash
# Makes the certificates of these tests anew; they hold for a hundred years, and expired.pem ended with 2019.
# The keys protect nothing: they are for servers on loopback. Needs openssl 3.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index"

key() { openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1"; }

# sign NAME SUBJECT KEY START END EXTENSIONS: a certificate of the authority
sign() {
  openssl req -new -key "$3" -subj "/CN=$2" -out "$work/request"
  printf '%s\n' "$6" >"$work/extensions"
  openssl ca -batch -notext -md sha256 -config "$work/config" -extfile "$work/extensions" \
    -cert authority.pem -keyfile "$work/authority.key" -in "$work/request" -startdate "$4" -enddate "$5" -out "$1"
}

cat >"$work/config" <<END
[ca]
default_ca = own
[own]
database = $work/index
new_certs_dir = $work
unique_subject = no
rand_serial = yes
policy = any
[any]
commonName = supplied
END

key "$work/authority.key"
openssl req -x509 -new -key "$work/authority.key" -subj "/CN=A company's authority" -days 36500 -out authority.pem
key server.key
key person.key
openssl pkey -in person.key -aes256 -passout pass:secret -out person-encrypted.key
openssl req -x509 -new -key server.key -subj "/CN=code.example.test" -addext "subjectAltName=DNS:code.example.test" \
  -days 36500 -out selfsigned.pem
names="DNS:code.example.test,DNS:localhost,IP:127.0.0.1"
sign server.pem code.example.test server.key 20200101000000Z 21200101000000Z "subjectAltName=$names"
sign expired.pem code.example.test server.key 20190101000000Z 20200101000000Z "subjectAltName=$names"
sign elsewhere.pem elsewhere.example.test server.key 20200101000000Z 21200101000000Z "subjectAltName=DNS:elsewhere.example.test"
sign person.pem person person.key 20200101000000Z 21200101000000Z "extendedKeyUsage=clientAuth"
