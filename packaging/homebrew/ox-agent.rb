# The Homebrew formula; `cargo xtask dist` fills in the version and the checksums. It belongs into a tap: the name `ox` is another
# program's in Homebrew's own collection.
class OxAgent < Formula
  desc "Coding agent for the terminal"
  homepage "https://github.com/ox-agent/ox"
  version "{{version}}"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/ox-agent/ox/releases/download/v{{version}}/ox-aarch64-apple-darwin.tar.gz"
      sha256 "{{sha256 aarch64-apple-darwin}}"
    end
    on_intel do
      url "https://github.com/ox-agent/ox/releases/download/v{{version}}/ox-x86_64-apple-darwin.tar.gz"
      sha256 "{{sha256 x86_64-apple-darwin}}"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/ox-agent/ox/releases/download/v{{version}}/ox-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "{{sha256 aarch64-unknown-linux-gnu}}"
    end
    on_intel do
      url "https://github.com/ox-agent/ox/releases/download/v{{version}}/ox-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "{{sha256 x86_64-unknown-linux-gnu}}"
    end
  end

  conflicts_with "ox", because: "both install an `ox` binary"

  def install
    bin.install "bin/ox"
    share.install Dir["share/*"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/ox --version")
  end
end
