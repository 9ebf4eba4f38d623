package dev.claimstream.observability;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/** The meters of one process. Several parts of the process may use one meter. Safe for many threads. */
public final class Meters {
    /** Bucket bounds, from 0.5 ms to 1 min; they include the performance goals of the project. */
    private static final Duration[] BUCKETS = {
        Duration.ofNanos(500_000),
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(20),
        Duration.ofMillis(40),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(15),
        Duration.ofSeconds(60)
    };

    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final List<GaugeSource> gauges = new CopyOnWriteArrayList<>();
    private final Map<MeterKey, Counter> counters = new ConcurrentHashMap<>();
    private final Map<MeterKey, Timer> timers = new ConcurrentHashMap<>();

    private record MeterKey(Meter meter, List<String> labels) {}

    /** A gauge whose rows are read at each scrape. */
    private record GaugeSource(
            MultiGauge gauge, Meter meter, Supplier<? extends Map<List<String>, ? extends Number>> rows) {
        void refresh() {
            List<MultiGauge.Row<?>> now = new ArrayList<>();
            rows.get().forEach((labels, value) -> now.add(MultiGauge.Row.of(tags(meter, labels), value)));
            gauge.register(now, true);
        }
    }

    /** Creates meters of the JVM only. */
    public Meters() {
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    /** All meters in the text format of Prometheus ({@code text/plain; version=0.0.4}). */
    public synchronized String text() {
        gauges.forEach(GaugeSource::refresh);
        return registry.scrape();
    }

    /** Adds one to a counter. */
    public void count(Meter meter, String... labels) {
        counters.computeIfAbsent(
                        new MeterKey(meter, List.of(labels)),
                        named -> Counter.builder(meter.base())
                                .description(meter.meaning())
                                .tags(tags(meter, named.labels))
                                .register(registry))
                .increment();
    }

    /** Records a duration; a negative duration counts as zero. */
    public void record(Meter meter, Duration time, String... labels) {
        timers.computeIfAbsent(
                        new MeterKey(meter, List.of(labels)),
                        named -> Timer.builder(meter.base())
                                .description(meter.meaning())
                                .tags(tags(meter, named.labels))
                                .serviceLevelObjectives(BUCKETS)
                                .register(registry))
                .record(time.isNegative() ? Duration.ZERO : time);
    }

    /** Registers a gauge whose rows are read at each scrape: label values to number. */
    public void show(Meter meter, Supplier<? extends Map<List<String>, ? extends Number>> rows) {
        var gauge =
                MultiGauge.builder(meter.base()).description(meter.meaning()).register(registry);
        gauges.add(new GaugeSource(gauge, meter, rows));
    }

    /** Registers a gauge without labels, which is read at each scrape. */
    public void showOne(Meter meter, DoubleSupplier value) {
        show(meter, () -> Map.of(List.of(), value.getAsDouble()));
    }

    /**
     * Registers a counter whose value another object maintains.
     *
     * @param counter the object; the registry has only a weak reference to it
     */
    public <T> void showSum(Meter meter, T counter, ToDoubleFunction<T> sum, String... labels) {
        FunctionCounter.builder(meter.base(), counter, sum)
                .description(meter.meaning())
                .tags(tags(meter, List.of(labels)))
                .register(registry);
    }

    private static Tags tags(Meter meter, List<String> values) {
        List<String> names = meter.labels();
        if (names.size() != values.size()) {
            throw new IllegalArgumentException(
                    "meter %s has the labels %s, not %s".formatted(meter.prometheusName(), names, values));
        }
        List<Tag> tags = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            tags.add(Tag.of(names.get(i), values.get(i)));
        }
        return Tags.of(tags);
    }
}
