/** Creates the error for a key that must not be used, with the reason and the fix. It never shows the key. */
export const wrongKey = (name: string, why: string, instead: string): TypeError =>
  new TypeError(`jwt-auth: option \`${name}\` ${why}; ${instead}`)
