import { describe, expect, it, onTestFinished } from 'vitest'
import type { FrameworkName } from '../../src/cluster/instance/instance-server.js'
import { fuzzRoutes, fuzzVerifier } from '../../src/fuzz/fuzz.js'
import { startFuzzHost, type WrapListener } from '../../src/fuzz/fuzz-host.js'

const start = async (framework: FrameworkName, wrap?: WrapListener) => {
  const host = await startFuzzHost(framework, wrap)
  onTestFinished(host.close)
  return host
}

// Each run has another seed, which a failure prints. `npm run soak -- --only fuzz-routes --only
// fuzz-verifier` runs for longer.
describe('the service under fuzzed requests', () => {
  it.each<[FrameworkName, number]>([
    ['express5', 100],
    ['express4', 50],
    ['node:http', 50],
  ])(
    'responds by the contract on %s, and authenticates only entitled requests, in %i requests',
    async (framework, runs) => {
      expect(await fuzzRoutes(await start(framework), { runs })).toBeUndefined()
    },
  )

  it('accepts issued access tokens and refuses all others, in 1,000 tokens', async () => {
    expect(await fuzzVerifier(await start('node:http'), { runs: 1_000 })).toBeUndefined()
  })
})
