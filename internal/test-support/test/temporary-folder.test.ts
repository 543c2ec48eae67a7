import { once } from 'node:events'
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createFolder, removeFolder } from '../src/temporary-folder.js'

const folder = realpathSync(createFolder())
afterAll(() => removeFolder(folder))

it('removes a folder with a socket, after which packages are still found behind links', async () => {
  mkdirSync(join(folder, 'package'))
  writeFileSync(join(folder, 'package/index.js'), '')
  symlinkSync('package', join(folder, 'link'))
  const { resolve } = createRequire(join(folder, 'main.js'))
  resolve('./package')
  const withSocket = createFolder()
  const server = createServer().listen(join(withSocket, 'socket'))
  await once(server, 'listening')
  removeFolder(withSocket)
  expect(resolve('./link')).toBe(join(folder, 'package/index.js'))
  server.close()
})
