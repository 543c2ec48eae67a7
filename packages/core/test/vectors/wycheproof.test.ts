import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAccessTokenVerifier } from '../../src/access-token/verify-access-token.js'
import { jsonwebtokenSigner } from '../../src/keys/jsonwebtoken-signer.js'
import { readKeys } from '../../src/options/read-key-ring.js'
import { startOfTests } from '../support/test-system.js'
import { judge, judgePlainly, readVectorKey, type Verdict } from '../support/vector-verdicts.js'
import { areVectorsHere, type KeySetGroup, readVectors, type SignatureGroup } from '../support/vectors.js'
import { exampleDeviations, keySetDeviations, signatureDeviations } from './deviations.js'

interface Judged {
  readonly tcId: number
  readonly said: Verdict
  readonly ours: Verdict
}

const toDeviations = (judged: readonly Judged[]): Readonly<Record<number, Verdict>> =>
  Object.fromEntries(judged.filter(({ said, ours }) => said !== ours).map(({ tcId, ours }) => [tcId, ours]))

/** The deviations that are listed, without their reasons. */
const listed = (deviations: typeof signatureDeviations): Readonly<Record<number, Verdict>> =>
  Object.fromEntries(deviations.flatMap(({ tcIds, ours }) => tcIds.map((tcId) => [tcId, ours])))

describe.skipIf(!areVectorsHere)('the signature vectors of Wycheproof', () => {
  const { testGroups } = readVectors<{ testGroups: readonly SignatureGroup[] }>(
    'wycheproof_json_web_signature_test.json',
    { testGroups: [] },
  )
  const vectors = testGroups.flatMap((group) =>
    group.tests.map((test) => ({ ...test, jwk: group.public ?? group.private ?? {} })),
  )
  const labelOf = (jws: unknown): unknown => {
    const [header = ''] = String(jws).split('.')
    return JSON.parse(Buffer.from(header, 'base64url').toString()).alg
  }
  /** A key that does not say what it is for is taken to be for what the token says: its `use` must refuse it. */
  const keyFor = ({ jwk, jws }: (typeof vectors)[number]) => readVectorKey(jwk, jwk['alg'] ?? labelOf(jws))

  it('are 401', () => {
    expect(vectors).toHaveLength(401)
  })

  it('are judged as they say, but for the listed deviations', () => {
    const judged = vectors.map((vector) => ({
      tcId: vector.tcId,
      said: vector.result,
      ours: judge(vector.jws, () => keyFor(vector)),
    }))
    expect(toDeviations(judged)).toEqual(listed(signatureDeviations))
  })

  it('are judged otherwise 13 times by plain jsonwebtoken with the algorithm pinned', () => {
    const judged = vectors.map(({ tcId, result, jws, jwk }) => ({ tcId, said: result, ours: judgePlainly(jws, jwk) }))
    // The same as we, but for one spelling that is not canonical.
    expect(toDeviations(judged)).toEqual({ ...listed(signatureDeviations), 375: 'valid' })
  })

  it('are all refused by the verifier: none is an access token', () => {
    const good = vectors.filter((vector) => judge(vector.jws, () => keyFor(vector)) === 'valid')
    for (const vector of good) {
      const key = keyFor(vector)
      const verify = createAccessTokenVerifier({
        keyRing: { active: key, find: () => key, verificationKeys: [key] },
        signer: jsonwebtokenSigner,
        issuer: 'joe',
        audience: undefined,
        clockToleranceSeconds: 0,
      })
      expect(() => verify(String(vector.jws), startOfTests), `${vector.tcId}`).toThrow('Invalid token.')
    }
    expect(good.length).toBe(38)
  })
})

describe.skipIf(!areVectorsHere)('the key vectors of Wycheproof', () => {
  const { testGroups } = readVectors<{ testGroups: readonly KeySetGroup[] }>('wycheproof_json_web_key_test.json', {
    testGroups: [],
  })
  const vectors = testGroups.flatMap(({ tests, ...keySets }) => tests.map((test) => ({ ...test, ...keySets })))

  /** The whole set as a ring; then the token's signature under any of its keys. */
  const judgeWithSet = ({ jws, private: keySet }: (typeof vectors)[number]): Verdict => {
    const entries = keySet.keys.map((key, position) => ({
      key,
      algorithm: key['alg'] === 'ES521' ? 'ES512' : key['alg'],
      state: position === 0 ? 'active' : 'verify',
    }))
    const verdicts = entries.map((_, position) =>
      judge(jws, () => {
        const { verificationKeys } = readKeys(entries)
        const key = verificationKeys[position]
        if (key === undefined) throw new Error('The ring holds fewer keys than the set.')
        return key
      }),
    )
    return verdicts.includes('valid') ? 'valid' : 'invalid'
  }

  it('are 26', () => {
    expect(vectors).toHaveLength(26)
  })

  it('are judged as they say, but for the listed deviations', () => {
    const judged = vectors.map((vector) => ({ tcId: vector.tcId, said: vector.result, ours: judgeWithSet(vector) }))
    expect(toDeviations(judged)).toEqual(listed(keySetDeviations))
  })
})

describe('the page of test vectors', () => {
  it('lists every deviation with its reason', async () => {
    const page = [
      '# Test vectors by others',
      '',
      '`npm test` judges these where they lie beside the repository, as they do in CI. What they are about is signatures, so that `typ` and claims,',
      'which they have not, are left out; the whole verifier refuses every one of them. A vector that changes sides fails a test.',
      '',
      '| Vectors | Number | jwt-auth judges otherwise | jsonwebtoken, algorithm pinned, judges otherwise |',
      '|---|---|---|---|',
      `| Wycheproof, JSON Web Signature | 401 | ${Object.keys(listed(signatureDeviations)).length} | 13: the same, and 375, which is no canonical base64url |`,
      `| Wycheproof, JSON Web Key | 26 | ${Object.keys(listed(keySetDeviations)).length} | it has no key rings |`,
      '| RFC 7515, appendix A.1, A.3, A.5 | 3 | 0 | |',
      `| RFC 7520, 7797, 8037 | 11 | ${Object.keys(exampleDeviations).length} | |`,
      '',
      '| Wycheproof signature | Here | Why |',
      '|---|---|---|',
      ...signatureDeviations.map(({ tcIds, ours, why }) => `| ${tcIds.join(', ')} | ${ours} | ${why} |`),
      '',
      '| Wycheproof key set | Here | Why |',
      '|---|---|---|',
      ...keySetDeviations.map(({ tcIds, ours, why }) => `| ${tcIds.join(', ')} | ${ours} | ${why} |`),
      '',
      '| Example | Here | Why |',
      '|---|---|---|',
      ...Object.entries(exampleDeviations).map(([title, why]) => `| ${title} | invalid | ${why} |`),
      '',
      'The secrets and private keys of the RFCs are read for these tests alone: a key ring refuses each of them.',
      '',
    ].join('\n')
    const path = fileURLToPath(new URL('../../../../docs/security/test-vectors.md', import.meta.url))
    await expect(page).toMatchFileSnapshot(path)
  })
})
