import { generateKeyPair, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import type { Result } from '../terminal.js'

/** The algorithms of generated key pairs. */
export const keyAlgorithms = ['ES256', 'EdDSA', 'RS256', 'PS256'] as const

/** Generates a secret for the option `secret`. */
export const generateSecret = (): Result => {
  const secret = randomBytes(48).toString('base64url')
  return { text: secret, json: { secret } }
}

const generate = promisify(generateKeyPair)

/** Generates a key pair for the option `keys`. */
export const generateKey = async (algorithm: (typeof keyAlgorithms)[number]): Promise<Result> => {
  const key = (await generatePrivateKey(algorithm)).export({ type: 'pkcs8', format: 'pem' }).toString()
  return { text: key.trimEnd(), json: { algorithm, key } }
}

const generatePrivateKey = async (algorithm: (typeof keyAlgorithms)[number]) => {
  if (algorithm === 'ES256') return (await generate('ec', { namedCurve: 'P-256' })).privateKey
  if (algorithm === 'EdDSA') return (await generate('ed25519')).privateKey
  return (await generate('rsa', { modulusLength: 3072 })).privateKey
}
