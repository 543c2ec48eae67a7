import { onTestFinished, vi } from 'vitest'

/**
 * Makes the signals of `AbortSignal.timeout` abort when the test aborts the returned controller, and
 * not before. A busy machine may take longer than any time.
 */
export const holdTimeouts = (): AbortController => {
  const controller = new AbortController()
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(controller.signal)
  onTestFinished(() => timeout.mockRestore())
  return controller
}
