import { runCli } from './cli/run-cli.js'

runCli(process.argv.slice(2), process).then((exitCode) => {
  // The adapter may have left connections open; what was written goes out first.
  process.stdout.write('', () => process.exit(exitCode))
})
