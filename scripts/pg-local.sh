#!/usr/bin/env bash
# Postgres 15 with pgvector for development and tests, in a folder of its own.
# Debian's packages are unpacked, not installed, and pgvector is compiled against them.
#
#   scripts/pg-local.sh start    build, initialise and start whatever is missing; prints DATABASE_URL=...
#   scripts/pg-local.sh build | stop | status | wipe
#
# PGLOCAL_ROOT, PGLOCAL_PORT and PGLOCAL_DB change the folder, the port and the database.
set -euo pipefail

VERSION=15
ROOT=${PGLOCAL_ROOT:-/var/tmp/memgate-postgres-$(id -u)}
PORT=${PGLOCAL_PORT:-54329}
DB=${PGLOCAL_DB:-memgate}
DATA=$ROOT/data
TREE=$ROOT/tree
BIN=$TREE/usr/lib/postgresql/$VERSION/bin
CONTROL=usr/share/postgresql/$VERSION/extension/vector.control

say() { printf 'pg-local: %s\n' "$*" >&2; }
fail() { say "$*"; exit 1; }

lib_path() { # TREE: its library folders, for LD_LIBRARY_PATH
  local all=("$1"/usr/lib/*-linux-gnu "$1"/lib/*-linux-gnu)
  (IFS=:; printf '%s' "${all[*]}")
}

# Postgres refuses to run as root.
if [ "$(id -u)" = 0 ]; then
  RUN_AS=postgres
  id -u "$RUN_AS" >/dev/null 2>&1 || RUN_AS=nobody
  as_owner() {
    (cd / && setpriv --reuid="$RUN_AS" --regid="$(id -g "$RUN_AS")" --clear-groups \
      env -u PGDATA LD_LIBRARY_PATH="$(lib_path "$TREE")" "$@" 9>&-)
  }
  give() { chown -R "$RUN_AS:$(id -g "$RUN_AS")" "$@"; }
else
  as_owner() { (cd / && env -u PGDATA LD_LIBRARY_PATH="$(lib_path "$TREE")" "$@" 9>&-); }
  give() { :; }
fi

apt() { apt-get -q -o APT::Sandbox::User=root -o Debug::NoLocking=1 "$@"; }
install_packages() { # NAME...: for what cannot be unpacked; root only
  [ "$(id -u)" = 0 ] || fail "needs $*: install with apt-get install $*"
  say "installing $*"
  local install=(env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@")
  "${install[@]}" >&2 || { apt-get -qq update >&2 && "${install[@]}" >&2; }
}

download_postgres() { # into the current folder
  local names=("postgresql-$VERSION" "postgresql-client-$VERSION" "postgresql-server-dev-$VERSION" libpq5)
  # Shared libraries that an installation would add to this machine; libllvm only serves JIT, which is off.
  local libs
  libs=$(apt -s --no-install-recommends install "postgresql-$VERSION" "postgresql-client-$VERSION" 2>/dev/null |
    awk '$1 == "Inst" && $2 ~ /^lib/ && $2 !~ /^libllvm|-perl$|^libpq5$/ { print $2 }') || libs=
  # shellcheck disable=SC2086
  apt download "${names[@]}" $libs
}

fetch_pgvector() { # WORK: the source of the next Debian release, through apt's signature check
  local mirror options
  # Bookworm has no pgvector. The mirror is the one that this machine's apt already uses.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | awk '/\/debian\/?$/ { print; exit }')
  [ -n "$mirror" ] || { echo "apt knows no Debian mirror"; return 1; }
  mkdir -p lists/partial cache/archives/partial
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >trixie.list
  options=(-o "Dir::Etc::sourcelist=$1/trixie.list" -o Dir::Etc::sourceparts=/dev/null
    -o "Dir::State::lists=$1/lists" -o "Dir::Cache=$1/cache")
  apt "${options[@]}" update
  apt "${options[@]}" --download-only source pgvector
  mkdir pgvector
  tar -xf pgvector_*.orig.tar.* -C pgvector --strip-components=1
}

compile() { # WORK: fills WORK/tree
  cd "$1"
  mkdir tree
  download_postgres || { apt-get -q update && download_postgres; }
  for package in ./*.deb; do dpkg-deb -x "$package" tree; done
  fetch_pgvector "$1"
  # An empty OPTFLAGS keeps -march=native out: AVX is chosen at run time, and a cached build runs on any CPU.
  local make=(make -C pgvector PG_CONFIG="$1/tree/usr/lib/postgresql/$VERSION/bin/pg_config" with_llvm=no OPTFLAGS=)
  LD_LIBRARY_PATH=$(lib_path "$1/tree")
  export LD_LIBRARY_PATH
  "${make[@]}" -j"$(nproc)"
  "${make[@]}" install
}

build() {
  mkdir -p "$ROOT"
  [ -O "$ROOT" ] || fail "$ROOT belongs to someone else: set PGLOCAL_ROOT"
  [ ! -f "$TREE/$CONTROL" ] || return 0
  chmod 755 "$ROOT"
  exec 9>"$ROOT/lock"
  flock 9 # of two callers one builds and the other waits
  if [ ! -f "$TREE/$CONTROL" ]; then
    rm -rf "$ROOT"/build.*
    { command -v make && command -v gcc && [ -e /usr/include/stdio.h ]; } >/dev/null || install_packages make gcc libc6-dev
    local work
    work=$(mktemp -d "$ROOT/build.XXXXXX")
    chmod 755 "$work"
    say "unpacking postgresql-$VERSION and compiling pgvector under $ROOT"
    "$0" compile "$work" >"$work.log" 2>&1 || { tail -n 30 "$work.log" >&2; fail "build failed, log: $work.log"; }
    rm -rf "$TREE"
    mv "$work/tree" "$TREE"
    rm -rf "$work" "$work.log"
    as_owner "$BIN/postgres" --version >/dev/null 2>&1 || install_packages "postgresql-$VERSION"
    say "built $(as_owner "$BIN/postgres" --version), pgvector $(awk -F"'" '/default_version/ { print $2 }' "$TREE/$CONTROL")"
  fi
  exec 9>&-
}

initialise() {
  rm -rf "$DATA"
  mkdir -p "$DATA" "$ROOT/run"
  chmod 700 "$DATA"
  give "$DATA" "$ROOT/run"
  as_owner "$BIN/initdb" -D "$DATA" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync --no-instructions >/dev/null
  # Test data only: loopback, no durability.
  cat >>"$DATA/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $PORT
unix_socket_directories = '$ROOT/run'
max_connections = 200
shared_buffers = 256MB
maintenance_work_mem = 256MB
random_page_cost = 1.1
fsync = off
synchronous_commit = off
full_page_writes = off
jit = off
max_parallel_maintenance_workers = 0 # pgvector below 0.8.2: CVE-2026-3172
CONF
}

running() { as_owner "$BIN/pg_ctl" -D "$DATA" status >/dev/null 2>&1; }
answers() { as_owner "$BIN/pg_isready" -q -h 127.0.0.1 -p "$PORT"; }
launch() { as_owner "$BIN/pg_ctl" -D "$DATA" -l "$DATA/server.log" -o "-p $PORT" -w -t 60 start >/dev/null; }
query() { as_owner "$BIN/psql" -h 127.0.0.1 -p "$PORT" -U postgres -qtAX -v ON_ERROR_STOP=1 "$@"; }

start() {
  build
  exec 9>"$ROOT/lock"
  flock 9
  for _ in $(seq 50); do # starting up, or killed and its socket not yet closed
    if running; then ! answers || break; else answers || break; fi
    sleep 0.1
  done
  if ! running; then
    ! answers || fail "port $PORT is taken by another Postgres: set PGLOCAL_PORT"
    [ -f "$DATA/PG_VERSION" ] || initialise
    if ! launch; then # with fsync off a machine that stopped hard may leave a broken folder
      tail -n 5 "$DATA/server.log" >&2 || true
      say "did not start, trying a fresh data folder"
      initialise
      launch || fail "did not start, log: $DATA/server.log"
    fi
  fi
  [ "$(query -c "select 1 from pg_database where datname = '$DB'" postgres)" = 1 ] || query -c "create database \"$DB\"" postgres
  query -c 'set client_min_messages = warning' -c 'create extension if not exists vector' "$DB"
  exec 9>&-
  echo "DATABASE_URL=postgres://postgres@127.0.0.1:$PORT/$DB"
}

case "${1:-start}" in
  start) start ;;
  build) build ;;
  compile) compile "$2" ;;
  stop) ! running || as_owner "$BIN/pg_ctl" -D "$DATA" -m fast -w stop ;;
  status) as_owner "$BIN/pg_ctl" -D "$DATA" status ;;
  wipe)
    ! running || as_owner "$BIN/pg_ctl" -D "$DATA" -m immediate -w stop
    rm -rf "$DATA"
    ;;
  *) echo "usage: $0 start|stop|status|wipe|build" >&2; exit 2 ;;
esac
