# `nix run github:ox-agent/ox`: Ox built from these sources. The tests of the workspace run in CI and not here.
{
  description = "Ox, a coding agent for the terminal";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
      workspace = (nixpkgs.lib.importTOML ./Cargo.toml).workspace.package;
    in
    {
      packages = forEach (pkgs: rec {
        default = ox;
        ox = pkgs.rustPlatform.buildRustPackage {
          pname = "ox-agent";
          inherit (workspace) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [ "--package=ox" ];
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            installShellCompletion --cmd ox \
              --bash <($out/bin/ox completions bash) \
              --fish <($out/bin/ox completions fish) \
              --zsh <($out/bin/ox completions zsh)
          '';
          meta = {
            description = "Coding agent for the terminal";
            homepage = workspace.repository;
            license = with nixpkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "ox";
          };
        };
      });
    };
}
