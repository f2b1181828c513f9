#!/bin/sh
# Measures both placements, beside bubblewrap and the engine by themselves, and the program apply_patch
# beside the original. Prints a table each; an argument names the only one: tools, exec-server, patches.
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
step "building the images"
need_images
node dist/test/bench/main.js "$@"
