import type { System } from '../system.js'
import type { AuthError } from './auth-error.js'

// The shortest time between two records of one code.
const quietMs = 1_000

/**
 * Creates the default `onError` of one service. Each error becomes one record: a line that starts
 * with `[jwt-auth]` and ends with the address of the code's documentation, and the frames of the
 * stack in indented lines below. Control characters of messages are escaped, so that a message can
 * neither start a record nor send a terminal sequence. At most one record is written per second for
 * each code. The next record of that code has the number of errors that were suppressed.
 * `jwt_auth_misconfigured` is never suppressed, because the service limits these reports itself.
 */
export const createStderrReport = ({
  monotonicMs,
  write = (record) => process.stderr.write(record),
}: Pick<System, 'monotonicMs'> & { readonly write?: (record: string) => void }): ((error: AuthError) => void) => {
  const latest = new Map<string, { readonly writtenAt: number; suppressed: number }>()
  return (error) => {
    const last = latest.get(error.code)
    const isMistake = error.code === 'jwt_auth_misconfigured'
    if (last !== undefined && !isMistake && monotonicMs() - last.writtenAt < quietMs) {
      last.suppressed += 1
      return
    }
    latest.set(error.code, { writtenAt: monotonicMs(), suppressed: 0 })
    write(toRecord(error, last?.suppressed ?? 0))
  }
}

const toRecord = (error: AuthError, suppressed: number): string => {
  const { text, frames } = describeCause(error.cause ?? error)
  const parts = [error.code, ...(error.detail === undefined ? [] : [error.detail]), text]
  const more = suppressed === 0 ? '' : ` … and ${suppressed} more`
  const line = `[jwt-auth] ${parts.map(escapeControls).join(': ')}${more}`
  return [`${line.replace(/\.$/, '')}. See ${error.help}`, ...frames.map(toContinuation), ''].join('\n')
}

// A message may contain line feeds, and lines that look like frames. An application may throw
// anything, such as an object without a prototype, and the report must not be lost.
const describeCause = (cause: unknown): { readonly text: string; readonly frames: readonly string[] } => {
  try {
    if (!(cause instanceof Error)) return { text: String(cause), frames: [] }
    const { name, message, stack } = cause
    const found = stack === undefined ? -1 : stack.indexOf(message)
    if (stack === undefined || found < 0) return { text: `${name}: ${message}`, frames: [] }
    const end = message === '' ? `${stack}\n`.indexOf('\n') : found + message.length
    return { text: stack.slice(0, end), frames: stack.slice(end).split('\n').slice(1) }
  } catch {
    return { text: `a thrown ${typeof cause} that cannot be converted to text`, frames: [] }
  }
}

const toContinuation = (frame: string): string => `    ${escapeControls(frame.trim())}`

const escapeControls = (text: string): string =>
  text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (character) => {
    const code = character.charCodeAt(0)
    return shortEscapes[character] ?? `\\u${code.toString(16).padStart(4, '0')}`
  })

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }
