# SPDX-License-Identifier: GPL-2.0-or-later
# This tree: nix-build contrib/packaging
{ pkgs ? import <nixpkgs> { } }:

let
  inherit (pkgs) lib stdenv;
  built = map toString [ ../../build ../../xdptop ];
in
stdenv.mkDerivation {
  pname = "xdptop";
  version = lib.head (builtins.match ".*\nRELEASE := ([^\n]+)\n.*" (builtins.readFile ../../Makefile));

  src = lib.cleanSourceWith {
    src = lib.cleanSource ../..;
    filter = path: type: !lib.elem path built;
  };

  nativeBuildInputs = [ pkgs.bpftools pkgs.pkg-config ];
  buildInputs = [
    pkgs.json_c
    pkgs.libbpf
    pkgs.libcap_ng
    pkgs.libevent
    pkgs.libmnl
    pkgs.ncurses
    pkgs.zstd
    # Requires.private of libbpf
    pkgs.elfutils
    pkgs.zlib
  ];

  # For the BPF programs. It is given by its path, because as an input its hook would make it CC. The
  # wrapper's hardening flags do not work with -target bpf.
  CLANG = "env NIX_HARDENING_ENABLE= ${pkgs.buildPackages.clang}/bin/clang";

  makeFlags = [
    "PREFIX=${placeholder "out"}"
    "V=1"
  ];
  enableParallelBuilding = true;

  doCheck = true;
  checkPhase = ''
    ./xdptop -r tests/fixtures/demo.jsonl -o csv >/dev/null
  '';

  meta = {
    description = "top for XDP: who redirects, who drops, why, and on which CPU";
    homepage = "https://xdptop.example";
    license = [ lib.licenses.gpl2Plus lib.licenses.gpl2Only ];
    mainProgram = "xdptop";
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
}
