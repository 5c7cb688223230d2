//! Whose API is spoken, and why a container cannot be had.

use std::path::PathBuf;

/// Whose API is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Daemon {
    /// Docker.
    Docker,
    /// Podman.
    Podman,
}

/// Why a container cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ContainerError {
    /// No daemon has a socket in any of the usual places.
    #[error("no {0} daemon was found; start it, or say where its socket is in {1}", daemon.name(), daemon.variable())]
    Nowhere {
        /// Which was looked for.
        daemon: Daemon,
    },
    /// The address in the environment is none that can be used.
    #[error("`{0}` in the environment is `{value}`; only `unix:///path` can be used", daemon.variable())]
    Address {
        /// Which was looked for.
        daemon: Daemon,
        /// The address.
        value: String,
    },
    /// Nobody listens on the socket.
    #[error("nobody listens on `{}`; start the daemon (`systemctl start docker`, `podman system service`)", socket.display())]
    Absent {
        /// The socket.
        socket: PathBuf,
    },
    /// This user may not speak to the daemon.
    #[error("this user may not use `{}`; a member of its group may, or a daemon of the user's own", socket.display())]
    Forbidden {
        /// The socket.
        socket: PathBuf,
    },
    /// The daemon does not answer as one.
    #[error("the daemon at `{}` does not answer: {reason}", socket.display())]
    Silent {
        /// The socket.
        socket: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// The daemon said no.
    #[error("the container daemon refused ({status}): {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The daemon's words.
        message: String,
    },
    /// No image is configured.
    #[error("no image is set for containers; name one that holds the project's tools in `sandbox.image`")]
    NoImage,
    /// The image is not on this machine. It is never fetched by itself.
    #[error("the image `{image}` is not on this machine; get it with `{0} pull {image}`", daemon.name())]
    Image {
        /// Which daemon does not have it.
        daemon: Daemon,
        /// The image.
        image: String,
    },
    /// A path cannot be given to a container.
    #[error("`{}` cannot be given to a container: {reason}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// What a container needs beside it could not be written.
    #[error("a container's own folder could not be made: {0}")]
    SupportFolder(String),
    /// Lists of hosts need a proxy that a container cannot reach.
    #[error("a container has no network or all of it; lists of hosts need the Linux backend")]
    Hosts,
}

impl Daemon {
    pub(super) fn name(self) -> &'static str {
        match self {
            Daemon::Docker => "docker",
            Daemon::Podman => "podman",
        }
    }

    pub(super) fn variable(self) -> &'static str {
        match self {
            Daemon::Docker => "DOCKER_HOST",
            Daemon::Podman => "CONTAINER_HOST",
        }
    }

    /// Where its socket may be, the user's own first.
    pub(super) fn places(self) -> Vec<PathBuf> {
        let own = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
        let own = own.unwrap_or_else(|| PathBuf::from(format!("/run/user/{}", rustix::process::geteuid().as_raw())));
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        match self {
            Daemon::Docker => {
                vec![own.join("docker.sock"), home.join(".docker/run/docker.sock"), "/var/run/docker.sock".into()]
            }
            Daemon::Podman => vec![own.join("podman/podman.sock"), "/run/podman/podman.sock".into()],
        }
    }
}

impl ContainerError {
    /// Whether the image lacks the program: runtimes say so in words alone.
    pub(super) fn is_about_program(&self) -> bool {
        let ContainerError::Refused { message, .. } = self else { return false };
        message.contains("exec: ") && ["no such file or directory", "not found"].iter().any(|it| message.contains(it))
    }

    /// A container that cannot be made for want of its image, said so.
    pub(super) fn about_image(self, daemon: Daemon, image: &str) -> ContainerError {
        match self {
            ContainerError::Refused { status: 404, .. } => ContainerError::Image { daemon, image: image.to_owned() },
            other => other,
        }
    }
}
