import { performance } from 'node:perf_hooks'
import { everySession, type History, type OfUser, type Operation, type Outcome } from '../history/operation.js'
import { createOperationLog, type Grant, type PairAnswer } from '../history/operation-log.js'
import type { HttpClient, HttpMessage } from '../http-client.js'
import { type ApplicationOrder, applicationPath } from './instance/application-route.js'
import { guardedPath } from './instance/instance-listener.js'
import { passwordOf, userNameOf } from './instance/instance-users.js'

/** Where requests go: an instance, or what stands in front of it. */
export interface Door {
  readonly url: string
  readonly client: HttpClient
}

/** How a request is sent. */
interface SendOptions {
  /** Breaks the request off. */
  readonly signal?: AbortSignal | undefined
  /** Marks a look at what is left when all is over. @default false */
  readonly isFinal?: boolean
}

/** How a login is sent. */
interface LoginOptions extends SendOptions {
  /** How often the user's password was changed. @default 0 */
  readonly passwordChanges?: number
}

/** Sends requests and writes down what became of them. No method rejects: a request without an answer is `lost`. */
export interface Recorder {
  /** Everything that has ended so far, in the order in which it began. */
  readonly history: () => History
  readonly logIn: (door: Door, userId: number, options?: LoginOptions) => Promise<PairAnswer>
  /** Lets the application open a session without a password. */
  readonly create: (door: Door, userId: number) => Promise<PairAnswer>
  /** Lets the application end a session by its id. */
  readonly revokeById: (door: Door, grant: Grant) => Promise<Outcome>
  /** Lets the application do something with all sessions of a user. */
  readonly actOnAll: (door: Door, userId: number, kind: Exclude<OfUser, 'change-password'>) => Promise<Outcome>
  /** Notes a change of a user's password, which `change` carries out synchronously. */
  readonly changePassword: (userId: number, change: () => void) => Promise<Outcome>
  readonly refresh: (door: Door, grant: Grant, options?: SendOptions) => Promise<PairAnswer>
  /** Asks the guarded route. */
  readonly visit: (door: Door, grant: Grant, options?: SendOptions) => Promise<Outcome>
  readonly validate: (door: Door, grant: Grant, options?: SendOptions) => Promise<Outcome>
  readonly revoke: (door: Door, grant: Grant, options?: SendOptions) => Promise<Outcome>
  /** With the newest pair of each session the guarded route, then a refresh. Call it when all is over. */
  readonly readFinally: (door: Door) => Promise<void>
}

type Message = Omit<HttpMessage, 'signal'>

/** Makes a recorder with an empty history. All of its instants are of one monotonic clock. */
export const createRecorder = (): Recorder => {
  const log = createOperationLog(() => performance.now())
  let logins = 0

  const send = (
    { url, client }: Door,
    operation: Pick<Operation, 'kind' | 'session' | 'userId'> & { readonly token: string | undefined },
    { signal, isFinal = false, ...message }: Message & SendOptions,
  ): Promise<PairAnswer> =>
    log.carryOut({ ...operation, instance: new URL(url).host, isFinal }, () => client.send({ ...message, signal }))

  const sendAccessToken =
    (kind: 'authorize' | 'validate' | 'revoke', message: Message) =>
    async (door: Door, { session, userId, accessToken }: Grant, options?: SendOptions): Promise<Outcome> => {
      const operation = { kind, session, userId, token: accessToken }
      const { outcome } = await send(door, operation, { ...message, ...options, bearer: accessToken })
      return outcome
    }

  const refresh: Recorder['refresh'] = (door, { session, userId, refreshToken }, options) => {
    const operation = { kind: 'refresh', session, userId, token: refreshToken } as const
    return send(door, operation, { ...toRefresh, ...options, body: { refresh_token: refreshToken } })
  }

  const visit = sendAccessToken('authorize', toGuardedRoute)

  const nextSession = (): string => {
    logins += 1
    return `s${logins}`
  }

  const order = (door: Door, session: string, { kind, userId, ...body }: ApplicationOrder): Promise<PairAnswer> =>
    send(door, { kind, session, userId, token: undefined }, { ...toApplication, body: { kind, userId, ...body } })

  return {
    history: log.history,
    logIn: (door, userId, { passwordChanges = 0, ...options } = {}) => {
      const body = { username: userNameOf(userId), password: passwordOf(userId, passwordChanges) }
      const operation = { kind: 'login', session: nextSession(), userId, token: undefined } as const
      return send(door, operation, { ...toLogin, ...options, body })
    },
    create: (door, userId) => order(door, nextSession(), { kind: 'create', userId }),
    revokeById: async (door, { session, sessionId, userId }) =>
      (await order(door, session, { kind: 'revoke', userId, sessionId })).outcome,
    actOnAll: async (door, userId, kind) => (await order(door, everySession, { kind, userId })).outcome,
    changePassword: async (userId, change) => {
      const operation = { kind: 'change-password', session: everySession, userId, instance: 'the application' } as const
      const carryOut = async () => {
        change()
        return { status: 200, headers: {}, body: {} }
      }
      return (await log.carryOut({ ...operation, isFinal: false, token: undefined }, carryOut)).outcome
    },
    refresh,
    visit,
    validate: sendAccessToken('validate', toValidate),
    revoke: sendAccessToken('revoke', toRevoke),
    readFinally: async (door) => {
      const readSession = async (grant: Grant): Promise<void> => {
        await visit(door, grant, { isFinal: true })
        await refresh(door, grant, { isFinal: true })
      }
      await Promise.all(log.newestGrants().map(readSession))
    },
  }
}

const toLogin = { method: 'POST', path: '/jwt-auth/v1/token' } as const
const toRefresh = { method: 'POST', path: '/jwt-auth/v1/token/refresh' } as const
const toValidate = { method: 'POST', path: '/jwt-auth/v1/token/validate' } as const
const toRevoke = { method: 'POST', path: '/jwt-auth/v1/token/revoke' } as const
const toApplication = { method: 'POST', path: applicationPath } as const
const toGuardedRoute = { method: 'GET', path: guardedPath } as const
