import type { Operation, Outcome } from '../../../src/history/operation.js'

type Granted = Extract<Outcome, { kind: 'granted' }> & { readonly userId: number }

/** A session of a correct service, without storage, hashes or a clock. */
export interface SimulatedSession {
  readonly login: Granted
  /** Carries out one operation at one instant, in milliseconds. */
  readonly carryOut: (operation: Pick<Operation, 'kind' | 'presented'>, now: number) => Outcome
}

const mostRecent = 8

/** Opens a session. Its tokens contain its name. */
export const createSimulatedSession = (name: string, graceMs: number): SimulatedSession => {
  const caller = { userId: 1, sessionId: `id of ${name}` }
  const chain: string[] = []
  const replacedAt: number[] = []
  let accessTokens = 0
  let hasEnded = false

  const grant = (): Granted => {
    accessTokens += 1
    return { kind: 'granted', ...caller, refreshToken: chain.at(-1) ?? '', accessToken: `a${accessTokens} of ${name}` }
  }

  const append = (): void => {
    chain.push(`r${chain.length + 1} of ${name}`)
  }

  const refresh = (presented: string, now: number): Outcome => {
    const generation = chain.indexOf(presented)
    const behind = chain.length - 1 - generation
    if (behind === 0) {
      replacedAt.push(now)
      append()
      return grant()
    }
    const age = now - (replacedAt[generation] ?? 0)
    hasEnded = behind > mostRecent || age > graceMs
    return hasEnded ? { kind: 'refused' } : grant()
  }

  append()
  return {
    login: grant(),
    carryOut: ({ kind, presented = '' }, now) => {
      if (kind === 'revoke') {
        const outcome = hasEnded ? 'already-revoked' : 'revoked'
        hasEnded = true
        return { kind: outcome }
      }
      if (hasEnded) return { kind: 'refused' }
      return kind === 'refresh' ? refresh(presented, now) : { kind: 'authenticated', caller }
    },
  }
}
