import { performance } from 'node:perf_hooks'
import { bearer, type HttpClient, type HttpMessage, json } from '@jwt-auth/test-support/http-client'
import { everySession, type OfUser, type Operation, type Outcome } from '../history/operation.js'
import { createOperationLog, type Grant, type RequestKind, readResponse } from '../history/operation-log.js'
import type { ApplicationOrder } from './instance/application-order.js'
import { guardedPath } from './instance/instance-server.js'
import { passwordOf, usernameOf } from './instance/instance-users.js'
import type { Instance } from './instance/start-instance.js'

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

/**
 * Sends requests and records their outcomes. No method rejects: a request without a response is
 * `lost`.
 */
export type Recorder = ReturnType<typeof createRecorder>

const unsigned = { token: undefined, isFinal: false } as const

/** Creates a recorder with an empty history. */
export const createRecorder = () => {
  const log = createOperationLog(() => performance.now())
  let logins = 0
  const nextSession = (): string => {
    logins += 1
    return `s${logins}`
  }

  const send = ({ url, client }: Endpoint, { operation, message, signal, isFinal = false }: Request) => {
    const path = paths[operation.kind]
    const method = path === guardedPath ? 'GET' : 'POST'
    return log.carryOut({ ...operation, instance: new URL(url).host, isFinal }, async () =>
      readResponse(operation.kind, await client.send(method, path, { ...message, signal })),
    )
  }

  const refresh = (endpoint: Endpoint, { session, userId, refreshToken }: Grant, options?: SendOptions) => {
    const operation = { kind: 'refresh', session, userId, token: refreshToken } as const
    return send(endpoint, { operation, message: json({ refresh_token: refreshToken }), ...options })
  }

  const sendAccessToken =
    (kind: 'authorize' | 'validate' | 'revoke') =>
    async (endpoint: Endpoint, { session, userId, accessToken }: Grant, options?: SendOptions): Promise<Outcome> => {
      const operation = { kind, session, userId, token: accessToken }
      return (await send(endpoint, { operation, message: bearer(accessToken), ...options })).outcome
    }
  const visit = sendAccessToken('authorize')

  const order = ({ url, call }: Instance, session: string, order: ApplicationOrder) =>
    log.carryOut({ ...unsigned, kind: order.kind, session, userId: order.userId, instance: new URL(url).host }, () =>
      call.order(order),
    )

  return {
    history: log.history,
    logIn: (endpoint: Endpoint, userId: number, { passwordChanges = 0, ...options }: LoginOptions = {}) => {
      const message = json({ username: usernameOf(userId), password: passwordOf(userId, passwordChanges) })
      const operation = { kind: 'login', session: nextSession(), userId, token: undefined } as const
      return send(endpoint, { operation, message, ...options })
    },
    /** Opens a session without a password, as the application. */
    create: (instance: Instance, userId: number) => order(instance, nextSession(), { kind: 'create', userId }),
    /** Ends a session by its id, as the application. */
    revokeById: async (instance: Instance, { session, sessionId, userId }: Grant) =>
      (await order(instance, session, { kind: 'revoke', userId, sessionId })).outcome,
    /** Carries out an operation on all sessions of a user, as the application. */
    actOnAll: async (instance: Instance, userId: number, kind: Exclude<OfUser, 'change-password'>) =>
      (await order(instance, everySession, { kind, userId })).outcome,
    /** Records a change of a user's password. `change` carries it out synchronously. */
    changePassword: (userId: number, change: () => void) => {
      const by = { ...unsigned, session: everySession, userId, instance: 'the application' }
      return log.carryOut({ kind: 'change-password', ...by }, async () => {
        change()
        return { kind: 'done' }
      })
    },
    refresh,
    /** Requests the guarded route. */
    visit,
    validate: sendAccessToken('validate'),
    revoke: sendAccessToken('revoke'),
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

interface Request extends SendOptions {
  readonly operation: Pick<Operation, 'session' | 'userId'> & {
    readonly kind: RequestKind
    readonly token: string | undefined
  }
  readonly message: HttpMessage
}

const paths: Readonly<Record<RequestKind, string>> = {
  login: '/jwt-auth/v1/token',
  refresh: '/jwt-auth/v1/token/refresh',
  validate: '/jwt-auth/v1/token/validate',
  revoke: '/jwt-auth/v1/token/revoke',
  authorize: guardedPath,
}

/** Logs in several users concurrently. Resolves to the tokens of the granted logins. */
export const logInAll = async (
  { logIn }: Recorder,
  endpoint: Endpoint,
  userIds: readonly number[],
): Promise<readonly Grant[]> => {
  const logins = await Promise.all(userIds.map((userId) => logIn(endpoint, userId)))
  return logins.flatMap(({ grant }) => grant ?? [])
}
