import { createHash, getHashes } from 'node:crypto'

/**
 * Returns why a secret can be guessed. Returns `undefined` for any other secret. Refuses fewer than
 * one in 10⁹ random secrets of 32 characters or more, in hexadecimal or base64:
 * - at most six different digits among 32 hexadecimal digits: 2 in 10¹⁰
 * - only words and separators among 32 characters of base64url: 2 in 10¹⁰
 */
export const findWeakness = (secret: Buffer): string | undefined => {
  // A secret from a file ends with a line feed.
  const text = secret.toString('latin1').replace(/[\r\n]+$/, '')
  const decodings = toDecodings(text)
  if ([marked, unexpanded, unfilled].some((form) => form.test(text)) || decodings.some(isPublished)) {
    return 'a placeholder or an example from a guide'
  }
  if (decodings.some((decoding) => new Set(decoding).size < minDistinctBytes)) {
    return 'made of too few different characters'
  }
  if (decodings.some((decoding) => isRepetition(decoding) || isRepetition(toSteps(decoding)))) {
    return 'a repetition or a sequence'
  }
  if (decodings.some(isCommonDigest)) return 'the digest of a common password'
  return decodings.some(isWords) ? 'made of letters alone, like a sentence' : undefined
}

const minDistinctBytes = 7

// Returns the bytes of a text, and the bytes that the text encodes in hexadecimal (with the dashes
// of a UUID) or base64 (with the dots of a JWT).
const toDecodings = (text: string): readonly Buffer[] => {
  const digits = /^[\da-f-]+$/i.test(text) ? text.replaceAll('-', '') : text
  const hex = Buffer.from(digits, 'hex')
  const base64 = /^[\w+/.-]+=*$/.test(text) ? Buffer.concat(text.split('.').map(fromBase64)) : Buffer.alloc(0)
  const decoded = [hex.length * 2 === digits.length ? hex : Buffer.alloc(0), base64]
  return [Buffer.from(digits, 'latin1'), ...decoded.filter(({ length }) => length > 0)]
}

const fromBase64 = (text: string): Buffer => Buffer.from(text, 'base64')

// The same bytes again and again, of which the last may be cut.
const isRepetition = (bytes: Buffer): boolean => {
  const periods = Array.from({ length: Math.floor(bytes.length / 2) }, (_, index) => index + 1)
  return periods.some((period) => bytes.subarray(period).equals(bytes.subarray(0, -period)))
}

const toSteps = (bytes: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, at) => byte - (bytes[at - 1] ?? byte)).subarray(1))

// Words of letters of one case, of which the first may be a capital, between separators. Numbers
// may stand among at least four words.
const isWords = (bytes: Buffer): boolean => {
  const parts = bytes.toString('latin1').split(/[\s_.,:;!?'-]+/)
  const others = parts.filter((part) => !/^([A-Z]?[a-z]*|[A-Z]+)$/.test(part))
  return others.length === 0 || (parts.length - others.length > 3 && others.every((part) => /^\d+$/.test(part)))
}

// A shell hashes the empty text for a variable that is not set.
const common =
  ',123456,12345678,123456789,admin,changeme,default,example,hello,jwt,key,letmein,password,password1,password123,qwerty,root,secret,secretkey,test,token,welcome'

// `echo` adds a line feed.
const hashed = common.split(',').flatMap((password) => [password, `${password}\n`])

let digests: ReadonlySet<string> | undefined

// The digests are computed for the first secret, not at the import. Some machines have no MD5.
const isCommonDigest = (bytes: Buffer): boolean => {
  digests ??= new Set(
    getHashes()
      .filter((name) => ['md5', 'sha1', 'sha256', 'sha384', 'sha512'].includes(name))
      .flatMap((name) => hashed.map((text) => createHash(name).update(text).digest('hex'))),
  )
  return digests.has(bytes.toString('hex'))
}

// Marks that frameworks and templates give to the placeholders they generate.
const marked = /(change|replace)[\s_-]?(me|this|it)|^django-insecure-/i

// A command or a variable that a shell, a template or a file of settings did not replace. The
// characters between brackets are restricted, so that 43 random characters of a keyboard match with
// a probability below 2^-35.
const unexpanded =
  /randomBytes\(|^(node|openssl) |process\.env|^\$\([\w\s|"'\\/.+-]*\)$|^\$\{[\w.:-]*\}$|^%[\w%]*%$|^\{\{[\w\s.|$"'-]*\}\}[\w-]*$/

// Parts of the secrets in tutorials, also of their JWTs. A random secret of 64 characters has one
// with a probability below 10⁻⁹.
const frequent =
  /(secret|signing)[\s_-]?key|jwt[\s_-]?(secret|token)|super[\s_-]?secret|256[\s_-]?bit|p[a@]ssw[o0]rd|"(alg|sub)":"|0123456789|1234567890|abcdefghij|qwertyuiop/i

// A URL, also of a database, a template with spaces inside its braces, a description between
// brackets, or the name of a secret in AWS.
const unfilled = /^(http|[a-z+]{5,}):\/\/|^\$?\{\{\s[^{}]*\s\}\}$|^<[\w\s-]*>$|^arn:aws[\w-]*:[\w:/+=.@-]*$/

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
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIB', // the first bytes of every public key of RSA with 2,048 bits
]

const printedInLowerCase: ReadonlySet<string> = new Set(printed.map((secret) => secret.toLowerCase()))

const isPublished = (decoding: Buffer): boolean =>
  frequent.test(decoding.toString('latin1')) ||
  (['latin1', 'hex', 'base64', 'base64url'] as const).some((encoding) =>
    printedInLowerCase.has(decoding.toString(encoding).toLowerCase()),
  )
