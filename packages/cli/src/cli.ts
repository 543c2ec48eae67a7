import { runCli } from './run-cli.js'

const interruption = new AbortController()
process.once('SIGINT', () => interruption.abort())
process.once('SIGTERM', () => interruption.abort())

const { argv, stdin, stdout, stderr } = process
// A call that no socket or timer waits for would end the process without a result.
setInterval(() => {}, 60_000)

runCli(argv.slice(2), { stdin, stdout, stderr, now: Date.now, signal: interruption.signal }).then((exitCode) => {
  // Open connections of the application would keep the process running. The exit waits until stdout
  // is flushed.
  stdout.write('', () => process.exit(exitCode))
})
