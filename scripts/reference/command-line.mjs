import { createProgram } from '../../packages/cli/src/run-cli.ts'
import { wrap } from './doc-comments.mjs'

const program = createProgram(process, () => {})

const listCommands = (command, path) =>
  command.commands.length === 0
    ? [{ command, path }]
    : command.commands.flatMap((each) => listCommands(each, `${path} ${each.name()}`))

const toItem = (name, description, { argChoices, defaultValue } = {}) => {
  const choices = argChoices ? `${argChoices.join(', ')}. Default: ${defaultValue}` : ''
  return wrap(`- \`${name}\`: ${description}${choices}`, '  ')
}

const toSection = ({ command, path }) => {
  const names = command.registeredArguments.map((argument) => `<${argument.name()}>`)
  const described = command.registeredArguments.filter(({ description }) => description)
  const items = [
    ...described.map((argument) => toItem(`<${argument.name()}>`, argument.description)),
    ...command.options.map((option) => toItem(option.flags, option.description, option)),
  ]
  const required = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags)
  const parts = [
    `## \`${[path, ...names, ...required].join(' ')}\``,
    wrap(`${command.description().replace(/^./, (letter) => letter.toUpperCase())}.`),
    items.join('\n'),
  ]
  return parts.filter(Boolean).join('\n\n')
}

export const commandLine = `# Command line

\`npm install @jwt-auth/cli\` installs [these commands](../../packages/cli/README.md). All except
\`secret\` and \`keys generate\` need
[\`jwt-auth.config.ts\`](../../packages/cli/README.md#the-configuration).

${listCommands(program, program.name()).map(toSection).join('\n\n')}

## For all commands

${program.options.map(({ flags, description }) => toItem(flags, description)).join('\n')}
`
