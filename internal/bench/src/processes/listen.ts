import { createServer, type RequestListener } from 'node:http'
import { listen as listenOn } from '@jwt-auth/test-support'

/** Listens on a free port of 127.0.0.1. Resolves to the URL. */
export const listen = async (listener: RequestListener): Promise<string> => {
  // Long enough that no connection closes at the moment at which a client reuses it.
  const server = createServer({ keepAliveTimeout: 120_000 }, listener)
  return `http://127.0.0.1:${await listenOn(server)}`
}
