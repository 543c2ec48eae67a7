import manifest from '@jwt-auth/opentelemetry/package.json' with { type: 'json' }
import { InstrumentationBase, type InstrumentationConfig } from '@opentelemetry/instrumentation'
import { type CallMetrics, createCallMetrics } from './call-metrics.js'
import { createCallSpans } from './call-spans.js'
import { subscribeToCalls } from './subscribe-to-calls.js'

/** The options of {@link JwtAuthInstrumentation}. */
export interface JwtAuthInstrumentationConfig extends InstrumentationConfig {
  /**
   * Whether the checks of access tokens, and their lookups of sessions, have spans too. Each
   * guarded request then takes several microseconds longer.
   * @default false
   */
  guardSpans?: boolean | undefined
}

/**
 * Measures and traces everything that jwt-auth does in this process, without names, ids, addresses
 * or tokens. Register it after the meter provider.
 *
 * @example
 * ```ts
 * registerInstrumentations({
 *   meterProvider,
 *   tracerProvider,
 *   instrumentations: [new JwtAuthInstrumentation()],
 * })
 * ```
 */
export class JwtAuthInstrumentation extends InstrumentationBase<JwtAuthInstrumentationConfig> {
  // Without initial values, because the constructor of the base class calls the methods below.
  /** The metrics of the present meter provider. */
  declare private metrics: CallMetrics
  /** Ends the subscriptions. `undefined` while this instrumentation is disabled. */
  declare private unsubscribe: (() => void) | undefined

  constructor(config: JwtAuthInstrumentationConfig = {}) {
    super(manifest.name, manifest.version, config)
  }

  /** Subscribes to the channels. Does nothing if this instrumentation is enabled. */
  override enable(): void {
    super.enable()
    const spans = createCallSpans(
      () => this.tracer,
      () => this.getConfig().guardSpans === true,
    )
    this.unsubscribe ??= subscribeToCalls(() => this.metrics, spans)
  }

  /** Unsubscribes from the channels: nothing is measured or traced any more. */
  override disable(): void {
    super.disable()
    this.unsubscribe?.()
    this.unsubscribe = undefined
  }

  /** Patches no modules. */
  protected override init(): [] {
    return []
  }

  /** Creates the metrics with the meter of the present meter provider. */
  protected override _updateMetricInstruments(): void {
    this.metrics = createCallMetrics(this.meter)
  }
}
