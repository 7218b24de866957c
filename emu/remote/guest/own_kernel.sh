# shellcheck shell=bash disable=SC2154
#
# A user's own kernel: reads its image, finds its modules, makes its initramfs. Sourced by `boot`,
# whose $modules, $cache, $here and $scratch (a folder for what is temporary) it uses. It sets
# $release and $base from $image, and $unfinished to a file that must not stay when it is cut off.

# image_bytes OFFSET COUNT: those of the kernel image, as hexadecimal digits.
image_bytes() {
    od -An -v -tx1 -j "$1" -N "$2" "$image" 2> /dev/null | tr -d ' \n'
}

# image_word OFFSET: a little-endian one of two bytes.
image_word() {
    local hex
    hex=$(image_bytes "$1" 2)
    printf '%d' "0x${hex:2:2}${hex:0:2}"
}

# Sets release to what the image says. The layout is that of Documentation/arch/x86/boot.rst: magic
# 55aa at 0x1fe and HdrS at 0x202, protocol at 0x206, kernel_version at 0x20e, xloadflags at 0x236.
read_release() {
    [[ -e $image ]] || die "no kernel $image (6.1, 6.12, latest, or the path of a bzImage)"
    [[ ! -d $image ]] || die "$image is a folder; give the bzImage, arch/x86/boot/bzImage in it"
    [[ -r $image && -f $image ]] || die "can't read $image"
    [[ $(image_bytes 0 4) != 7f454c46 ]] ||
        die "$image is an ELF file; give the bzImage, arch/x86/boot/bzImage"
    [[ $(image_bytes $((0x1fe)) 2) == 55aa && $(image_bytes $((0x202)) 4) == 48647253 ]] ||
        die "$image is not a bzImage"
    (($(image_word $((0x206))) >= 0x20c && $(image_word $((0x236))) & 1)) ||
        die "$image is not for x86-64"
    release=$(dd if="$image" bs=1 skip=$((0x200 + $(image_word $((0x20e))))) count=128 \
        2> /dev/null | tr '\0' '\n' | sed -n '1s/ .*//p')
    [[ $release =~ ^[0-9][[:graph:]]*$ && $release != */* ]] || die "$image has no release in it"
}

# Prints the folder with the modules of $release, below $modules or that itself.
module_folder() {
    local at others first
    [[ -d $modules ]] || die "no folder $modules"
    for at in "$modules"/{,usr/}lib/modules/"$release" "$modules/$release"; do
        [[ ! -d $at ]] || { printf '%s\n' "$at" && return; }
    done
    if [[ ! -d $modules/kernel && ! -e $modules/modules.builtin ]]; then
        others=$(cd "$modules" && printf '%s\n' {,usr/}lib/modules/* |
            sed -n 's,.*lib/modules/\([^*]*\)$,\1,p' | sort -u | tr '\n' ' ')
        die "no modules for $release in $modules${others:+, but for ${others% }}"
    fi
    first=$(find -L "$modules/kernel" -name '*.ko*' -print -quit 2> /dev/null || true)
    at=$([[ -z $first ]] || modinfo -F vermagic "$first" 2> /dev/null || true)
    [[ -z $at || ${at%% *} == "$release" ]] ||
        die "the modules in $modules are for ${at%% *}, the kernel is $release"
    printf '%s\n' "$modules"
}

# Lays $1 out as modprobe wants it, without changing it, and makes the lists that it may lack.
lay_out_modules() {
    local tree=$scratch/tree
    mkdir -p "$tree/lib/modules"
    if [[ -e $1/modules.dep.bin ]]; then
        ln -s "$(realpath "$1")" "$tree/lib/modules/$release"
    else
        mkdir "$tree/lib/modules/$release"
        (cd "$1" && find . -name '*.ko*' -o -name 'modules.builtin*' -o -name modules.order |
            tar -ch -T - -f -) | tar -x -C "$tree/lib/modules/$release" -f -
        # Debian's depmod reads modules of two of the three compressions.
        find "$tree/lib/modules/$release" -name '*.ko.gz' -exec gzip -d {} +
        depmod -b "$tree" "$release" 2> /dev/null || die "depmod can't read $1"
    fi
    find_modules "$tree" "$release"
}

# Sets base to an initramfs for $image. It is kept under a hash of what goes into it.
own_initramfs() {
    local pair folder key
    [[ -e $cache/busybox/ready ]] ||
        die "what a kernel of your own needs is not prepared in $cache: run prepare own"
    module_paths=() modules_missing=()
    if [[ -n $modules ]]; then
        PATH=$PATH:/usr/sbin:/sbin
        for pair in modprobe:kmod depmod:kmod modinfo:kmod; do
            type -P "${pair%%:*}" > /dev/null || die "--modules needs ${pair##*:}"
        done
        folder=$(module_folder)
        lay_out_modules "$folder"
        ((${#modules_missing[@]} == 0)) ||
            printf 'boot: warning: %s: neither in %s nor built in\n' "${modules_missing[*]}" \
                "$folder" >&2
    fi
    key=$(sha256sum "$cache/busybox/busybox" "$here/initramfs.sh" "${module_paths[@]}" |
        sed 's, .*/, ,' | sha256sum | cut -c1-32)
    base=$cache/own/$key.gz
    if [[ ! -e $base ]]; then
        pack_initramfs "$scratch/root" "$cache/busybox/busybox" "$scratch/new.gz" \
            "${module_paths[@]}"
        unfinished=$cache/own/.$key.$$
        if ! { mkdir -p "$cache/own" && cp "$scratch/new.gz" "$unfinished" &&
            mv "$unfinished" "$base"; } 2> /dev/null; then
            rm -f "$unfinished"              # somebody else's cache, or a full one
            base=$scratch/new.gz
            return
        fi
        # The 16 newest are enough for who tries one kernel after the other.
        find "$cache/own" -name '*.gz' -printf '%T@ %p\n' | sort -rn | sed -n '17,$s/[^ ]* //p' |
            xargs -r -d '\n' rm -f
    else
        touch -c "$base" 2> /dev/null || true
    fi
}
