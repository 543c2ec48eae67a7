const describe = (value: unknown, isSecret: boolean): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number' || typeof value === 'boolean') return isSecret ? `a ${typeof value}` : String(value)
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string'
  return typeof value === 'undefined' ? 'nothing' : `a value of type ${typeof value}`
}

/**
 * The error for a wrong option. Strings are not printed: the value at fault may be a secret.
 */
export const optionError = (
  name: string,
  expected: string,
  received: unknown,
  { isSecret = false }: { readonly isSecret?: boolean } = {},
): TypeError =>
  new TypeError(`jwt-auth: option \`${name}\` must be ${expected}; received ${describe(received, isSecret)}.`)
