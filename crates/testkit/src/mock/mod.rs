//! [`Mock`]: a model server on the loopback interface that real agent clients talk to in tests. It speaks Anthropic
//! Messages, OpenAI Responses and OpenAI chat completions; there is no model behind it, only [`Plans`].
//!
//! It keeps no state of a conversation: the plan is named by the last `[[plan:NAME]]` that a user said, the step is how
//! many results of tools follow it. So a retry, a resumed, forked or rewound conversation needs nothing to be reset, a
//! subagent is driven by the plan its prompt names, and what was asked shows exactly which history the client sent.

mod anthropic;
mod chat;
mod dialect;
mod history;
mod http;
mod plan;
mod responses;
mod server;

pub use history::{Line, Request, Role};
pub use plan::{Act, Plans, Step, background, edit, fail, many, patch, read, say, shell, subagent, write};
pub use server::Mock;
