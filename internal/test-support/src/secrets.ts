import { inspect } from 'node:util'

/** Secrets, as text or as bytes, by the name that a test gives them. */
export type Secrets = ReadonlyMap<string, string | Buffer>

/**
 * Returns the names of the secrets that any of the texts contains: as they are, as base64,
 * base64url or hexadecimal (in upper or lower case, and as the inspection of a Buffer shows it), or
 * escaped for a URL. Base64 is found at every offset, because a secret may be in the middle of the
 * encoded bytes.
 */
export const findSecrets = (secrets: Secrets, texts: readonly string[]): readonly string[] => {
  const text = withoutBackslashes([...new Set(texts)].join('\n'))
  const lowerCase = text.toLowerCase()
  return [...secrets]
    .filter(([, secret]) => {
      if (secret.length < shortest) throw new RangeError('A secret this short would be found everywhere.')
      const bytes = Buffer.from(secret)
      return (
        toHexadecimal(bytes).some((writing) => lowerCase.includes(writing)) ||
        writingsOf(secret, bytes).some((writing) => text.includes(writing))
      )
    })
    .map(([name]) => name)
}

const shortest = 8

// A log may contain JSON in JSON. Once the backslashes are removed, the number of levels of quoting
// makes no difference.
const withoutBackslashes = (text: string): string => text.replaceAll('\\', '')

// `<Buffer 63 6f 72 …>` shows the first fifty bytes.
const toHexadecimal = (bytes: Buffer): readonly string[] => {
  const hex = bytes.toString('hex')
  return [hex, hex.slice(0, 100).replace(/..(?=.)/g, '$& ')]
}

const writingsOf = (secret: string | Buffer, bytes: Buffer): readonly string[] => [
  ...(typeof secret === 'string' ? [withoutBackslashes(secret), encodeURIComponent(secret)] : []),
  ...[0, 1, 2].flatMap((offset) => toBase64At(bytes, offset)),
]

/**
 * Returns the base64 of bytes at an offset of a longer sequence, without the characters that
 * include bits of other bytes.
 */
const toBase64At = (bytes: Buffer, offset: number): readonly string[] => {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes])
  const from = Math.ceil((offset * 4) / 3)
  const to = Math.floor((whole.length * 4) / 3)
  return (['base64', 'base64url'] as const).map((encoding) => whole.toString(encoding).slice(from, to))
}

/**
 * Returns the forms of a value in the log of an application: text, inspected with all nested and
 * hidden members, and JSON.
 */
export const textsOf = (value: unknown): readonly string[] => [
  describe(() => String(value)),
  describe(() => (value instanceof Error ? (value.stack ?? '') : '')),
  inspect(value, {
    depth: Number.POSITIVE_INFINITY,
    showHidden: true,
    getters: true,
    maxArrayLength: null,
    maxStringLength: null,
  }),
  describe(() => JSON.stringify(value) ?? ''),
]

// Some values cannot be written as text or JSON, such as a circular object. They are still
// inspected.
const describe = (write: () => string): string => {
  try {
    return write()
  } catch {
    return ''
  }
}

// The form of tokens, password hashes and private keys from any source.
const shapes: readonly (readonly [string, RegExp])[] = [
  ['a refresh token', /jwtauth_rt_[\w-]{20,}/],
  ['an access token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}/],
  ['a bcrypt hash', /\$2[aby]\$\d\d\$[./A-Za-z0-9]{22,}/],
  ['an argon2 hash', /\$argon2\w+\$/],
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----/],
]

/** Returns the kinds of secrets that a text contains. */
export const findLeaks = (text: string): readonly string[] =>
  shapes.filter(([, shape]) => shape.test(text)).map(([kind]) => kind)
