import { createHash } from 'node:crypto'
import { withOpened } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Fleet, findViolations, openFleet } from '../../src/cluster/fleet.js'
import { createRecorder } from '../../src/cluster/recorder.js'
import { crowdedLimit, crowdUser } from '../../src/cluster/scenarios/crowded-user.js'
import { killUnderLoad, loseRefreshResponse, loseRevokeResponse } from '../../src/cluster/scenarios/killed-instances.js'
import { refreshAtBarrier, refreshInBurst } from '../../src/cluster/scenarios/refreshes.js'
import { revokeUnderSlowLookups } from '../../src/cluster/scenarios/revocation.js'
import { findStores } from '../../src/cluster/stores.js'
import type { Outcome } from '../../src/history/operation.js'
import type { Grant } from '../../src/history/operation-log.js'
import { createRandom } from '../../src/random.js'

const fiveUsers = [1, 2, 3, 4, 5]
const stores = await findStores()

/** Returns the number of outcomes of each kind. */
const countKinds = (outcomes: readonly Outcome[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { kind } of outcomes) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

const selectorBytes = 16

/**
 * Returns the hash of a refresh token in the record of its session: the SHA-256 of the bytes after
 * the selector (docs/design/refresh-tokens.md).
 */
const verifierHashOf = ({ refreshToken }: Grant): string => {
  const bytes = Buffer.from(refreshToken.replace('jwtauth_rt_', ''), 'base64url')
  return createHash('sha256').update(bytes.subarray(selectorBytes)).digest('base64url')
}

describeEach(stores, 'three processes over one $name', (store) => {
  let started: Fleet
  beforeAll(async () => {
    started = await openFleet(store)
  })
  afterAll(() => started?.close())

  let fleet: Fleet
  beforeEach(() => {
    fleet = { ...started, recorder: createRecorder() }
  })

  it('lead 48 concurrent refreshes of one token to one refresh token', async () => {
    const { refreshes, visits, stored } = await refreshAtBarrier(fleet, { userId: 1, count: 48 })
    expect(countKinds(refreshes.map(({ outcome }) => outcome))).toEqual({ granted: 48 })
    expect(new Set(refreshes.map(({ grant }) => grant && verifierHashOf(grant)))).toEqual(
      new Set([stored?.verifierHash]),
    )
    expect(stored).toMatchObject({ endedAt: null, recentVerifiers: [{ replacedAt: stored?.rotatedAt }] })
    expect(stored?.recentVerifiers).toHaveLength(1)
    expect(countKinds(visits)).toEqual({ authenticated: 48 })
    expect(await findViolations(fleet)).toEqual([])
  })

  it('grant every refresh of 200 clients that share one session without a lock', async () => {
    const outcomes = await refreshInBurst(fleet, { userId: 1, clients: 200, refreshesEach: 10 })
    expect(countKinds(outcomes)).toEqual({ granted: 2_000 })
    expect(await findViolations(fleet)).toEqual([])
  })

  it('give a retry the refresh token that was committed before the process was killed', async () => {
    const { first, committed, retry, visit } = await loseRefreshResponse(fleet, 1)
    expect([first.kind, retry.outcome.kind, visit?.kind]).toEqual(['lost', 'granted', 'authenticated'])
    expect(committed?.recentVerifiers).toHaveLength(1)
    expect(retry.grant && verifierHashOf(retry.grant)).toBe(committed?.verifierHash)
    expect(await findViolations(fleet)).toEqual([])
  })

  it('keep a revocation that was committed before its process was killed', async () => {
    const { first, committed, retry, visit } = await loseRevokeResponse(fleet, 1)
    expect([first.kind, committed?.endReason, retry.kind, visit.kind]).toEqual([
      'lost',
      'revoked',
      'already-revoked',
      'refused',
    ])
    expect(await findViolations(fleet)).toEqual([])
  })

  it('authenticate no request after an acknowledged revocation, however slow lookups are: 20 revocations', async () => {
    for (let round = 0; round < 4; round += 1) await revokeUnderSlowLookups(fleet, fiveUsers)
    expect(await findViolations(fleet)).toEqual([])
  })

  it('lose nothing acknowledged when one process is killed under load', async () => {
    await killUnderLoad(fleet, createRandom(1))
    expect(await findViolations(fleet)).toEqual([])
  })
})

describeEach(stores, 'two processes over one $name with at most three sessions per user', (one) => {
  it('keep every promise while clients and the application act on the sessions of one user', async () => {
    await withOpened(openFleet(one, { size: 2, maxSessionsPerUser: crowdedLimit }), async (fleet) => {
      const active = await crowdUser(fleet, createRandom(1), {
        userId: 1,
        clients: 8,
        mayContinue: (steps) => steps < 15,
      })
      expect(active).toBeLessThanOrEqual(crowdedLimit)
      expect(await findViolations(fleet)).toEqual([])
    })
  })
})

// The service decides this. The conformance suite shows on every store that one of many rotations
// wins.
describeEach(stores.slice(0, 1), 'two processes without a grace window over one $name', (one) => {
  it('grant exactly one of 64 concurrent refreshes of one token, and end the session', async () => {
    await withOpened(openFleet(one, { size: 2, graceSeconds: 0 }), async (fleet) => {
      const { refreshes, visits, stored } = await refreshAtBarrier(fleet, { userId: 1, count: 64 })
      expect(countKinds(refreshes.map(({ outcome }) => outcome))).toEqual({ granted: 1, refused: 63 })
      expect(countKinds(visits)).toEqual({ refused: 1 })
      expect(stored).toMatchObject({ endReason: 'refresh_token_replayed' })
      expect(await findViolations(fleet)).toEqual([])
    })
  })
})
