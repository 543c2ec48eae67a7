import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { invalidOption } from '../option-checks.js'
import { createSignatureCheck, keyRequirements, type PublicKeyAlgorithm, signWithPrivateKey } from './algorithm.js'
import { importKey, type KeyUse } from './import-key.js'
import type { ActiveKey, PublicJwk, RingKey, Signer } from './key.js'

/**
 * Reads one key of a key pair. Drops the private half of a key that only verifies.
 *
 * @throws TypeError that names the problem and the fix, and never shows the key
 */
export const readKeyPair = (
  name: string,
  material: unknown,
  use: KeyUse & { readonly algorithm: PublicKeyAlgorithm; readonly signer?: Signer | undefined },
): RingKey => {
  const { algorithm, state, signer } = use
  const key = importKey(name, material, use)
  if (key.type === 'secret') {
    throw invalidOption(
      name,
      `is a secret, and ${algorithm} needs a key pair`,
      "set the algorithm 'HS256', or pass a key.",
    )
  }
  if (state === 'active') checkHalf(name, key, signer)
  // Anybody can make a service with DPoP import a JWK, and a copy takes as long as the import.
  const isCopied = key.type === 'private' || key === material
  const publicKey = isCopied ? copyPublicKey(key) : key
  const fault = findFault(publicKey, algorithm)
  if (fault !== undefined) throw invalidOption(name, fault, toCommand(algorithm))
  const isValid = createSignatureCheck(algorithm, publicKey)
  // node:crypto imports a private key with the public part of another key without an error.
  if (key.type === 'private' && !isValid('probe', signWithPrivateKey(algorithm, key, 'probe'))) {
    throw invalidOption(name, 'is a private key, but its public part belongs to another key', 'pass the whole key.')
  }
  const publicJwk = toPublicJwk(publicKey, algorithm)
  const { kid } = publicJwk
  const sign: ActiveKey['signing'] =
    signer === undefined ? key : (signingInput, signal) => signer(signingInput, { kid, algorithm, signal })
  return {
    kid,
    algorithm,
    key: publicKey,
    isValid,
    signatureBytes: measureSignature(publicKey, algorithm),
    publicJwk,
    signing: state === 'active' ? sign : undefined,
  }
}

/**
 * Returns a copy of the public half of a key. Node.js 20 can hang when it exports a generated key
 * as a JWK: a garbage collection during the export waits for a lock that the export holds. A copy
 * does not share this lock.
 */
const copyPublicKey = (key: KeyObject): KeyObject => {
  const spki = (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' })
  return createPublicKey({ key: spki, type: 'spki', format: 'der' })
}

const checkHalf = (name: string, { type }: KeyObject, signer: Signer | undefined): void => {
  if (signer !== undefined && type === 'private') {
    throw invalidOption(name, 'is a private key, but `signer` signs', 'pass its public key, or omit `signer`.')
  }
  if (signer !== undefined || type === 'private') return
  throw invalidOption(
    name,
    'is a public key, but the active key signs',
    "pass its private key, set the state 'verify', or set a `signer` that has the private key.",
  )
}

// RFC 7518, sections 3.3 to 3.5; RFC 8032, section 5.1.6.
const measureSignature = (key: KeyObject, algorithm: PublicKeyAlgorithm): number => {
  const requirement = keyRequirements[algorithm]
  if (requirement.keyType !== 'rsa') return requirement.signatureBytes
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)
}

// The members that a thumbprint covers, in its order (RFC 7638, section 3.2; RFC 8037, section 2).
// Picking them by name keeps private members out of what is published.
const requiredMembers = { rsa: ['e', 'kty', 'n'], ec: ['crv', 'kty', 'x', 'y'], ed25519: ['crv', 'kty', 'x'] } as const

const toPublicJwk = (key: KeyObject, algorithm: PublicKeyAlgorithm): PublicJwk => {
  const jwk = key.export({ format: 'jwk' })
  const names = requiredMembers[keyRequirements[algorithm].keyType]
  const required = Object.fromEntries(names.map((name) => [name, String(jwk[name])]))
  const kid = createHash('sha256').update(JSON.stringify(required)).digest('base64url')
  return { ...required, kty: String(jwk.kty), kid, alg: algorithm, use: 'sig' }
}

// RFC 7518, section 3.3; the exponent: FIPS 186-5, section A.1.1.
const minModulusBits = 2_048
const minExponent = 65_537n

const findFault = (key: KeyObject, algorithm: PublicKeyAlgorithm): string | undefined => {
  const requirement = keyRequirements[algorithm]
  if (key.asymmetricKeyType !== requirement.keyType) return explainType(key.asymmetricKeyType, algorithm)
  switch (requirement.keyType) {
    case 'rsa':
      return findRsaWeakness(key, algorithm)
    case 'ec': {
      const curve = key.asymmetricKeyDetails?.namedCurve
      if (curve === requirement.namedCurve) return undefined
      return `is on the curve ${curve}, and ${algorithm} needs ${requirement.curve}`
    }
    case 'ed25519':
      return hasSmallOrder(key) ? 'is too weak: it is a point of small order, for which anyone can sign' : undefined
  }
}

const explainType = (type: string | undefined, algorithm: PublicKeyAlgorithm): string => {
  const usable = Object.entries(keyRequirements).flatMap(([name, { keyType }]) => (keyType === type ? name : []))
  const uses = usable.length === 0 ? 'are not supported' : `sign with ${usable.join(', ')}`
  const hint = type === 'rsa-pss' ? 'a plain RSA key signs with PS256 too' : `keys of the type ${type} ${uses}`
  return `is of the type ${type}, and ${algorithm} needs ${keyRequirements[algorithm].keyType}; ${hint}`
}

const findRsaWeakness = (key: KeyObject, algorithm: PublicKeyAlgorithm): string | undefined => {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  if (modulusLength < minModulusBits) {
    return `is too weak: it has ${modulusLength} bits, and ${algorithm} needs at least ${minModulusBits}`
  }
  if (publicExponent < minExponent) return `is too weak: its exponent is ${publicExponent}, below ${minExponent}`
  const modulus = BigInt(`0x${exportMember(key, 'n').toString('hex')}`)
  return isRocaModulus(modulus)
    ? 'is too weak: its generator is known to make keys that can be factored (ROCA)'
    : undefined
}

const exportMember = (key: KeyObject, member: 'n' | 'x'): Buffer =>
  Buffer.from(String(key.export({ format: 'jwk' })[member]), 'base64url')

// Small primes for which the powers of 65537 do not cover all remainders. The remainders of a ROCA
// modulus by all of these primes are powers of 65537. For other RSA moduli, this is true of one in
// 2^27.
const primes = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

// Returns the powers of 65537 modulo a prime.
const toPowers = (prime: number): ReadonlySet<number> => {
  const powers = new Set<number>()
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power)
  return powers
}

const fingerprint = primes.map((prime) => ({ prime, powers: toPowers(prime) }))

/**
 * Returns whether an RSA modulus is from the generator of CVE-2017-15361. The primes of this
 * generator are powers of 65537 modulo small primes, so that its keys can be factored (Nemec et
 * al., "The Return of Coppersmith's Attack", 2017, section 2.3).
 */
export const isRocaModulus = (modulus: bigint): boolean =>
  fingerprint.every(({ prime, powers }) => powers.has(Number(modulus % BigInt(prime))))

// The y coordinates of the points of small order, with the two encodings of y = 0 and y = 1 that
// are not reduced (RFC 8032, section 5.1.3). Anyone can sign under such a key.
const smallOrder: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

const hasSmallOrder = (key: KeyObject): boolean => {
  const point = exportMember(key, 'x')
  // The highest bit is the sign of x.
  point.writeUInt8(point.readUInt8(31) & 0x7f, 31)
  return smallOrder.has(point.toString('hex'))
}

const kinds = { rsa: `'rsa',{modulusLength:3072}`, ed25519: `'ed25519'` } as const

const toCommand = (algorithm: PublicKeyAlgorithm): string => {
  const requirement = keyRequirements[algorithm]
  const kind = requirement.keyType === 'ec' ? `'ec',{namedCurve:'${requirement.curve}'}` : kinds[requirement.keyType]
  return `generate a key for ${algorithm} with: node -e "console.log(require('crypto').generateKeyPairSync(${kind}).privateKey.export({type:'pkcs8',format:'pem'}))"`
}
