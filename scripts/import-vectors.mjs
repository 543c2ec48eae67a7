// Imports the published test vectors of Wycheproof: id, key, token, expected result and flags,
// without comments. Run this script to import a newer version, and read the difference before you
// commit:
//
//   node scripts/import-vectors.mjs WYCHEPROOF
//
// WYCHEPROOF is a git checkout (or bare repository) of C2SP/wycheproof. The examples of the RFCs in
// the same folder do not change.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.mjs'

const target = 'packages/core/test/vectors/published'

const git = (folder, ...args) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 })

const importWycheproof = (folder, path, pickKey) => {
  const text = git(folder, 'show', `HEAD:${path}`)
  return {
    origin: 'https://github.com/C2SP/wycheproof',
    version: git(folder, 'rev-parse', 'HEAD').trim(),
    licence: 'Apache-2.0',
    sources: [{ path, sha256: createHash('sha256').update(text).digest('hex') }],
    groups: JSON.parse(text).testGroups.map((group) => ({ ...pickKey(group), tests: group.tests.map(toTest) })),
  }
}

const toTest = ({ tcId, jws, result, flags }) => ({ id: tcId, token: jws, result, flags })
const pickOneKey = (group) => ({ key: group.public ?? group.private })
// The key ring of the tests needs the private keys.
const pickKeySet = (group) => ({ keys: group.private.keys })

const write = (name, vectors) => writeFileSync(join(root, target, name), `${JSON.stringify(vectors, null, 1)}\n`)

const [, , wycheproof] = process.argv
if (wycheproof === undefined) throw new TypeError('usage: node scripts/import-vectors.mjs WYCHEPROOF')
const folder = 'testvectors_v1'
const signatures = importWycheproof(wycheproof, `${folder}/json_web_signature_test.json`, pickOneKey)
const keySets = importWycheproof(wycheproof, `${folder}/json_web_key_test.json`, pickKeySet)
write('wycheproof-signatures.json', signatures)
write('wycheproof-key-sets.json', keySets)
