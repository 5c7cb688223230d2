# Installs Ox for this user on Windows: downloads the archive, compares its SHA-256 with the published list, and copies the program.
# It asks for no administrator's rights, and it changes neither the registry nor PATH.
#
#   OX_PREFIX    where to install; %LOCALAPPDATA%\Programs\ox by default
#   OX_VERSION   which version, for example 0.1.0; the newest by default
#   OX_BASE_URL  where the archives and SHA256SUMS are instead
#   OX_FORCE     1 replaces a file ox.exe that this script has not installed
$ErrorActionPreference = 'Stop'
# The progress bar makes downloads slow in Windows PowerShell.
$ProgressPreference = 'SilentlyContinue'

function Install-Ox {
    # An x86-64 program runs on ARM as well there.
    $target = 'x86_64-pc-windows-msvc'
    $prefix = if ($env:OX_PREFIX) { $env:OX_PREFIX } else { Join-Path $env:LOCALAPPDATA 'Programs\ox' }
    $release = if ($env:OX_VERSION) { "download/v$($env:OX_VERSION.TrimStart('v'))" } else { 'latest/download' }
    $base = if ($env:OX_BASE_URL) { $env:OX_BASE_URL } else { "https://github.com/ox-agent/ox/releases/$release" }
    $archive = "ox-$target.tar.gz"
    $program = Join-Path $prefix 'bin\ox.exe'
    $by = Join-Path $prefix 'share\ox\installed-by'

    $isOurs = (Test-Path $by) -and ((Get-Content $by -TotalCount 1) -eq 'install.ps1')
    if ((Test-Path $program) -and -not $isOurs -and $env:OX_FORCE -ne '1') {
        throw "$program is there already, and this script did not install it. Remove it, choose another folder with OX_PREFIX, or replace it with OX_FORCE=1."
    }

    $folder = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
    New-Item -ItemType Directory $folder | Out-Null
    try {
        Write-Host "ox: Downloading $archive from $base"
        $sums = Join-Path $folder 'SHA256SUMS'
        $file = Join-Path $folder $archive
        Invoke-WebRequest -UseBasicParsing "$base/SHA256SUMS" -OutFile $sums
        $pattern = "^([0-9a-f]{64})  $([regex]::Escape($archive))$"
        $line = Select-String -Path $sums -Pattern $pattern | Select-Object -First 1
        if (-not $line) { throw "The list of checksums has no ${archive}: this release has no build for Windows. Use WSL." }
        $wanted = $line.Matches[0].Groups[1].Value
        Invoke-WebRequest -UseBasicParsing "$base/$archive" -OutFile $file
        $found = (Get-FileHash -Algorithm SHA256 $file).Hash.ToLowerInvariant()
        if ($found -ne $wanted) {
            throw "The checksum of $archive is wrong, and nothing was installed. Expected $wanted, found $found."
        }
        Write-Host "ox: Its SHA-256 is as published: $wanted"

        & (Join-Path $env:SystemRoot 'System32\tar.exe') -xzf $file -C $folder
        if ($LASTEXITCODE -ne 0) { throw "$archive could not be unpacked, and nothing was installed." }
        New-Item -ItemType Directory -Force (Join-Path $prefix 'bin'), (Join-Path $prefix 'share\ox') | Out-Null
        Copy-Item -Force (Join-Path $folder "ox-$target\bin\ox.exe") $program
        Set-Content -Encoding ascii $by 'install.ps1'
        Write-Host "ox: Installed $program. Add $(Join-Path $prefix 'bin') to your PATH, or try it now: $program demo"
    } finally {
        Remove-Item -Recurse -Force $folder
    }
}

# In the last line: a script that arrives cut off does nothing.
Install-Ox
