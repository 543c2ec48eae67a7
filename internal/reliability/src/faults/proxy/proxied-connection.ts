import type { Socket } from 'node:net'
import { breakOff } from './break-off.js'
import type { Fault, Way } from './fault.js'
import { createLane, type Lane } from './lane.js'

/** A client's connection and the one that leads on to the server. */
export interface ProxiedConnection {
  /** Does to the connection what a fault does to those that stand when it begins. */
  readonly apply: (fault: Fault) => void
  /** Breaks both ends with a RST. */
  readonly reset: () => void
}

interface Ends {
  readonly client: Socket
  readonly server: Socket
  /** The fault of this moment. */
  readonly fault: () => Fault
  /** Called when a `cut` has found its connection. */
  readonly onCut: () => void
}

type OneWay = Exclude<Way, 'both'>

/** Joins the two ends. */
export const joinConnection = ({ client, server, fault, onCut }: Ends): ProxiedConnection => {
  const lanes: Readonly<Record<OneWay, Lane>> = { 'to-server': createLane(server), 'to-client': createLane(client) }
  let isAnswerCut = false

  const reset = (): void => {
    breakOff(client)
    breakOff(server)
  }

  const carry = (way: OneWay, chunk: Buffer): void => {
    const present = fault()
    if (present.kind === 'drop' && affects(present.way, way)) lanes[way].lose()
    lanes[way].carry(chunk, delayOf(present, way))
  }

  const carryQuestion = (chunk: Buffer): void => {
    const present = fault()
    const isMeant = present.kind === 'cut' && chunk.includes(present.text)
    if (isMeant) onCut()
    isAnswerCut ||= isMeant && present.at === 'answer'
    if (isMeant && present.at === 'question') reset()
    // Whoever writes to an end that is gone hears of it, unless the network is still silent.
    else if (server.destroyed && present.kind !== 'half-open') breakOff(client)
    else carry('to-server', chunk)
  }

  const carryAnswer = (chunk: Buffer): void => {
    if (isAnswerCut) reset()
    else carry('to-client', chunk)
  }

  client.on('data', carryQuestion)
  server.on('data', carryAnswer)
  passOnEnding(client, server, lanes['to-server'])
  passOnEnding(server, client, lanes['to-client'])

  return {
    reset,
    apply: (next) => {
      for (const lane of Object.values(lanes)) lane.release()
      if (next.kind === 'reset') reset()
      if (next.kind === 'half-open') abandonServer(server, lanes)
      // A network that works again tells the server whose clients have left.
      if (next.kind === 'none' && client.destroyed) server.destroy()
    },
  }
}

const delayOf = (fault: Fault, way: OneWay): number => {
  if (fault.kind !== 'delay' || !affects(fault.way, way)) return 0
  return typeof fault.delayMs === 'number' ? fault.delayMs : fault.delayMs()
}

const affects = (affected: Way, way: OneWay): boolean => affected === 'both' || affected === way

// Nobody hears of the end of a connection whose bytes vanish.
const passOnEnding = (source: Socket, target: Socket, lane: Lane): void => {
  source.on('error', () => {
    if (!lane.isLost()) breakOff(target)
  })
  source.on('close', () => {
    if (lane.isLost()) return
    lane.release()
    target.end()
  })
}

const abandonServer = (server: Socket, lanes: Readonly<Record<string, Lane>>): void => {
  for (const lane of Object.values(lanes)) lane.lose()
  server.destroy()
}
