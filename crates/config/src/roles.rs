//! Which model does which part of the work, and opening it.
//!
//! What the user names counts first, then what the preset means at the main model's provider, then the main model itself.
//! A role never makes a task fail: the callers go on with the main model where another one cannot be opened.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ox_model::{Model, Piece, Reply, Request, presets};
use ox_protocol::{BoxFuture, Failure, ModelFacts, Preset, Problem, RolesLayer};

use crate::settings::Settings;

/// Opens a model by its name, `provider/model`.
pub type OpenModel = Arc<dyn Fn(&str) -> Result<Arc<dyn Model>, Problem> + Send + Sync>;

/// The same opener, which opens each model once: what it learnt of its endpoint, and its connection, last as long as the session.
pub fn once(open: OpenModel) -> OpenModel {
    let opened: Mutex<BTreeMap<String, Arc<dyn Model>>> = Mutex::default();
    Arc::new(move |name| {
        let lock = || opened.lock().expect("invariant: no holder of this lock panics");
        if let Some(model) = lock().get(name) {
            return Ok(model.clone());
        }
        let model = open(name)?;
        lock().insert(name.to_string(), model.clone());
        Ok(model)
    })
}

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Everything that no other role does.
    Main,
    /// Plans; always with temperature 0.
    Planner,
    /// Sums up what leaves the window.
    Summary,
    /// Says what a prompt asks for; always with temperature 0.
    Router,
    /// Diagnoses a failed attempt before the next one.
    Repair,
    /// What sub-agents do whose kind names no model.
    Agent,
    /// Reviews a change before its turn is done.
    Review,
    /// Turns text into vectors; not a model that is asked, see [`Roles::name`].
    Embedding,
    /// Makes pictures; not a model that is asked, see [`Roles::name`].
    Image,
}

/// All roles, with the key that names the model of each.
pub const ROLES: &[(Role, &str)] = &[
    (Role::Main, "model"),
    (Role::Planner, "roles.planner"),
    (Role::Summary, "roles.summary"),
    (Role::Router, "roles.router"),
    (Role::Repair, "roles.repair"),
    (Role::Agent, "roles.agent"),
    (Role::Review, "roles.review"),
    (Role::Embedding, "roles.embedding"),
    (Role::Image, "roles.image"),
];

/// The models of a session by what they do.
#[derive(Clone)]
pub struct Roles {
    named: RolesLayer,
    preset: Option<Preset>,
    main: Arc<dyn Model>,
    open: OpenModel,
}

impl Roles {
    /// The roles as they are configured. `main` is the model of everything else, `open` opens another.
    pub fn new(settings: &Settings, main: Arc<dyn Model>, open: OpenModel) -> Roles {
        Roles { named: settings.roles.clone(), preset: settings.preset, main, open }
    }

    /// The name of a role's model, `provider/model`; none where the main model does it, or where nothing does it
    /// (embeddings and pictures).
    pub fn name(&self, role: Role) -> Option<String> {
        name(&self.named, self.preset, &self.main.facts().name, role)
    }

    /// The model of a role; the main one where it has none of its own. Problems: those of opening a model, and
    /// `roles.not_asked` for the two roles whose models are not asked.
    pub fn open(&self, role: Role) -> Result<Arc<dyn Model>, Problem> {
        if matches!(role, Role::Embedding | Role::Image) {
            return Err(Problem::new("roles.not_asked").with("key", key(role)));
        }
        let model = match self.name(role).filter(|it| *it != self.main.facts().name) {
            Some(name) => (self.open)(&name)?,
            None => self.main.clone(),
        };
        Ok(if matches!(role, Role::Planner | Role::Router) { Arc::new(Steady(model)) } else { model })
    }

    /// The model of a role, or the main one where that cannot be opened.
    pub fn open_or_main(&self, role: Role) -> Arc<dyn Model> {
        self.open(role).unwrap_or_else(|_| self.main.clone())
    }
}

/// The name of a role's model beside the main one called `main`, for `ox models` and `ox config`.
pub fn name_of(settings: &Settings, main: &str, role: Role) -> Option<String> {
    name(&settings.roles, settings.preset, main, role)
}

fn name(named: &RolesLayer, preset: Option<Preset>, main: &str, role: Role) -> Option<String> {
    let of = |layer: &RolesLayer| match role {
        Role::Main => None,
        Role::Planner => layer.planner.clone(),
        Role::Summary => layer.summary.clone(),
        Role::Router => layer.router.clone(),
        Role::Repair => layer.repair.clone(),
        Role::Agent => layer.agent.clone(),
        Role::Review => layer.review.clone(),
        Role::Embedding => layer.embedding.clone(),
        Role::Image => layer.image.clone(),
    };
    let usual = || if role == Role::Image { presets::draws(main) } else { None };
    of(named).or_else(|| of(&presets::roles(preset?, main))).or_else(usual)
}

fn key(role: Role) -> &'static str {
    ROLES.iter().find(|(it, _)| *it == role).map_or("model", |(_, key)| key)
}

/// A model that is asked with temperature 0 where the request names none: a plan is to be the same each time.
struct Steady(Arc<dyn Model>);

impl Model for Steady {
    fn facts(&self) -> &ModelFacts {
        self.0.facts()
    }

    fn ask<'a>(
        &'a self,
        request: &'a Request,
        show: &'a (dyn Fn(Piece<'_>) + Send + Sync),
    ) -> BoxFuture<'a, Result<Reply, Failure>> {
        Box::pin(async move {
            let request = Request { temperature: request.temperature.or(Some(0.0)), ..request.clone() };
            self.0.ask(&request, show).await
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A model that only has a name, and answers with the temperature it was asked with.
    struct Named(ModelFacts);

    impl Model for Named {
        fn facts(&self) -> &ModelFacts {
            &self.0
        }

        fn ask<'a>(
            &'a self,
            request: &'a Request,
            _: &'a (dyn Fn(Piece<'_>) + Send + Sync),
        ) -> BoxFuture<'a, Result<Reply, Failure>> {
            Box::pin(async move { Ok(Reply { text: format!("{:?}", request.temperature), ..Reply::default() }) })
        }
    }

    fn model(name: &str) -> Arc<dyn Model> {
        Arc::new(Named(ModelFacts { name: name.to_string(), ..ModelFacts::default() }))
    }

    fn roles(settings: &Settings, main: &str, count: &Arc<AtomicUsize>) -> Roles {
        let count = count.clone();
        let open: OpenModel = Arc::new(move |name| {
            count.fetch_add(1, Ordering::Relaxed);
            if name.starts_with("absent/") { Err(Problem::new("model.no_key")) } else { Ok(model(name)) }
        });
        Roles::new(settings, model(main), once(open))
    }

    fn names(roles: &Roles) -> Vec<String> {
        let asked = ROLES.iter().filter(|(it, _)| !matches!(it, Role::Embedding | Role::Image));
        asked.map(|(role, _)| roles.open(*role).unwrap().facts().name.clone()).collect()
    }

    #[test]
    fn a_role_that_is_not_set_is_the_main_models() {
        let count = Arc::default();
        assert_eq!(names(&roles(&Settings::default(), "openai/x", &count)), ["openai/x"; 7]);
        assert_eq!(count.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn what_is_named_goes_before_the_preset_and_is_opened_once() {
        let count = Arc::default();
        let mut settings = Settings::default();
        settings.preset = Some(Preset::Lite);
        settings.roles.summary = Some("ollama/small".to_string());
        let roles = roles(&settings, "anthropic/claude-sonnet-5-5", &count);
        let main = "anthropic/claude-sonnet-5-5";
        for _ in 0..2 {
            let small = "anthropic/claude-haiku-5-5";
            assert_eq!(names(&roles), [main, main, "ollama/small", small, main, main, main]);
        }
        assert_eq!(count.load(Ordering::Relaxed), 2);
        let other = Roles { main: model("openai/y"), ..roles };
        assert_eq!(other.name(Role::Planner).as_deref(), None);
        assert_eq!(other.open(Role::Main).unwrap().facts().name, "openai/y");
    }

    #[test]
    fn pictures_and_vectors_have_names_and_are_not_asked() {
        let roles = roles(&Settings::default(), "openai/x", &Arc::default());
        assert_eq!(
            (roles.name(Role::Image).as_deref(), roles.name(Role::Embedding)),
            (Some("openai/gpt-image-2"), None)
        );
        let code = |role| roles.open(role).err().map(|it| it.code);
        assert_eq!(
            (code(Role::Image), code(Role::Embedding)),
            (Some("roles.not_asked".into()), Some("roles.not_asked".into()))
        );
        assert!(ox_protocol::locale::Language::En.has("roles.not_asked"));
    }

    #[tokio::test]
    async fn a_planner_is_asked_with_temperature_zero_and_a_missing_one_is_the_main_model() {
        let mut settings = Settings::default();
        settings.roles.summary = Some("absent/m".to_string());
        let roles = roles(&settings, "openai/x", &Arc::default());
        let answer = async |role| roles.open_or_main(role).ask(&Request::default(), &|_| {}).await.unwrap().text;
        assert_eq!((answer(Role::Planner).await, answer(Role::Main).await), ("Some(0.0)".into(), "None".into()));
        assert_eq!(roles.open(Role::Summary).err().map(|it| it.code).as_deref(), Some("model.no_key"));
        assert_eq!(roles.open_or_main(Role::Summary).facts().name, "openai/x");
    }
}
