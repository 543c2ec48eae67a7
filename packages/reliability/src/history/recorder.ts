import { performance } from 'node:perf_hooks'
import type { HttpClient, HttpMessage } from '../instances/http-client.js'
import { guardedPath } from '../instances/instance-listener.js'
import { passwordOf, userNameOf } from '../instances/instance-users.js'
import type { History, Operation, Outcome } from './operation.js'
import { createOperationLog, type Grant, type PairAnswer } from './operation-log.js'

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

/** Sends requests and writes down what became of them. No method rejects: a request without an answer is `lost`. */
export interface Recorder {
  /** Everything that has ended so far, in the order in which it began. */
  readonly history: () => History
  readonly logIn: (door: Door, userId: number, options?: SendOptions) => Promise<PairAnswer>
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

  return {
    history: log.history,
    logIn: (door, userId, options) => {
      logins += 1
      const body = { username: userNameOf(userId), password: passwordOf(userId) }
      const operation = { kind: 'login', session: `s${logins}`, userId, token: undefined } as const
      return send(door, operation, { ...toLogin, ...options, body })
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
const toGuardedRoute = { method: 'GET', path: guardedPath } as const
