/** Emits a warning once per process and code. */
export const warnOnce = (code: string, text: string): void => {
  // Registered by name, so that several copies of this package in one process warn once.
  const key = Symbol.for(`@jwt-auth/core.${code}`)
  if (Reflect.get(globalThis, key) === true) return
  Reflect.set(globalThis, key, true)
  process.emitWarning(`jwt-auth: ${text}`, { type: 'JwtAuthWarning', code })
}
