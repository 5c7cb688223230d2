//! What every queue promises, whatever it is built on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::Duration;

use ox_protocol::{ConversationId, Event, Seq};
use ox_store::{
    Claim, Kept, NewTask, Outcome, Owner, POISONED, ProjectLimits, StoreError, Submitted, TaskId, TaskState,
};

use crate::common::{first, frame};
use crate::{Engine, Opened};

/// Longer than any of these tests takes.
const LONG: Duration = Duration::from_secs(600);
/// A lease that has ended as soon as the clock has moved.
const NONE: Duration = Duration::ZERO;

pub fn contract(open: &dyn Fn() -> Opened) {
    of_sixteen_claimers_each_gets_its_own_and_no_project_more_than_it_may(&open());
    the_next_task_has_the_highest_priority_of_the_least_served_project(&*open()[0]);
    a_share_is_above_zero_and_a_new_owner_ends_the_silent_task(&*open()[0]);
    a_full_queue_refuses_and_so_does_a_conversation_with_a_task(&*open()[0]);
    a_task_stays_with_who_says_in_time_that_it_has_it(&open());
    what_a_stale_owner_says_counts_for_nothing(&open());
    who_has_not_watched_for_a_lease_takes_nothing_over(&open());
    a_task_that_goes_with_every_worker_fails(&*open()[0]);
    a_task_is_cancelled_while_it_waits_while_it_runs_and_when_its_worker_is_gone(&*open()[0]);
    a_task_that_is_handed_back_goes_on_elsewhere(&*open()[0]);
    a_conversation_that_is_deleted_takes_its_task_along(&*open()[0]);
}

/// Queues a task for a new conversation.
fn submit(engine: &dyn Engine, project: &str, name: &str, priority: i32) -> Result<Submitted, StoreError> {
    let conversation = engine.create(&first(name, "/p", 1))?;
    engine.submit(&NewTask {
        conversation,
        project: project.into(),
        priority,
        delay: Duration::ZERO,
        request: format!("do {name}"),
    })
}

/// Claims until there is something: what was taken by a lease that has just ended is there as soon as the clock has moved.
fn claimed(engine: &dyn Engine, worker: &str, lease: Duration) -> Claim {
    loop {
        if let Some(claim) = engine.claim(worker, lease).unwrap() {
            return claim;
        }
    }
}

fn of_sixteen_claimers_each_gets_its_own_and_no_project_more_than_it_may(opened: &Opened) {
    const TASKS: usize = 500;
    let projects: Vec<String> = (0..5).map(|it| format!("p{it}")).collect();
    for project in &projects {
        opened[0].set_limits(project, &ProjectLimits { running: 2, ..ProjectLimits::default() }).unwrap();
    }
    for task in 0..TASKS {
        // The first project has most of them.
        let project = if task < 300 { 0 } else { task % 5 };
        submit(&*opened[task % 2], &projects[project], &format!("c{task}"), 0).unwrap();
    }
    let running: BTreeMap<String, AtomicU32> = projects.iter().map(|it| (it.clone(), AtomicU32::new(0))).collect();
    let ended = AtomicUsize::new(0);
    let work = |at: usize| -> Vec<TaskId> {
        let (engine, worker) = (&opened[at % 2], format!("w{at}"));
        let mut mine = Vec::new();
        while ended.load(Ordering::SeqCst) < TASKS {
            let Some(claim) = engine.claim(&worker, LONG).unwrap() else { continue };
            let busy = running[&claim.project].fetch_add(1, Ordering::SeqCst) + 1;
            assert!(busy <= 2, "{busy} tasks of {} ran at a time", claim.project);
            assert_eq!(claim.request, format!("do {}", claim.conversation));
            running[&claim.project].fetch_sub(1, Ordering::SeqCst);
            engine.finish(claim.id, claim.owner, &Outcome::Done).unwrap();
            ended.fetch_add(1, Ordering::SeqCst);
            mine.push(claim.id);
        }
        mine
    };
    let work = &work;
    let all: Vec<TaskId> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..16).map(|at| scope.spawn(move || work(at))).collect();
        workers.into_iter().flat_map(|it| it.join().unwrap()).collect()
    });
    assert_eq!(all.len(), TASKS);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), TASKS, "a task was claimed twice");
    assert_eq!(opened[1].claim("w", LONG), Ok(None));
}

fn the_next_task_has_the_highest_priority_of_the_least_served_project(engine: &dyn Engine) {
    for (project, name, priority) in [
        ("flood", "f1", 0),
        ("flood", "f2", 0),
        ("flood", "f3", 5),
        ("flood", "f4", 0),
        ("a", "a1", 0),
        ("a", "a2", 0),
        ("b", "b1", 0),
        ("b", "b2", -1),
        ("late", "l1", 9),
    ] {
        submit(engine, project, name, priority).unwrap();
    }
    let later = engine.create(&first("later", "/p", 1)).unwrap();
    let later =
        NewTask { conversation: later, project: "late".into(), priority: 99, delay: LONG, request: String::new() };
    engine.submit(&later).unwrap();
    let mut order = Vec::new();
    while let Some(claim) = engine.claim("w", LONG).unwrap() {
        order.push(claim.conversation.0);
        engine.finish(claim.id, claim.owner, &Outcome::Done).unwrap();
    }
    // First by priority; then the projects take turns, each with its oldest.
    assert_eq!(order, ["l1", "f3", "a1", "b1", "f1", "a2", "f2", "f4", "b2"]);
    // A project of twice the weight may have twice as many running before the other one is served.
    engine.set_limits("heavy", &ProjectLimits { weight: 2.0, ..ProjectLimits::default() }).unwrap();
    for (project, name) in
        [("heavy", "h1"), ("heavy", "h2"), ("heavy", "h3"), ("light", "i1"), ("light", "i2"), ("light", "i3")]
    {
        submit(engine, project, name, 0).unwrap();
    }
    let first_four: Vec<String> = (0..4).map(|_| claimed(engine, "w", LONG).project).collect();
    let of = |project: &str| first_four.iter().filter(|it| *it == project).count();
    assert_eq!((of("heavy"), of("light")), (2, 2), "{first_four:?}");
    assert_eq!(claimed(engine, "w", LONG).project, "heavy");
}

fn a_share_is_above_zero_and_a_new_owner_ends_the_silent_task(engine: &dyn Engine) {
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = engine.set_limits("p", &ProjectLimits { weight, ..ProjectLimits::default() });
        assert!(matches!(refused, Err(StoreError::BadWeight { .. })), "{weight}: {refused:?}");
    }
    let id = submit(engine, "p", "c", 0).unwrap().id;
    let waits = submit(engine, "p", "d", 0).unwrap().id;
    let claim = claimed(engine, "a", NONE);
    // Its lease has ended as soon as the clock has moved; until then it is taken.
    let owner = loop {
        match engine.own(&claim.conversation) {
            Ok(owner) => break owner,
            Err(StoreError::Taken { .. }) => {}
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(owner.generation, claim.owner.generation + 1);
    assert_eq!(engine.beat("a", &[(id, claim.owner)], LONG), Ok(vec![]), "another owner has the conversation");
    assert_eq!(engine.task(id).unwrap().state, TaskState::Cancelled);
    let states: Vec<_> = engine.tasks(1).unwrap().iter().map(|it| (it.id, it.state)).collect();
    assert_eq!(states, [(waits, TaskState::Queued), (id, TaskState::Cancelled)]);
    assert_eq!(engine.tasks(0).unwrap().len(), 1);
}

fn a_full_queue_refuses_and_so_does_a_conversation_with_a_task(engine: &dyn Engine) {
    engine.set_limits("p", &ProjectLimits { queued: 2, ..ProjectLimits::default() }).unwrap();
    assert_eq!(submit(engine, "p", "c1", 0).unwrap().ahead, 0);
    assert_eq!(submit(engine, "p", "c2", 0).unwrap().ahead, 1);
    assert_eq!(submit(engine, "p", "c3", 0), Err(StoreError::QueueFull { project: "p".into(), queued: 2 }));
    assert_eq!(engine.info(&ConversationId("c1".into())).unwrap().project, "p");
    assert_eq!(engine.info(&ConversationId("c3".into())).unwrap().project, "");
    // What runs waits no more.
    let claim = claimed(engine, "w", LONG);
    let again = |project: &str, id: &str| {
        let conversation = ConversationId(id.into());
        let delay = Duration::ZERO;
        engine.submit(&NewTask { conversation, project: project.into(), priority: 0, delay, request: String::new() })
    };
    assert!(again("p", "c3").is_ok());
    assert_eq!(again("q", "c1"), Err(StoreError::NotFound { id: "c1".into() }), "it is another project's");
    assert_eq!(again("q", "nobody"), Err(StoreError::NotFound { id: "nobody".into() }));
    engine.set_limits("p", &ProjectLimits::default()).unwrap();
    assert_eq!(again("p", "c1"), Err(StoreError::TaskOpen { id: claim.conversation.clone() }));
    engine.finish(claim.id, claim.owner, &Outcome::Done).unwrap();
    assert!(again("p", "c1").is_ok());
    assert_eq!(engine.task(TaskId(999)), Err(StoreError::NoTask { id: 999 }));
}

fn a_task_stays_with_who_says_in_time_that_it_has_it([one, other]: &Opened) {
    let id = submit(&**one, "p", "c", 0).unwrap().id;
    let claim = claimed(&**one, "a", LONG);
    assert_eq!((claim.id, claim.owner.generation, claim.last, claim.attempts), (id, 2, Seq(1), 0));
    assert_eq!(other.claim("b", NONE), Ok(None));
    // Nobody else goes on with the conversation meanwhile.
    assert_eq!(other.own(&claim.conversation), Err(StoreError::Taken { id: claim.conversation.clone() }));
    // A lease that has ended and that nobody has taken over is as good as new once it is renewed.
    let held = [(id, claim.owner)];
    assert_eq!(one.beat("a", &held, NONE), Ok(vec![Kept { id, cancel: false }]));
    assert_eq!(one.beat("a", &held, LONG), Ok(vec![Kept { id, cancel: false }]));
    assert_eq!(other.claim("b", NONE), Ok(None));
    assert_eq!(one.beat("b", &held, LONG), Ok(vec![]), "it is another worker's");
    // One that has ended is taken over.
    one.beat("a", &held, NONE).unwrap();
    let taken = claimed(&**other, "b", NONE);
    assert_eq!((taken.id, taken.owner.generation, taken.attempts), (id, 3, 1));
    assert_eq!(one.beat("a", &held, LONG), Ok(vec![]));
    assert_eq!(one.task(id).unwrap().worker.as_deref(), Some("b"));
}

fn what_a_stale_owner_says_counts_for_nothing([one, other]: &Opened) {
    let id = submit(&**one, "p", "c", 0).unwrap().id;
    let stale = claimed(&**one, "a", NONE);
    let conversation = stale.conversation.clone();
    one.append(&conversation, stale.owner, Seq(1), &[frame(2, 2, Event::Interrupted)]).unwrap();
    let now = claimed(&**other, "b", NONE);
    other.beat("b", &[(id, now.owner)], LONG).unwrap();
    assert_eq!(now.last, Seq(2));
    let lost = Err(StoreError::Lost { id: conversation.clone() });
    assert_eq!(one.append(&conversation, stale.owner, Seq(2), &[frame(3, 3, Event::Interrupted)]), lost);
    assert_eq!(one.finish(id, stale.owner, &Outcome::Done), lost);
    assert_eq!(one.finish(id, stale.owner, &Outcome::Failed { why: "no".into() }), lost);
    assert_eq!(one.release(id, stale.owner), lost);
    let task = one.task(id).unwrap();
    assert_eq!((task.state, task.owner, task.why), (TaskState::Running, now.owner, None));
    other.append(&conversation, now.owner, Seq(2), &[frame(3, 3, Event::Interrupted)]).unwrap();
    other.finish(id, now.owner, &Outcome::Done).unwrap();
    // An answer that was lost may be asked for again; another word than the first is none.
    assert_eq!(other.finish(id, now.owner, &Outcome::Done), Ok(()));
    assert_eq!(other.finish(id, now.owner, &Outcome::Cancelled), lost);
    assert_eq!(one.task(id).unwrap().state, TaskState::Done);
}

fn who_has_not_watched_for_a_lease_takes_nothing_over([one, other]: &Opened) {
    let short = Duration::from_millis(300);
    let id = submit(&**one, "p", "c1", 0).unwrap().id;
    claimed(&**one, "a", NONE);
    // It has fallen silent; but whether that was the worker or the database, this one cannot know yet.
    assert_eq!(other.claim("b", LONG), Ok(None));
    // What waits may be had at once.
    let waits = submit(&**one, "p", "c2", 0).unwrap().id;
    assert_eq!(claimed(&**other, "b", LONG).id, waits);
    let taken = claimed(&**other, "b", short);
    assert_eq!((taken.id, taken.attempts), (id, 1));
}

fn a_task_that_goes_with_every_worker_fails(engine: &dyn Engine) {
    let id = submit(engine, "p", "c", 0).unwrap().id;
    let mut generation = Owner::FIRST.generation;
    for attempts in 0..=3 {
        let claim = claimed(engine, "w", NONE);
        generation += 1;
        assert_eq!((claim.attempts, claim.owner), (attempts, Owner { generation }));
    }
    while engine.task(id).unwrap().state == TaskState::Running {
        assert_eq!(engine.claim("w", NONE), Ok(None));
    }
    let task = engine.task(id).unwrap();
    assert_eq!((task.state, task.why.as_deref(), task.attempts), (TaskState::Failed, Some(POISONED), 3));
    // Its last owner is none any more.
    let late = engine.append(&task.conversation, Owner { generation }, Seq(1), &[frame(2, 2, Event::Interrupted)]);
    assert_eq!(late, Err(StoreError::Lost { id: task.conversation }));
}

fn a_task_is_cancelled_while_it_waits_while_it_runs_and_when_its_worker_is_gone(engine: &dyn Engine) {
    let waits = submit(engine, "p", "c1", 0).unwrap().id;
    assert_eq!(engine.cancel(waits), Ok(TaskState::Cancelled));
    assert_eq!(engine.claim("w", LONG), Ok(None));
    let runs = submit(engine, "p", "c2", 0).unwrap().id;
    let claim = claimed(engine, "w", LONG);
    assert_eq!(engine.cancel(runs), Ok(TaskState::Running));
    assert_eq!(engine.beat("w", &[(runs, claim.owner)], LONG), Ok(vec![Kept { id: runs, cancel: true }]));
    engine.finish(runs, claim.owner, &Outcome::Cancelled).unwrap();
    assert_eq!(engine.cancel(runs), Ok(TaskState::Cancelled));
    let gone = submit(engine, "p", "c3", 0).unwrap().id;
    claimed(engine, "w", NONE);
    engine.cancel(gone).unwrap();
    while engine.task(gone).unwrap().state == TaskState::Running {
        assert_eq!(engine.claim("w", NONE), Ok(None), "nobody goes on with what was cancelled");
    }
    assert_eq!(engine.task(gone).unwrap().state, TaskState::Cancelled);
    assert_eq!(engine.cancel(TaskId(999)), Err(StoreError::NoTask { id: 999 }));
}

fn a_task_that_is_handed_back_goes_on_elsewhere(engine: &dyn Engine) {
    let id = submit(engine, "p", "c", 0).unwrap().id;
    let claim = claimed(engine, "a", LONG);
    engine.release(id, claim.owner).unwrap();
    engine.release(id, claim.owner).unwrap();
    assert_eq!(engine.task(id).unwrap().state, TaskState::Queued);
    // It was no take-over: nothing went wrong.
    let next = claimed(engine, "b", LONG);
    assert_eq!((next.id, next.attempts, next.owner.generation), (id, 0, claim.owner.generation + 1));
    assert_eq!(engine.release(id, claim.owner), Err(StoreError::Lost { id: next.conversation.clone() }));
    engine.cancel(id).unwrap();
    engine.release(id, next.owner).unwrap();
    assert_eq!(engine.task(id).unwrap().state, TaskState::Cancelled);
}

fn a_conversation_that_is_deleted_takes_its_task_along(engine: &dyn Engine) {
    let id = submit(engine, "p", "c", 0).unwrap().id;
    engine.delete(&ConversationId("c".into())).unwrap();
    assert_eq!(engine.task(id), Err(StoreError::NoTask { id: id.0 }));
    assert_eq!(engine.claim("w", LONG), Ok(None));
}
