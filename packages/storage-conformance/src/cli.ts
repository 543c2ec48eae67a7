import { runCli } from './cli/run-cli.js'

runCli(process.argv.slice(2), process).then((exitCode) => {
  // Open connections of the adapter would keep the process running. The exit waits until stdout is
  // flushed.
  process.stdout.write('', () => process.exit(exitCode))
})
