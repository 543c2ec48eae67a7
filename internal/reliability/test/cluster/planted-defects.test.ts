import { describe, expect, it } from 'vitest'
import { findViolations } from '../../src/cluster/find-violations.js'
import type { Fleet } from '../../src/cluster/fleet.js'
import { refreshAtBarrier } from '../../src/cluster/scenarios/refresh-barrier.js'
import { revokeUnderHeldLookups, revokeUnderSlowLookups } from '../../src/cluster/scenarios/revocation.js'
import { findStores } from '../../src/cluster/stores/find-stores.js'
import { withFleet } from '../../src/cluster/with-fleet.js'
import type { DefectName } from '../../src/defects.js'

const [store] = await findStores()

const cases: readonly (readonly [DefectName, (fleet: Fleet) => Promise<unknown>, string])[] = [
  [
    'joins-lookups',
    (fleet) => revokeUnderHeldLookups(fleet, { userIds: [1, 2, 3, 4, 5], witnessId: 6 }),
    'an acknowledged end is an end: this request began later and was let in',
  ],
  [
    'caches-lookups',
    (fleet) => revokeUnderHeldLookups(fleet, { userIds: [1, 2, 3, 4, 5], witnessId: 6 }),
    'an acknowledged end is an end: this request began later and was let in',
  ],
  [
    'early-end',
    (fleet) => revokeUnderSlowLookups(fleet, [1, 2, 3, 4, 5]),
    'an acknowledged end is an end: this request began later and was let in',
  ],
  [
    'listed-ends',
    async (fleet) => {
      const { recorder, instances } = fleet
      const door = instances[0] ?? expect.unreachable()
      for (let sessions = 0; sessions < 3; sessions += 1) await recorder.create(door, 1)
      await recorder.actOnAll(door, 1, 'revoke-all')
    },
    'an acknowledged end is an end: this request began later and was let in',
  ],
  [
    'remembered-users',
    async (fleet) => {
      const { recorder, instances, passwords } = fleet
      const door = instances[0] ?? expect.unreachable()
      const { grant } = await recorder.logIn(door, 1)
      await recorder.changePassword(1, () => passwords.change(1))
      await recorder.refresh(door, grant ?? expect.unreachable())
    },
    'a changed password ends sessions at their next refresh: this refresh began later and was granted',
  ],
  [
    'blind-swap',
    (fleet) => refreshAtBarrier(fleet, { userId: 1, count: 4 }),
    'refresh tokens form one chain: after r1, r2 there is no way to r3, r4, r5',
  ],
]

describe('instances with a defect', () => {
  it.each(cases)('are found out when each of them %s', async (defect, scenario, violation) => {
    if (store === undefined) throw new Error('SQLite is always there.')
    await withFleet(store, { size: 2, defect }, async (fleet) => {
      await scenario(fleet)
      expect((await findViolations(fleet)).join('\n')).toContain(violation)
    })
  })
})
