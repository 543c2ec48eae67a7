import { describe, expect, it, onTestFinished } from 'vitest'
import type { FrameworkName } from '../../src/cluster/instance/instance-settings.js'
import { startFuzzHost, type WrapListener } from '../../src/fuzz/fuzz-host.js'
import { fuzzRoutes } from '../../src/fuzz/fuzz-routes.js'
import { fuzzVerifier } from '../../src/fuzz/fuzz-verifier.js'

const start = async (framework: FrameworkName, wrap?: WrapListener) => {
  const host = await startFuzzHost(framework, wrap)
  onTestFinished(host.stop)
  return host
}

// Another seed each time, which a failure names; `npm run soak -- --only fuzz-routes --only fuzz-verifier` goes on for longer.
describe('whatever is sent', () => {
  it.each<[FrameworkName, number]>([
    ['express5', 400],
    ['express4', 100],
    ['node:http', 100],
  ])('%s answers by the contract and lets nobody in who is not entitled, in %i requests', async (framework, runs) => {
    expect(await fuzzRoutes(await start(framework), { runs })).toBeUndefined()
  })

  it('the check of access tokens lets in what was issued and refuses the rest, in 3,000 tokens', async () => {
    expect(await fuzzVerifier(await start('node:http'), { runs: 3_000 })).toBeUndefined()
  })
})
