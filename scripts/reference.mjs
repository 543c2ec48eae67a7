// Writes the pages of docs/reference: `npm run reference`. A test compares them.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine } from './reference/command-line.mjs'
import { errors } from './reference/errors.mjs'
import { events } from './reference/events.mjs'
import { http } from './reference/http.mjs'
import { options } from './reference/options.mjs'
import { root } from './workspace.mjs'

const pages = { 'command-line': commandLine, errors, events, http, options }
for (const [name, page] of Object.entries(pages)) writeFileSync(join(root, 'docs/reference', `${name}.md`), page)
