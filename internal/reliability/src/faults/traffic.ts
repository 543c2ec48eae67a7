import { setTimeout as pause } from 'node:timers/promises'
import type { Outcome } from '../history/operation.js'
import type { Grant } from '../history/operation-log.js'
import { until } from './until.js'
import type { Watch } from './watch.js'

/** A request of a visitor. */
export type Step = 'login' | 'visit' | 'validate' | 'refresh' | 'revoke'

/** A step that was taken. Times are by `performance.now()` of this process. */
export interface StepRecord {
  readonly userId: number
  readonly step: Step
  readonly startedAt: number
  readonly endedAt: number
  readonly outcome: Outcome['kind']
}

/** Sends one request with the tokens of a client, who is one user with one session at a time. */
type Visitor = (step: Step, signal?: AbortSignal) => Promise<StepRecord>

/** Visitors that use the service concurrently. */
export type Traffic = ReturnType<typeof startTraffic>

/**
 * Returns the signal that aborts the next request. Returns `undefined` for a request that is not
 * aborted.
 */
export type ChooseAbort = () => AbortSignal | undefined

/** The settings of traffic. */
interface TrafficSettings {
  readonly visitors: number
  readonly callTimeoutMs: number
  /** Aborts requests at random. @default never */
  readonly chooseAbort?: ChooseAbort
}

const timeoutMs = 60_000
// A refresh makes two calls to storage.
const callsPerStep = 2
// A busy machine may delay a response by this much.
const slackMs = 20_000
// Leaves processor time to the service.
const betweenStepsMs = 10
const beforeRetryMs = 25

/** The steps of a session. The history of the watch judges their outcomes. */
const steps: readonly Step[] = [
  ...(['login', 'visit', 'refresh', 'validate', 'refresh', 'visit', 'revoke'] as const),
  // The session has ended.
  ...(['visit', 'refresh', 'validate'] as const),
]

const doneKinds: ReadonlySet<Outcome['kind']> = new Set(['granted', 'authenticated', 'revoked'])

/** Returns whether a step took place. */
export const isDone = ({ outcome }: StepRecord): boolean => doneKinds.has(outcome)

/**
 * Starts visitors, from user 1 on, that log in, use, refresh and revoke their sessions until
 * `finish` is called.
 */
export const startTraffic = (
  watch: Watch,
  { visitors, callTimeoutMs, chooseAbort = () => undefined }: TrafficSettings,
) => {
  const records: StepRecord[] = []
  const limitMs = callsPerStep * callTimeoutMs + slackMs
  let isFinishing = false
  let running = visitors

  // Repeats a step while the service is unavailable: a failed request must have no effect.
  const takeStep = async (visitor: Visitor, step: Step): Promise<void> => {
    for (;;) {
      const signal = chooseAbort()
      const taken = await visitor(step, signal)
      records.push(taken)
      const { userId, outcome, startedAt, endedAt } = taken
      if (endedAt - startedAt > limitMs)
        watch.reportViolation(`user ${userId}: ${step} was ${outcome} after ${Math.round(endedAt - startedAt)} ms`)
      if (outcome !== 'failed' && !(outcome === 'lost' && signal?.aborted)) return
      await pause(beforeRetryMs)
    }
  }
  const visit = async (userId: number): Promise<void> => {
    const visitor = createVisitor(watch, userId)
    while (!isFinishing) {
      for (const step of steps) {
        await takeStep(visitor, step)
        await pause(betweenStepsMs)
      }
    }
    running -= 1
  }
  for (let userId = 1; userId <= visitors; userId += 1) void visit(userId)
  const countDone = (): number => records.filter(isDone).length

  return {
    /** All steps so far, in the order of their responses. */
    records,
    /** Resolves after so many further steps that took place. */
    untilDone: async (count: number): Promise<void> => {
      const before = countDone()
      await until(`${count} more requests are complete`, () => countDone() >= before + count, timeoutMs)
    },
    /**
     * Lets every visitor complete its present session, which shows that the visitor has lost nothing.
     */
    finish: async (): Promise<void> => {
      isFinishing = true
      await until('every visitor has completed its session', () => running === 0, timeoutMs)
    },
  }
}

/** Creates a visitor without a session. The first step must be a login. */
export const createVisitor = (
  { endpoint, recorder }: Pick<Watch, 'endpoint' | 'recorder'>,
  userId: number,
): Visitor => {
  let grant: Grant = { session: 'none', userId, sessionId: '', refreshToken: '', accessToken: '' }

  const send = async (step: Step, signal: AbortSignal | undefined): Promise<Outcome> => {
    if (step !== 'login' && step !== 'refresh') return recorder[step](endpoint, grant, { signal })
    const result = await (step === 'login'
      ? recorder.logIn(endpoint, userId, { signal })
      : recorder.refresh(endpoint, grant, { signal }))
    grant = result.grant ?? grant
    return result.outcome
  }

  return async (step, signal) => {
    const startedAt = performance.now()
    const { kind: outcome } = await send(step, signal)
    return { userId, step, startedAt, endedAt: performance.now(), outcome }
  }
}
