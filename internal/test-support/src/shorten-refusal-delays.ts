/**
 * The option `system.startTimer` for a service, which shortens the delays of its refused logins to a tenth: timers of at most five
 * seconds fire early, and all others on time. The service needs a `storageTimeoutMs` of more than five seconds.
 */
export const shortenRefusalDelays = (delayMs: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, delayMs <= 5_000 ? delayMs / 10 : delayMs).unref()
  return () => clearTimeout(timer)
}
