/** The error for a key that must not be used: what is wrong with it, and what to do instead. Never shows the key. */
export const wrongKey = (name: string, why: string, instead: string): TypeError =>
  new TypeError(`jwt-auth: option \`${name}\` ${why}; ${instead}`)
