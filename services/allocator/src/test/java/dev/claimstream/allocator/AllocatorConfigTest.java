package dev.claimstream.allocator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.allocator.streams.CellStreams;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.dra.LabelSelector;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.exceptions.BeanContextException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads and checks the allocator's settings, with all property names and defaults. */
final class AllocatorConfigTest {
    private static final String STATE_FOLDER = "claimstream.allocator.state-folder";

    @Test
    void usesDefaultsWithoutProperties() {
        assertThat(config(Map.of(STATE_FOLDER, "state")))
                .isEqualTo(new AllocatorConfig(
                        "allocator-0",
                        Path.of("state"),
                        "best-fit",
                        200_000,
                        64,
                        Duration.ZERO,
                        "never",
                        true,
                        "",
                        "1.37",
                        "",
                        1,
                        false,
                        100_000,
                        false,
                        Duration.ofSeconds(5),
                        Map.of()));
    }

    @Test
    void readsEveryPropertyByName() {
        var config = config(Map.ofEntries(
                Map.entry("claimstream.allocator.instance", "allocator-7"),
                Map.entry(STATE_FOLDER, "elsewhere"),
                Map.entry("claimstream.allocator.policy", "first-fit"),
                Map.entry("claimstream.allocator.search-steps-max", "5"),
                Map.entry("claimstream.allocator.overtaken-max", "6"),
                Map.entry("claimstream.allocator.cool-down", "8s"),
                Map.entry("claimstream.allocator.pin", "auto"),
                Map.entry("claimstream.allocator.kube-scheduler", "false"),
                Map.entry("claimstream.allocator.nodes", "pool=a"),
                Map.entry("claimstream.allocator.kubernetes", "1.36"),
                Map.entry("claimstream.allocator.features", "DRAConsumableCapacity=false"),
                Map.entry("claimstream.allocator.threads", "9"),
                Map.entry("claimstream.allocator.rebuild", "true"),
                Map.entry("claimstream.allocator.snapshot-every", "7"),
                Map.entry("claimstream.allocator.log-decisions", "true"),
                Map.entry("claimstream.allocator.alarm-grace", "9s"),
                Map.entry("claimstream.allocator.sources.resource-slice", "agent"),
                Map.entry("claimstream.allocator.sources.pod", "watcher,other")));
        assertThat(config)
                .isEqualTo(new AllocatorConfig(
                        "allocator-7",
                        Path.of("elsewhere"),
                        "first-fit",
                        5,
                        6,
                        Duration.ofSeconds(8),
                        "auto",
                        false,
                        "pool=a",
                        "1.36",
                        "DRAConsumableCapacity=false",
                        9,
                        true,
                        7,
                        true,
                        Duration.ofSeconds(9),
                        Map.of("resource-slice", "agent", "pod", "watcher,other")));
        var sources = new TreeMap<Kind, java.util.SortedSet<String>>();
        sources.put(Kind.RESOURCE_SLICE, new TreeSet<>(List.of("agent")));
        sources.put(Kind.POD, new TreeSet<>(List.of("other", "watcher")));
        FeatureGates features = FeatureGates.of(KubernetesVersion.V1_36).with("DRAConsumableCapacity=false");
        CellSettings settings = AllocatorSettings.of(config);
        assertThat(settings)
                .isEqualTo(CellSettings.builder()
                        .policy(PlacementPolicy.FIRST_FIT)
                        .searchStepsMax(5)
                        .overtakenMax(6)
                        .coolDown(Duration.ofSeconds(8))
                        .preemption(true)
                        .kubeScheduler(false)
                        .sources(sources)
                        .features(features)
                        .nodes(LabelSelector.parse("pool=a"))
                        .engine(settings.engine())
                        .build());
    }

    @Test
    void failsWithoutStateFolder() {
        assertThatThrownBy(() -> config(Map.of()))
                .isInstanceOf(BeanContextException.class)
                .hasMessageContaining("state");
    }

    @Test
    void acceptsSourcesOfEveryKind() {
        for (Kind kind : Kind.values()) {
            var config = new AllocatorConfig(
                    "a",
                    Path.of("s"),
                    "best-fit",
                    1,
                    1,
                    Duration.ZERO,
                    "never",
                    true,
                    "",
                    "1.37",
                    "",
                    1,
                    false,
                    0,
                    false,
                    Duration.ofSeconds(5),
                    Map.of(kind.apiName(), "watcher"));
            assertThat(AllocatorSettings.of(config).sources()).containsOnlyKeys(kind);
        }
    }

    @Test
    void rejectsInvalidSettingWithAllowedValues() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AllocatorSettings.of(new AllocatorConfig(
                        "a",
                        Path.of("s"),
                        "worst-fit",
                        1,
                        1,
                        Duration.ZERO,
                        "never",
                        true,
                        "",
                        "1.37",
                        "",
                        1,
                        false,
                        0,
                        false,
                        Duration.ofSeconds(5),
                        Map.of())))
                .withMessage("claimstream.allocator.policy is worst-fit, it can be first-fit or best-fit");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AllocatorSettings.of(new AllocatorConfig(
                        "a",
                        Path.of("s"),
                        "best-fit",
                        1,
                        1,
                        Duration.ZERO,
                        "never",
                        true,
                        "",
                        "1.37",
                        "",
                        1,
                        false,
                        0,
                        false,
                        Duration.ofSeconds(5),
                        Map.of("jobs", "watcher"))))
                .withMessage("claimstream.allocator.sources.jobs: there is no such kind");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AllocatorSettings.of(
                        config(Map.of(STATE_FOLDER, "s", "claimstream.allocator.cool-down", "-5s"))))
                .withMessage("claimstream.allocator.cool-down is PT-5S, it cannot be negative");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        AllocatorSettings.of(config(Map.of(STATE_FOLDER, "s", "claimstream.allocator.pin", "maybe"))))
                .withMessage("claimstream.allocator.pin is maybe, it can be auto, always or never");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AllocatorSettings.of(
                        config(Map.of(STATE_FOLDER, "s", "claimstream.allocator.nodes", "pool of (a)"))))
                .withMessageStartingWith(
                        "claimstream.allocator.nodes: 'pool of (a)' in label selector 'pool of (a)' is not a requirement");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AllocatorSettings.of(new AllocatorConfig(
                        "a",
                        Path.of("s"),
                        "best-fit",
                        1,
                        1,
                        Duration.ZERO,
                        "never",
                        true,
                        "",
                        "1.37",
                        "DRAExtendedResource=false",
                        1,
                        false,
                        0,
                        false,
                        Duration.ofSeconds(5),
                        Map.of())))
                .withMessage("claimstream.allocator.features: cannot set feature gate DRAExtendedResource to false,"
                        + " feature is locked to true in Kubernetes 1.37: leave it out");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 65})
    void rejectsThreadCountOutOfRange(int threads) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CellStreams.RuntimeOptions("a", Path.of("s"), threads, false, 0))
                .withMessage("claimstream.allocator.threads is %d, it can be 1 to 64", threads);
    }

    @Test
    void rejectsNegativeSnapshotInterval() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new CellStreams.RuntimeOptions("a", Path.of("s"), 1, false, -1))
                .withMessage("claimstream.allocator.snapshot-every is -1, it is 0 (never) or more");
    }

    /** The allocator is disabled because the test has no Kafka. */
    private static AllocatorConfig config(Map<String, Object> properties) {
        var all = new TreeMap<String, Object>(properties);
        all.put("claimstream.allocator.enabled", "false");
        try (var context = ApplicationContext.run(all)) {
            return context.getBean(AllocatorConfig.class);
        }
    }
}
