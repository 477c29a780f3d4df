#!/bin/sh
# Make a virtual environment with the first Python from 3.11 on that can: make_venv.sh FOLDER
set -eu
folder=$1

can() {
    # A name on the path is not enough: version managers leave names there that do not run.
    "$1" -c "$2" >/dev/null 2>&1
}

found=
for python in ${PYTHON:-python3.11 python3.12 python3.13 python3 python}; do
    can "$python" 'import sys; sys.exit(sys.version_info < (3, 11))' || continue
    found=$python
    # Debian splits this module off: without it a virtual environment has no pip.
    if can "$python" 'import ensurepip, venv'; then
        exec "$python" -m venv --clear "$folder"
    fi
done

if [ -n "$found" ]; then
    echo "$found lacks the venv module: install it (Debian, Ubuntu: apt install python3-venv)." >&2
else
    echo "Python 3.11 or newer is needed: install it, or name it with make PYTHON=/path/to/python." >&2
fi
exit 1
