import { serveStorage } from '@jwt-auth/storage-conformance'
import { type OpenedStorage, openStorage } from './instance/open-storage.js'

// The cases of one store share its connections.
const opened = new Map<string, Promise<OpenedStorage>>()

serveStorage(async (url: string) => {
  const opening = opened.get(url) ?? openStorage(url, { poolSize: 5, connectTimeoutMs: 10_000 })
  opened.set(url, opening)
  return (await opening).storage
})
