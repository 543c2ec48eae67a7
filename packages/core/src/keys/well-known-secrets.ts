// What people paste from guides and forget. Longer than the minimum, so that the length check does not catch it.
const placeholder =
  /(change|replace)[\s_-]?(me|this|it)|(your|my)[\s_-]?(\w+[\s_-])*(secret|key)|(top|super)[\s_-]?secret|example[\s_-]?(secret|key)|string-secret|do not use this|^django-insecure-/i

// A command or a variable that a shell, a template or a file of settings took literally, and that stands in the guide.
const unexpanded = /randomBytes\(|^(node|openssl) |process\.env|^\$\(.*\)$|^\$\{.*\}$|^<.*>$|^%.*%$|\{\{.*\}\}/

// Rows of a keyboard, of the alphabet and of numbers.
const row = /qwertyuiop|asdfghjkl|abcdefghijklmnop|0123456789|^0?0010203|^01020304/i

// Printed in the documentation of frameworks and in standards, and pasted from there.
const printed: ReadonlySet<string> = new Set([
  '09d25e094faa6ca2556c818166b7a9563b93f7099f6f0f4caa6cf63b88e8d3e7', // FastAPI, the tutorial on OAuth2
  '404E635266556A586E3272357538782F413F4428472B4B6250645367566B5970', // tutorials on Spring Security
  'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow', // RFC 7515, appendix A.1
  'hJtXIZ2uSN5kbQfbtTNWbpdmhkV8FJG-Onbc6mxCcYg', // RFC 7520, section 3.5
])

const printedInSmall: ReadonlySet<string> = new Set([...printed].map((secret) => secret.toLowerCase()))

/** Whether a secret stands in a public guide, as text or as the bytes that its text stands for, or is made after one that does. */
export const isWellKnown = (secret: Buffer): boolean => {
  // What is read from a file ends with its line.
  const text = secret.toString('latin1').trim()
  const spellings = [text, ...(['hex', 'base64', 'base64url'] as const).map((encoding) => secret.toString(encoding))]
  return (
    placeholder.test(text) ||
    unexpanded.test(text) ||
    row.test(text) ||
    spellings.some((spelling) => printedInSmall.has(spelling.toLowerCase()))
  )
}
