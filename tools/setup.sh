# What ./tumble, ./test and ./bench share: say, install, build. Sourced; expects $root, the checkout.
# Exit status 125 means: the script itself failed, the program or the tests were not started.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 125; }

# Lists the packages of the given lists in tools/packages.txt, one a line, `long` and `unless` taken into account;
# the word `long` among the lists asks for what is marked so.
listed_packages() {
  local list="" package marks
  while read -r package marks; do
    case $package in
      ''|'#'*) continue ;;
      '['*']') list=${package//[\[\]]/}; continue ;;
    esac
    marks=" ${marks%%#*}"
    [[ " $* " == *" $list "* ]] || continue
    [[ $marks != *" long "* || " $* " == *" long "* ]] || continue
    if [[ $marks =~ " unless "([^ ]+) ]] && command -v "${BASH_REMATCH[1]}" >/dev/null; then continue; fi
    printf '%s\n' "$package"
  done <"$root/tools/packages.txt"
}

# Installs what is missing of the given lists; silent when nothing is.
install_packages() {
  local wanted missing sudo=() log="$root/build/packages.log"
  mapfile -t wanted < <(listed_packages "$@")
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: taking for granted what these packages bring: ${wanted[*]}"
    return
  fi
  mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null | sed -n 's/^installed //p' | sort -u))
  [[ ${#missing[@]} -gt 0 ]] || return 0

  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || die "these packages are missing, and there is neither root nor sudo to install" \
      "them with; ask someone who may: apt-get install --no-install-recommends ${missing[*]}"
    sudo=(sudo)
  fi
  say "installing ${missing[*]}"
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  # A stale or missing index is refreshed once; without a network what is cached may still do.
  "${apt[@]}" update </dev/null >"$log" 2>&1 || say "apt-get update failed; trying with what this machine knows"
  if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >>"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "could not install ${missing[*]} (whole log: $log)"
  fi
}

# configure PRESET: makes build/PRESET ready, quietly; a tree that was moved, half made or made by other presets is
# made afresh.
configure() {
  local tree="$root/build/$1" log="$root/build/$1.log" fresh=()
  if [[ $tree/build.ninja -nt $root/CMakePresets.json ]] && grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$tree/CMakeCache.txt"; then return; fi
  [[ -e $tree/CMakeCache.txt ]] && fresh=(--fresh)
  if ! (cd "$root" && cmake --preset "$1" "${fresh[@]}") </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    die "could not configure the build '$1' (log: $log)"
  fi
}

# build PRESET [TARGET...]: brings build/PRESET up to date, quietly; shows the compiler's words when it fails.
build() {
  local tree="$root/build/$1" log="$root/build/$1.log" preset=$1
  shift
  configure "$preset"
  if ! cmake --build "$tree" --parallel "$(nproc)" ${1:+--target "$@"} </dev/null >"$log" 2>&1; then
    grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\|Re-checking\)' "$log" | head -n 100 >&2
    die "could not build '$preset' (log: $log)"
  fi
}

# Two runs of the scripts in one checkout take turns; the lock goes with the process, or with `unlock`.
lock() {
  mkdir -p "$root/build" || die "cannot write to $root/build"
  exec 9>"$root/build/.lock" || die "cannot write to $root/build"
  if command -v flock >/dev/null && ! flock -n 9; then
    say "waiting for another build in $root"
    flock 9
  fi
}
unlock() { exec 9>&-; }
