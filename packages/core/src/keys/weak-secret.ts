import { hash } from 'node:crypto'
import { type DescriptionLength, measureDescription } from './description-length.js'
import { guessableWords } from './guessable-words.js'

// A secret whose description has fewer bits is refused. 32 random hexadecimal digits, the secret with the lowest entropy that is
// long enough, have 128.
const fewestBits = 96

// A secret is refused if its description by words has less than this share of the bits of as many random characters.
// `measureDescription` bounds the probability that one reading of a random secret is refused. A secret has at most three readings.
// The bounds are:
// - 2^-26 for one UUID
// - 2^-32 for 32 hexadecimal digits
// - 2^-48 for 24 bytes in base64
// - 2^-60 for two UUIDs, for 32 bytes in any form, and for 43 characters of a keyboard
const smallestShare = 0.75

// Only the first 512 bytes are measured: a longer secret is strong if this part is strong.
const longestMeasured = 512

/** Returns why a secret can be guessed: it is published, or has a short description. Returns `undefined` for a strong secret. */
export const findWeakness = (secret: Buffer): string | undefined => {
  // A secret from a file ends with a line feed.
  const text = secret.toString('latin1').replace(/[\r\n]+$/, '')
  const readings = toReadings(text)
  if ([marked, unexpanded, unfilled].some((form) => form.test(text)) || readings.some(isPrinted)) {
    return 'a placeholder or an example from a guide'
  }
  if (readings.some(isDigestOfWord)) return 'the digest of a frequent password'
  const [own = measure(secret), ...decoded] = readings.map(measure)
  if (own.charactersAndSet < fewestBits) return 'made of too few different characters'
  return [own, ...decoded].some((reading) => isShort(reading, own))
    ? 'made of words, repetitions or sequences'
    : undefined
}

const measure = (reading: Buffer): DescriptionLength => measureDescription(reading.subarray(0, longestMeasured))

const isShort = ({ characters, charactersAndSet, words }: DescriptionLength, own: DescriptionLength): boolean =>
  Math.min(charactersAndSet, words) < fewestBits || words < smallestShare * Math.min(characters, own.characters)

// Returns the bytes of a text, and the bytes that the text encodes in hexadecimal (with the dashes of a UUID) or base64 (with the
// dots of a JWT).
const toReadings = (text: string): readonly Buffer[] => {
  const digits = /^[\da-f-]+$/i.test(text) ? text.replaceAll('-', '') : text
  const hex = Buffer.from(digits, 'hex')
  const base64 = /^[\w+/.-]+=*$/.test(text) ? Buffer.concat(text.split('.').map(fromBase64)) : Buffer.alloc(0)
  const decoded = [hex.length * 2 === digits.length ? hex : Buffer.alloc(0), base64]
  return [Buffer.from(digits, 'latin1'), ...decoded.filter(({ length }) => length > 0)]
}

const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64')

// Marks that frameworks and templates give to the placeholders they generate.
const marked = /(change|replace)[\s_-]?(me|this|it)|^django-insecure-/i

// A command or a variable that a shell, a template or a file of settings did not replace. The characters between brackets are
// restricted, so that 43 random characters of a keyboard match with a probability below 2^-35.
const unexpanded =
  /randomBytes\(|^(node|openssl) |process\.env|^\$\([\w\s|"'\\/.+-]*\)$|^\$\{[\w.:-]*\}$|^%[\w%]*%$|^\{\{[\w\s.|$"'-]*\}\}[\w-]*$/

// A template with spaces inside its braces, a description between brackets, or the name of a secret in AWS.
const unfilled = /^\$?\{\{\s[^{}]*\s\}\}$|^<[\w\s-]*>$|^arn:aws[\w-]*:[\w:/+=.@-]*$/

// Printed in the documentation of frameworks, in tutorials and in standards, and copied from there.
const printed = [
  '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7', // FastAPI, the tutorial on OAuth2
  '404E635266556A586E3272357538782F413F4428472B4B6250645367566B5970', // tutorials on Spring Security
  '3cfa76ef14937c1c0ea519f8fc057a80fcd04a7420f8e8bcd0a7567c272e007b', // tutorials on Spring Security
  'fd4db9644040cb8231cf7fb727a7ff23a85b985da450c0c840976127c9c0adfe0ef9a4f7e88ce7a1585dd59cf78f0ea57535d6b1cd744c1ee62d726572f51432', // a template of JHipster, written in base64
  'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow', // RFC 7515, appendix A.1
  'hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg', // RFC 7520, section 3.5
  'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', // the documentation of AWS
  'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', // RFC 6238, appendix B, in base32
  'bezKoderSecretKeyForJWTokenSigning', // a tutorial on Spring Security
  'daf66e01593f61a15b857cf433aae03a005812b31234e149036bcc8dee755dbb', // a tutorial on Spring Security
  '9a4f2c8d3b7a1e6f45c8a0b3f267d8b1d4e6f3c8a9d2b5f8e3a9c8b5f6v8a3d9', // a tutorial on Spring Security
  'vOVH6sdmpNWjRRIqCc7rdxs01lwHzfr3', // tutorials on AES in Node
  'b14ca5898a4e4133bbce2ea2315a1916', // tutorials on AES in .NET
  'SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c', // the signature of the token on jwt.io
  'TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ', // the signature of an earlier token on jwt.io
]

const printedInLowerCase: ReadonlySet<string> = new Set(printed.map((secret) => secret.toLowerCase()))

const isPrinted = (reading: Buffer): boolean =>
  (['latin1', 'hex', 'base64', 'base64url'] as const).some((encoding) =>
    printedInLowerCase.has(reading.toString(encoding).toLowerCase()),
  )

// The algorithms of digests by their length in bytes.
const digestAlgorithms: Readonly<Record<number, string>> = {
  16: 'md5',
  20: 'sha1',
  28: 'sha224',
  32: 'sha256',
  48: 'sha384',
  64: 'sha512',
}

const isDigestOfWord = (reading: Buffer): boolean => {
  const algorithm = digestAlgorithms[reading.length]
  // No digest consists of printable characters alone.
  const isText = /^[\x20-\x7e]*$/.test(reading.toString('latin1'))
  return algorithm !== undefined && !isText && findDigests(algorithm).has(reading.toString('hex'))
}

const knownDigests = new Map<string, ReadonlySet<string>>()

// In hexadecimal. Computed once for a process.
const findDigests = (algorithm: string): ReadonlySet<string> => {
  const known = knownDigests.get(algorithm)
  if (known !== undefined) return known
  const digests = new Set(spellings().map((text) => hash(algorithm, text)))
  knownDigests.set(algorithm, digests)
  return digests
}

// Two of these words, in this order or the other, make a frequent password.
const paired =
  'my jwt super app api auth your the access refresh session admin user node test dev prod secret key token password pass'

const pairs = (): readonly string[] => {
  const words = paired.split(' ')
  return words.flatMap((first) => words.flatMap((second) => ['', '-', '_'].map((between) => first + between + second)))
}

const spelledOut =
  'secret123 password123 admin123 my-secret-key p@ssw0rd passw0rd passw0rd! password1! hunter2 s3cr3t'.split(' ')

// `echo` in a shell adds the line feed.
const spellings = (): readonly string[] =>
  ['', ...guessableWords.flatMap((words) => [...words]), ...pairs(), ...spelledOut]
    .flatMap((word) => [word, word.charAt(0).toUpperCase() + word.slice(1)])
    .flatMap((text) => [text, `${text}\n`])
