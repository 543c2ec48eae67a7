// npm forwards a Ctrl-C that the terminal has already sent to every process.
const repeatMs = 1_000

/**
 * Aborts when a command must end early: at Ctrl-C, SIGTERM, a closed terminal or a closed pipe. The
 * command can then clean up. A second signal, more than a second later, ends the process
 * immediately.
 *
 * @param tell prints that the command will end; not called when the output is closed
 */
export const listenForEnd = (tell: () => void): AbortSignal => {
  const ending = new AbortController()
  let askedAt = Number.NEGATIVE_INFINITY
  const hear = (): void => {
    if (ending.signal.aborted) {
      if (performance.now() - askedAt > repeatMs) process.exit(1)
      return
    }
    askedAt = performance.now()
    ending.abort(new Error('ended early'))
    tell()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, hear)
  const loseReader = (): void => ending.abort(new Error('nobody reads what is printed'))
  for (const stream of [process.stdout, process.stderr]) stream.on('error', loseReader)
  return ending.signal
}
