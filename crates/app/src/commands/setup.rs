//! `setup AGENT`: shows what would change in an agent's settings, asks, does it, and tries the hook out.

use agents::setup::{SetupPlan, SetupRequest, SetupScope, perform};
use agents::{AGENTS, setup_of};

use super::{Context, Exit, Failure};
use crate::arguments::SetupArguments;
use crate::{explain, wire};

pub(crate) fn run(context: &Context<'_>, arguments: &SetupArguments) -> Result<Exit, Failure> {
    let Some(agent) = &arguments.agent else { return Ok(list(context, arguments)) };
    let setup = setup_of(agent).ok_or_else(|| {
        Failure::new(Exit::Usage, format!("Unknown agent: `{agent}`; there are {}", AGENTS.join(", ")))
    })?;
    let request = request(context, arguments)?;
    let plan = if arguments.remove { setup.remove(&request) } else { setup.install(&request) }?;
    let mut outcome = Outcome { agent, plan: &plan, state: State::of(&plan), proof: None };
    if outcome.state == State::Planned && !arguments.dry_run {
        if !agreed(context, &outcome) {
            return Ok(Exit::Refused);
        }
        perform(&plan, &request.home)?;
        outcome.state = State::Done;
    }
    if !arguments.remove && !arguments.dry_run {
        outcome.proof = Some(prove(context, &request, agent));
    }
    tell(context, &outcome);
    Ok(if matches!(outcome.proof, Some(Err(_))) { Exit::Failed } else { Exit::Done })
}

/// What a setup came to.
pub(crate) struct Outcome<'a> {
    pub(crate) agent: &'a str,
    pub(crate) plan: &'a SetupPlan,
    pub(crate) state: State,
    /// Whether the hook did its work in a trial; none if it was not tried.
    pub(crate) proof: Option<Result<(), String>>,
}

/// How far it got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// There was nothing to change.
    Unchanged,
    /// It would change, and was only shown.
    Planned,
    /// It was changed.
    Done,
}

impl State {
    fn of(plan: &SetupPlan) -> Self {
        if plan.files.is_empty() && plan.commands.is_empty() { State::Unchanged } else { State::Planned }
    }

    /// The stable code, as printed in JSON.
    pub(crate) fn code(self) -> &'static str {
        match self {
            State::Unchanged => "nothing",
            State::Planned => "planned",
            State::Done => "done",
        }
    }
}

fn request(context: &Context<'_>, arguments: &SetupArguments) -> Result<SetupRequest, Failure> {
    let environment = &context.environment;
    let program = environment
        .helper_program
        .clone()
        .ok_or_else(|| Failure::new(Exit::Failed, "It is not known where this program lies; nothing was changed"))?;
    let scope = if arguments.project { SetupScope::Project(context.folder()) } else { SetupScope::User };
    let own_folder = environment.state_folder.join("agents");
    Ok(SetupRequest { scope, program, own_folder, home: environment.agent_home.clone() })
}

fn agreed(context: &Context<'_>, outcome: &Outcome<'_>) -> bool {
    if context.global.yes {
        return true;
    }
    tell(context, outcome);
    if !context.terminal.can_ask() {
        context.terminal.say("Nothing was changed: confirm with `--yes`");
        return false;
    }
    let agreed = context.terminal.ask("Do this?");
    if !agreed {
        context.terminal.say("Nothing was changed");
    }
    agreed
}

fn prove(context: &Context<'_>, request: &SetupRequest, agent: &str) -> Result<(), String> {
    takeback::try_hook(&context.environment, &context.folder(), &request.program, agent)
        .map_err(|error| explain::chain(&error))
}

fn tell(context: &Context<'_>, outcome: &Outcome<'_>) {
    if context.terminal.is_json() {
        context.terminal.print(&wire::setup(outcome));
    } else {
        explain::setup(context.terminal, outcome);
    }
}

/// How takeback is plugged into an agent.
pub(crate) struct Plugged {
    pub(crate) agent: &'static str,
    /// Whether it is set up, for the user or for this project; or why that is not known.
    pub(crate) is_set_up: Result<bool, String>,
    /// Whether the agent's hook does its work; none if it was not tried.
    pub(crate) proof: Option<Result<(), String>>,
}

/// Every agent there is, with its hook tried out where takeback is plugged in.
pub(crate) fn examine(context: &Context<'_>) -> Vec<Plugged> {
    AGENTS.iter().map(|agent| examine_one(context, agent)).collect()
}

fn examine_one(context: &Context<'_>, agent: &'static str) -> Plugged {
    let arguments =
        |project: bool| SetupArguments { agent: None, user: !project, project, dry_run: true, remove: false };
    let states = [false, true].map(|project| state_of(context, &arguments(project), agent));
    let is_set_up = match states {
        [Ok(State::Unchanged), _] | [_, Ok(State::Unchanged)] => Ok(true),
        [Err(message), _] => Err(message),
        _ => Ok(false),
    };
    let request = request(context, &arguments(false));
    let proof = request.ok().filter(|_| is_set_up == Ok(true)).map(|request| prove(context, &request, agent));
    Plugged { agent, is_set_up, proof }
}

/// Which agents there are, and whether takeback is plugged into each.
fn list(context: &Context<'_>, arguments: &SetupArguments) -> Exit {
    let states: Vec<(&str, Result<State, String>)> =
        AGENTS.iter().map(|agent| (*agent, state_of(context, arguments, agent))).collect();
    if context.terminal.is_json() {
        context.terminal.print(&wire::setups(&states));
    } else {
        explain::setups(context.terminal, &states);
    }
    Exit::Done
}

fn state_of(context: &Context<'_>, arguments: &SetupArguments, agent: &str) -> Result<State, String> {
    let request = request(context, arguments).map_err(|failure| failure.message)?;
    let setup = setup_of(agent).ok_or_else(|| format!("Unknown agent: `{agent}`"))?;
    setup.install(&request).map(|plan| State::of(&plan)).map_err(|error| error.to_string())
}
