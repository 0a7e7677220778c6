# What the scripts of this folder share. They source this file first: it answers --help, and sets `root`, the folder
# of the package, and `script`, the name of the script in messages.

# With it, cd would print folders.
unset CDPATH
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
script_path=$(cd "$(dirname "$0")" && pwd -P)/$(basename "$0")
script=${script_path#"$root/"}

# Prints the comment at the head of the script.
usage() {
    awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$script_path"
}

fail() {
    echo "$script: $*" >&2
    exit 1
}

# Fails if an option is the last argument, and has no value: require_value "$@"
require_value() {
    if (($# < 2)); then fail "$1 requires a value; see $script --help"; fi
}

unknown_argument() {
    fail "unknown argument $1; see $script --help"
}

# Prints a number of seconds as minutes and seconds.
duration() {
    printf '%d:%02d' $(($1 / 60)) $(($1 % 60))
}

# Succeeds if one of the files exists. The arguments may be globs that match nothing.
any_file() {
    local file
    for file in "$@"; do
        if [[ -e $file ]]; then return 0; fi
    done
    return 1
}

# Succeeds if a library is installed. The argument is its name without "lib".
has_library() {
    any_file {/usr,/usr/local,/opt/homebrew,/home/linuxbrew/.linuxbrew}/lib{,64}/"lib$1".{so,dylib,a} \
        /usr/lib/*-linux-*/"lib$1".{so,a}
}

# Reads the output of a build or a test run, and writes all of it to a log. Shows errors, warnings and failed tests, up
# to forty lines, and every five seconds the time since the start and the last line.
progress() {
    local line passed=0 messages=0 start=$SECONDS next=$((SECONDS + 5))
    while IFS= read -r line || [[ -n $line ]]; do
        line=${line%$'\r'}
        printf '%s\n' "$line" >&3
        case $line in
            # See build_options.
            *"warning: "*use-integrated-swift-driver*) ;;
            "Test Case "*" passed"*) passed=$((passed + 1)) ;;
            "Test Case "*" failed"* | *"rror: "* | *"warning: "* | *ThreadSanitizer:* | *AddressSanitizer:*)
                messages=$((messages + 1))
                if ((messages <= 40)); then printf '%s\n' "$line"; fi
                ;;
        esac
        if ((SECONDS >= next)); then
            next=$((SECONDS + 5))
            printf '  %s  %s%.100s\n' "$(duration $((SECONDS - start)))" \
                "$(if ((passed > 0)); then echo "$passed passed  "; fi)" "$line"
        fi
    done 3>"${1:-/dev/null}"
    if ((messages > 40)); then echo "(more messages are in the log)"; fi
}

# Where the tool, the examples and the benchmarks are built for tests: with the same options, so that Vigil is compiled
# once for all of them.
# shellcheck disable=SC2034 # for the scripts that source this file
nested_build=$root/.build-nested

# Prints the traits of these builds.
nested_traits() {
    echo "SQLite,SQLCipher$(if has_library pq; then echo ,PostgreSQL; fi)"
}

# The options of all builds. This driver begins a module when the interfaces of those that it imports are ready, and not
# when they are compiled: a build of the tool takes 61 s instead of 103. It is deprecated, because it compiles everything
# again if it writes lists of files, with random names, which the second option prevents. Another build system has it
# always, and no option.
build_options=(-Xswiftc -driver-filelist-threshold=100000)

# Those of debug builds. Modules that are compiled as a whole read those that they import once.
debug_options=(-Xswiftc -disable-batch-mode -Xswiftc -whole-module-optimization
    -Xswiftc -num-threads -Xswiftc "$(getconf _NPROCESSORS_ONLN)")

# Those of debug builds without a sanitizer. Debug information takes a sixth of the time of a build; without it, the
# stack of a crash names functions, but no lines.
brief_options=(-Xswiftc -gnone)

# Runs swift build with arguments, shows its progress, and writes its output to a log: swift_build LOG [ARGUMENT…]
swift_build() {
    local log=$1 options=("${build_options[@]}") help
    shift
    help=$(swift build --help-hidden 2>&1 || true)
    if [[ $help == *--use-integrated-swift-driver* ]]; then options+=(--use-integrated-swift-driver); fi
    # A kept plan of a nested package does not notice new files of the package around it.
    # Without the folder, the driver passes that of the package, so that each package compiles Vigil again.
    if [[ " $* " == *" --package-path "* ]]; then
        options+=(--disable-build-manifest-caching -Xswiftc -file-compilation-dir -Xswiftc "$root")
    fi
    mkdir -p "$(dirname "$log")"
    if [[ " $* " != *" release "* ]]; then
        if [[ " $* " != *" --sanitize "* ]]; then options+=("${brief_options[@]}"); fi
        options+=("${debug_options[@]}")
    fi
    # SwiftPM takes the options for traits from a set. In another order, everything would be compiled again.
    if SWIFT_DETERMINISTIC_HASHING=1 swift build "$@" "${options[@]}" </dev/null 2>&1 |
        progress "$log"; then return; fi
    if ! grep -q 'rror: ' "$log"; then tail -n 40 "$log"; fi
    fail "the build failed. Its output is in $log"
}

case ${1:-} in
    --help | -h)
        usage
        exit 0
        ;;
esac
