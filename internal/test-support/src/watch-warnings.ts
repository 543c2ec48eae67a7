import { afterEach, beforeEach, vi } from 'vitest'

/** Records the warnings of each test. Returns the function that returns the warnings with a code. */
export const watchWarnings = (code: string): (() => readonly unknown[][]) => {
  const forget = () => Reflect.deleteProperty(globalThis, Symbol.for(`@jwt-auth/core.${code}`))
  beforeEach(() => {
    forget()
    vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  })
  afterEach(() => {
    vi.restoreAllMocks()
    forget()
  })
  return () => vi.mocked(process.emitWarning).mock.calls.filter((call) => isCode(call[1], code))
}

const isCode = (options: unknown, code: string): boolean =>
  typeof options === 'object' && options !== null && 'code' in options && options.code === code
