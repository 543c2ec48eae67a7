import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import {
  type CallChannel,
  calls,
  limitChannel,
  type TracedCall,
  type TracedOperation,
  type TracedStorageCall,
} from '@jwt-auth/core/internal'
import type { Attributes, Counter } from '@opentelemetry/api'
import type { CallMetrics } from './call-metrics.js'
import type { CallSpans } from './call-spans.js'
import { toCode, toEndedSessions, toLoginOutcome, toRefreshOutcome, toWaitOutcome } from './outcomes.js'

/** Measures and traces all calls, until the returned function is called. */
export const subscribeToCalls = (getMetrics: () => CallMetrics, spans: CallSpans): (() => void) => {
  const measureOperation = (call: TracedOperation): Attributes => {
    const { logins, refreshes, sessionsEnded } = getMetrics()
    for (const event of call.events) {
      const ended = toEndedSessions(event)
      if (ended !== undefined) sessionsEnded.add(ended.count, { 'jwt_auth.reason': ended.reason })
    }
    if (call.operation === 'login') return count(logins, { 'jwt_auth.outcome': toLoginOutcome(call) })
    if (call.operation === 'refresh') return count(refreshes, { 'jwt_auth.outcome': toRefreshOutcome(call) })
    return {}
  }

  const startStorageCall = (call: TracedStorageCall): void => {
    startTimer(call)
    spans.startChild(call, `storage.${call.operation}`)
  }

  const endStorageCall = (call: TracedStorageCall): void => {
    spans.end(call)
    const duration = toSeconds(call)
    if (duration === undefined) return
    const { storageCallDuration, storageBatchSize } = getMetrics()
    const failure = call.error !== undefined && { 'error.type': toCode(call) }
    storageCallDuration.record(duration, { 'jwt_auth.operation': call.operation, ...failure })
    if (call.size !== undefined) storageBatchSize.record(call.size)
  }

  const startWait = (call: TracedCall): void => {
    startTimer(call)
    getMetrics().hashingQueueLength.add(1)
    spans.startChild(call, 'hashing.wait')
  }

  const endWait = (call: TracedCall): void => {
    spans.end(call)
    const duration = toSeconds(call)
    if (duration === undefined) return
    const { hashingQueueLength, hashingWaitDuration } = getMetrics()
    hashingQueueLength.add(-1)
    hashingWaitDuration.record(duration, { 'jwt_auth.outcome': toWaitOutcome(call) })
  }

  const stops = [
    onStartAndEnd(
      calls.operation,
      (call) => spans.startOperation(call, call.operation),
      (call) => spans.end(call, measureOperation(call)),
    ),
    onStartAndEnd(calls.storage, startStorageCall, endStorageCall),
    onStartAndEnd(calls.hashingWait, startWait, endWait),
    onStartAndEnd(calls.hashing, (call) => spans.startChild(call, 'hashing'), spans.end),
    onStartAndEnd(calls.guard, ignore, (call) => getMetrics().countGuardDecision(toCode(call))),
    onLimit((limit) => count(getMetrics().limitsExceeded, { 'jwt_auth.limit': limit })),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

const count = (counter: Counter, attributes: Attributes): Attributes => {
  counter.add(1, attributes)
  return attributes
}

const startedAt = Symbol('startedAt')

/**
 * A call with the time of its start. A WeakMap would take longer than the rest of a measurement.
 */
interface TimedCall extends TracedCall {
  [startedAt]?: number
}

const startTimer = (call: TimedCall): void => {
  call[startedAt] = performance.now()
}

/**
 * Returns how long a call took, in seconds. `undefined` for a call whose start was not received.
 */
const toSeconds = ({ [startedAt]: start }: TimedCall): number | undefined =>
  start === undefined ? undefined : (performance.now() - start) / 1_000

const ignore = (): void => {}

/** Subscribes to the starts and the ends of calls. The returned function unsubscribes. */
const onStartAndEnd = <Call extends TracedCall>(
  channel: CallChannel<Call>,
  start: (call: Call) => void,
  end: (call: Call) => void,
): (() => void) => {
  // The second argument of a subscriber is the name of the channel.
  const asyncEnd = (call: Call): void => end(call)
  const subscribers = { start, end: ignore, asyncStart: ignore, asyncEnd, error: ignore }
  channel.subscribe(subscribers)
  return () => void channel.unsubscribe(subscribers)
}

/** Subscribes to attempts beyond a limit. The returned function unsubscribes. */
const onLimit = (receive: (limit: string) => void): (() => void) => {
  const subscriber = (message: unknown): void => {
    if (typeof message === 'object' && message !== null && 'limit' in message) receive(String(message.limit))
  }
  subscribe(limitChannel.name, subscriber)
  return () => void unsubscribe(limitChannel.name, subscriber)
}
