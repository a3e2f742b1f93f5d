# SPDX-License-Identifier: GPL-2.0-or-later
# What contrib/packaging/default.nix takes of nixpkgs, as names.
let
  lib = {
    inherit (builtins) elem head;
    cleanSource = path: path;
    cleanSourceWith = { src, filter }: src;
    licenses = { gpl2Plus = "GPL-2.0-or-later"; gpl2Only = "GPL-2.0-only"; };
  };
  named = names: builtins.listToAttrs (map (name: { inherit name; value = name; }) names);
in
named [
  "bpftools" "elfutils" "json_c" "libbpf" "libcap_ng" "libevent" "libmnl"
  "ncurses" "pkg-config" "zlib" "zstd"
] // {
  inherit lib;
  stdenv.mkDerivation = attributes: removeAttrs attributes [ "src" ];
  buildPackages.clang = "clang";
}
