/** Returns a member of a value of unknown shape, or `undefined` without this member. */
export const getMember = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
