"""Writes a wheel that carries the program `ox` as a script, and nothing to import; the standard library is enough.

Usage: wheel.py OUT.whl EPOCH LEVEL < {"name", "version", "tag", "metadata", "files": {path in the wheel: file on disk}}
Same input, same bytes. It never reads anything that is not listed.
"""

import base64
import hashlib
import json
import sys
import time
import zipfile


def main() -> None:
    out, epoch, level = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    wheel = json.load(sys.stdin)
    base = f"{wheel['name']}-{wheel['version']}"
    # A zip cannot tell a time before 1980.
    at = max(time.gmtime(epoch)[:6], (1980, 1, 1, 0, 0, 0))
    generated = {
        f"{base}.dist-info/METADATA": wheel["metadata"],
        f"{base}.dist-info/WHEEL": f"Wheel-Version: 1.0\nGenerator: cargo xtask dist\n"
        f"Root-Is-Purelib: false\nTag: {wheel['tag']}\n",
    }
    record = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as file:

        def add(path: str, data: bytes) -> None:
            info = zipfile.ZipInfo(path, at)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            file.writestr(info, data)

        def add_recorded(path: str, data: bytes) -> None:
            add(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")

        for path, source in sorted(wheel["files"].items()):
            with open(source, "rb") as opened:
                add_recorded(f"{base}.{path}", opened.read())
        for path, text in generated.items():
            add_recorded(path, text.encode())
        own = f"{base}.dist-info/RECORD"
        add(own, "".join(f"{line}\n" for line in [*record, f"{own},,"]).encode())


main()
