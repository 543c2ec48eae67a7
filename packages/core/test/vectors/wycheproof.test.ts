import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import { createAccessTokenVerifier } from '../../src/access-token/verify-access-token.js'
import { readKeys } from '../../src/keys/read-key-ring.js'
import { judge, judgePlainly, readVectorKey, type Verdict } from '../support/vector-verdicts.js'
import { keySetGroups, signatureGroups } from '../support/vectors.js'
import { keySetDeviations, signatureDeviations } from './deviations.js'

interface Judged {
  readonly id: number
  readonly result: Verdict
  readonly ours: Verdict
}

const toDeviations = (judged: readonly Judged[]): Readonly<Record<number, Verdict>> =>
  Object.fromEntries(judged.filter(({ result, ours }) => result !== ours).map(({ id, ours }) => [id, ours]))

/** Returns the listed deviations without their reasons. */
const listed = (deviations: typeof signatureDeviations): Readonly<Record<number, Verdict>> =>
  Object.fromEntries(deviations.flatMap(({ ids, ours }) => ids.map((id) => [id, ours])))

describe('the signature vectors of Wycheproof', () => {
  const vectors = signatureGroups.flatMap(({ key, tests }) => tests.map((test) => ({ ...test, jwk: key })))
  const labelOf = (token: unknown): unknown => {
    const [header = ''] = String(token).split('.')
    return JSON.parse(Buffer.from(header, 'base64url').toString()).alg
  }
  /** Returns a key for the algorithm of the token when the key names none. The `use` of such a key must refuse the token. */
  const keyFor = ({ jwk, token }: (typeof vectors)[number]) => readVectorKey(jwk, jwk['alg'] ?? labelOf(token))

  it('are 401', () => {
    expect(vectors).toHaveLength(401)
  })

  it('have their published results, except for the listed deviations', () => {
    const judged = vectors.map((vector) => ({ ...vector, ours: judge(vector.token, () => keyFor(vector)) }))
    expect(toDeviations(judged)).toEqual(listed(signatureDeviations))
  })

  it('have another result 13 times with jsonwebtoken alone and the algorithm pinned', () => {
    const judged = vectors.map((vector) => ({ ...vector, ours: judgePlainly(vector.token, vector.jwk) }))
    // The same deviations as jwt-auth, and one signature that is not canonical base64url.
    expect(toDeviations(judged)).toEqual({ ...listed(signatureDeviations), 375: 'valid' })
  })

  it('are all refused by the access token verifier', () => {
    const good = vectors.filter((vector) => judge(vector.token, () => keyFor(vector)) === 'valid')
    for (const vector of good) {
      const key = keyFor(vector)
      const verify = createAccessTokenVerifier({
        keyRing: {
          active: { ...key, signing: key.key },
          keys: new Map([[key.kid, key]]),
        },
        issuers: ['joe'],
        audience: undefined,
        clockToleranceSeconds: 0,
      })
      expect(() => verify(String(vector.token), startOfTests), `${vector.id}`).toThrow('Invalid token.')
    }
    expect(good.length).toBe(38)
  })
})

describe('the key vectors of Wycheproof', () => {
  const vectors = keySetGroups.flatMap(({ keys, tests }) => tests.map((test) => ({ ...test, keys })))

  /** Reads the whole set as a key ring, and checks the signature with each of its keys. */
  const judgeWithSet = ({ token, keys }: (typeof vectors)[number]): Verdict => {
    const entries = keys.map((key, position) => ({
      key,
      algorithm: key['alg'] === 'ES521' ? 'ES512' : key['alg'],
      state: position === 0 ? 'active' : 'verify',
    }))
    const verdicts = entries.map((_, position) =>
      judge(token, () => {
        const key = [...readKeys(entries).keys.values()][position]
        if (key === undefined) throw new Error('The ring holds fewer keys than the set.')
        return key
      }),
    )
    return verdicts.includes('valid') ? 'valid' : 'invalid'
  }

  it('are 26', () => {
    expect(vectors).toHaveLength(26)
  })

  it('have their published results, except for the listed deviations', () => {
    const judged = vectors.map((vector) => ({ ...vector, ours: judgeWithSet(vector) }))
    expect(toDeviations(judged)).toEqual(listed(keySetDeviations))
  })
})
