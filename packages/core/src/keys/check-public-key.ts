import type { KeyObject } from 'node:crypto'
import { type KeyRequirement, keyRequirements, type PublicKeyAlgorithm } from './algorithm.js'
import { isRocaModulus } from './roca.js'
import { wrongKey } from './wrong-key.js'

// RFC 7518, section 3.3; the exponent: FIPS 186-5, section A.1.1.
const leastModulusBits = 2_048
const leastExponent = 65_537n

/** Returns a public key. Throws a `TypeError` when its type is not that of its algorithm, or when it is weak. */
export const checkPublicKey = (name: string, key: KeyObject, algorithm: PublicKeyAlgorithm): KeyObject => {
  const requirement = keyRequirements[algorithm]
  checkType(name, key, { algorithm, requirement })
  switch (requirement.keyType) {
    case 'rsa':
      checkRsa(name, key, algorithm)
      break
    case 'ec':
      checkCurve(name, key, { algorithm, ...requirement })
      break
    case 'ed25519':
      checkOrder(name, key)
      break
  }
  return key
}

const checkType = (
  name: string,
  { asymmetricKeyType: type }: KeyObject,
  { algorithm, requirement }: { readonly algorithm: PublicKeyAlgorithm; readonly requirement: KeyRequirement },
): void => {
  if (type === requirement.keyType) return
  const instead =
    type === 'rsa-pss'
      ? 'a plain RSA key signs with PS256 too: '
      : `keys of the type ${type} sign with ${usesOf(type)}: `
  throw wrongKey(
    name,
    `is of the type ${type}, and ${algorithm} needs ${requirement.keyType}`,
    instead + make(algorithm),
  )
}

const usesOf = (type: string | undefined): string => {
  const names = Object.entries(keyRequirements).filter(([, { keyType }]) => keyType === type)
  return names.length === 0 ? 'nothing here' : names.map(([name]) => name).join(', ')
}

const checkCurve = (
  name: string,
  key: KeyObject,
  expected: { readonly algorithm: PublicKeyAlgorithm; readonly curve: string; readonly namedCurve: string },
): void => {
  const curve = key.asymmetricKeyDetails?.namedCurve
  if (curve === expected.namedCurve) return
  throw wrongKey(
    name,
    `is on the curve ${curve}, and ${expected.algorithm} needs ${expected.curve}`,
    make(expected.algorithm),
  )
}

const checkRsa = (name: string, key: KeyObject, algorithm: PublicKeyAlgorithm): void => {
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
  const refuse = (why: string): TypeError => wrongKey(name, `is too weak: ${why}`, make(algorithm))
  if (modulusLength < leastModulusBits) {
    throw refuse(`it has ${modulusLength} bits, and ${algorithm} needs at least ${leastModulusBits}`)
  }
  if (publicExponent < leastExponent) throw refuse(`its exponent is ${publicExponent}, below ${leastExponent}`)
  if (isRocaModulus(readModulus(key))) throw refuse('its generator is known to make keys that can be factored (ROCA)')
}

const readModulus = (key: KeyObject): bigint =>
  BigInt(`0x${Buffer.from(String(key.export({ format: 'jwk' }).n), 'base64url').toString('hex')}`)

// The y coordinates of the points of small order, with the two encodings of y = 0 and y = 1 that are not reduced (RFC 8032, section
// 5.1.3). Anyone can sign under such a key.
const smallOrder: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

const checkOrder = (name: string, key: KeyObject): void => {
  const point = Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url')
  // The highest bit is the sign of x.
  point.writeUInt8(point.readUInt8(31) & 0x7f, 31)
  if (!smallOrder.has(point.toString('hex'))) return
  throw wrongKey(name, 'is too weak: it is a point of small order, for which anyone can sign', make('EdDSA'))
}

const kinds = { rsa: `'rsa',{modulusLength:3072}`, ed25519: `'ed25519'` } as const

const make = (algorithm: PublicKeyAlgorithm): string => {
  const requirement = keyRequirements[algorithm]
  const kind = requirement.keyType === 'ec' ? `'ec',{namedCurve:'${requirement.curve}'}` : kinds[requirement.keyType]
  return `make one with: node -e "console.log(require('crypto').generateKeyPairSync(${kind}).privateKey.export({type:'pkcs8',format:'pem'}))"`
}
