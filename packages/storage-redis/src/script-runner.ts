import { createHash } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { onAbort } from '@jwt-auth/core/internal'
import { toCode, toStorageError } from './storage-error.js'

/**
 * The part of a node-redis client that this package uses. `createClient()`, `createClientPool()`,
 * `createCluster()` and `createSentinel()` return it.
 */
export interface RedisScriptClient {
  /** Returns the commands of the client with other options. */
  withCommandOptions(options: ScriptCommandOptions): ScriptCommands
}

/** The options of commands. */
interface ScriptCommandOptions {
  /** Removes a command that has not been sent yet from the client's queue when it aborts. */
  readonly abortSignal?: AbortSignal
  /** The types of replies that the client converts: none. */
  readonly typeMapping: Readonly<Record<never, never>>
}

/** The commands that run scripts. */
interface ScriptCommands {
  /** Runs a script by its text. */
  eval(script: string, options: ScriptInput): Promise<unknown>
  /**
   * Runs a script by its SHA-1 digest in hexadecimal. Rejects with `NOSCRIPT` when the server does
   * not know the script.
   */
  evalSha(sha1: string, options: ScriptInput): Promise<unknown>
}

/** The input of a script. */
export interface ScriptInput {
  /** `KEYS` of the script. */
  keys: string[]
  /** `ARGV` of the script. */
  arguments: string[]
}

/**
 * Creates the script runner of a client. Sends scripts by their digest, and by their text to a
 * server that does not know them yet. Reads are scripts too: a client may send other read commands
 * to a replica or take their result from its cache, and neither is linearizable.
 */
export const createScriptRunner =
  (client: RedisScriptClient) =>
  /**
   * Creates the functions that run the scripts of one operation, within one deadline. They reject
   * with the error of {@link toStorageError}. Throws when the signal has aborted.
   *
   * @param operation completes the sentence "could not …" of an error message
   */
  (operation: string, signal: AbortSignal | undefined) => {
    if (signal?.aborted) throw toStorageError(operation, abortedError())
    // All scripts of an operation and the client listen to one signal. Node would warn of a leak at
    // the eleventh listener.
    if (signal !== undefined) setMaxListeners(0, signal)
    const commands = client.withCommandOptions({ typeMapping: {}, ...(signal && { abortSignal: signal }) })

    const send = async <T>(script: string, input: ScriptInput, parse: (reply: unknown) => T): Promise<T> => {
      try {
        const reply = await untilAborted(signal, () =>
          commands.evalSha(toDigest(script), input).catch((failure: unknown) => {
            if (toCode(failure) !== 'NOSCRIPT') throw failure
            return commands.eval(script, input)
          }),
        )
        return parse(reply)
      } catch (failure) {
        throw toStorageError(operation, failure)
      }
    }
    const run = (script: string, key: string, ...values: readonly string[]) =>
      send(script, { keys: [key], arguments: [...values] }, parseTexts)
    return {
      /** Runs one script on one key, and resolves to its list of texts. */
      run,
      /** Runs one command on one key, and resolves to the texts of its reply. */
      runCommand: (name: string, key: string, ...values: readonly string[]) => run(commandScript, key, name, ...values),
      /**
       * Runs one script on several keys, which must be on one server, and resolves to its list of
       * texts for each key.
       */
      runOnAll: (script: string, keys: readonly string[]) =>
        send(script, { keys: [...keys], arguments: [] }, parseLists),
    }
  }

/** ARGV: name and further arguments of a command. Returns the texts of its reply. */
const commandScript = `
local reply = redis.call(ARGV[1], KEYS[1], unpack(ARGV, 2))
if type(reply) == 'table' then return reply end
return {type(reply) == 'string' and reply or nil}
`

/** The script runner of a client. */
export type ScriptRunner = ReturnType<typeof createScriptRunner>

// node-redis observes the signal only until the command is sent.
const untilAborted = <T>(signal: AbortSignal | undefined, send: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const stopListening = onAbort({ signal }, () => reject(abortedError()))
    if (!signal?.aborted) send().then(resolve, reject).finally(stopListening)
  })

const abortedError = (): Error => Object.assign(new Error('aborted'), { code: 'ABORT_ERR' })

const parseTexts = (reply: unknown): readonly string[] => {
  if (Array.isArray(reply) && reply.every((item) => typeof item === 'string')) return reply
  throw new TypeError('the script did not return a list of texts')
}

const parseLists = (reply: unknown): readonly (readonly string[])[] => {
  if (Array.isArray(reply)) return reply.map(parseTexts)
  throw new TypeError('the script did not return a list of lists')
}

const digests = new Map<string, string>()

const toDigest = (script: string): string => {
  const digest = digests.get(script) ?? createHash('sha1').update(script).digest('hex')
  digests.set(script, digest)
  return digest
}
