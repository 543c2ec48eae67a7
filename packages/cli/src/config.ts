import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { SessionStorage } from '@jwt-auth/core'
import { hasMethod } from '@jwt-auth/core/internal'
import { type JwtAuthOptions, jwtAuth } from '@jwt-auth/express'
import { createJiti } from 'jiti'
import { createProgress, type Terminal, UsageError } from './terminal.js'

/**
 * What a module of configuration exports as its default export, or returns from its default
 * function.
 *
 * @example
 * ```ts
 * // jwt-auth.config.ts
 * const secret = process.env.JWT_AUTH_SECRET
 * export default {
 *   options: { secret, issuer: 'https://api.example.com', users, storage },
 *   close: () => pool.end(),
 * } satisfies CliConfig
 * ```
 */
export interface CliConfig {
  /** The options of `jwtAuth` in your application. */
  readonly options: { readonly [Name in keyof JwtAuthOptions]: Method<JwtAuthOptions[Name]> }
  /** Closes the database clients. @default the process ends and its connections with it */
  readonly close?: (() => unknown) | undefined
  /**
   * Runs a statement on the SQL database of the sessions, for `doctor`: `(sql) => pool.query(sql)`,
   * `(sql) => knex.raw(sql)`.
   */
  readonly runSql?: ((sql: string) => unknown) | undefined
  /** Runs a command on Redis, for `doctor`: `(args) => client.sendCommand(args)`. */
  readonly runRedis?: ((args: string[]) => unknown) | undefined
}

/** The same function as a method, which may take your own type of a user in place of `User`. */
type Method<T> = T extends (...args: infer Args) => infer Result ? { call(...args: Args): Result }['call'] : T

/** The names under which a module of configuration is found in the working directory. */
const configNames = ['ts', 'mts', 'js', 'mjs', 'cjs'].map((extension) => `jwt-auth.config.${extension}`)

/**
 * Loads the module of configuration, in JavaScript or TypeScript.
 *
 * @throws UsageError that names the file and the problem
 */
export const loadConfig = async (path: string | undefined): Promise<CliConfig> => {
  const file = path === undefined ? configNames.map((name) => resolve(name)).find(existsSync) : resolve(path)
  if (file === undefined) {
    throw new UsageError(`No ${configNames[0]} in this folder. Create it, or name another file with --config.`)
  }
  if (!existsSync(file)) throw new UsageError(`${file} does not exist.`)
  const config = await importConfig(file)
  if (isConfig(config)) return config
  throw new UsageError(`The default export of ${file} must be { options: { secret, issuer, users, storage }, close }.`)
}

// Without a cache on the disk: another user of the machine could read it, and could put code into
// it.
const importConfig = async (file: string): Promise<unknown> => {
  try {
    const jiti = createJiti(import.meta.url, { tryNative: true, fsCache: false })
    const exported = await jiti.import(file, { default: true })
    return typeof exported === 'function' ? await exported() : exported
  } catch (error) {
    throw new UsageError(`${file} failed: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}

const isConfig = (value: unknown): value is CliConfig =>
  typeof value === 'object' && value !== null && 'options' in value && Object(value.options) === value.options

/** The service of a configuration, and its options. */
export type Service = ReturnType<typeof createService>

/**
 * Creates the service without its events, reports and purges, which belong to the application.
 * Reports the progress of long work. An interruption closes the service: the statement in flight is
 * completed, and no further batch starts.
 *
 * @param place the start of the message about a wrong option
 * @throws UsageError for a wrong option
 */
export const createService = (options: JwtAuthOptions, terminal: Terminal, place = '') => {
  try {
    const auth = jwtAuth({
      ...options,
      storage: countBatches(options.storage, terminal),
      callTimeoutMs: 60_000,
      purgeIntervalSeconds: false,
      onEvent: undefined,
      onError: () => {},
    })
    terminal.signal.addEventListener('abort', () => auth.close(), { once: true })
    return { auth, options, terminal }
  } catch (error) {
    throw new UsageError(`${place}${error instanceof Error ? error.message : error}`, { cause: error })
  }
}

const countBatches = (storage: SessionStorage, terminal: Terminal): SessionStorage => {
  if (!hasMethod(storage, 'endCreatedBefore')) return storage
  const onEnded = createProgress(terminal, 'sessions ended')
  const onDeleted = createProgress(terminal, 'sessions deleted')
  const counting: Partial<SessionStorage> = {
    endCreatedBefore: async (...args) => onEnded(await storage.endCreatedBefore(...args)),
    deleteExpired: async (...args) => onDeleted(await storage.deleteExpired(...args)),
  }
  // The storage may be an instance of a class, whose private members need its own `this`.
  const get = (_: object, name: string | symbol): unknown => {
    const member: unknown = Reflect.get(counting, name) ?? Reflect.get(storage, name)
    return typeof member === 'function' ? member.bind(storage) : member
  }
  return new Proxy<SessionStorage>(Object.create(storage), { get })
}
