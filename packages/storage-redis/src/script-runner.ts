import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { RedisStorageError, readErrorCode } from './redis-storage-error.js'

/** What is asked of a node-redis client: `createClient()` and `createCluster()` both answer it. */
export interface RedisScriptClient {
  withCommandOptions(options: ScriptCommandOptions): ScriptCommands
}

interface ScriptCommandOptions {
  readonly abortSignal?: AbortSignal
  readonly typeMapping: Readonly<Record<never, never>>
}

interface ScriptCommands {
  eval(script: string, options: ScriptInput): Promise<unknown>
  evalSha(sha1: string, options: ScriptInput): Promise<unknown>
}

interface ScriptInput {
  keys: string[]
  arguments: string[]
}

/** Runs one script on one key and answers with its list of texts. Rejects with a {@link RedisStorageError}. */
export type RunScript = (script: string, key: string, ...values: readonly string[]) => Promise<readonly string[]>

/** The runner of one operation: its name for errors, and the deadline that all of its scripts share. Throws when that is over. */
export type ScriptRunner = (operation: string, signal: AbortSignal | undefined) => RunScript

/**
 * Sends scripts by their digest, and whole where a server does not know them yet. Scripts also read, since a client may send
 * plain reads to a replica or answer them from its own cache, and neither is linearizable.
 */
export const createScriptRunner =
  (client: RedisScriptClient): ScriptRunner =>
  (operation, signal) => {
    if (signal?.aborted) throw new RedisStorageError(operation, aborted)
    // All scripts of an operation listen to the one signal, and so does the client: Node would take more than ten for a leak.
    if (signal !== undefined) setMaxListeners(0, signal)
    const commands = client.withCommandOptions({ typeMapping: {}, ...(signal && { abortSignal: signal }) })

    return async (script, key, ...values) => {
      const input = { keys: [key], arguments: [...values] }
      try {
        const reply = await untilAborted(signal, () =>
          commands.evalSha(digestOf(script), input).catch((failure: unknown) => {
            if (readErrorCode(failure) !== 'NOSCRIPT') throw failure
            return commands.eval(script, input)
          }),
        )
        return readTexts(reply)
      } catch (failure) {
        throw new RedisStorageError(operation, readErrorCode(failure))
      }
    }
  }

/** Node-redis itself watches the signal only until the command is on the wire. */
const untilAborted = <T>(signal: AbortSignal | undefined, send: () => Promise<T>): Promise<T> => {
  if (signal === undefined) return send()
  return new Promise((resolve, reject) => {
    const rejectAborted = (): void => reject(new AbortedError())
    if (signal.aborted) return rejectAborted()
    signal.addEventListener('abort', rejectAborted, { once: true })
    send()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', rejectAborted))
  })
}

const aborted = 'ABORT_ERR'

class AbortedError extends Error {
  readonly code = aborted
}

const readTexts = (reply: unknown): readonly string[] => {
  if (Array.isArray(reply) && reply.every((item) => typeof item === 'string')) return reply
  throw new TypeError('A script answers with a list of texts.')
}

const digests = new Map<string, string>()

const digestOf = (script: string): string => {
  const digest = digests.get(script) ?? createHash('sha1').update(script).digest('hex')
  digests.set(script, digest)
  return digest
}
