import { isAuthError } from '@jwt-auth/core'
import type { TracedCall } from '@jwt-auth/core/internal'
import {
  type Attributes,
  context,
  createContextKey,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { toCode } from './outcomes.js'

const ownSpan = Symbol('span')

/** A call with its span. */
interface SpannedCall extends TracedCall {
  [ownSpan]?: Span
}

const isInOperation = createContextKey('jwt-auth operation')
const guardOperations: ReadonlySet<string> = new Set(['authorize', 'authorizeUser'])

/**
 * Creates the spans. The attributes contain no id, no address, no token and no message of an error.
 */
export const createCallSpans = (getTracer: () => Tracer, hasGuardSpans: () => boolean) => {
  const start = (call: SpannedCall, name: string): void => {
    const parent = context.active()
    const span = getTracer().startSpan(`jwt_auth.${name}`, {}, parent)
    const active = trace.setSpan(parent, span).setValue(isInOperation, true)
    call.within = (run) => context.with(active, run)
    call[ownSpan] = span
  }

  return {
    /** Starts the span of an operation, in which the operation then runs. */
    startOperation: (call: TracedCall, operation: string): void => {
      if (hasGuardSpans() || !guardOperations.has(operation)) start(call, operation)
    },
    /** Starts the span of a call, if the call belongs to an operation that has a span. */
    startChild: (call: TracedCall, name: string): void => {
      if (context.active().getValue(isInOperation) === true) start(call, name)
    },
    /** Ends the span of a call, if it has one. */
    end: (call: TracedCall, attributes: Attributes = {}): void => {
      const { [ownSpan]: span }: SpannedCall = call
      if (span === undefined) return
      span.setAttributes(attributes)
      if (call.error !== undefined) {
        span.setAttribute('error.type', toCode(call))
        if (!isAuthError(call.error) || !call.error.expose) span.setStatus({ code: SpanStatusCode.ERROR })
      }
      span.end()
    },
  }
}

/** The spans of calls. */
export type CallSpans = ReturnType<typeof createCallSpans>
