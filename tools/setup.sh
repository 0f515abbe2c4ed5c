# Functions of ./tumble, ./test and ./bench: messages, packages, builds. To be sourced; $root is the checkout.
# Exit status 125 means that the script itself failed: the program or the tests were not started.

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }
die() { say "$*"; exit 125; }

# listed_packages LIST... [long]: prints the packages of these lists of tools/packages.txt, one per line.
# Respects `unless`. Packages with `long` are included only if the arguments have the word `long`.
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

# Installs the missing packages of the given lists. Prints nothing if none is missing.
install_packages() {
  local wanted missing sudo=() log="$root/build/packages.log"
  mapfile -t wanted < <(listed_packages "$@")
  [[ ${#wanted[@]} -gt 0 ]] || return 0
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: assuming that the content of these packages is installed: ${wanted[*]}"
    return
  fi
  mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null |
      sed -n 's/^installed //p' | sort -u))
  [[ ${#missing[@]} -gt 0 ]] || return 0

  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || die "packages are missing, and installing them needs root or sudo;" \
      "ask your administrator to run: apt-get install --no-install-recommends ${missing[*]}"
    sudo=(sudo)
  fi
  say "installing ${missing[*]}"
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  # Update the package index once. Without a network the cached index may be sufficient.
  "${apt[@]}" update </dev/null >"$log" 2>&1 || say "apt-get update failed; using the cached package index"
  if ! "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >>"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "could not install ${missing[*]} (whole log: $log)"
  fi
}

# configure PRESET: configures build/PRESET, quietly. A tree that was moved, is incomplete or older than the
# presets is configured from scratch.
configure() {
  local tree="$root/build/$1" log="$root/build/$1.log" fresh=()
  if [[ $tree/build.ninja -nt $root/CMakePresets.json ]] &&
    grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$tree/CMakeCache.txt"; then return; fi
  [[ -e $tree/CMakeCache.txt ]] && fresh=(--fresh)
  if ! (cd "$root" && cmake --preset "$1" "${fresh[@]}") </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    die "could not configure the build '$1' (log: $log)"
  fi
}

# build PRESET [TARGET...]: builds build/PRESET, quietly. If it fails, prints the messages of the compiler.
build() {
  local tree="$root/build/$1" log="$root/build/$1.log" preset=$1
  shift
  configure "$preset"
  if ! cmake --build "$tree" --parallel "$(nproc)" ${1:+--target "$@"} </dev/null >"$log" 2>&1; then
    grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\|Re-checking\)' "$log" | head -n 100 >&2
    die "could not build '$preset' (log: $log)"
  fi
}

# build_page: builds web/dist, the page of `tumble view` and `tumble report`, if its sources are newer.
build_page() {
  local web="$root/web" log="$root/build/page.log" stamp="$root/web/dist/.built"
  [[ -e $web/package.json ]] || return 0
  local newer=first
  [[ -e $stamp && -e $web/dist/page.js ]] && newer=$(find "$web" -mindepth 1 \
    -path "$web/node_modules" -prune -o -path "$web/dist" -prune -o -newer "$stamp" -print -quit)
  [[ -n $newer ]] || return 0
  install_packages page
  mkdir -p "$root/build" "$web/dist"
  touch "$stamp.new" # the time of the start: a file that changes meanwhile is newer
  if ! [[ $web/node_modules/.package-lock.json -nt $web/package-lock.json ]]; then
    say "installing the parts of the page with npm (progress: build/page.log)"
    (cd "$web" && npm ci --no-audit --no-fund) </dev/null >"$log" 2>&1 ||
      { tail -n 20 "$log" >&2; die "could not install the parts of the page (log: $log)"; }
  fi
  say "building the page"
  (cd "$web" && npm run build) </dev/null >>"$log" 2>&1 ||
    { tail -n 40 "$log" >&2; die "could not build the page (log: $log)"; }
  mv "$stamp.new" "$stamp"
}

# Only one script at a time builds in a checkout. The lock is released by `unlock` or at the end of the
# process.
lock() {
  mkdir -p "$root/build" || die "cannot write to $root/build"
  exec 9>"$root/build/.lock" || die "cannot write to $root/build"
  if command -v flock >/dev/null && ! flock -n 9; then
    say "waiting for another build in $root"
    flock 9
  fi
}
unlock() { exec 9>&-; }
