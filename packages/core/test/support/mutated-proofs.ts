import { createProver, signProof } from '@jwt-auth/test-support/dpop-prover'
import { createTestSystem, startOfTests } from '@jwt-auth/test-support/test-clock'
import { createDpop } from '../../src/dpop/check-proof.js'
import { createNonces } from '../../src/dpop/nonces.js'
import { isAuthError } from '../../src/errors/auth-error.js'

const secrets = [Buffer.alloc(32, 1)] as const
const nonces = createNonces(secrets)
const policy = { bindsAccessTokens: true, schemes: [], isRequired: false, publicUrls: ['https://api.example.com'] }
const accessToken = 'an access token'
const claims = {
  htm: 'POST',
  htu: 'https://api.example.com/token',
  iat: startOfTests / 1_000,
  nonce: nonces.issue(startOfTests),
  accessToken,
}

/** Returns a whole number below a limit. */
type Draw = (limit: number) => number

/** Creates random numbers that a seed determines (mulberry32). */
const createDraw = (seed: number): Draw => {
  let state = seed
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/, "{}\\\0é'

/** Changes one to three characters of a text, or repeats or removes a piece of the text. */
const mutateText = (text: string, draw: Draw): string => {
  let mutated = text
  for (let changes = draw(3); changes >= 0; changes -= 1) {
    const at = draw(mutated.length + 1)
    const length = draw(4) === 0 ? draw(40) : 1
    const added = [characters.charAt(draw(characters.length)), '', mutated.slice(at, at + length)][draw(3)] ?? ''
    mutated = mutated.slice(0, at) + added + mutated.slice(draw(2) === 0 ? at : at + length)
  }
  return mutated
}

const values: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  1e300,
  '',
  'POST',
  true,
  [],
  {},
  'https://api.example.com/token/',
  startOfTests,
]

/** Returns an object with one member that is changed, removed or added. */
const mutateObject = (object: object, draw: Draw): object => {
  const names = [...Object.keys(object), 'alg', 'typ', 'jwk', 'crit', 'b64', 'kid', 'htm', 'nonce', 'ath', '__proto__']
  const name = names[draw(names.length)] ?? ''
  const before: unknown = Reflect.get(object, name)
  const isText = typeof before === 'string' && draw(2) === 0
  return { ...object, [name]: isText ? mutateText(before, draw) : values[draw(values.length)] }
}

const decode = (part: string): object => JSON.parse(Buffer.from(part, 'base64url').toString())

/**
 * Changes valid proofs at random: their text, their members, their parts, and the key that signs
 * them. Returns the changed proofs that were accepted as proofs of the client's key.
 */
export const findAcceptedMutations = (runs: number, seed: number): readonly string[] => {
  const draw = createDraw(seed)
  const { checkProof } = createDpop(policy, secrets, createTestSystem())
  const clients = [createProver('ES256'), createProver('EdDSA')]
  const thieves = [createProver('ES256'), createProver('EdDSA')]
  const valid = clients.flatMap((client) => [1, 2].map(() => client.prove(claims)))
  const thumbprints = new Set(clients.map(({ thumbprint }) => thumbprint))

  const mutate = (): string => {
    const proof = valid[draw(valid.length)] ?? ''
    const [header = '', payload = '', signature = ''] = proof.split('.')
    const [otherHeader = '', otherPayload = '', otherSignature = ''] = (valid[draw(valid.length)] ?? '').split('.')
    switch (draw(12)) {
      case 0:
        return [
          draw(2) === 0 ? otherHeader : header,
          draw(2) === 0 ? otherPayload : payload,
          draw(2) === 0 ? otherSignature : signature,
        ].join('.')
      case 1: {
        // A thief signs for the key of the client.
        const thief = thieves[draw(thieves.length)]
        if (thief === undefined) return ''
        const parts = {
          header: draw(2) === 0 ? decode(header) : mutateObject(decode(header), draw),
          payload: decode(payload),
        }
        return signProof(parts, thief.privateKey)
      }
      case 2: {
        const changed =
          draw(2) === 0
            ? [mutateObject(decode(header), draw), decode(payload)]
            : [decode(header), mutateObject(decode(payload), draw)]
        return `${changed.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.${signature}`
      }
      default:
        return mutateText(proof, draw)
    }
  }

  const isAccepted = (proof: string): boolean => {
    try {
      return thumbprints.has(checkProof({ proof, method: 'POST', path: '/token' }, accessToken).thumbprint)
    } catch (error) {
      if (isAuthError(error)) return false
      throw new Error(`not refused, but failed: ${proof}`, { cause: error })
    }
  }

  const accepted: string[] = []
  for (let run = 0; run < runs; run += 1) {
    const proof = mutate()
    if (!valid.includes(proof) && isAccepted(proof)) accepted.push(proof)
  }
  if (!valid.every(isAccepted)) throw new Error('A proof without changes was refused.')
  return accepted
}
