const reference = 'https://jwt-auth.github.io/jwt-auth/reference'

/** Returns the address of the documentation of an option, of a function or of a code. */
export const toAddress = (page: 'options' | 'errors', name: string): string =>
  `${reference}/${page}#${name.toLowerCase()}`
