// Imports published test vectors: id, key, token, expected result and flags, without comments. Run this script to import a newer upstream
// version, and read the difference before you commit:
//
//   node scripts/import-vectors.mjs WYCHEPROOF COOKBOOK APPENDIX
//
// WYCHEPROOF and COOKBOOK are git checkouts (or bare repositories) of C2SP/wycheproof and ietf-jose/cookbook. APPENDIX is a JSON file
// with the examples of RFC 7515, appendix A, each as {name, alg, jwk, jws, result}.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './workspace.mjs'

const target = 'packages/core/test/vectors/published'

const git = (folder, ...args) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', maxBuffer: 2 ** 26 })

const sha256 = (text) => createHash('sha256').update(text).digest('hex')

/** Returns a file of the newest commit, parsed, with its path and digest. */
const readUpstream = (folder, path) => {
  const text = git(folder, 'show', `HEAD:${path}`)
  return { json: JSON.parse(text), source: { path, sha256: sha256(text) } }
}

const importWycheproof = (folder, path, pickKey) => {
  const { json, source } = readUpstream(folder, path)
  return {
    origin: 'https://github.com/C2SP/wycheproof',
    version: git(folder, 'rev-parse', 'HEAD').trim(),
    licence: 'Apache-2.0',
    sources: [source],
    groups: json.testGroups.map((group) => ({ ...pickKey(group), tests: group.tests.map(toTest) })),
  }
}

const toTest = ({ tcId, jws, result, flags }) => ({ id: tcId, token: jws, result, flags })
const pickOneKey = (group) => ({ key: group.public ?? group.private })
// The key ring of the tests needs the private keys.
const pickKeySet = (group) => ({ keys: group.private.keys })

const importCookbook = (folder) => {
  const paths = git(folder, 'ls-tree', '-r', '--name-only', 'HEAD', 'jws/', 'rfc7797/', 'curve25519/jws.json')
    .split('\n')
    .filter((path) => path.endsWith('.json'))
  const files = paths.map((path) => ({ path, ...readUpstream(folder, path) }))
  return {
    origin: 'https://github.com/ietf-jose/cookbook',
    version: git(folder, 'rev-parse', 'HEAD').trim(),
    licence: 'IETF Trust Legal Provisions (examples of RFC 7520, RFC 7797 and RFC 8037)',
    sources: files.map(({ source }) => source),
    examples: files.map(({ path, json: { input, output } }) => ({
      id: path.replace(/\.json$/, ''),
      algorithm: input.alg,
      key: input.key,
      compact: output.compact,
      serialized: [output.json, output.json_flat].filter((one) => one !== undefined),
    })),
  }
}

const importAppendix = (file) => {
  const text = readFileSync(file, 'utf8')
  return {
    origin: 'https://www.rfc-editor.org/rfc/rfc7515#appendix-A',
    version: 'RFC 7515, May 2015',
    licence: 'IETF Trust Legal Provisions',
    sources: [{ path: 'transcription of A.1, A.3 and A.5', sha256: sha256(text) }],
    examples: JSON.parse(text).map(({ name, alg, jwk, jws, result }) => ({
      id: name.match(/A\.\d/)[0],
      algorithm: alg,
      key: jwk,
      compact: jws,
      result: result.startsWith('valid') ? 'valid' : 'invalid',
    })),
  }
}

const write = (name, vectors) => writeFileSync(join(root, target, name), `${JSON.stringify(vectors, null, 1)}\n`)

const [wycheproof, cookbook, appendix] = process.argv.slice(2)
if (appendix === undefined) {
  console.error('usage: node scripts/import-vectors.mjs WYCHEPROOF COOKBOOK APPENDIX (see the comment in the script)')
  process.exit(2)
}
const folder = 'testvectors_v1'
const signatures = importWycheproof(wycheproof, `${folder}/json_web_signature_test.json`, pickOneKey)
const keySets = importWycheproof(wycheproof, `${folder}/json_web_key_test.json`, pickKeySet)
write('wycheproof-signatures.json', signatures)
write('wycheproof-key-sets.json', keySets)
write('cookbook.json', importCookbook(cookbook))
write('rfc7515-appendix-a.json', importAppendix(appendix))
console.log(`wrote four files to ${target}`)
