/**
 * Emits a warning once per process, code and mistake.
 *
 * @param mistake the name of the mistake, if a client can choose a part of the text
 */
export const warnOnce = (code: string, text: string, mistake = text): void => {
  // Registered by name, so that several copies of this package in one process warn once.
  const key = Symbol.for(`@jwt-auth/core.${code} ${mistake}`)
  // No type describes this member.
  const marks = globalThis as Record<symbol, unknown>
  if (marks[key] === true) return
  marks[key] = true
  process.emitWarning(`jwt-auth: ${text}`, { type: 'JwtAuthWarning', code })
}
