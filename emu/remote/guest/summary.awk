# Turns a guest's kernel log into summary.json; used by `boot`, works with any awk.
#
# Input: lines of `dmesg -r` (<level>[time] text) or of a console (no levels). Variables, all from
# boot: qemu_version, qemu_exit, qemu_says (the last line of its stderr), wall_s, wanted (cycles),
# complete (1: the log is whole), sleeps (how long each S3 took, in ms), trouble (what boot itself
# saw go wrong), trouble_ok (1: disks that are missing or fail are no failure of the run); and in
# the environment BOOT_HBAS: "PCI-ADDRESS DEVICE SOCKET" for each HBA; no socket for QEMU's own.
# Exit status: 0 if all was well, else 1.

function pair(key,    at, rest) {                     # the value of key= in a GUEST line
    at = index($0, " " key "=")
    if (!at) return ""
    rest = substr($0, at + length(key) + 2)
    sub(/ .*/, "", rest)
    return rest
}

function number_after(words,    rest) {               # the number that follows words
    rest = substr($0, index($0, words) + length(words))
    return rest + 0
}

function quoted(text,    i, c, out) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        if (c == "\"" || c == "\\") c = "\\" c
        else if (c < " " || c > "~") c = "?"
        out = out c
    }
    return "\"" out "\""
}

function ms(key) { return key in figure ? sprintf("%.1f", figure[key]) : "null" }
function flag(value) { return value == "" ? "null" : value + 0 ? "true" : "false" }

# The first one counts. What a kernel of one's own may lack to get further is named.
function complain(text,    lacks) {
    if (reason != "") return
    lacks = lacking(text)
    reason = text (lacks == "" ? "" : "; has the kernel " lacks "?")
}

function lacking(text) {
    if (text ~ /no_s3/) return "CONFIG_SUSPEND and CONFIG_ACPI"
    if (text ~ /no_devtmpfs/) return "CONFIG_DEVTMPFS"
    if (text ~ /no_ahci_driver/) return "CONFIG_SATA_AHCI"
    if (text ~ /disks_missing have=0/) return "CONFIG_BLK_DEV_SD"
    if (text ~ /No working init found/) return "CONFIG_BINFMT_SCRIPT and CONFIG_BINFMT_ELF"
    if (text ~ /[Uu]nable to mount root/) return "CONFIG_BLK_DEV_INITRD and CONFIG_RD_GZIP"
    if (text ~ /said nothing on its serial console/) return "CONFIG_SERIAL_8250_CONSOLE"
    return ""
}

# The middle one of the values in list[1..n].
function median(list, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = list[i]
        for (j = i - 1; j >= 1 && list[j] > x; j--) list[j + 1] = list[j]
        list[j + 1] = x
    }
    return n % 2 ? list[(n + 1) / 2] : (list[n / 2] + list[n / 2 + 1]) / 2
}

function ports_array(text,    n, i, part, out) {      # "ata1,ata2" -> "ata1", "ata2"
    n = split(text, part, ",")
    for (i = 1; i <= n; i++) out = out (i > 1 ? ", " : "") quoted(part[i])
    return out
}

# The median rate of a disk, or "null"; the best of each device's disks goes to best[what, device].
function rate(what, disk,    list, i, n, key, value) {
    n = rounds[what, disk]
    if (!n) return "null"
    for (i = 1; i <= n; i++) list[i] = rates[what, disk, i]
    value = median(list, n)
    key = what SUBSEP device_at[hba_of[disk_port[disk]]]
    if (value > best[key]) best[key] = value
    return sprintf("%.1f", value)
}

function all_rates(what, disk,    i, out) {
    for (i = 1; i <= rounds[what, disk]; i++)
        out = out sprintf("%s%.1f", (i > 1 ? ", " : ""), rates[what, disk, i])
    return out
}

function ratio(what,    ours, theirs) {
    ours = best[what, "vfio-user"]
    theirs = best[what, "ich9-ahci"]
    return ours && theirs ? sprintf("%.3f", ours / theirs) : "null"
}

function print_hbas(    i, comma) {
    printf "  \"hbas\": ["
    for (i = 1; i <= hba_count; i++) {
        printf "%s\n    {\"pci\": %s, \"device\": %s, ", comma, quoted(hba[i]),
            quoted(device_at[hba[i]])
        if (socket_at[hba[i]] != "") printf "\"socket\": %s, ", quoted(socket_at[hba[i]])
        printf "\"driver\": %s, \"msi\": %s, ", quoted(hba_driver[i]), flag(hba_msi[i])
        printf "\"ports\": [%s]}", ports_array(hba_ports[i])
        comma = ","
    }
    printf "%s],\n", (hba_count ? "\n  " : "")
}

function print_bench(    i, disk, comma) {
    printf "  \"bench\": ["
    for (i = 1; i <= disk_count; i++) {
        disk = disks[i]
        if (!rounds["sequential", disk] && !rounds["random", disk]) continue
        printf "%s\n    {\"disk\": %s, \"port\": %s, ", comma, quoted(disk),
            quoted(disk_port[disk])
        printf "\"device\": %s,\n", quoted(device_at[hba_of[disk_port[disk]]])
        printf "     \"sequential_mib_s\": %s, ", rate("sequential", disk)
        printf "\"random_4k_per_s\": %s,\n", rate("random", disk)
        printf "     \"sequential_rounds\": [%s], ", all_rates("sequential", disk)
        printf "\"random_rounds\": [%s]}", all_rates("random", disk)
        comma = ","
    }
    printf "%s],\n", (comma == "" ? "" : "\n  ")
    printf "  \"bench_ratio\": {\"sequential\": %s, ", ratio("sequential")
    printf "\"random_4k\": %s},\n", ratio("random")
}

BEGIN {
    n = split(ENVIRON["BOOT_HBAS"], line, "\n")
    for (i = 1; i <= n; i++) {
        if (split(line[i], word, " ") < 2) continue
        device_at[word[1]] = word[2]
        if (device == "") device = word[2]
        rest = substr(line[i], length(word[1] " " word[2] " ") + 1)
        socket_at[word[1]] = rest
    }
}

{
    sub(/\r$/, "")
    level = ""
    if (match($0, /^<[0-9]+>/)) {
        level = substr($0, 2, RLENGTH - 2) % 8
        $0 = substr($0, RLENGTH + 1)
    }
    if (!match($0, /^\[ *[0-9]+\.[0-9]+\] /)) next
    $0 = substr($0, RLENGTH + 1)
}

/^GUEST / {
    event = pair("event"); c = pair("cycle"); disk = pair("disk")
    if (event == "start") { kernel = pair("kernel"); started = 1 }
    else if (event == "hba") {
        if (!hba_count) { driver = pair("driver"); msi = pair("msi") }
        hba[++hba_count] = pair("pci")
        hba_driver[hba_count] = pair("driver")
        hba_msi[hba_count] = pair("msi")
        hba_ports[hba_count] = pair("ports")
        n = split(pair("ports"), word, ",")
        for (i = 1; i <= n; i++) hba_of[word[i]] = pair("pci")
    }
    else if (event == "disk") { disks[++disk_count] = disk; disk_port[disk] = pair("port") }
    else if (event == "bench") {
        what = pair("what")
        us = pair("us") + 0
        units = pair("bytes") / (what == "sequential" ? 1048576 : 4096)
        if (us > 0) rates[what, disk, ++rounds[what, disk]] = units / us * 1e6
    }
    else if (event == "cycle_begin") now = c
    else if (event == "cycle_end") { ended[c] = 1; rc[c] = pair("rc") }
    else if (event == "read") {
        sum = pair("md5")
        if (sum == "error") { failed_disk[disk]; read_failed = 1; sum = "" }
        if (c == 0) first_sum[disk] = sum
        else if (!trouble_ok || (sum != "" && first_sum[disk] != "")) {
            good = (sum != "" && sum == first_sum[disk])
            if (read_ok[c] == "" || !good) read_ok[c] = good
            if (all_read == "" || !good) all_read = good
        }
    }
    else if (event == "verify") {
        good = pair("ok") + 0
        if (write_ok[c] == "" || !good) write_ok[c] = good
        if (all_write == "" || !good) all_write = good
    }
    else if (event == "error") {
        if (guest_error == "") guest_error = substr($0, index($0, "what=") + 5)
    }
    else if (event == "note") {
        notes[++note_count] = substr($0, index($0, "what=") + 5)
        if (disk != "") failed_disk[disk]
    }
    else if (event == "end") successes = pair("success")
    next
}

started && level != "" && level <= 4 {
    if (level < 4) errors++; else warnings++
    if (said < 20) complaint[++said] = $0
}

now && /PM: suspend of devices complete after/ { figure[now, "suspend"] = number_after(" after ") }
now && /Waking up from system sleep state S3/ { asleep[now] = 1 }
now && /PM: resume of devices complete after/ { figure[now, "resume"] = number_after(" after ") }

END {
    sleep_total = split(sleeps, slept)
    if (trouble != "") complain(trouble)
    if (qemu_exit != 0) complain("QEMU exit status " qemu_exit " (" qemu_says ")")
    if (guest_error != "") complain("guest: " guest_error)
    if (read_failed && !trouble_ok) complain("a disk could not be read")
    for (c = 1; c <= wanted; c++) {
        if (!complete && c <= sleep_total) asleep[c] = 1        # the console does not show it
        good = (c in ended) && rc[c] == 0 && (c in asleep)
        if (!(c in ended)) why = "did not end"
        else if (rc[c] != 0) why = "suspend failed"
        else if (!good) why = "returned without having slept"
        if (good && read_ok[c] == "0") { good = 0; why = "data read back differs" }
        if (good && write_ok[c] == "0") { good = 0; why = "data written is not there" }
        if (c in asleep) figure[c, "slept"] = slept[++sleep_count]
        cycle_ok[c] = good
        if (good) done++; else complain("cycle " c " " why)
    }
    if (!complete) complain("the guest did not reach its end")
    else if (successes != wanted) complain("the kernel counts " successes " successful suspends")

    printf "{\n  \"ok\": %s,\n  \"reason\": %s,\n", flag(reason == ""), quoted(reason)
    printf "  \"kernel\": %s,\n  \"qemu\": %s,\n", quoted(kernel), quoted(qemu_version)
    printf "  \"qemu_exit\": %d,\n  \"wall_s\": %.1f,\n", qemu_exit, wall_s
    printf "  \"device\": %s,\n  \"driver\": %s,\n", quoted(device), quoted(driver)
    printf "  \"msi\": %s,\n", flag(msi)
    printf "  \"log_complete\": %s,\n", flag(complete)
    print_hbas()
    printf "  \"disks\": ["
    for (i = 1; i <= disk_count; i++) printf "%s%s", (i > 1 ? ", " : ""), quoted(disks[i])
    printf "],\n  \"disk_ports\": {"
    for (i = 1; i <= disk_count; i++)
        printf "%s%s: %s", (i > 1 ? ", " : ""), quoted(disks[i]), quoted(disk_port[disks[i]])
    printf "},\n  \"disks_failed\": ["
    comma = ""
    for (i = 1; i <= disk_count; i++)
        if (disks[i] in failed_disk) { printf "%s%s", comma, quoted(disks[i]); comma = ", " }
    printf "],\n  \"trouble_ok\": %s,\n", flag(trouble_ok + 0)
    printf "  \"cycles_wanted\": %d,\n", wanted
    printf "  \"cycles_ok\": %d,\n  \"cycles_failed\": %d,\n", done, wanted - done
    printf "  \"read_back_ok\": %s,\n  \"writes_ok\": %s,\n", flag(all_read), flag(all_write)
    printf "  \"errors\": %s,\n", (complete ? errors + 0 : "null")
    printf "  \"warnings\": %s,\n", (complete ? warnings + 0 : "null")
    print_bench()
    printf "  \"notes\": ["
    for (i = 1; i <= note_count; i++) printf "%s%s", (i > 1 ? ", " : ""), quoted(notes[i])
    printf "],\n  \"complaints\": ["
    for (i = 1; i <= said; i++) printf "%s\n    %s", (i > 1 ? "," : ""), quoted(complaint[i])
    printf "%s],\n  \"cycles\": [", (said ? "\n  " : "")
    for (c = 1; c <= wanted; c++) {
        printf "%s\n    {\n      \"cycle\": %d,\n", (c > 1 ? "," : ""), c
        printf "      \"ok\": %s,\n", flag(cycle_ok[c])
        printf "      \"slept_ms\": %s,\n", ms(c SUBSEP "slept")
        printf "      \"suspend_devices_ms\": %s,\n", ms(c SUBSEP "suspend")
        printf "      \"resume_devices_ms\": %s,\n", ms(c SUBSEP "resume")
        printf "      \"read_back_ok\": %s,\n", flag(read_ok[c])
        printf "      \"writes_ok\": %s\n    }", flag(write_ok[c])
    }
    printf "%s]\n}\n", (wanted ? "\n  " : "")
    exit reason != ""
}
