/** Emits a warning once per process and code. */
export const warnOnce = (code: string, text: string): void => {
  // Registered by name, so that several copies of this package in one process warn once.
  const key = Symbol.for(`@jwt-auth/core.${code}`)
  // No type describes this member.
  const marks = globalThis as Record<symbol, unknown>
  if (marks[key] === true) return
  marks[key] = true
  process.emitWarning(`jwt-auth: ${text}`, { type: 'JwtAuthWarning', code })
}
