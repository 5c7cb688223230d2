#!/bin/sh
# Installs Ox for this user: downloads the archive for this machine, compares its SHA-256 with the published list, and copies
# `bin` and `share` from it. It never asks for root, writes nothing outside the folder it installs into and one temporary folder,
# and edits no profile of a shell.
#
#   OX_PREFIX    where to install; ~/.local by default, so that the program is ~/.local/bin/ox
#   OX_VERSION   which version, for example 0.1.0; the newest by default
#   OX_TARGET    which build, for example x86_64-unknown-linux-musl; the one for this machine by default
#   OX_BASE_URL  where the archives and SHA256SUMS are instead: an address, or file:///a/folder
#   OX_FORCE     1 replaces a file `ox` that this script has not installed
set -eu

# Called in the last line: a script that arrives cut off does nothing.
main() {
    prefix=${OX_PREFIX:-${HOME:?is not set, and OX_PREFIX neither}/.local}
    target=${OX_TARGET:-$(target)}
    base=${OX_BASE_URL:-https://github.com/ox-agent/ox/releases/$(release)}
    archive=ox-$target.tar.gz
    program=$prefix/bin/ox
    by=$prefix/share/ox/installed-by

    if [ -e "$program" ] && [ "$(cat "$by" 2>/dev/null)" != install.sh ] && [ "${OX_FORCE:-}" != 1 ]; then
        fail "$program is there already, and this script did not install it. Remove it, choose another folder with OX_PREFIX," \
            "or replace it with OX_FORCE=1."
    fi

    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM

    say "Downloading $archive from $base"
    fetch "$base/SHA256SUMS" "$folder/SHA256SUMS"
    wanted=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$folder/SHA256SUMS")
    [ -n "$wanted" ] || fail "The list of checksums has no $archive: this release has no build for $target."
    fetch "$base/$archive" "$folder/$archive"
    found=$(sha256 "$folder/$archive")
    [ "$found" = "$wanted" ] || fail "The checksum of $archive is wrong, and nothing was installed." \
        "Expected $wanted, found $found. Try again; if it stays so, report it."
    say "Its SHA-256 is as published: $wanted"

    tar -xzf "$folder/$archive" -C "$folder"
    from=$folder/ox-$target
    version=$("$from/bin/ox" --version 2>"$folder/why") || fail "The build for $target does not run on this machine, and nothing" \
        "was installed: $(head -n 1 "$folder/why"). On Linux, OX_TARGET=$(uname -m)-unknown-linux-musl needs no C library."

    mkdir -p "$prefix/bin" "$prefix/share/ox"
    # Renamed into place: a running Ox keeps its file, and there is never half a program.
    cp "$from/bin/ox" "$prefix/bin/.ox.new"
    mv -f "$prefix/bin/.ox.new" "$program"
    cp -R "$from/share/." "$prefix/share/"
    echo install.sh >"$by"

    say "Installed $version as $program, with its manual page and completions in $prefix/share."
    case ":$PATH:" in
        *":$prefix/bin:"*) say "Try it: ox demo" ;;
        *) say "$prefix/bin is not on your PATH. Add it, or try it now: $program demo" ;;
    esac
}

say() {
    echo "ox: $*"
}

fail() {
    echo "ox: $*" >&2
    exit 1
}

# The part of the address that chooses a version.
release() {
    if [ -n "${OX_VERSION:-}" ]; then
        echo "download/v${OX_VERSION#v}"
    else
        echo latest/download
    fi
}

# The build for this machine. Linux without glibc, as Alpine is, gets the one that needs no C library.
target() {
    system=$(uname -s) machine=$(uname -m)
    case $system in
        Linux) if getconf GNU_LIBC_VERSION >/dev/null 2>&1; then libc=gnu; else libc=musl; fi ;;
        Darwin) libc= ;;
        *) libc=unknown ;;
    esac
    case $machine-$libc in
        x86_64-gnu | amd64-gnu) echo x86_64-unknown-linux-gnu ;;
        aarch64-gnu | arm64-gnu) echo aarch64-unknown-linux-gnu ;;
        x86_64-musl | amd64-musl) echo x86_64-unknown-linux-musl ;;
        aarch64-musl | arm64-musl) echo aarch64-unknown-linux-musl ;;
        x86_64-) echo x86_64-apple-darwin ;;
        arm64- | aarch64-) echo aarch64-apple-darwin ;;
        *) fail "There is no build of Ox for $system on $machine. Build it from source: cargo install --git" \
            "https://github.com/ox-agent/ox ox" ;;
    esac
}

# Copies what is at an address into a file.
fetch() {
    case $1 in
        file://*) cp "${1#file://}" "$2" 2>/dev/null || fail "There is no ${1#file://}." ;;
        *)
            if command -v curl >/dev/null; then
                curl --fail --silent --show-error --location --proto "=${1%%:*}" --output "$2" "$1"
            elif command -v wget >/dev/null; then
                wget -q -O "$2" "$1"
            else
                fail "curl or wget is needed to download Ox, and neither is installed."
            fi || fail "$1 could not be downloaded, and nothing was installed."
            ;;
    esac
}

sha256() {
    if command -v sha256sum >/dev/null; then
        sha256sum <"$1" | cut -d ' ' -f 1
    elif command -v shasum >/dev/null; then
        shasum -a 256 <"$1" | cut -d ' ' -f 1
    elif command -v openssl >/dev/null; then
        openssl dgst -sha256 -r <"$1" | cut -d ' ' -f 1
    else
        fail "sha256sum, shasum or openssl is needed to check the download, and none is installed."
    fi
}

main
