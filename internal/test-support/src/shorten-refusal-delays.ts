/**
 * The option `system.startTimer` of a service that delays its refused logins for a tenth of the time: timers of at most five seconds fire
 * early. All others are the machine's. The service needs a `storageTimeoutMs` of more than five seconds.
 */
export const shortenRefusalDelays = (delayMs: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, delayMs <= 5_000 ? delayMs / 10 : delayMs).unref()
  return () => clearTimeout(timer)
}
