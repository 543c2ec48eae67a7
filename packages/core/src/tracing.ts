import { type Channel, channel, tracingChannel } from 'node:diagnostics_channel'
import type { AuthEvent } from './events/auth-event.js'

/** What the subscribers of a tracing channel receive about one call. Never contains its result. */
export interface TracedCall {
  /** Why the call failed. `undefined` until the call fails. */
  readonly error?: unknown
  /** Runs the call. A subscriber of `start` can set it, to run the call in a context. */
  within?: <T>(call: () => T) => T
}

/** An operation of the token service, such as `login` or `sessions.revokeAll`. */
export interface TracedOperation extends TracedCall {
  /** The name of the method of the token service. */
  readonly operation: string
  /** The events that the operation has emitted. They name users, sessions and addresses. */
  readonly events: readonly AuthEvent[]
}

/** A call of the session storage. */
export interface TracedStorageCall extends TracedCall {
  /** The name of the method of the session storage. */
  readonly operation: string
  /** How many sessions the call looks up. `undefined` if it is no lookup by id. */
  readonly size: number | undefined
}

/**
 * A tracing channel. Versions 20 and 26 of `@types/node` declare the parameters of `TracingChannel`
 * in different orders.
 */
export interface CallChannel<Call extends TracedCall> {
  readonly hasSubscribers: boolean
  readonly start: { runStores<T>(message: Call, call: () => T): T }
  readonly error: { publish(message: Call): void }
  readonly asyncEnd: { publish(message: Call): void }
  subscribe(subscribers: CallSubscribers<Call>): void
  unsubscribe(subscribers: CallSubscribers<Call>): void
}

/** The functions that a tracing channel calls. */
export type CallSubscribers<Call> = Record<'start' | 'end' | 'asyncStart' | 'asyncEnd' | 'error', (call: Call) => void>

const createChannel = <Call extends TracedCall>(name: string): CallChannel<Call> => tracingChannel(`jwt-auth:${name}`)

/**
 * The tracing channels of `node:diagnostics_channel`, such as `tracing:jwt-auth:operation:start`,
 * `:error` and `:asyncEnd`. While a channel has no subscribers, a call creates no message. A
 * message never contains a result, because results contain tokens.
 */
export const calls = {
  /** The operations of the token service. */
  operation: createChannel<TracedOperation>('operation'),
  /** The calls of the session storage. */
  storage: createChannel<TracedStorageCall>('storage'),
  /** The waits in a hashing queue. `error` is set when the queue refuses the work. */
  hashingWait: createChannel<TracedCall>('hashing-wait'),
  /** The hashes that run in a hashing queue. */
  hashing: createChannel<TracedCall>('hashing'),
  /** The decisions of guards and of `verifyRequest`. `error` is set when the guard refuses. */
  guard: createChannel<TracedCall>('guard'),
}

/** The channel of attempts beyond a limit. A message is `{ limit }`, with the name of the limit. */
export const limitChannel: Channel = channel('jwt-auth:limit')

/**
 * Publishes a call on the channels `start`, `error` and `asyncEnd`. `tracePromise` would also
 * publish the result, which may contain tokens.
 */
export const trace = <Call extends TracedCall, T>(
  { start, error, asyncEnd }: CallChannel<Call>,
  message: Call,
  call: () => Promise<T>,
): Promise<T> =>
  start.runStores(message, async () => {
    try {
      return await (message.within?.(call) ?? call())
    } catch (failure) {
      error.publish(Object.assign(message, { error: failure }))
      throw failure
    } finally {
      asyncEnd.publish(message)
    }
  })
