import { setTimeout as pause } from 'node:timers/promises'
import type { Outcome } from '../history/operation.js'
import type { Grant } from '../history/operation-log.js'
import { until } from './until.js'
import type { Watch } from './watch.js'

/** A request of a visitor. */
export type Step = 'login' | 'guard' | 'validate' | 'refresh' | 'revoke'

/** The outcome of a step. */
type StepOutcome = 'done' | 'refused' | 'unavailable' | 'lost' | 'unexpected'

/** A step that was taken. Times are by `performance.now()` of this process. */
export interface StepRecord {
  readonly userId: number
  readonly step: Step
  readonly startedAt: number
  readonly endedAt: number
  readonly outcome: StepOutcome
}

/** Sends one request with the tokens of a client, who is one user with one session at a time. */
type Visitor = (step: Step, signal?: AbortSignal) => Promise<StepRecord>

/** Visitors that use the service concurrently. */
export type Traffic = ReturnType<typeof startTraffic>

/** The settings of traffic. */
interface TrafficSettings {
  readonly visitors: number
  readonly storageTimeoutMs: number
  /** Aborts requests at random. @default never */
  readonly chooseAbort?: ChooseAbort | undefined
}

const timeoutMs = 60_000
// A refresh makes two calls to storage.
const callsPerStep = 2
// A busy machine may delay a response by this much.
const slackMs = 20_000

/**
 * Starts visitors, from user 1 on, that log in, use, refresh and revoke their sessions until
 * `finish` is called.
 */
export const startTraffic = (watch: Watch, { visitors, storageTimeoutMs, chooseAbort }: TrafficSettings) => {
  const records: StepRecord[] = []
  const limitMs = callsPerStep * storageTimeoutMs + slackMs
  let isFinishing = false
  let running = visitors
  const visit = async (userId: number): Promise<void> => {
    const visitor = createVisitor(watch, userId)
    while (!isFinishing) await runSession({ visitor, limitMs, records, watch, chooseAbort })
    running -= 1
  }
  for (let userId = 1; userId <= visitors; userId += 1) void visit(userId)
  const countDone = (): number => records.filter(({ outcome }) => outcome === 'done').length

  return {
    /** All steps so far, in the order of their responses. */
    records,
    /** Resolves after so many further steps with the outcome `done`. */
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

/** A visitor, and what its session needs. */
interface SessionSettings extends Pick<TrafficSettings, 'chooseAbort'> {
  readonly visitor: Visitor
  /** The limit for a response, in milliseconds. */
  readonly limitMs: number
  readonly records: StepRecord[]
  readonly watch: Watch
}

/**
 * Returns the signal that aborts the next request. Returns `undefined` for a request that is not
 * aborted.
 */
export type ChooseAbort = () => AbortSignal | undefined

/**
 * The steps of a session, with their final outcomes. A fault may delay an outcome, but not change
 * it.
 */
const steps: readonly (readonly [Step, StepOutcome])[] = [
  ['login', 'done'],
  ['guard', 'done'],
  ['refresh', 'done'],
  ['validate', 'done'],
  ['refresh', 'done'],
  ['guard', 'done'],
  ['revoke', 'done'],
  ['guard', 'refused'],
  ['refresh', 'refused'],
  ['validate', 'refused'],
]

// Leaves processor time to the service.
const betweenStepsMs = 10
const beforeRetryMs = 25

/** Takes all steps, or stops at the first wrong outcome. */
const runSession = async (settings: SessionSettings): Promise<void> => {
  for (const [step, expected] of steps) {
    if (!(await takeStep(settings, step, expected))) return
    await pause(betweenStepsMs)
  }
}

/**
 * Repeats a step while the service is unavailable: a failed request must have no effect. Resolves
 * to whether the outcome was right.
 */
const takeStep = async (settings: SessionSettings, step: Step, expected: StepOutcome): Promise<boolean> => {
  const { visitor, records, watch, chooseAbort, limitMs } = settings
  for (let isRetry = false; ; isRetry = true) {
    const signal = chooseAbort?.()
    const taken = await visitor(step, signal)
    records.push(taken)
    const tookMs = Math.round(taken.endedAt - taken.startedAt)
    if (tookMs > limitMs) watch.reportViolation(`${describe(taken)} after ${tookMs} ms`)
    if (taken.outcome === expected || isRevokedBefore(taken, isRetry)) return true
    if (!mayRepeat(taken, signal)) {
      watch.reportViolation(`${describe(taken)} instead of ${expected}${isRetry ? ' at a retry' : ''}`)
      return false
    }
    await pause(beforeRetryMs)
  }
}

const mayRepeat = ({ outcome }: StepRecord, signal: AbortSignal | undefined): boolean =>
  outcome === 'unavailable' || (outcome === 'lost' && signal?.aborted === true)

// The first revocation took place, and its response was lost. A retry then receives 403
// (docs/design/storage.md).
const isRevokedBefore = ({ step, outcome }: StepRecord, isRetry: boolean): boolean =>
  step === 'revoke' && outcome === 'refused' && isRetry

const describe = ({ userId, step, outcome }: StepRecord): string => `user ${userId}: ${step} was ${outcome}`

/** Creates a visitor without a session. The first step must be a login. */
export const createVisitor = (
  { endpoint, recorder }: Pick<Watch, 'endpoint' | 'recorder'>,
  userId: number,
): Visitor => {
  let grant: Grant = { session: 'none', userId, sessionId: '', refreshToken: '', accessToken: '' }

  const send = async (step: Step, signal: AbortSignal | undefined): Promise<Outcome> => {
    switch (step) {
      case 'guard':
        return recorder.visit(endpoint, grant, { signal })
      case 'validate':
        return recorder.validate(endpoint, grant, { signal })
      case 'revoke':
        return recorder.revoke(endpoint, grant, { signal })
      case 'login':
      case 'refresh': {
        const result = await (step === 'login'
          ? recorder.logIn(endpoint, userId, { signal })
          : recorder.refresh(endpoint, grant, { signal }))
        grant = result.grant ?? grant
        return result.outcome
      }
    }
  }

  return async (step, signal) => {
    const startedAt = performance.now()
    const outcome = toStepOutcome[(await send(step, signal)).kind]
    return { userId, step, startedAt, endedAt: performance.now(), outcome }
  }
}

const toStepOutcome: Readonly<Record<Outcome['kind'], StepOutcome>> = {
  granted: 'done',
  done: 'done',
  authenticated: 'done',
  revoked: 'done',
  'already-revoked': 'refused',
  refused: 'refused',
  failed: 'unavailable',
  lost: 'lost',
  unexpected: 'unexpected',
}
