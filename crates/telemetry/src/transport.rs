//! HTTP for the exporters: they run on threads of their own, without a runtime.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;

/// How long a collector may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends what the exporters have.
#[derive(Clone, Debug)]
pub(crate) struct Transport {
    client: reqwest::Client,
    runtime: Handle,
    /// Why the last request failed; nothing after one that did not.
    failure: Arc<Mutex<Option<String>>>,
}

impl Transport {
    pub fn new(endpoint: &str, runtime: Handle) -> Result<Transport, String> {
        let builder = reqwest::Client::builder().timeout(PATIENCE).redirect(reqwest::redirect::Policy::none());
        let builder = ox_model::with_roots(builder, endpoint.starts_with("https:"))?;
        let client = builder.build().map_err(|error| error.to_string())?;
        Ok(Transport { client, runtime, failure: Arc::default() })
    }

    /// Why the last request failed, where it did.
    pub fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn sent(client: reqwest::Client, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let response = client.execute(request.try_into()?).await?;
        let status = response.status();
        let body = response.bytes().await?;
        if !status.is_success() {
            let said = String::from_utf8_lossy(&body[..body.len().min(200)]).trim().to_owned();
            return Err(format!("{status} {said}").into());
        }
        let mut answer = Response::new(body);
        *answer.status_mut() = status;
        Ok(answer)
    }
}

impl HttpClient for Transport {
    fn send_bytes<'t, 'a>(
        &'t self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'a>>
    where
        't: 'a,
        Self: 'a,
    {
        let sending = self.runtime.spawn(Transport::sent(self.client.clone(), request));
        Box::pin(async move {
            let answer = sending.await.unwrap_or_else(|error| Err(error.into()));
            let chain = |error: &HttpError| {
                let causes = std::iter::successors(Some(&**error as &dyn std::error::Error), |it| it.source());
                causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
            };
            *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = answer.as_ref().err().map(chain);
            answer
        })
    }
}
