import type { TracingChannel } from 'node:diagnostics_channel'
import type { TracedCall } from '@jwt-auth/core/internal'
import { onTestFinished } from 'vitest'

const ignore = (): void => {}

/** Records the messages of the calls that end on a tracing channel, until the test ends. */
export const recordCalls = <Call extends TracedCall>(
  channel: TracingChannel<unknown, Call>,
  start: (call: Call) => void = ignore,
): readonly Call[] => {
  const ended: Call[] = []
  const asyncEnd = (call: Call): void => void ended.push(call)
  const subscribers = { start, end: ignore, asyncStart: ignore, asyncEnd, error: ignore }
  channel.subscribe(subscribers)
  onTestFinished(() => void channel.unsubscribe(subscribers))
  return ended
}
