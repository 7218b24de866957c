# shellcheck shell=bash disable=SC2154
#
# An apt beside the machine's own, for packages that are unpacked and not installed. Sourced by
# `prepare`, which has a folder $work for it, and lack(), which gives up.

# The machine's apt.conf counts (proxy, certificates, checks), but for its hooks, pins and lists.
apt_setup() {
    mkdir -p "$work"/apt/{sources,state/lists/partial,cache/archives/partial}
    : > "$work/apt/state/status"
    cat > "$work/apt/conf" <<CONF
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg;
#clear APT::Architectures;
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
APT::Default-Release "";
APT::Get::List-Cleanup "false";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
Dir::State "$work/apt/state";
Dir::State::status "$work/apt/state/status";
Dir::Cache "$work/apt/cache";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$work/apt/sources";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
CONF
    collect_mirrors
}

# private_apt get|cache ARGS: runs apt-get or apt-cache there; its complaints go to a log.
private_apt() {
    local tool=apt-$1
    shift
    "$tool" -q -c "$work/apt/conf" "$@" 2>> "$work/apt/log" < /dev/null
}

apt_complaint() {
    local line
    line=$(grep -E '^(E|W|Err):' "$work/apt/log" | grep -E -m1 '^E' || true)
    printf '%s' "${line:-see apt}"
}

# Writes each Debian source of this machine as apt/mirror.NN, with @SUITE@ in place of its suites.
# Both of apt's formats are read. "Debian" is judged by the address and by a component called main;
# a wrong guess does no harm, for the suite is then not found there and the next one is asked.
collect_mirrors() {
    local Dir_list=/etc/apt/sources.list Dir_parts=/etc/apt/sources.list.d/ files=()
    eval "$(apt-config shell Dir_list Dir::Etc::sourcelist/f Dir_parts Dir::Etc::sourceparts/d)"
    mapfile -t files < <(find -L "$Dir_list" "${Dir_parts%/}/" -maxdepth 1 -type f \
        \( -name '*.list' -o -name '*.sources' \) 2> /dev/null | sort || true)
    ((${#files[@]})) || lack "this machine's apt has no sources"
    awk -v prefix="$work/apt/mirror." '
        function emit(uri, key,    file) {
            if (uri !~ /debian/ || uri ~ /security/ || (uri, key) in seen) return
            seen[uri, key]
            file = sprintf("%s%02d", prefix, count++)
            printf "Types: deb\nURIs: %s\nSuites: @SUITE@\nComponents: main\n", uri > file
            if (key != "") printf "Signed-By:%s\n", key > file
            close(file)
        }
        function end_stanza(    i, n, uri) {
            if (value["enabled"] !~ /no|false|0/ && (" " value["types"] " ") ~ /[ \t]deb[ \t]/ &&
                (" " value["components"] " ") ~ /[ \t]main[ \t]/) {
                n = split(value["uris"], uri)
                for (i = 1; i <= n; i++) emit(uri[i], value["signed-by"])
            }
            split("", value)
        }
        FNR == 1 { end_stanza() }
        /^#/ { next }
        FILENAME ~ /\.sources$/ {
            if ($0 ~ /^[ \t]*$/) end_stanza()
            else if ($0 ~ /^[ \t]/) value[field] = value[field] "\n" $0
            else if ((colon = index($0, ":")) > 0) {
                field = tolower(substr($0, 1, colon - 1))
                value[field] = substr($0, colon + 1)
            }
            next
        }
        $1 == "deb" {
            sub(/#.*/, "")
            key = ""
            if (match($0, /\[[^]]*\]/)) {
                n = split(substr($0, RSTART + 1, RLENGTH - 2), option)
                for (i = 1; i <= n; i++)
                    if (sub(/^signed-by=/, "", option[i])) key = " " option[i]
                $0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
            }
            for (i = 4; i <= NF; i++) if ($i == "main") { emit($2, key); break }
        }
        END { end_stanza() }' "${files[@]}"
    compgen -G "$work/apt/mirror.*" > /dev/null || lack "this machine's apt has no Debian source"
}

# use_suites SUITE ...: apt now sees these and no others; an index is fetched when first asked for.
use_suites() {
    local suite mirror
    for suite; do
        [[ ! -e $work/apt/$suite.sources ]] || continue
        for mirror in "$work"/apt/mirror.*; do
            rm -f "$work"/apt/sources/*
            sed "s/@SUITE@/$suite/" "$mirror" > "$work/apt/sources/$suite.sources"
            if private_apt get update > /dev/null; then
                mv "$work/apt/sources/$suite.sources" "$work/apt/"
                break
            fi
        done
        [[ -e $work/apt/$suite.sources ]] ||
            lack "no Debian mirror known to apt here delivers $suite: $(apt_complaint)"
    done
    rm -f "$work"/apt/sources/*
    for suite; do
        cp "$work/apt/$suite.sources" "$work/apt/sources/"
    done
}
