import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

// Without the copy in `read-key-pair.ts`, Node.js 20 hangs about once in 10,000 imports. A process of its own can be ended.
const imports = 20_000

const program = `
import { generateKeyPairSync } from 'node:crypto'
import { readKeyPair } from '${new URL('../../src/keys/read-key-pair.ts', import.meta.url)}'
for (let count = 0; count < ${imports}; count += 1) {
  readKeyPair('key', generateKeyPairSync('ed25519').privateKey, { algorithm: 'EdDSA', state: 'active' })
}
console.log('imported')`

it(`imports ${imports} keys that the same process generates, without a hang`, async () => {
  const options = ['--conditions=@jwt-auth/source', '--import', 'tsx', '--input-type=module', '--eval', program]
  // Ends a hang before the limit of the test. The imports take 40 seconds at a load of 26.
  const { stdout } = await promisify(execFile)(process.execPath, options, { timeout: 280_000 })
  expect(stdout).toBe('imported\n')
})
