#!/bin/sh
# Shows Outwork at work on this machine. Needs Linux, Node and npm; leaves nothing running.
set -eu
cd "$(dirname "$0")/.."
. deploy/prepare.sh

need_linux_and_node
need_dependencies
forget_authorities
need_programs bwrap setsid
need_build
exec node dist/src/quickstart/main.js
