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
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.lang.management.ManagementFactory;
import java.lang.management.OperatingSystemMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The meters of one process. Several parts of the process may use one meter. Safe for many threads. */
public final class Meters {
    /** Bucket bounds, from 0.5 ms to 1 min; they include the performance goals of the project. */
    static final List<Duration> BUCKETS = List.of(
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
            Duration.ofSeconds(60));

    /** Maximum rows of a gauge whose labels producers choose; the rows beyond it are added up under {@link #OTHER}. */
    static final int ROWS_MAX = 1000;

    /** The same for {@link Meter#DEVICE_INFO}, which has a row per device and is off by default. */
    static final int DEVICES_MAX = 100_000;

    /** Value of {@link Meter#PART_STATUS} for a part that has ended for good. */
    private static final int TERMINAL = 3;

    private static final String OTHER = "(other)";

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
            limited(meter, rows.get())
                    .forEach((labels, value) -> now.add(MultiGauge.Row.of(tags(meter, labels), value)));
            gauge.register(now, true);
        }
    }

    /** Creates meters of the JVM only. The CPU time is in seconds, as Prometheus names it; Micrometer's is in nanoseconds. */
    public Meters() {
        registry.config().meterFilter(MeterFilter.denyNameStartsWith("process.cpu.time"));
        FunctionCounter.builder("process.cpu", ManagementFactory.getOperatingSystemMXBean(), Meters::cpuSeconds)
                .description("CPU time of the process in user and system mode.")
                .baseUnit("seconds")
                .register(registry);
        new JvmMemoryMetrics().bindTo(registry);
        new JvmThreadMetrics().bindTo(registry);
        new ClassLoaderMetrics().bindTo(registry);
        new ProcessorMetrics().bindTo(registry);
        new UptimeMetrics().bindTo(registry);
    }

    private static double cpuSeconds(OperatingSystemMXBean system) {
        return system instanceof com.sun.management.OperatingSystemMXBean known ? known.getProcessCpuTime() / 1e9 : 0;
    }

    /** All meters in the text format of Prometheus ({@code text/plain; version=0.0.4}). */
    public synchronized String text() {
        gauges.forEach(GaugeSource::refresh);
        return registry.scrape();
    }

    /**
     * Creates a counter or a histogram with the value 0.
     *
     * <p>Prometheus computes increases from the second sample of a series on. The first alarm or bad record would be
     * missed if its series began with 1.
     */
    public void create(Meter meter, String... labels) {
        switch (meter.type()) {
            case COUNTER -> counter(meter, labels);
            case HISTOGRAM -> timer(meter, labels);
            case GAUGE -> throw new IllegalArgumentException(meter.prometheusName() + " is a gauge: use show");
        }
    }

    /** Adds one to a counter. */
    public void count(Meter meter, String... labels) {
        counter(meter, labels).increment();
    }

    private Counter counter(Meter meter, String... labels) {
        return counters.computeIfAbsent(
                new MeterKey(meter, List.of(labels)),
                named -> Counter.builder(meter.facts().base())
                        .description(meter.facts().meaning())
                        .tags(tags(meter, named.labels))
                        .register(registry));
    }

    /** Records a duration; a negative duration counts as zero. */
    public void record(Meter meter, Duration time, String... labels) {
        timer(meter, labels).record(time.isNegative() ? Duration.ZERO : time);
    }

    private Timer timer(Meter meter, String... labels) {
        return timers.computeIfAbsent(
                new MeterKey(meter, List.of(labels)),
                named -> Timer.builder(meter.facts().base())
                        .description(meter.facts().meaning())
                        .tags(tags(meter, named.labels))
                        .serviceLevelObjectives(BUCKETS.toArray(Duration[]::new))
                        .register(registry));
    }

    /** Registers a gauge whose rows are read at each scrape: label values to number. */
    public void show(Meter meter, Supplier<? extends Map<List<String>, ? extends Number>> rows) {
        var gauge = MultiGauge.builder(meter.facts().base())
                .description(meter.facts().meaning())
                .register(registry);
        gauges.add(new GaugeSource(gauge, meter, rows));
    }

    /** Registers a gauge without labels, which is read at each scrape. */
    public void showOne(Meter meter, DoubleSupplier value) {
        show(meter, () -> Map.of(List.of(), value.getAsDouble()));
    }

    /** Registers the status of each part of the health. */
    public void show(Health health) {
        show(
                ProcessMeter.PART_STATUS,
                () -> health.report().parts().stream()
                        .collect(Collectors.toMap(
                                part -> List.of(part.name()), part -> number(part.condition()), Math::max)));
    }

    private static int number(Health.Condition condition) {
        if (condition.isTerminal()) {
            return TERMINAL;
        }
        return switch (condition.status()) {
            case UP -> 0;
            case DEGRADED -> 1;
            case DOWN -> 2;
        };
    }

    /**
     * Registers a counter whose value another object maintains.
     *
     * @param counter the object; the registry has only a weak reference to it
     */
    public <T> void showSum(Meter meter, T counter, ToDoubleFunction<T> sum, String... labels) {
        FunctionCounter.builder(meter.facts().base(), counter, sum)
                .description(meter.facts().meaning())
                .tags(tags(meter, List.of(labels)))
                .register(registry);
    }

    /** The rows, at most {@link Meter#rowsMax}, and the sums of the others, which lose the labels that producers choose. */
    private static Map<List<String>, Number> limited(Meter meter, Map<List<String>, ? extends Number> rows) {
        Map<List<String>, Number> kept = new LinkedHashMap<>();
        rows.forEach((labels, value) -> {
            if (kept.size() < meter.rowsMax()) {
                kept.put(labels, value);
            } else {
                kept.merge(others(meter, labels), value, (a, b) -> a.doubleValue() + b.doubleValue());
            }
        });
        return kept;
    }

    private static List<String> others(Meter meter, List<String> labels) {
        return IntStream.range(0, labels.size())
                .mapToObj(i -> meter.labels().get(i).isOpen() ? OTHER : labels.get(i))
                .toList();
    }

    private static Tags tags(Meter meter, List<String> values) {
        List<String> names = meter.labels().stream().map(MeterLabel::text).toList();
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
