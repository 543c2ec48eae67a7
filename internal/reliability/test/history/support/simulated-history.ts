import type { History, Operation, Outcome } from '../../../src/history/operation.js'
import { createSimulatedSession } from './simulated-session.js'

/** The grace window of the simulated service, in milliseconds. */
export const simulatedGraceMs = 100

/**
 * A request that a client of the simulated service intends to send, and its timing. Times are in
 * milliseconds.
 */
export interface Intent {
  readonly kind: 'refresh' | 'authorize' | 'revoke'
  readonly start: number
  /** From the start to the instant at which it takes effect; at least 1. */
  readonly delay: number
  /** From that instant to the end; at least 1. */
  readonly responseDelay: number
  /**
   * The age of the token that the client presents, among the tokens that it knows. 0 stands for the
   * newest.
   */
  readonly age: number
  readonly isResponseLost: boolean
}

/**
 * Simulates requests to a correct session, and then the final reads. Each request takes effect at
 * one instant between its start and its end. A client presents only tokens that it received before.
 */
export const simulateHistory = (intents: readonly Intent[], session: string): History => {
  const service = createSimulatedSession(session, simulatedGraceMs)
  const agenda = createAgenda()
  const known = { refresh: [service.login.refreshToken], access: [service.login.accessToken] }
  const common = { session, userId: service.login.userId, instance: 'one', isFinal: false }
  const operations: Operation[] = [
    { ...common, number: 1, kind: 'login', presented: undefined, start: 0, end: 1, outcome: service.login },
  ]
  let count = 1

  const learn = (outcome: Outcome): void => {
    if (outcome.kind !== 'granted') return
    known.refresh.push(outcome.refreshToken)
    known.access.push(outcome.accessToken)
  }

  const send = ({ kind, start, delay, responseDelay, age, isResponseLost }: Intent, isFinal: boolean): void => {
    count += 1
    const tokens = kind === 'refresh' ? known.refresh : known.access
    const presented = tokens.at(-1 - (age % tokens.length))
    const started = { ...common, number: count, kind, presented, start, isFinal }
    const instant = start + delay
    agenda.add(instant, () => {
      const received = service.carryOut(started, instant)
      const outcome: Outcome = isResponseLost ? { kind: 'lost' } : received
      const end = instant + responseDelay
      operations.push({ ...started, end, outcome })
      agenda.add(end, () => learn(outcome))
    })
  }

  for (const intent of intents) agenda.add(intent.start, () => send(intent, false))
  const lastEnd = agenda.run()
  for (const [position, kind] of (['authorize', 'refresh'] as const).entries()) {
    const read = { kind, start: lastEnd + 1 + position * 4, delay: 1, responseDelay: 1, age: 0, isResponseLost: false }
    agenda.add(read.start, () => send(read, true))
  }
  agenda.run()
  return operations.sort((a, b) => a.number - b.number)
}

interface Agenda {
  readonly add: (instant: number, run: () => void) => void
  /** Runs all items in order, including those added during the run. Returns the last instant. */
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
