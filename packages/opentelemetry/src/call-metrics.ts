import type { Meter } from '@opentelemetry/api'

const seconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const sessions = [1, 2, 5, 10, 20, 50, 100, 200, 500]

/** The metrics of everything that jwt-auth does. */
export type CallMetrics = ReturnType<typeof createCallMetrics>

/** Creates the metrics. README.md lists them. */
export const createCallMetrics = (meter: Meter) => ({
  logins: meter.createCounter('jwt_auth.logins', { description: 'Logins by outcome.', unit: '{login}' }),
  refreshes: meter.createCounter('jwt_auth.refreshes', { description: 'Refreshes by outcome.', unit: '{refresh}' }),
  countGuardDecision: createGuardCounter(meter),
  sessionsEnded: meter.createCounter('jwt_auth.sessions.ended', {
    description: 'Sessions that ended before they expired, by reason.',
    unit: '{session}',
  }),
  limitsExceeded: meter.createCounter('jwt_auth.limits.exceeded', {
    description: 'Attempts beyond a limit, by limit.',
    unit: '{attempt}',
  }),
  storageCallDuration: meter.createHistogram('jwt_auth.storage.call.duration', {
    description: 'Duration of the calls of the session storage.',
    unit: 's',
    advice: { explicitBucketBoundaries: seconds },
  }),
  storageBatchSize: meter.createHistogram('jwt_auth.storage.batch.size', {
    description: 'Number of sessions that one lookup finds at most.',
    unit: '{session}',
    advice: { explicitBucketBoundaries: sessions },
  }),
  hashingQueueLength: meter.createUpDownCounter('jwt_auth.hashing.queue.length', {
    description: 'Number of hashes that wait in the hashing queue.',
    unit: '{hash}',
  }),
  hashingWaitDuration: meter.createHistogram('jwt_auth.hashing.wait.duration', {
    description: 'Time that a hash waited in the hashing queue, by outcome.',
    unit: 's',
    advice: { explicitBucketBoundaries: seconds },
  }),
})

// Counts in a map, which takes a tenth of the time of a counter: every guarded request is counted.
const createGuardCounter = (meter: Meter): ((code: string) => void) => {
  const counts = new Map<string, number>()
  meter
    .createObservableCounter('jwt_auth.guard.decisions', {
      description: 'Guarded requests by the code of the decision.',
      unit: '{request}',
    })
    .addCallback((result) => {
      for (const [code, count] of counts) result.observe(count, { 'jwt_auth.code': code })
    })
  return (code) => void counts.set(code, (counts.get(code) ?? 0) + 1)
}
