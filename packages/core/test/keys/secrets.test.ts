import { createPublicKey, createSecretKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { readSecret } from '../../src/keys/read-secret.js'
import { toOtherRealm } from '../support/other-realm.js'
import { testKeys } from '../support/test-keys.js'

const messageOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
  throw new Error('The secret was accepted.')
}

describe('readSecret', () => {
  it.each([
    ['text of 32 bytes', 'p0Yk3sVd-1uQ7xWm_9ZrT2aLcE8hGfNb'],
    ['32 bytes as hexadecimal text', 'c2054989e680e6f46d66f6b46a4ac0374ebb520d9acd134c7cf10ce049416a76'],
    ['fewer than 32 characters that are 32 bytes', 'äöüßéèêëñçøåæœþð'],
    ['bytes', randomBytes(32)],
    ['bytes that are not a Buffer', new Uint8Array(randomBytes(32))],
    ['bytes of another realm, such as jsdom', toOtherRealm(randomBytes(32))],
    [
      'bytes with a line feed at their end that are no text',
      Buffer.concat([Buffer.alloc(1, 0xff), randomBytes(31), Buffer.from('\n')]),
    ],
    ['a secret KeyObject', createSecretKey(randomBytes(32))],
    ['bytes that are not UTF-8', Buffer.from(Array.from({ length: 32 }, (_, at) => 255 - ((at * at) % 61)))],
  ])('accepts a secret that is %s', (_, secret) => {
    expect(readSecret('secret', secret, 'HS256')).toMatchObject({ algorithm: 'HS256', key: { type: 'secret' } })
  })

  it.each([
    [32, 'HS256'],
    [48, 'HS384'],
    [64, 'HS512'],
  ] as const)('requires at least %i bytes for %s', (least, algorithm) => {
    expect(readSecret('secret', randomBytes(least), algorithm).algorithm).toBe(algorithm)
    const message = messageOf(() => readSecret('secret', randomBytes(least - 1), algorithm))
    expect(message).toContain(`${least - 1} bytes long, and ${algorithm} needs at least ${least}`)
  })

  it('uses text as written: does not decode text that looks encoded', () => {
    const text = randomBytes(24).toString('base64')
    expect(readSecret('secret', text, 'HS256').key.export()).toEqual(Buffer.from(text, 'utf8'))
  })

  it('copies bytes: wiping them afterwards changes nothing', () => {
    const bytes = randomBytes(32)
    const before = Buffer.from(bytes)
    const { key } = readSecret('secret', bytes, 'HS256')
    bytes.fill(0)
    expect(key.export()).toEqual(before)
  })

  it.each([
    ['empty text', ''],
    ['short text', 'hunter2'],
    ['31 bytes', testSecret.slice(1)],
    ['zero bytes', Buffer.alloc(32)],
    ['line feeds', '\n'.repeat(32)],
    ['the default of jwt.io for HS256', 'a-string-secret-at-least-256-bits-long'],
    ['CHANGE_THIS', 'CHANGE_THIS_TO_SOMETHING_LONG_AND_SECRET'],
    ['replace me', 'replace_me_with_at_least_32_characters_x'],
    ['a command that no shell has run', '$(openssl rand -base64 48 | tr -d "\\n")'],
    ['a quoted command', "require('crypto').randomBytes(32).toString('hex')"],
    ['a variable that was not substituted', ['$', '{JWT_AUTH_SECRET_OF_THE_PRODUCTION_SITE}'].join('')],
    ['a variable in JavaScript', "process.env['JWT_AUTH_SECRET_OF_THE_SITE']"],
    ['a repeated word and a line feed', `${'password'.repeat(4)}\n`],
    ['consecutive bytes', Buffer.from(Array.from({ length: 32 }, (_, place) => place))],
    ['the example of FastAPI and a line feed', '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7\n'],
    [
      'the example of FastAPI as bytes',
      Buffer.from('09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7', 'hex'),
    ],
    [
      'the example of Spring as the bytes of its base64',
      Buffer.from('404E635266556A586E3272357538782F413F4428472B4B6250645367566B5970', 'base64'),
    ],
  ])('rejects a weak secret: %s', (_, secret) => {
    const message = messageOf(() => readSecret('secret', secret, 'HS256'))
    expect(message).toMatch(/^jwt-auth: option `secret` is too weak: /)
    expect(message).toContain('randomBytes(48)')
    if (typeof secret === 'string' && secret !== '') expect(message).not.toContain(secret)
  })

  it.each([
    ['a line feed after it', `${testSecret}\n`, 'starts or ends with white space, such as a line break; remove it'],
    ['a line break of Windows after it', `${testSecret}\r\n`, 'starts or ends with white space'],
    ['a space before it', ` ${testSecret}`, 'starts or ends with white space'],
    ['the line feed of a file', Buffer.from(`${testSecret}\n`), 'starts or ends with white space'],
    ['the line feed of a file in a KeyObject', createSecretKey(Buffer.from(`${testSecret}\n`)), 'starts or ends with'],
    ['quotation marks', `"${testSecret}"`, 'is between quotation marks; remove them where the secret is set.'],
    ['apostrophes', `'${testSecret}'`, 'is between quotation marks'],
  ])('rejects a strong secret with %s', (_, secret, problem) => {
    const message = messageOf(() => readSecret('secret', secret, 'HS256'))
    expect(message).toContain(`jwt-auth: option \`secret\` ${problem}`)
    expect(message).not.toContain(testSecret)
  })

  it('rejects a weak secret in bytes and in a KeyObject', () => {
    const weak = Buffer.from('change-me-change-me-change-me-change-me')
    expect(messageOf(() => readSecret('secret', weak, 'HS256'))).toContain('too weak')
    expect(messageOf(() => readSecret('secret', createSecretKey(weak), 'HS256'))).toContain('too weak')
  })

  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const rsaKey = createPublicKey(testKeys.rsa)
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const jwk = JSON.stringify(publicKey.export({ format: 'jwk' }))

  it.each([
    ['PEM', pem],
    ['PEM in base64', Buffer.from(pem).toString('base64')],
    ['PEM in hexadecimal', Buffer.from(pem).toString('hex')],
    ['PEM in UTF-16', Buffer.from(pem, 'utf16le')],
    ['a JWK', jwk],
    ['a JWK, indented', JSON.stringify(publicKey.export({ format: 'jwk' }), null, 2)],
    ['a JWK in base64', Buffer.from(jwk).toString('base64')],
    ['DER', publicKey.export({ type: 'spki', format: 'der' })],
    ['DER in base64', publicKey.export({ type: 'spki', format: 'der' }).toString('base64')],
    ['DER in hexadecimal', publicKey.export({ type: 'spki', format: 'der' }).toString('hex')],
    ['DER in hexadecimal after a line feed', `\n${publicKey.export({ type: 'spki', format: 'der' }).toString('hex')}`],
    ['DER in UTF-16', Buffer.from(publicKey.export({ type: 'spki', format: 'der' }).toString('latin1'), 'utf16le')],
    [
      'a line of OpenSSH',
      `ssh-rsa ${rsaKey.export({ type: 'pkcs1', format: 'der' }).toString('base64')} ann@example.com`,
    ],
    ['public DER, PKCS #1', rsaKey.export({ type: 'pkcs1', format: 'der' })],
    ['private DER, PKCS #8', privateKey.export({ type: 'pkcs8', format: 'der' })],
    ['private DER, PKCS #8, in base64', privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')],
    ['private DER, SEC 1, in base64', privateKey.export({ type: 'sec1', format: 'der' }).toString('base64')],
  ])('rejects a key of a key pair: %s', (_, secret) => {
    expect(messageOf(() => readSecret('secret', secret, 'HS256'))).toMatch(
      /^jwt-auth: option `secret` is a key of a key pair, not a secret; /,
    )
  })

  it.each([
    ['null', null],
    ['a bigint', 12_345_678_901_234n],
    ['true', true],
    ['an object', { key: testSecret }],
    ['a function', () => testSecret],
    ['a public key', generateKeyPairSync('ed25519').publicKey],
    ['ill-formed text', `${testSecret}\ud83d`],
    ['a list', [testSecret]],
  ])('names the option when it rejects %s', (_, secret) => {
    const message = messageOf(() => readSecret('secret', secret, 'HS256'))
    expect(message).toMatch(/^jwt-auth: option `secret` must be a string, bytes, or a secret KeyObject; received /)
    expect(message).not.toContain(testSecret)
  })

  it('names the variable and the command when the secret is missing', () => {
    expect(messageOf(() => readSecret('secret', undefined, 'HS256'))).toMatch(
      /^jwt-auth: option `secret` is missing; pass it, or set the environment variable .*; generate one with: node -e "/,
    )
  })
})

describe('the id of a secret', () => {
  it('does not depend on the instance or the form of the secret', () => {
    const kids = [testSecret, Buffer.from(testSecret), createSecretKey(Buffer.from(testSecret))].map(
      (secret) => readSecret('secret', secret, 'HS256').kid,
    )
    expect(new Set(kids).size).toBe(1)
  })

  it('does not change between versions of the library', () => {
    expect(readSecret('secret', testSecret, 'HS256').kid).toMatchInlineSnapshot(`"RrRrVfs1SWR65Oss"`)
  })

  it('differs for different secrets', () => {
    const kids = Array.from({ length: 100 }, () => readSecret('secret', randomBytes(32), 'HS256').kid)
    expect(new Set(kids).size).toBe(100)
  })
})
