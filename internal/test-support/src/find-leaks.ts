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
