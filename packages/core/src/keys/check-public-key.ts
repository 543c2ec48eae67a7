import type { KeyObject } from 'node:crypto'
import { type KeyRequirement, keyRequirements, type PublicKeyAlgorithm } from './algorithm.js'
import { isRocaModulus } from './roca.js'
import { wrongKey } from './wrong-key.js'

// RFC 7518, section 3.3; the exponent: FIPS 186-5, section A.1.1.
const leastModulusBits = 2_048
const leastExponent = 65_537n

/** Refuses a public key that is of another type than its algorithm's, or weak. Returns it. */
export const checkPublicKey = (name: string, key: KeyObject, algorithm: PublicKeyAlgorithm): KeyObject => {
  const requirement = keyRequirements[algorithm]
  checkType(name, key, { algorithm, requirement })
  if (requirement.keyType === 'ec') checkCurve(name, key, { algorithm, ...requirement })
  else checkRsa(name, key, algorithm)
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

const make = (algorithm: PublicKeyAlgorithm): string => {
  const requirement = keyRequirements[algorithm]
  const kind = requirement.keyType === 'ec' ? `'ec',{namedCurve:'${requirement.curve}'}` : `'rsa',{modulusLength:3072}`
  return `make one with: node -e "console.log(require('crypto').generateKeyPairSync(${kind}).privateKey.export({type:'pkcs8',format:'pem'}))"`
}
