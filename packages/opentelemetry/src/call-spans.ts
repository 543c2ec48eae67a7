import { isAuthError } from '@jwt-auth/core'
import type { TracedCall } from '@jwt-auth/core/adapter'
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

/** The spans of calls. */
export interface CallSpans {
  /** Starts the span of an operation, in which the operation then runs. */
  readonly startOperation: (call: TracedCall, operation: string) => void
  /** Starts the span of a call, if the call belongs to an operation that has a span. */
  readonly startChild: (call: TracedCall, name: string, attributes?: Attributes) => void
  /** Ends the span of a call, if it has one. */
  readonly end: (call: TracedCall, attributes?: Attributes) => void
}

const ownSpan = Symbol('span')

/** A call with its span. */
interface SpannedCall extends TracedCall {
  [ownSpan]?: Span
}

const isInOperation = createContextKey('jwt-auth operation')
const guardOperations: ReadonlySet<string> = new Set(['authorize', 'authorizeUser'])

/** Creates the spans. The attributes contain no id, no address, no token and no message of an error. */
export const createCallSpans = (getTracer: () => Tracer, hasGuardSpans: () => boolean): CallSpans => {
  const start = (call: SpannedCall, name: string, attributes: Attributes = {}): void => {
    const parent = context.active()
    const span = getTracer().startSpan(`jwt_auth.${name}`, { attributes }, parent)
    const active = trace.setSpan(parent, span).setValue(isInOperation, true)
    call.within = (run) => context.with(active, run)
    call[ownSpan] = span
  }

  return {
    startOperation: (call, operation) => {
      if (hasGuardSpans() || !guardOperations.has(operation)) start(call, operation)
    },
    startChild: (call, name, attributes) => {
      if (context.active().getValue(isInOperation) === true) start(call, name, attributes)
    },
    end: (call: SpannedCall, attributes = {}) => {
      const span = call[ownSpan]
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
