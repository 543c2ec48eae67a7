/**
 * The option `system.startTimer` of a service whose refused logins do not wait: timers of at most a second end in the next turn of the
 * event loop. All others are the machine's. The service needs a `storageTimeoutMs` of more than a second.
 */
export const endRefusalWaits = (delayMs: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, delayMs <= 1_000 ? 0 : delayMs).unref()
  return () => clearTimeout(timer)
}
