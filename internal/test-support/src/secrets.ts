import { inspect } from 'node:util'

/** Secrets, as text or as bytes, by the name under which a test speaks of them. */
export type Secrets = ReadonlyMap<string, string | Buffer>

/**
 * The names of the secrets that stand in any of the texts: as they are, or their bytes in base64, base64url or
 * hexadecimal (in either case, and as a Buffer is inspected), or escaped for a URL. Base64 is found at every offset: a secret may
 * stand in the middle of what was encoded.
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

// JSON in JSON in a log: with the backslashes left out, it does not matter how often it was quoted.
const withoutBackslashes = (text: string): string => text.replaceAll('\\', '')

// `<Buffer 63 6f 72 …>` shows the first fifty.
const toHexadecimal = (bytes: Buffer): readonly string[] => {
  const hex = bytes.toString('hex')
  return [hex, hex.slice(0, 100).replace(/..(?=.)/g, '$& ')]
}

const writingsOf = (secret: string | Buffer, bytes: Buffer): readonly string[] => [
  ...(typeof secret === 'string' ? [withoutBackslashes(secret), encodeURIComponent(secret)] : []),
  ...[0, 1, 2].flatMap((offset) => toBase64At(bytes, offset)),
]

/** The base64 of bytes that stand at this offset of a longer run: without the characters that others have a part in. */
const toBase64At = (bytes: Buffer, offset: number): readonly string[] => {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes])
  const from = Math.ceil((offset * 4) / 3)
  const to = Math.floor((whole.length * 4) / 3)
  return (['base64', 'base64url'] as const).map((encoding) => whole.toString(encoding).slice(from, to))
}

/** Everything that a host's log may make of a value: as text, inspected to its leaves and hidden members, and as JSON. */
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

// What can't be written as text or JSON (a circle, an object without a prototype) is inspected all the same.
const describe = (write: () => string): string => {
  try {
    return write()
  } catch {
    return ''
  }
}
