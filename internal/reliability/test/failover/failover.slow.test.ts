import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expect, it } from 'vitest'
import { deploymentKinds, runFailover } from '../../src/failover/run-failover.js'

describeEach(deploymentKinds, 'a service under load on $name', (kind) => {
  const losses = { never: 'loses nothing', possible: 'may lose the last writes', certain: 'loses the last writes' }

  it(`recovers from the loss of a server, and ${losses[kind.loss]}`, async () => {
    const { violations, losses } = await runFailover(kind)
    expect(violations).toEqual([])
    if (kind.loss === 'certain') expect(losses).toBeGreaterThan(0)
  })
})
