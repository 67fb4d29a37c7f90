# SPDX-License-Identifier: MIT OR Apache-2.0

import os

from spack.package import *


class OraOpenmp(Package):
    """OpenMP tool interfaces (Sun Collector API, OMPT) for every OpenMP runtime, and commands that profile OpenMP
    programs."""

    # A release adds its sources: url = ".../ora-0.1.0.tar.gz", and the checksum of it in SHA256SUMS.
    version("0.1.0")

    license("MIT OR Apache-2.0")

    depends_on("c", type="build")
    depends_on("rust@1.88:", type="build")
    depends_on("pkgconfig", type="test")

    requires("platform=linux", msg="ora runs on Linux")
    requires("target=x86_64:", "target=aarch64:", policy="one_of", msg="ora runs on x86-64 and aarch64")

    def install(self, spec, prefix):
        cargo = which("cargo", required=True)
        cargo("xtask", "install", "--prefix", prefix)
        # Spack's own list of files replaces it.
        for name in ("manifest", "uninstall.sh"):
            os.remove(join_path(prefix.share, "ora", name))

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(prefix.bin.ora)("--version")
