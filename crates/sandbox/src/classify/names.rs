//! Which names of variables mean what: secrets, traps that make other programs run code, and plain ones.

/// Variables that programs look at only to decide how to print, what language to speak or how much to log.
const HARMLESS: &str = "LANG LANGUAGE TZ TERM COLUMNS LINES COLORTERM NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE CI DEBUG VERBOSE \
    RUST_BACKTRACE RUST_LOG RUST_MIN_STACK CARGO_TERM_COLOR CARGO_TERM_PROGRESS_WHEN CARGO_INCREMENTAL CARGO_NET_OFFLINE \
    CARGO_BUILD_JOBS PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONIOENCODING PYTHONUTF8 NODE_ENV \
    NODE_NO_WARNINGS npm_config_loglevel GOMAXPROCS GOGC CGO_ENABLED GOOS GOARCH GO111MODULE RAILS_ENV \
    RACK_ENV APP_ENV FLASK_DEBUG MALLOC_ARENA_MAX OMP_NUM_THREADS QT_QPA_PLATFORM \
    GTEST_COLOR GTEST_FILTER INSTA_UPDATE INSTA_FORCE_PASS UPDATE_EXPECT PROPTEST_CASES TESTS JEST_WORKERS \
    GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS SOURCE_DATE_EPOCH HISTSIZE TIMEFORMAT POSIXLY_CORRECT BLOCKSIZE LS_COLORS GREP_COLORS GREP_COLOR";

/// Variables whose values are no secret and that a line may print.
const PUBLIC: &str = "HOME PWD OLDPWD PATH USER LOGNAME SHELL LANG LANGUAGE TERM TMPDIR TZ UID EUID PPID RANDOM SECONDS LINENO \
    HOSTNAME HOSTTYPE OSTYPE MACHTYPE BASH BASH_VERSION BASHPID SHLVL COLUMNS LINES EDITOR VISUAL PAGER VIRTUAL_ENV \
    CONDA_PREFIX CARGO_HOME RUSTUP_HOME GOPATH GOROOT JAVA_HOME NODE_ENV CI NVM_DIR PIPESTATUS FUNCNAME REPLY OPTIND \
    OPTARG EPOCHSECONDS EPOCHREALTIME IFS DISPLAY XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME";

/// Variables that make a shell, a loader or a well-known program run or load something else, or look elsewhere.
const TRAPS: &str = "PATH IFS ENV HOME SHELL CDPATH FPATH PS0 PS1 PS2 PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS GLOBIGNORE EXECIGNORE \
    PAGER MANPAGER MANPATH MANOPT MANROFFOPT LESS LESSOPEN LESSCLOSE LESSEDIT LESSKEY LESSKEYIN LESSKEY_CONTENT MORE BAT_PAGER \
    EDITOR VISUAL FCEDIT SUDO_EDITOR SUDO_ASKPASS SSH_ASKPASS BROWSER OPENER TERMINFO TERMCAP HOSTALIASES HISTFILE INPUTRC \
    MAKEFLAGS MFLAGS GNUMAKEFLAGS MAKEFILES MAKELEVEL CC CXX LD AR AS CPP CFLAGS CXXFLAGS LDFLAGS CPPFLAGS RUSTC RUSTDOC \
    RUSTFLAGS RUSTDOCFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER TAPE TAR_OPTIONS RSH RSYNC_RSH RSYNC_PROXY CVS_RSH \
    GZIP BZIP BZIP2 XZ_OPT XZ_DEFAULTS ZSTD_CLEVEL UNZIP UNZIPOPT ZIPOPT ZIPINFO GREP_OPTIONS \
    ANSIBLE_CONFIG KUBECONFIG DOCKER_HOST DOCKER_CONFIG AWS_CONFIG_FILE TMPDIR TMP TEMP LOCPATH NLSPATH GCONV_PATH RESOLV_HOST_CONF \
    RES_OPTIONS GETCONF_DIR MALLOC_TRACE CLASSPATH http_proxy https_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY \
    RIPGREP_CONFIG_PATH FZF_DEFAULT_COMMAND FZF_DEFAULT_OPTS FD_CONFIG ACKRC ACK_PAGER AWKPATH AWKLIBPATH M4PATH GDBHISTFILE \
    _JAVA_OPTIONS MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS SBT_OPTS JVM_OPTS ERL_FLAGS ERL_AFLAGS ELIXIR_ERL_OPTIONS DOTNET_STARTUP_HOOKS \
    PSModulePath BASH_ENV BASH_LOADABLES_PATH COMPILER_PATH LIBRARY_PATH SYSTEMD_PAGER SYSTEMD_EDITOR DEBUGINFOD_URLS \
    PGSERVICEFILE PGPASSFILE PSQLRC PSQL_PAGER PSQL_EDITOR MYSQL_HOME ORACLE_HOME TEXINPUTS VIMINIT GVIMINIT EXINIT VIM MYVIMRC";

/// Beginnings of such names.
const TRAP_BEGINNINGS: &str = "LD_ DYLD_ GIT_ BASH_ PYTHON PERL RUBY NODE_ NPM_ npm_ YARN_ PIP_ UV_ GO CARGO_ \
    RUSTUP_ JAVA_ JDK_ LUA PHP GEM_ BUNDLE_ DENO_ BUN_ SSH_ GLIBC_ XDG_ SUDO_ TERM_PROGRAM SSL_ OPENSSL_ CURL_ WGET \
    LESS MAN CMAKE_ DOTNET_ R_ JULIA_ OX_ COMPOSER_ ZDOTDIR DOCKER_ KUBE GNUPG AWS_ GCC_ SDKMAN VIM NVIM EMACS";

/// Endings of such names.
const TRAP_ENDINGS: &[&str] =
    &["_PAGER", "_EDITOR", "_COMMAND", "_PROXY", "_proxy", "_WRAPPER", "_RUNNER", "_LINKER", "_PRELOAD", "_OPTIONS"];

/// Names of secrets that [`crate::is_secret_name`] does not tell by their parts.
const SECRETS: &[&str] =
    &["_AUTH", "AUTH_", "DATABASE_URL", "DSN", "CONNECTION_STRING", "COOKIE", "SESSION", "_KEY", "_PASS", "PGPASS"];

/// True when programs write a file that the variable's value names.
pub(super) fn names_output(name: &str) -> bool {
    name.starts_with("GIT_TRACE") || matches!(name, "HISTFILE" | "MALLOC_TRACE" | "BASH_XTRACEFD")
}

fn listed(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|it| it == name)
}

/// True when setting the variable for a command can only change how it prints.
pub(super) fn is_harmless(name: &str) -> bool {
    listed(HARMLESS, name) || name.starts_with("LC_")
}

/// True when setting the variable makes other programs do something else than their arguments say.
pub(super) fn is_trap(name: &str) -> bool {
    if is_harmless(name) {
        return false;
    }
    listed(TRAPS, name)
        || TRAP_BEGINNINGS.split_ascii_whitespace().any(|it| name.starts_with(it))
        || TRAP_ENDINGS.iter().any(|it| name.ends_with(it))
}

/// True when the value of the variable may be shown to anybody.
pub(super) fn is_public_variable(name: &str) -> bool {
    let special = name.len() == 1 && name.chars().all(|c| c.is_ascii_digit() || "?#$!-@*_".contains(c));
    special || name.is_empty() || listed(PUBLIC, name) || name.starts_with("LC_")
}

/// True when the variable presumably holds a secret though its name has none of the usual parts.
pub(super) fn is_secret_variable(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    SECRETS.iter().any(|it| name.contains(it))
}
