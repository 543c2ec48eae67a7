import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { findViolations } from '../../src/cluster/find-violations.js'
import { type Fleet, startFleet } from '../../src/cluster/fleet.js'
import { createRecorder } from '../../src/cluster/recorder.js'
import { crowdedLimit, crowdUser } from '../../src/cluster/scenarios/crowded-user.js'
import { killUnderLoad } from '../../src/cluster/scenarios/killed-instances.js'
import { loseRefreshAnswer, loseRevokeAnswer } from '../../src/cluster/scenarios/lost-answers.js'
import { refreshAtBarrier } from '../../src/cluster/scenarios/refresh-barrier.js'
import {
  revokeUnderHeldLookups,
  revokeUnderHeldSwaps,
  revokeUnderSlowLookups,
} from '../../src/cluster/scenarios/revocation.js'
import { findStores } from '../../src/cluster/stores/find-stores.js'
import type { FreshStore } from '../../src/cluster/stores/store.js'
import { withFleet } from '../../src/cluster/with-fleet.js'
import { createRandom } from '../../src/random.js'
import { countKinds } from './support/count-kinds.js'
import { verifierHashOf } from './support/verifier-hash.js'

const stores = await findStores()
const fiveUsers = [1, 2, 3, 4, 5]

describeEach(stores, 'four processes over one $name', ({ create }) => {
  let store: FreshStore
  let started: Fleet
  let fleet: Fleet

  beforeAll(async () => {
    store = await create()
    started = await startFleet(store)
  })

  afterAll(async () => {
    await started?.stop()
    await store?.drop()
  })

  beforeEach(() => {
    fleet = { ...started, recorder: createRecorder() }
  })

  it('lead 64 refreshes of one token at a barrier to one refresh token, twice', async () => {
    for (let round = 1; round <= 2; round += 1) {
      const { refreshes, visits, stored } = await refreshAtBarrier(fleet, { userId: round, count: 64 })
      expect(countKinds(refreshes.map(({ outcome }) => outcome))).toEqual({ granted: 64 })
      expect(new Set(refreshes.map(({ grant }) => grant && verifierHashOf(grant)))).toEqual(
        new Set([stored?.verifierHash]),
      )
      expect(stored).toMatchObject({ endedAt: null, recentVerifiers: [{ replacedAt: stored?.rotatedAt }] })
      expect(stored?.recentVerifiers).toHaveLength(1)
      expect(countKinds(visits)).toEqual({ 'let-in': 64 })
    }
    expect(await findViolations(fleet)).toEqual([])
  })

  it('give a retry the refresh token that was committed before its process was killed', async () => {
    const { first, committed, retry, visit } = await loseRefreshAnswer(fleet, 1)
    expect([first.kind, retry.outcome.kind, visit?.kind]).toEqual(['lost', 'granted', 'let-in'])
    expect(committed?.recentVerifiers).toHaveLength(1)
    expect(retry.grant && verifierHashOf(retry.grant)).toBe(committed?.verifierHash)
    expect(await findViolations(fleet)).toEqual([])
  })

  it('keep a revocation that was committed before its process was killed', async () => {
    const { first, committed, retry, visit } = await loseRevokeAnswer(fleet, 1)
    expect([first.kind, committed?.endReason, retry.kind, visit.kind]).toEqual([
      'lost',
      'revoked',
      'already-revoked',
      'refused',
    ])
    expect(await findViolations(fleet)).toEqual([])
  })

  it('let nobody in after a revocation was answered, whatever their lookups had read: 10 times', async () => {
    for (let round = 0; round < 2; round += 1) {
      await revokeUnderHeldLookups(fleet, { userIds: fiveUsers, witnessId: 6 })
    }
    expect(await findViolations(fleet)).toEqual([])
  })

  it('let no refresh undo a revocation that came before its swap: 10 times', async () => {
    for (let round = 0; round < 2; round += 1) await revokeUnderHeldSwaps(fleet, fiveUsers)
    expect(await findViolations(fleet)).toEqual([])
  })

  it('let nobody in after a revocation was answered, however slow their lookups are: 40 times', async () => {
    for (let round = 0; round < 8; round += 1) await revokeUnderSlowLookups(fleet, fiveUsers)
    expect(await findViolations(fleet)).toEqual([])
  })

  it('lose nothing that was acknowledged when one is killed under load', async () => {
    await killUnderLoad(fleet, createRandom(1))
    expect(await findViolations(fleet)).toEqual([])
    expect(await store.findDamage()).toEqual([])
  })
})

describeEach(stores, 'two processes over one $name with at most three sessions for each user', (one) => {
  it('keep every promise to a user on whose sessions clients and the application act together', async () => {
    await withFleet(one, { size: 2, maxSessionsPerUser: crowdedLimit }, async (fleet) => {
      const listed = await crowdUser(fleet, createRandom(1), { userId: 1, clients: 8, steps: 25 })
      expect(listed).toBeLessThanOrEqual(crowdedLimit)
      expect(await findViolations(fleet)).toEqual([])
    })
  })
})

// The decision is the service's. The conformance suite shows on every store that one of many rotations wins.
describeEach(stores.slice(0, 2), 'two processes without a grace window over one $name', (one) => {
  it('grant exactly one of 64 refreshes of one token at a barrier, and end the session', async () => {
    await withFleet(one, { size: 2, graceSeconds: 0 }, async (fleet) => {
      const { refreshes, visits, stored } = await refreshAtBarrier(fleet, { userId: 1, count: 64 })
      expect(countKinds(refreshes.map(({ outcome }) => outcome))).toEqual({ granted: 1, refused: 63 })
      expect(countKinds(visits)).toEqual({ refused: 1 })
      expect(stored).toMatchObject({ endReason: 'refresh_token_replayed' })
      expect(await findViolations(fleet)).toEqual([])
    })
  })
})
