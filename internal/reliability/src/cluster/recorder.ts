import { performance } from 'node:perf_hooks'
import { bearer, type HttpClient, type HttpMessage, json } from '@jwt-auth/test-support/http-client'
import { everySession, type OfUser, type Operation, type Outcome } from '../history/operation.js'
import { createOperationLog, type Grant, type OperationLog, type PairResult } from '../history/operation-log.js'
import { type ApplicationOrder, applicationPath } from './instance/application-route.js'
import { guardedPath } from './instance/instance-server.js'
import { passwordOf, usernameOf } from './instance/instance-users.js'

/** Where requests go: an instance, or a wrapper around one. */
export interface Endpoint {
  readonly url: string
  readonly client: HttpClient
}

/** How to send a request. */
interface SendOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined
  /** Marks a request that reads the final state. @default false */
  readonly isFinal?: boolean
}

/** How to send a login. */
interface LoginOptions extends SendOptions {
  /** How often the user's password was changed. @default 0 */
  readonly passwordChanges?: number
}

type Send<T> = (endpoint: Endpoint, grant: Grant, options?: SendOptions) => Promise<T>

/**
 * Sends requests and records their outcomes. No method rejects: a request without a response is
 * `lost`.
 */
export type Recorder = ReturnType<typeof createRecorder>

/** Creates a recorder with an empty history. */
export const createRecorder = () => {
  const log = createOperationLog(() => performance.now())
  let logins = 0
  const nextSession = (): string => {
    logins += 1
    return `s${logins}`
  }
  const refresh = sendRefreshToken(log)
  const visit = sendAccessToken(log, 'authorize')

  return {
    history: log.history,
    logIn: (endpoint: Endpoint, userId: number, { passwordChanges = 0, ...options }: LoginOptions = {}) => {
      const message = json({ username: usernameOf(userId), password: passwordOf(userId, passwordChanges) })
      const operation = { kind: 'login', session: nextSession(), userId, token: undefined } as const
      return send(log, endpoint, { operation, path: paths.login, message, options })
    },
    /** Opens a session without a password, as the application. */
    create: (endpoint: Endpoint, userId: number) =>
      sendOrder(log, endpoint, { session: nextSession(), order: { kind: 'create', userId } }),
    /** Ends a session by its id, as the application. */
    revokeById: async (endpoint: Endpoint, { session, sessionId, userId }: Grant) =>
      (await sendOrder(log, endpoint, { session, order: { kind: 'revoke', userId, sessionId } })).outcome,
    /** Carries out an operation on all sessions of a user, as the application. */
    actOnAll: async (endpoint: Endpoint, userId: number, kind: Exclude<OfUser, 'change-password'>) =>
      (await sendOrder(log, endpoint, { session: everySession, order: { kind, userId } })).outcome,
    /** Records a change of a user's password. `change` carries it out synchronously. */
    changePassword: (userId: number, change: () => void) => recordChange(log, userId, change),
    refresh,
    /** Requests the guarded route. */
    visit,
    validate: sendAccessToken(log, 'validate'),
    revoke: sendAccessToken(log, 'revoke'),
    /**
     * Sends the final reads: for each session a request to the guarded route and a refresh, with its
     * newest tokens.
     */
    readFinally: async (endpoint: Endpoint): Promise<void> => {
      const grants = log.newestGrants().values()
      const readSessions = async (): Promise<void> => {
        for (const grant of grants) {
          await visit(endpoint, grant, { isFinal: true })
          await refresh(endpoint, grant, { isFinal: true })
        }
      }
      await Promise.all(Array.from({ length: concurrentReads }, readSessions))
    },
  }
}

// A busy machine cannot respond to all reads concurrently within the deadline of a storage call.
const concurrentReads = 4

interface Request {
  readonly operation: Pick<Operation, 'kind' | 'session' | 'userId'> & { readonly token: string | undefined }
  readonly path: string
  readonly message: HttpMessage
  readonly options?: SendOptions | undefined
}

const send = (
  log: OperationLog,
  { url, client }: Endpoint,
  { operation, path, message, options: { signal, isFinal = false } = {} }: Request,
): Promise<PairResult> => {
  const method = path === guardedPath ? 'GET' : 'POST'
  const request = { ...operation, instance: new URL(url).host, isFinal }
  return log.carryOut(request, () => client.send(method, path, { ...message, signal }))
}

const sendRefreshToken =
  (log: OperationLog): Send<PairResult> =>
  (endpoint, { session, userId, refreshToken }, options) => {
    const operation = { kind: 'refresh', session, userId, token: refreshToken } as const
    return send(log, endpoint, {
      operation,
      path: paths.refresh,
      message: json({ refresh_token: refreshToken }),
      options,
    })
  }

const sendAccessToken =
  (log: OperationLog, kind: 'authorize' | 'validate' | 'revoke'): Send<Outcome> =>
  async (endpoint, { session, userId, accessToken }, options) => {
    const operation = { kind, session, userId, token: accessToken }
    const request = { operation, path: paths[kind], message: bearer(accessToken), options }
    return (await send(log, endpoint, request)).outcome
  }

/** Sends an order to the application's route. */
const sendOrder = (
  log: OperationLog,
  endpoint: Endpoint,
  { session, order }: { readonly session: string; readonly order: ApplicationOrder },
): Promise<PairResult> => {
  const operation = { kind: order.kind, session, userId: order.userId, token: undefined }
  return send(log, endpoint, { operation, path: applicationPath, message: json(order) })
}

const recordChange = async (log: OperationLog, userId: number, change: () => void): Promise<Outcome> => {
  const operation = {
    kind: 'change-password',
    session: everySession,
    userId,
    instance: 'the application',
    isFinal: false,
    token: undefined,
  } as const
  const carryOut = async () => {
    change()
    return { status: 200, text: '' }
  }
  return (await log.carryOut(operation, carryOut)).outcome
}

const paths = {
  login: '/jwt-auth/v1/token',
  refresh: '/jwt-auth/v1/token/refresh',
  validate: '/jwt-auth/v1/token/validate',
  revoke: '/jwt-auth/v1/token/revoke',
  authorize: guardedPath,
} as const

/** Logs in several users concurrently. Resolves to the tokens of the granted logins. */
export const logInAll = async (
  { logIn }: Recorder,
  endpoint: Endpoint,
  userIds: readonly number[],
): Promise<readonly Grant[]> => {
  const logins = await Promise.all(userIds.map((userId) => logIn(endpoint, userId)))
  return logins.flatMap(({ grant }) => grant ?? [])
}
