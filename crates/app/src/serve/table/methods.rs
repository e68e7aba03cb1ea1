//! The rows of the table.

use super::fields::{
    AFTER_TOOL, AGREEMENT, APPLY, BEFORE_TOOL, ENTRY, ONLY_SAID, PREVIEW, ROOT, SAID, SCOPE, SESSION, STANDS,
    TOOL_USED, TURN_OF_PROMPT, WAIT, needed, nullable, optional,
};
use super::{Field, Handler, Kind, Method, Notification, Others, Way};
use crate::serve::{client, events, order, reading, sessions, talk, versions, watch};

/// Answered in its turn; unknown parameters are refused.
const fn asks(
    name: &'static str,
    summary: &'static str,
    parameters: &'static [Field],
    result: Kind,
    handler: Handler,
) -> Method {
    Method { name, summary, parameters, others: Others::Refused, result, way: Way::InTurn, handler }
}

/// Records an event; unknown parameters are kept with it.
const fn tells(
    name: &'static str,
    summary: &'static str,
    parameters: &'static [Field],
    result: Kind,
    handler: Handler,
) -> Method {
    Method { name, summary, parameters, others: Others::Kept, result, way: Way::InTurn, handler }
}

/// May have to wait.
const fn waits(
    name: &'static str,
    summary: &'static str,
    parameters: &'static [Field],
    result: Kind,
    handler: Handler,
) -> Method {
    Method { name, summary, parameters, others: Others::Refused, result, way: Way::Beside, handler }
}

const HELD: &[Field] = &[
    needed("session", Kind::Text, "how this session is named in every other method"),
    needed("id", Kind::Text, "its id in the workspace (`s3`)"),
    needed("root", Kind::Text, "the root of the workspace"),
    needed("joined", Kind::Flag, "whether it was open already, so that nothing was recorded"),
    SAID,
];

const OUTCOME: Kind = Kind::Document("takeback.outcome/1");

/// Every method.
pub(in crate::serve) const METHODS: &[Method] = &[
    asks(
        "initialize",
        "Must be the first request: agrees on the version of the protocol.",
        &[
            needed("protocol", Kind::Number { min: 0 }, "the version the client speaks: 1"),
            optional("client", Kind::Anything, "who the client is"),
        ],
        Kind::Object(&[
            needed("protocol", Kind::Number { min: 0 }, "the version that is spoken"),
            needed("server", Kind::Text, "`takeback`"),
            needed("version", Kind::Text, "its version"),
            needed("capabilities", Kind::Anything, "`methods`, `notifications` and `line_bytes_max`"),
        ]),
        client::initialize,
    ),
    tells(
        "session/open",
        "Begins a session, or takes it up again; the client is asked before its turns are taken back.",
        &[
            needed("agent", Kind::Text, "the host"),
            needed("id", Kind::Text, "the host's own id of the session"),
            ROOT,
            optional("parent", Kind::Text, "the host's id of the session this one branches off"),
        ],
        Kind::Object(HELD),
        sessions::open,
    ),
    asks(
        "session/attach",
        "Takes a session that was recorded before, to look at it and to take turns back; records nothing.",
        &[ROOT, optional("id", Kind::Text, "its own id or the host's; the one active last if not given")],
        Kind::Object(HELD),
        sessions::attach,
    ),
    tells(
        "session/end",
        "Leaves a session for good; its turns can still be taken back.",
        &[SESSION],
        ONLY_SAID,
        sessions::end,
    ),
    asks(
        "sessions",
        "Lists the sessions of a workspace.",
        &[ROOT],
        Kind::Document("takeback.sessions/1"),
        sessions::list,
    ),
    tells(
        "turn/begin",
        "Opens a turn with a human prompt, which becomes an entry of the conversation.",
        &[
            SESSION,
            needed("prompt", Kind::Text, "what the human said"),
            optional("id", Kind::Text, "the host's id of the prompt: the id of its entry; the same again is a retry"),
        ],
        Kind::Object(&[nullable("turn", Kind::Text, "the turn (`t41`)"), SAID]),
        events::turn_begin,
    ),
    tells(
        "turn/end",
        "Closes the turn.",
        &[
            SESSION,
            needed("status", Kind::Words(&["completed", "interrupted", "failed"]), "how it ended"),
            optional("background_tasks", Kind::Number { min: 0 }, "how many tasks of the turn still run"),
            TURN_OF_PROMPT,
        ],
        Kind::Object(&[nullable("turn", Kind::Text, "the turn that was open"), SAID]),
        events::turn_end,
    ),
    tells("tool/before", "A tool is about to run: opens its window.", BEFORE_TOOL, ONLY_SAID, events::tool_before),
    tells(
        "tool/after",
        "The tool has run: what changed in its window is its doing.",
        AFTER_TOOL,
        ONLY_SAID,
        events::tool_after,
    ),
    tells(
        "tool/permission",
        "The user is asked whether the tool may run.",
        TOOL_USED,
        ONLY_SAID,
        events::tool_permission,
    ),
    tells(
        "tool/denied",
        "The tool was refused and never ran: the call leaves nothing behind.",
        TOOL_USED,
        ONLY_SAID,
        events::tool_denied,
    ),
    tells(
        "subagent/start",
        "A subagent begins; tool calls with its `agent_id` are its own.",
        &[
            SESSION,
            needed("agent_id", Kind::Text, "its id"),
            optional("agent_type", Kind::Text, "what it is"),
            optional("parent_agent_id", Kind::Text, "the subagent that started it"),
        ],
        ONLY_SAID,
        events::subagent_start,
    ),
    tells(
        "subagent/stop",
        "A subagent has ended.",
        &[SESSION, needed("agent_id", Kind::Text, "its id")],
        ONLY_SAID,
        events::subagent_stop,
    ),
    asks(
        "entries/append",
        "Adds entries to the conversation, all or none.",
        &[SESSION, needed("entries", Kind::List(&ENTRY), "the entries, in their order")],
        Kind::Object(&[nullable("head", Kind::Text, "the version the session stands on")]),
        talk::append,
    ),
    tells(
        "compaction/append",
        "Adds an entry that stands in the context for what came before it.",
        &[
            SESSION,
            needed("summary", Kind::Text, "its text"),
            optional("id", Kind::Text, "its id"),
            optional("first_kept_id", Kind::Text, "the first entry before it that stays in the context"),
        ],
        ONLY_SAID,
        events::compaction,
    ),
    asks(
        "context",
        "The entries the next run of the model gets.",
        &[SESSION],
        Kind::Document("takeback.context/1"),
        talk::context,
    ),
    asks(
        "transcript",
        "All that was said on the present version.",
        &[SESSION],
        Kind::Document("takeback.transcript/1"),
        talk::transcript,
    ),
    asks(
        "versions",
        "The versions of the conversation.",
        &[SESSION],
        Kind::Document("takeback.versions/1"),
        versions::list,
    ),
    asks(
        "versions/diff",
        "What only one of two versions has: entries and files.",
        &[SESSION, needed("first", Kind::Text, "one version (`h1`)"), needed("second", Kind::Text, "the other (`h2`)")],
        Kind::Document("takeback.version-diff/1"),
        versions::diff,
    ),
    asks(
        "versions/retire",
        "Puts a version away: it is listed no more, and switching to it brings it again.",
        &[
            SESSION,
            needed("version", Kind::Text, "the version (`h7`)"),
            optional("with_turns", Kind::Flag, "also if it holds turns that no other version has"),
        ],
        Kind::Document("takeback.versions/1"),
        versions::retire,
    ),
    waits(
        "fork",
        "Makes another version, or another session, that goes on from a turn. Touches no file.",
        &[
            SESSION,
            optional("turn", Kind::Text, "the last turn that is kept (`t41`); all that was said if not given"),
            optional("into", Kind::Text, "the host's id of a new session for it, instead of another version"),
            WAIT,
        ],
        Kind::Document("takeback.fork/1"),
        versions::fork,
    ),
    asks(
        "preview",
        "Says what an order would do; writes nothing.",
        PREVIEW,
        Kind::Extended("takeback.outcome/1", &AGREEMENT),
        order::preview,
    ),
    waits(
        "apply",
        "Carries an order out, or changes nothing. A running turn is asked to stop first.",
        APPLY,
        OUTCOME,
        order::apply,
    ),
    waits("lift", "Brings the newest operation again, as `redo` does.", &[SESSION, SCOPE, WAIT], OUTCOME, order::lift),
    asks(
        "log",
        "The turns of a session with their steps and files.",
        &[SESSION, optional("limit", Kind::Number { min: 1 }, "only the newest")],
        Kind::Document("takeback.log/1"),
        reading::log,
    ),
    asks(
        "status",
        "How the workspace stands for a session.",
        &[SESSION],
        Kind::Document("takeback.status/1"),
        reading::status,
    ),
    asks(
        "checkpoint",
        "Takes a checkpoint of the present state; with a name it is pinned.",
        &[SESSION, optional("name", Kind::Text, "its name")],
        Kind::Document("takeback.checkpoint/1"),
        reading::checkpoint,
    ),
    asks(
        "subscribe",
        "From now on the client hears of changes by `changed`.",
        &[SESSION],
        Kind::Object(STANDS),
        watch::subscribe,
    ),
    asks("unsubscribe", "The client hears of changes no more.", &[SESSION], Kind::Null, watch::unsubscribe),
    asks(
        "$/cancelRequest",
        "Cancels a request that waits. One that is being carried out already goes on.",
        &[needed("id", Kind::RequestId, "the id of the request")],
        Kind::Null,
        client::cancel,
    ),
];

/// What clients are told without having asked.
pub(in crate::serve) const NOTIFICATIONS: &[Notification] = &[
    Notification {
        name: "changed",
        summary: "The workspace has a new checkpoint, or the session stands on another version.",
        parameters: &[
            SESSION,
            nullable("checkpoint", Kind::Text, "the newest checkpoint of the workspace"),
            nullable("head", Kind::Text, "the version the session stands on"),
        ],
    },
    Notification {
        name: "stop/request",
        summary: "Somebody wants to take turns back: bring the running one to rest and call `turn/end`.",
        parameters: &[
            SESSION,
            nullable("turn", Kind::Text, "the turn that is running"),
            needed("reason", Kind::Text, "the verb that waits"),
            needed("deadline_ms", Kind::Number { min: 0 }, "how long it waits from now on"),
        ],
    },
];
