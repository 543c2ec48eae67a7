import type { Random } from '@jwt-auth/reliability/random'

/** What happens to one exchange in the network. Without a member, nothing special happens. */
export interface Fault {
  readonly delayRequestMs?: number
  readonly delayResponseMs?: number
  /**
   * The connection breaks before the request arrives, before the response, or in the middle of the
   * response.
   */
  readonly loses?: 'request' | 'response' | 'half of the response'
  /** A proxy responds in place of the service. */
  readonly replaces?: { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** The request arrives at the service once more. */
  readonly duplicatesAfterMs?: number
  /** The browser receives the response to the second request. */
  readonly respondsTwice?: boolean
}

/** Chooses the fault of the next exchange. */
export type NextFault = (isRefresh: boolean) => Fault

export const noFaults: NextFault = () => ({})

// The server accepts a refresh token for 30 seconds after its replacement. An outage that is longer
// may end a session.
const maximalLosses = 2
const maximalStalls = 1

/**
 * Creates the faults of one expiry. Of the refreshes, at most two in a row are lost, and at most
 * one takes longer than the client waits. Every exchange may be delayed or duplicated.
 */
export const createFaults = (random: Random): NextFault => {
  let lossesLeft = maximalLosses
  let stallsLeft = maximalStalls

  const lose = (): Fault => {
    const kind = random.pick(['request', 'response', 'half of the response', 'unavailable', 'stall'] as const)
    if (kind === 'unavailable') {
      return { replaces: { status: 503, headers: random.isOneIn(2) ? { 'Retry-After': '1' } : {} } }
    }
    if (kind !== 'stall') return { loses: kind, delayResponseMs: random.between(0, 500) }
    if (stallsLeft === 0) return { loses: 'response' }
    stallsLeft--
    const delayMs = random.between(11_000, 14_000)
    return random.isOneIn(2) ? { delayRequestMs: delayMs } : { delayResponseMs: delayMs }
  }

  const disturb = (): Fault => {
    if (random.isOneIn(2)) {
      return { delayRequestMs: random.between(0, 1_000), delayResponseMs: random.between(0, 1_000) }
    }
    const respondsTwice = random.isOneIn(2)
    return { respondsTwice, duplicatesAfterMs: random.between(0, respondsTwice ? 1_000 : 9_000) }
  }

  return (isRefresh) => {
    const isLost = isRefresh && lossesLeft > 0 && !random.isOneIn(3)
    if (isRefresh) lossesLeft = isLost ? lossesLeft - 1 : maximalLosses
    if (isLost) return lose()
    return random.isOneIn(3) ? {} : disturb()
  }
}
