import type { History, Operation, Outcome } from '../../../src/history/operation.js'
import { createSimulatedSession } from './simulated-session.js'

/** The grace window of the simulated service, in milliseconds. */
export const simulatedGraceMs = 100

/** What a client of the simulated service wants to do, and how that goes. Times are milliseconds. */
export interface Intent {
  readonly kind: 'refresh' | 'authorize' | 'revoke'
  readonly begin: number
  /** From the begin to the instant at which the service does it; at least 1. */
  readonly delay: number
  /** From there to the end; at least 1. */
  readonly answerDelay: number
  /** Which of the tokens the client knows it presents; 0 is the newest. */
  readonly age: number
  readonly isAnswerLost: boolean
}

/**
 * Plays intents against a session that does everything right, each at one instant between its begin and its end, and then the
 * final reads. A client presents only what it was answered before.
 */
export const simulateHistory = (intents: readonly Intent[], session: string): History => {
  const service = createSimulatedSession(session, simulatedGraceMs)
  const agenda = createAgenda()
  const known = { refresh: [service.login.refreshToken], access: [service.login.accessToken] }
  const common = { session, userId: service.login.userId, instance: 'one', isFinal: false }
  const operations: Operation[] = [
    { ...common, number: 1, kind: 'login', presented: undefined, begin: 0, end: 1, outcome: service.login },
  ]
  let begun = 1

  const learn = (outcome: Outcome): void => {
    if (outcome.kind !== 'granted') return
    known.refresh.push(outcome.refreshToken)
    known.access.push(outcome.accessToken)
  }

  const begin = ({ kind, begin, delay, answerDelay, age, isAnswerLost }: Intent, isFinal: boolean): void => {
    begun += 1
    const tokens = kind === 'refresh' ? known.refresh : known.access
    const presented = tokens.at(-1 - (age % tokens.length))
    const started = { ...common, number: begun, kind, presented, begin, isFinal }
    const instant = begin + delay
    agenda.add(instant, () => {
      const answered = service.carryOut(started, instant)
      const outcome: Outcome = isAnswerLost ? { kind: 'lost' } : answered
      const end = instant + answerDelay
      operations.push({ ...started, end, outcome })
      agenda.add(end, () => learn(outcome))
    })
  }

  for (const intent of intents) agenda.add(intent.begin, () => begin(intent, false))
  const over = agenda.run()
  for (const [position, kind] of (['authorize', 'refresh'] as const).entries()) {
    const read = { kind, begin: over + 1 + position * 4, delay: 1, answerDelay: 1, age: 0, isAnswerLost: false }
    agenda.add(read.begin, () => begin(read, true))
  }
  agenda.run()
  return operations.sort((a, b) => a.number - b.number)
}

interface Agenda {
  readonly add: (instant: number, run: () => void) => void
  /** Does everything in its order, also what is added meanwhile; answers the last instant. */
  readonly run: () => number
}

const createAgenda = (): Agenda => {
  const items: { readonly instant: number; readonly run: () => void }[] = []
  return {
    add: (instant, run) => {
      items.push({ instant, run })
    },
    run: () => {
      let last = 1
      for (;;) {
        items.sort((a, b) => a.instant - b.instant)
        const next = items.shift()
        if (next === undefined) return last
        last = next.instant
        next.run()
      }
    },
  }
}
