import type { CallChannel, TracedCall } from '@jwt-auth/core/internal'
import { afterEach, beforeEach, onTestFinished, vi } from 'vitest'

const ignore = (): void => {}

/** Records the messages of the calls that end on a tracing channel, until the test ends. */
export const recordCalls = <Call extends TracedCall>(
  channel: CallChannel<Call>,
  start: (call: Call) => void = ignore,
): readonly Call[] => {
  const ended: Call[] = []
  const asyncEnd = (call: Call): void => void ended.push(call)
  const subscribers = { start, end: ignore, asyncStart: ignore, asyncEnd, error: ignore }
  channel.subscribe(subscribers)
  onTestFinished(() => void channel.unsubscribe(subscribers))
  return ended
}

/** Records the warnings of each test. Returns the function that returns the warnings with a code. */
export const watchWarnings = (code: string): (() => readonly unknown[][]) => {
  const forget = () => {
    for (const key of Object.getOwnPropertySymbols(globalThis))
      if (key.description?.startsWith(`@jwt-auth/core.${code} `)) Reflect.deleteProperty(globalThis, key)
  }
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

/** Returns the list of the errors that would have ended the process during one test. */
export const watchCrashes = (): readonly unknown[] => {
  const crashes: unknown[] = []
  const note = (error: unknown): void => void crashes.push(error)
  process.on('uncaughtException', note)
  onTestFinished(() => void process.off('uncaughtException', note))
  return crashes
}
