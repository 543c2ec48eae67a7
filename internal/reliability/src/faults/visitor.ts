import type { Door, Recorder } from '../cluster/recorder.js'
import type { Outcome } from '../history/operation.js'
import type { Grant } from '../history/operation-log.js'

/** What a client does with a session. */
export type Step = 'login' | 'guard' | 'validate' | 'refresh' | 'revoke'

/** What came of a step, whatever it was. */
export type StepOutcome = 'done' | 'refused' | 'unavailable' | 'lost' | 'unexpected'

/** One request. Instants are `performance.now()` of this process. */
export interface StepRecord {
  readonly userId: number
  readonly step: Step
  readonly beganAt: number
  readonly endedAt: number
  readonly outcome: StepOutcome
}

/** A client that is one user with one session at a time. */
export interface Visitor {
  /** Sends one request with the tokens that the visitor holds. */
  readonly perform: (step: Step, signal?: AbortSignal) => Promise<StepRecord>
}

/** Who a visitor is, where it goes, and who writes it all down. */
export interface VisitorSettings {
  readonly userId: number
  readonly door: Door
  readonly recorder: Recorder
}

/** Makes a visitor without a session: it has to log in first. */
export const createVisitor = ({ userId, door, recorder }: VisitorSettings): Visitor => {
  let grant: Grant = { session: 'none', userId, sessionId: '', refreshToken: '', accessToken: '' }

  const send = async (step: Step, signal: AbortSignal | undefined): Promise<Outcome> => {
    switch (step) {
      case 'guard':
        return recorder.visit(door, grant, { signal })
      case 'validate':
        return recorder.validate(door, grant, { signal })
      case 'revoke':
        return recorder.revoke(door, grant, { signal })
      case 'login':
      case 'refresh': {
        const answer = await (step === 'login'
          ? recorder.logIn(door, userId, { signal })
          : recorder.refresh(door, grant, { signal }))
        grant = answer.grant ?? grant
        return answer.outcome
      }
    }
  }

  return {
    perform: async (step, signal) => {
      const beganAt = performance.now()
      const outcome = meanings[(await send(step, signal)).kind]
      return { userId, step, beganAt, endedAt: performance.now(), outcome }
    },
  }
}

const meanings: Readonly<Record<Outcome['kind'], StepOutcome>> = {
  granted: 'done',
  done: 'done',
  'let-in': 'done',
  revoked: 'done',
  'already-revoked': 'refused',
  refused: 'refused',
  failed: 'unavailable',
  lost: 'lost',
  unexpected: 'unexpected',
}
