//! The API within a process, for programs that hold Ox in themselves: the same routes and answers, without a socket.

use std::path::Path;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderValue, Request, Response, header};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use ox_app::ProjectOptions;
use ox_app::conversations::session::flush_telemetry;
use ox_protocol::Problem;

use crate::listen;
use crate::shared::Shared;

/// The API of this process. Dropping it does not end turns that run; [`Embedded::close`] does.
pub struct Embedded {
    service: TowerToHyperService<axum::Router>,
    shared: Arc<Shared>,
    bearer: HeaderValue,
    /// Notices conversations that other processes begin and end.
    _watcher: Option<notify::RecommendedWatcher>,
}

/// The only name that it answers to.
const HOST: &str = "localhost";

impl Embedded {
    /// Opens the store and the project around `folder`, as all projects are opened here. It may block.
    pub fn open(folder: &Path, options: &ProjectOptions) -> Result<Embedded, Problem> {
        let (shared, token) = listen::open(folder, options, "http", vec![HOST.to_owned()])?;
        let unusable = |error| Problem::new("server.failed").with("why", error);
        let bearer = HeaderValue::from_str(&format!("Bearer {token}")).map_err(unusable)?;
        let service = TowerToHyperService::new(listen::service(&shared));
        Ok(Embedded { service, bearer, _watcher: listen::watch_sockets(&shared), shared })
    }

    /// Answers a request. Its `Host` and `Authorization` are set here.
    pub async fn ask(&self, mut request: Request<Body>) -> Response<Body> {
        request.headers_mut().insert(header::HOST, HeaderValue::from_static(HOST));
        request.headers_mut().insert(header::AUTHORIZATION, self.bearer.clone());
        match self.service.call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }

    /// Interrupts what runs, keeps its state, and waits for that; a collector is sent what is left.
    pub async fn close(&self) {
        self.shared.conversations.close_all().await;
        // A panic in it has nothing to do with what was closed.
        drop(tokio::task::spawn_blocking(flush_telemetry).await);
    }
}
