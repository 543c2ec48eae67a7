import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expect, it } from 'vitest'
import { findViolations, withFleet } from '../../src/cluster/fleet.js'
import { refreshAtBarrier } from '../../src/cluster/scenarios/refresh-barrier.js'
import { findStores } from '../../src/cluster/stores.js'
import { countKinds } from './support/count-kinds.js'
import { declareStoreCases } from './support/declare-store-cases.js'

// instances-over-one-store.slow.test.ts has the other stores.
const stores = (await findStores()).filter(({ name }) => name === 'SQLite')

declareStoreCases(stores)

// The service decides this. The conformance suite shows on every store that one of many rotations
// wins.
describeEach(stores, 'two processes without a grace window over one $name', (one) => {
  it('grant exactly one of 64 concurrent refreshes of one token, and end the session', async () => {
    await withFleet(one, { size: 2, graceSeconds: 0 }, async (fleet) => {
      const { refreshes, visits, stored } = await refreshAtBarrier(fleet, { userId: 1, count: 64 })
      expect(countKinds(refreshes.map(({ outcome }) => outcome))).toEqual({ granted: 1, refused: 63 })
      expect(countKinds(visits)).toEqual({ refused: 1 })
      expect(stored).toMatchObject({ endReason: 'refresh_token_replayed' })
      expect(await findViolations(fleet)).toEqual([])
    })
  })
})
