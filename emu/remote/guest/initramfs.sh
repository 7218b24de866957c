# shellcheck shell=bash
#
# Makes a guest's initramfs: busybox and the modules of one kernel. Sourced by `prepare`, for
# kernels that are fetched, and by `boot`, for a user's own; both define die() and cant_write(),
# which give up. `boot` adds the init script.

readonly guest_modules=(ahci sd_mod sr_mod sg)

# missing_tools COMMAND:PACKAGE ...: prints the packages of the commands that are not there.
missing_tools() {
    local pair
    for pair; do
        type -P "${pair%%:*}" > /dev/null || printf '%s\n' "${pair##*:}"
    done
}

# is_full FOLDER: less than a megabyte is left there, so that a failed write had no room. Nothing
# that is written here is smaller and matters; and root may have kept a little for itself.
is_full() {
    local left
    left=$(df -Pk "$1" 2> /dev/null | awk 'NR == 2 { print $4 }')
    [[ -n $left ]] && ((left < 1024))
}

# find_modules TREE RELEASE: sets module_paths to the files of the guest's modules and of those that
# they need, in loading order, and modules_missing to those that are neither there nor built in.
# The machine's own modprobe configuration does not count.
find_modules() {
    local module lines kind path
    declare -A seen=()
    module_paths=() modules_missing=()
    for module in "${guest_modules[@]}"; do
        if ! lines=$(modprobe -C /dev/null -d "$1" -S "$2" --show-depends "$module" 2> /dev/null)
        then
            modules_missing+=("$module")
            continue
        fi
        while read -r kind path _; do
            [[ $kind == insmod && -z ${seen[$path]-} ]] || continue
            seen[$path]=1
            module_paths+=("$path")
        done <<< "$lines"
    done
}

# unpack_module PATH TO: kernels carry their modules plain or compressed in one of three ways.
unpack_module() {
    local tool
    case $1 in
    *.ko)
        cp "$1" "$2" 2> /dev/null || cant_write "${2%/*}"
        return
        ;;
    *.ko.xz) tool=xz ;;
    *.ko.zst) tool=zstd ;;
    *.ko.gz) tool=gzip ;;
    *) die "can't tell how ${1##*/} is compressed" ;;
    esac
    type -P "$tool" > /dev/null || die "needs $tool, for ${1##*/}"
    "$tool" -dc < "$1" > "$2" 2> /dev/null || die "can't unpack $1"
}

# pack_initramfs ROOT BUSYBOX TO PATH ...: ROOT is a folder to build it in.
pack_initramfs() {
    local root=$1 busybox=$2 to=$3 path name
    shift 3
    { mkdir -p "$root"/{bin,dev,proc,sys,mod} && cp "$busybox" "$root/bin/busybox" &&
        : > "$root/mod/list"; } 2> /dev/null || cant_write "$root"
    for path; do
        name=${path##*/}
        name=${name%%.ko*}
        unpack_module "$path" "$root/mod/$name.ko"
        { printf '%s\n' "$name" >> "$root/mod/list"; } 2> /dev/null || cant_write "$root"
    done
    { (cd "$root" && find . -print0 | LC_ALL=C sort -z | cpio -0 -o -H newc -R 0:0 --quiet) |
        gzip -9n > "$to"; } 2> /dev/null || cant_write "${to%/*}"
}
