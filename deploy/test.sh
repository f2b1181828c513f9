#!/bin/sh
# Runs every test against the real thing: bubblewrap, a Docker engine, images of its own.
# Arguments are test files; without any, all of them.
set -eu
cd "$(dirname "$0")/.."
. deploy/prepare.sh

need_linux_and_node
need_dependencies
forget_authorities
need_programs bwrap setsid rg mmdebstrap busybox
build
trap stop_engine EXIT
trap 'exit 130' INT TERM
need_engine
step "building the test images"
need_images

# One reporter's summary is its last word on a terminal, the other's in a file.
[ -t 1 ] && reporter=spec || reporter=tap
[ $# -gt 0 ] || set -- $(find dist/test -name '*.test.js' | sort)
step "testing"
# Nothing that a failed test leaves open keeps the rest from being told.
timeout --foreground --kill-after=60 3600 node --test --test-force-exit --test-concurrency=2 \
  --test-timeout=900000 --test-reporter=$reporter "$@"
