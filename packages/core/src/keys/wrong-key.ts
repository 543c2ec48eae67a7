/** The advice to generate a strong secret. */
export const makeSecret = `make one with: node -e "console.log(require('crypto').randomBytes(48).toString('base64url'))"`

/** Creates the error for a key that must not be used, with the reason and the fix. It never shows the key. */
export const wrongKey = (name: string, why: string, instead: string): TypeError =>
  new TypeError(`jwt-auth: option \`${name}\` ${why}; ${instead}`)
