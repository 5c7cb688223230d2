#!/bin/bash
source ./lib/common.sh
. "$(dirname "$0")/util.sh"
LIMIT=10
readonly NAME="x"
# Adds.
add() {
  local x=$1
  helper "$x" | grep foo
  echo "$(total)"
}
function build { add 1; }
if [ -n "$LIMIT" ]; then build; fi
