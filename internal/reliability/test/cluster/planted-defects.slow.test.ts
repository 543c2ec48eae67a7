import { withOpened } from '@jwt-auth/test-support'
import { describe, expect, it } from 'vitest'
import { type Fleet, findViolations, openFleet } from '../../src/cluster/fleet.js'
import { instanceAt } from '../../src/cluster/instance/start-instance.js'
import { refreshAtBarrier } from '../../src/cluster/scenarios/refreshes.js'
import { revokeUnderSlowLookups } from '../../src/cluster/scenarios/revocation.js'
import { findStores } from '../../src/cluster/stores.js'
import type { DefectName } from '../../src/defects.js'
import { requireGrant } from '../../src/history/operation-log.js'

const [store] = await findStores()

const cases: readonly (readonly [DefectName, (fleet: Fleet) => Promise<unknown>, string])[] = [
  [
    'early-end',
    (fleet) => revokeUnderSlowLookups(fleet, [1, 2, 3, 4, 5]),
    'no session is used after its acknowledged end: this request started later and was authenticated',
  ],
  [
    'listed-ends',
    async (fleet) => {
      const { recorder, instances } = fleet
      const endpoint = instanceAt(instances, 0)
      for (let sessions = 0; sessions < 3; sessions += 1) await recorder.create(endpoint, 1)
      await recorder.actOnAll(endpoint, 1, 'revoke-all')
    },
    'no session is used after its acknowledged end: this request started later and was authenticated',
  ],
  [
    'remembered-users',
    async (fleet) => {
      const { recorder, instances, passwords } = fleet
      const endpoint = instanceAt(instances, 0)
      const grant = requireGrant(await recorder.logIn(endpoint, 1))
      await recorder.changePassword(1, () => passwords.change(1))
      await recorder.refresh(endpoint, grant)
    },
    'a changed password ends sessions at their next refresh: this refresh started later and was granted',
  ],
  [
    'blind-swap',
    (fleet) => refreshAtBarrier(fleet, { userId: 1, count: 4 }),
    'refresh tokens form one chain: no request leads from r1, r2 to r3, r4, r5',
  ],
]

describe('the history of instances', () => {
  it.each(cases)('shows the defect %s', async (defect, scenario, violation) => {
    if (store === undefined) throw new Error('SQLite is always present.')
    await withOpened(openFleet(store, { size: 2, defect }), async (fleet) => {
      await scenario(fleet)
      expect((await findViolations(fleet)).join('\n')).toContain(violation)
    })
  })
})
