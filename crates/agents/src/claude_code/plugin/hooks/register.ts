// Loaded by clients that take modules, inside their own process. Answers the commands of the chat that move the
// conversation, and lets the running chat load it as it stands then. Everything else, and every chat that has no terminal,
// is left to the hook, which answers the same commands in words.
import type { Register } from 'claude-code'

const PROGRAM = '@takeback@'
const PATIENCE = { timeoutMs: 120000 }

export const register: Register = on => {
  on('command.run', { command: 'takeback:undo' }, ($, e, next) => answer($, e, next, 'undo'))
  on('command.run', { command: 'takeback:redo' }, ($, e, next) => answer($, e, next, 'redo'))
  on('command.run', { command: 'takeback:rewind' }, ($, e, next) => answer($, e, next, 'rewind'))
}

async function answer($, e, next, verb) {
  if (e.origin.kind !== 'composer') return next(e)
  const place = { session: await $.session.id(), root: await $.session.root() }
  const withdrawn = await withdrawnPrompt($, place, verb, e.args)
  const text = await done($, place, verb, e.args)
  if (text === undefined) return next(e)
  const found = /type `\/resume ([0-9a-f-]{36})` in the agent's chat/.exec(text)
  if (found === null) return { text, isTextDisplayOnly: true }
  const outcome = text.split('\n').filter(line => !line.includes(found[0])).join('\n')
  // The client runs one command at a time: the next one waits until this one is answered.
  $.clock.after(200, () => resume($, found[1], withdrawn, outcome))
  return { text: outcome, isTextDisplayOnly: true }
}

// The same as the client's hook sends where no module is loaded, answered by the same program.
async function done($, place, verb, args) {
  const event = {
    hook_event_name: 'UserPromptExpansion',
    session_id: place.session,
    cwd: place.root,
    command_name: 'takeback:' + verb,
    command_args: args,
  }
  const run = await $.process.run([PROGRAM, 'hook', 'claude-code'], { ...PATIENCE, stdin: JSON.stringify(event) })
  return parsed(run.stdout).reason
}

// What the user may want to type again; asked for before it is withdrawn, because afterwards it is handed out in words.
async function withdrawnPrompt($, place, verb, args) {
  if (verb === 'redo') return undefined
  const words = args.split(/\s+/).filter(word => word !== '')
  const command = [PROGRAM, '--json', '-C', place.root, '--session', place.session, 'preview', verb, ...words]
  const run = await $.process.run(command, PATIENCE)
  const conversation = parsed(run.stdout).conversation
  return conversation ? conversation.prompt : undefined
}

// The outcome is shown again, because the chat is drawn anew.
async function resume($, session, withdrawn, outcome) {
  try {
    await $.command.run({ command: 'resume', args: session })
    $.ui.log(inOneLine(outcome))
    if (withdrawn) await $.prompt.fill({ text: withdrawn })
  } catch (refused) {
    await $.prompt.fill({ text: '/resume ' + session })
  }
}

function inOneLine(text) {
  return text.split('\n').map(line => line.trim()).filter(line => line !== '').join(' · ')
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch (refused) {
    return {}
  }
}
