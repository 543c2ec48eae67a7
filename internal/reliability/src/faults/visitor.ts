import type { Outcome } from '../history/operation.js'
import type { Grant } from '../history/operation-log.js'
import type { Watch } from './watch.js'

/** A request of a visitor. */
export type Step = 'login' | 'guard' | 'validate' | 'refresh' | 'revoke'

/** The outcome of a step. */
export type StepOutcome = 'done' | 'refused' | 'unavailable' | 'lost' | 'unexpected'

/** A step that was taken. Times are by `performance.now()` of this process. */
export interface StepRecord {
  readonly userId: number
  readonly step: Step
  readonly startedAt: number
  readonly endedAt: number
  readonly outcome: StepOutcome
}

/** Sends one request with the tokens of a client, who is one user with one session at a time. */
export type Visitor = (step: Step, signal?: AbortSignal) => Promise<StepRecord>

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
