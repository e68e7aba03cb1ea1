// takeback for OpenCode: tells takeback what happens in a session, and answers /takeback without asking a model.
// Written by `takeback setup opencode`; `takeback setup opencode --remove` takes it out again.
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, readdirSync, unlinkSync, watch } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const PROGRAM = "@PROGRAM@"
const WAIT_MS_MAX = 20_000
const WRITTEN_MS = 1_000
// Where takeback asks for a session to be stopped, by a file of its name.
const ASKS = join(process.env.XDG_DATA_HOME || join(homedir(), ".local/share"), "opencode", "takeback-asks")

// One event to takeback. Whatever goes wrong there, the session goes on.
const send = (event) =>
  new Promise((resolve) => {
    let said = ""
    const child = spawn(PROGRAM, ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
    const timer = setTimeout(() => child.kill("SIGKILL"), WAIT_MS_MAX)
    const done = () => {
      clearTimeout(timer)
      resolve(answer(said))
    }
    child.on("error", done)
    child.on("close", done)
    child.stdout.on("data", (bytes) => (said += bytes))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
  })

// The same for the end of a turn, after which the process may be gone.
const sendNow = (event) => {
  spawnSync(PROGRAM, ["hook", "opencode"], {
    input: JSON.stringify(event),
    stdio: ["pipe", "ignore", "ignore"],
    timeout: WAIT_MS_MAX,
  })
}

const answer = (said) => {
  try {
    return JSON.parse(said)
  } catch {
    return {}
  }
}

export const Takeback = async ({ client, directory }) => {
  const sessions = new Map() // id -> { root, parent }
  const created = new Set() // ids of sessions that began in this process
  const asked = new Map() // id -> the promise of that; several hooks may ask for a new session at once
  const turns = new Map() // root id -> id of the newest prompt
  const endings = new Map() // root id -> how the turn will have ended
  const closed = new Map() // id -> the prompt whose turn has ended; an error is followed by more than one idle
  const marks = new Map() // id -> where the conversation is cut
  let snapshots = true

  const event = (name, session, more) => ({
    hook_event_name: name,
    session_id: session.root,
    cwd: directory,
    turn_id: turns.get(session.root),
    ...(session.parent ? { agent_id: session.id } : {}),
    ...more,
  })

  // A session and the one a person talks to; a subagent works in a session of its own below it.
  const know = (id, told) => {
    if (!asked.has(id)) asked.set(id, learn(id, told))
    return asked.get(id)
  }

  const learn = async (id, told) => {
    const info = told ?? (await client.session.get({ path: { id } }).catch(() => ({}))).data
    const above = info?.parentID ? await know(info.parentID) : undefined
    const session = { id, parent: info?.parentID, root: above ? above.root : id }
    sessions.set(id, session)
    marks.set(id, info?.revert?.messageID)
    if (above) {
      await send({ ...event("SubagentStart", above, {}), agent_id: id, ...(above.parent ? { parent_agent_id: above.id } : {}) })
    } else {
      await send(event("SessionStart", session, { source: created.has(id) ? "startup" : "resume" }))
    }
    return session
  }

  const ended = (session) => {
    const turn = turns.get(session.root)
    if (closed.has(session.id) && closed.get(session.id) === turn) return
    closed.set(session.id, turn)
    if (session.parent) return sendNow({ ...event("SubagentStop", session, {}), agent_id: session.id })
    const ending = endings.get(session.root)
    endings.delete(session.root)
    if (ending === "interrupted") return sendNow(event("Interrupt", session, {}))
    sendNow(event("Stop", session, { status: ending ?? "completed" }))
  }

  // Shows the cut that takeback made. With snapshots on, OpenCode would move files too, which are moved already.
  const show = async (id) => {
    const mark = (await client.session.get({ path: { id } })).data?.revert?.messageID
    marks.set(id, mark)
    if (snapshots) return
    await (mark ? client.session.revert({ path: { id }, body: { messageID: mark } }) : client.session.unrevert({ path: { id } }))
  }

  // It may be written down a moment after it is told of here, so it is told of a moment later once more.
  const moved = async (session) => {
    const told = event("ConversationMoved", session, {})
    await send(told)
    setTimeout(() => send(told), WRITTEN_MS).unref()
  }

  const stopAsAsked = () => {
    for (const id of readdirSync(ASKS)) {
      if (!sessions.has(id)) continue
      unlinkSync(join(ASKS, id))
      client.session.abort({ path: { id } }).catch(() => {})
    }
  }

  try {
    mkdirSync(ASKS, { recursive: true, mode: 0o700 })
    watch(ASKS, { persistent: false }, () => {
      try {
        stopAsAsked()
      } catch {} // another process has it
    })
  } catch {} // then it cannot be stopped from outside

  return {
    config: async (config) => {
      snapshots = config.snapshot !== false
      config.command = {
        ...config.command,
        takeback: { template: "takeback $ARGUMENTS", description: "Take back what was done: undo, redo, rewind, log, …" },
      }
    },
    "command.execute.before": async (input) => {
      if (input.command !== "takeback") return
      const session = await know(input.sessionID)
      const said = await send(event("Command", session, { arguments: input.arguments }))
      await show(session.root).catch(() => {})
      const text = said.handled ?? "takeback did not answer; run `takeback doctor` in a terminal"
      await client.tui?.showToast({ body: { message: text, variant: "info" } }).catch(() => {})
      throw new Error(text) // the command goes no further: no model is asked
    },
    "chat.message": async (input, output) => {
      const session = await know(input.sessionID)
      if (session.parent) return
      const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      if (!typed.length) return
      const id = `user-${output.message.time.created}` // a fork copies messages under other ids and keeps their times
      turns.set(session.root, id)
      const prompt = typed.map((part) => part.text).join("\n")
      const said = await send(event("UserPromptSubmit", session, { prompt, prompt_id: id }))
      if (said.tell) typed[typed.length - 1].text += `\n\n${said.tell}`
    },
    "tool.execute.before": async (input, output) => {
      const session = await know(input.sessionID)
      closed.delete(session.id) // the turn goes on
      await send(
        event("PreToolUse", session, {
          tool_name: input.tool,
          tool_use_id: input.callID,
          tool_input: { ...output.args, file_path: output.args?.filePath },
        }),
      )
    },
    "tool.execute.after": async (input) => {
      const session = await know(input.sessionID)
      await send(
        event("PostToolUse", session, {
          tool_name: input.tool,
          tool_use_id: input.callID,
          tool_input: { ...input.args, file_path: input.args?.filePath },
        }),
      )
    },
    event: async ({ event: told }) => {
      const about = told.properties
      if (told.type === "session.created") {
        created.add(about.info.id)
        // A fork is told of before its messages are copied: a session of a person's begins with its first prompt.
        if (about.info.parentID) await know(about.info.id, about.info)
      }
      if (told.type === "session.error" && about.sessionID) {
        const session = await know(about.sessionID)
        endings.set(session.root, about.error?.name === "MessageAbortedError" ? "interrupted" : "failed")
      }
      if (told.type === "session.idle") ended(await know(about.sessionID))
      // A session that nobody has talked to in this process: what is known of it is brought up to date.
      if (told.type === "session.updated" && !sessions.has(about.info.id) && about.info.revert) await know(about.info.id, about.info)
      if (told.type === "session.updated" && sessions.has(about.info.id)) {
        const mark = about.info.revert?.messageID
        if (marks.get(about.info.id) === mark) return
        marks.set(about.info.id, mark)
        await moved(sessions.get(about.info.id))
      }
    },
  }
}
