import { describe, expect } from 'vitest'
import { inMemory } from './support/databases.js'
import { demo } from './support/demo-users.js'
import { requestToken } from './support/flows.js'
import { it } from './support/it.js'

describe('RATE_LIMIT', () => {
  it.for([['on', 429] as const, ['', 429] as const, ['off', 200] as const])(
    'as %j answers the right password with %i after ten wrong ones',
    async ([value, status], { startSite }) => {
      const site = await startSite(inMemory, { RATE_LIMIT: value })
      for (let count = 0; count < 10; count += 1) await requestToken(site, { ...demo, password: 'wrong' })

      expect(await requestToken(site)).toMatchObject({ status })
    },
  )
})
