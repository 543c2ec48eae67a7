/** The source of signals, and the streams that may be closed. */
interface Host {
  readonly listen: (signal: NodeJS.Signals, hear: () => void) => unknown
  readonly exit: (code: number) => unknown
  readonly stdout: Pick<NodeJS.EventEmitter, 'on'>
  readonly stderr: Pick<NodeJS.EventEmitter, 'on'>
}

const thisProcess: Host = {
  listen: (signal, hear) => process.on(signal, hear),
  exit: (code) => process.exit(code),
  stdout: process.stdout,
  stderr: process.stderr,
}

// npm forwards a Ctrl-C that the terminal has already sent to every process.
const repeatMs = 1_000

/**
 * Aborts when a command must end early: at Ctrl-C, SIGTERM, a closed terminal or a closed pipe. The
 * command can then clean up. A second signal, more than a second later, ends the process
 * immediately.
 *
 * @param tell prints that the command will end; not called when the output is closed
 */
export const listenForEnd = (tell: () => void, host = thisProcess, now = () => performance.now()): AbortSignal => {
  const ending = new AbortController()
  let askedAt = Number.NEGATIVE_INFINITY

  const hear = (): void => {
    if (ending.signal.aborted) {
      if (now() - askedAt > repeatMs) host.exit(1)
      return
    }
    askedAt = now()
    ending.abort(new Error('ended early'))
    tell()
  }
  const loseReader = (): void => ending.abort(new Error('nobody reads what is printed'))

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) host.listen(signal, hear)
  for (const stream of [host.stdout, host.stderr]) stream.on('error', loseReader)
  return ending.signal
}
