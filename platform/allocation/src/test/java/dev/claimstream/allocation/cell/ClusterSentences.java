package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Defines the story sentences on nodes, devices, classes, the watcher and settings. */
final class ClusterSentences {
    /** Growth of the work reserve per second. Its maximum is 0, so that it only repays overdrafts. */
    private static final long RESERVE_PER_SECOND = 1_000;

    private static final String API = SimulatedApiServer.SOURCE;

    private final CellFixture stage;
    private long sourceVersions;
    private final SortedMap<String, Long> generations = new TreeMap<>();

    private ClusterSentences(CellFixture stage) {
        this.stage = stage;
    }

    static void addTo(Sentences sentences, CellFixture stage) {
        var definitions = new ClusterSentences(stage);
        definitions.defineDevices(sentences);
        definitions.defineNodes(sentences);
        definitions.defineClasses(sentences);
        definitions.defineWatcher(sentences);
        definitions.defineSettings(sentences);
    }

    private void defineDevices(Sentences sentences) {
        defineSources(sentences);
        sentences.define("NAME joins with TEXT", match -> {
            stage.apiServer.write(SampleObjects.node(match.group(1)));
            publish(match.group(1), "a", 1, match.group(2), true);
        });
        sentences.define(
                "NAME publishes TEXT in a new generation, slice NAME of NUMBER",
                match -> publish(match.group(1), match.group(3), Long.parseLong(match.group(4)), match.group(2), true));
        sentences.define(
                "NAME publishes TEXT in the same generation, slice NAME of NUMBER",
                match ->
                        publish(match.group(1), match.group(3), Long.parseLong(match.group(4)), match.group(2), false));
        sentences.define("NAME publishes TEXT", match -> publish(match.group(1), "a", 1, match.group(2), true));
        sentences.define(
                "pool NAME publishes TEXT for nodes TEXT",
                match -> stage.apiServer.write(SampleObjects.slice(
                        match.group(1),
                        match.group(1),
                        1,
                        1,
                        match.group(3),
                        deviceTexts(match.group(2)).toArray(String[]::new))));
        sentences.define(
                "NAME deletes its ResourceSlice",
                match -> stage.apiServer.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster(match.group(1) + "-a"), true));
    }

    private void defineSources(Sentences sentences) {
        sentences.define(
                "source NAME publishes TEXT in pool NAME",
                match -> stage.observe(new Observation.ObjectUpserted(
                        new Stamp(match.group(1), 1, 1 + sourceVersions++),
                        SampleObjects.slice(
                                match.group(1) + "-" + match.group(3),
                                match.group(3),
                                99,
                                1,
                                match.group(3),
                                deviceTexts(match.group(2)).toArray(String[]::new)))));
        sentences.define(
                "source NAME deletes pool NAME",
                match -> stage.observe(new Observation.ObjectDeleted(
                        new Stamp(match.group(1), 1, 1 + sourceVersions++),
                        Kind.RESOURCE_SLICE,
                        ObjectKey.cluster(match.group(1) + "-" + match.group(2)),
                        "uid-of-" + match.group(1) + "-" + match.group(2))));
    }

    private void publish(String pool, String slice, long slices, String devices, boolean isNew) {
        long generation = generations.merge(pool, 1L, (old, one) -> isNew ? old + one : old);
        stage.apiServer.write(SampleObjects.slice(
                pool + "-" + slice,
                pool,
                generation,
                slices,
                pool,
                deviceTexts(devices).toArray(String[]::new)));
    }

    /** Splits {@code 2 gpu and 1 nic}, or a list of devices: {@code gpu-0 numa=0, gpu-1 numa=1}. */
    private static List<String> deviceTexts(String devices) {
        if (!devices.matches("\\d.*")) {
            return devices.equals("nothing")
                    ? List.of()
                    : Arrays.stream(devices.split(",", -1))
                            .map(each -> each.strip().startsWith("%")
                                    ? each
                                    : each + " kind=" + each.strip().replaceFirst("-.*", ""))
                            .toList();
        }
        List<String> texts = new ArrayList<>();
        for (String part : devices.split(" and ", -1)) {
            String[] words = part.strip().split(" ", 2);
            for (int i = 0; i < Integer.parseInt(words[0]); i++) {
                texts.add("%s-%d kind=%s".formatted(words[1], i, words[1]));
            }
        }
        return texts;
    }

    private void defineNodes(Sentences sentences) {
        sentences.define(
                "NAME is deleted", match -> stage.apiServer.delete(Kind.NODE, ObjectKey.cluster(match.group(1)), true));
        sentences.define("NAME sends no heartbeats", match -> stage.apiServer.reportLiveness(match.group(1), true));
        sentences.define("NAME sends heartbeats", match -> stage.apiServer.reportLiveness(match.group(1), false));
        sentences.define(
                "NAME is (ready|not ready|cordoned|uncordoned)",
                match -> stage.apiServer.write(new Node(
                        SampleObjects.node(match.group(1)).meta(),
                        List.of(),
                        match.group(2).equals("cordoned"),
                        !match.group(2).equals("not ready"))));
        sentences.define(
                "NAME has TEXT allocatable",
                match -> stage.apiServer.write(new Node(
                        SampleObjects.node(match.group(1)).meta(),
                        List.of(),
                        false,
                        true,
                        List.of(),
                        ItemSentences.parseResources(match.group(2)))));
        sentences.define(
                "a DeviceTaintRule taints NAME/NAME with NAME:NoExecute",
                match -> stage.apiServer.write(SampleObjects.taintRule(
                        "rule", match.group(3) + ":NoExecute", "", match.group(1), match.group(2))));
        sentences.define(
                "the DeviceTaintRule is deleted",
                match -> stage.apiServer.delete(Kind.DEVICE_TAINT_RULE, ObjectKey.cluster("rule"), true));
    }

    private void defineClasses(Sentences sentences) {
        sentences.define(
                "class NAME (?:exists|is managed)",
                match -> stage.apiServer.write(SampleObjects.deviceClass(match.group(1), "kind=" + match.group(1))));
        sentences.define(
                "class NAME selects TEXT",
                match -> stage.apiServer.write(SampleObjects.deviceClass(match.group(1), match.group(2))));
        sentences.define(
                "class NAME is unmanaged",
                match -> stage.apiServer.write(SampleObjects.deviceClass(match.group(1), "kind=" + match.group(1))
                        .asUnmanaged()));
        sentences.define("class NAME becomes (managed|unmanaged)", match -> {
            DeviceClass found = SampleObjects.deviceClass(match.group(1), "kind=" + match.group(1));
            stage.apiServer.replaceWithoutVersion(match.group(2).equals("managed") ? found : found.asUnmanaged());
            stage.relist(Kind.DEVICE_CLASS);
        });
        sentences.define(
                "class NAME is deleted",
                match -> stage.apiServer.delete(Kind.DEVICE_CLASS, ObjectKey.cluster(match.group(1)), true));
        sentences.define("the namespace (allows|does not allow) admin access", match -> {
            var labels = new TreeMap<String, String>();
            labels.put(Namespace.ADMIN_ACCESS_LABEL, match.group(1).equals("allows") ? "true" : "false");
            stage.apiServer.write(new Namespace(
                    ObjectMeta.of("", CellFixture.NAMESPACE, "uid-of-namespace").withLabels(labels)));
        });
    }

    private void defineWatcher(Sentences sentences) {
        sentences.define("the cell requires the sync of every kind", match -> {
            SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
            Stream.of(Kind.values()).forEach(kind -> sources.put(kind, new TreeSet<>(List.of(API))));
            stage.sources(sources);
        });
        sentences.define(
                "sync of every kind except NAME completes",
                match -> Stream.of(Kind.values())
                        .filter(kind -> !kind.apiName().equals(match.group(1)))
                        .forEach(stage::relist));
        sentences.define(
                "sync of every kind completes",
                match -> Stream.of(Kind.values()).forEach(stage::relist));
        sentences.define(
                "claims (wait for a consumer|are allocated immediately)",
                match -> stage.apiServer.setAllocationTiming(
                        match.group(1).equals("wait for a consumer")
                                ? AllocationTiming.WAIT_FOR_CONSUMER
                                : AllocationTiming.IMMEDIATE));
        sentences.define("sync of NAME completes", match -> stage.relist(kind(match.group(1))));
        sentences.define("the watch of NAME becomes stale", match -> stage.apiServer.reportStale(kind(match.group(1))));
        sentences.define(
                "the previous watcher reports that TEXT",
                match -> stage.apiServer.runWithPreviousEpoch(() -> assertThat(sentences.execute(match.group(1)))
                        .as("sentence that is not in the grammar")
                        .isPresent()));
        sentences.define("all observations arrive again", match -> stage.repeatAll());
        sentences.define(
                "a stale upsert of claim NAME arrives",
                match -> stage.repeatFirst(Kind.RESOURCE_CLAIM, CellFixture.key(match.group(1))));
        sentences.define(
                "a stale upsert of the ResourceSlice of NAME arrives",
                match -> stage.repeatFirst(Kind.RESOURCE_SLICE, ObjectKey.cluster(match.group(1) + "-a")));
        sentences.define(
                "NUMBER seconds pass",
                match -> IntStream.range(0, Integer.parseInt(match.group(1)))
                        .forEach(second -> stage.observe(new Observation.Tick())));
        sentences.define("a probe arrives", match -> {
            stage.observe(new Observation.Probe("probe", 0, 2));
            stage.observe(new Observation.Probe("probe", 1, 2));
        });
    }

    static Kind kind(String name) {
        return Stream.of(Kind.values())
                .filter(kind -> kind.apiName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown kind " + name));
    }

    private static Feature feature(String gate) {
        return Stream.of(Feature.values())
                .filter(feature -> feature.gate().equals(gate))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("unknown feature gate " + gate));
    }

    private void defineSettings(Sentences sentences) {
        sentences.define(
                "the policy is (first-fit|best-fit)",
                match -> stage.settings(
                        match.group(1).equals("first-fit") ? PlacementPolicy.FIRST_FIT : PlacementPolicy.BEST_FIT,
                        stage.settings().searchStepsMax(),
                        stage.settings().overtakenMax()));
        sentences.define(
                "the quarantine lasts NUMBER seconds",
                match -> stage.settings(stage.settings().toBuilder()
                        .coolDown(Duration.ofSeconds(Long.parseLong(match.group(1))))
                        .build()));
        sentences.define(
                "kube-scheduler preempts pods",
                match -> stage.settings(
                        stage.settings().toBuilder().preemption(true).build()));
        sentences.define(
                "feature gate NAME is enabled",
                match -> stage.settings(stage.settings().toBuilder()
                        .features(stage.settings().features().with(feature(match.group(1)), true))
                        .build()));
        sentences.define(
                "the search budget is NUMBER steps?",
                match -> stage.settings(
                        stage.settings().policy(),
                        Long.parseLong(match.group(1)),
                        stage.settings().overtakenMax()));
        sentences.define(
                "the work budget is NUMBER units per input and NUMBER units per slice",
                match -> stage.settings(stage.settings().toBuilder()
                        .work(new WorkBudget(
                                Long.parseLong(match.group(1)), 0, RESERVE_PER_SECOND, Long.parseLong(match.group(2))))
                        .build()));
        sentences.define(
                "work slice NUMBER runs again",
                match -> stage.observe(new Observation.WorkSliceDue(Long.parseLong(match.group(1)))));
        sentences.define("NUMBER work slices? runs?", match -> {
            long next = stage.state().nextSlice();
            LongStream.range(next, next + Long.parseLong(match.group(1)))
                    .forEach(number -> stage.observe(new Observation.WorkSliceDue(number)));
        });
        sentences.define(
                "an item is overtaken at most NUMBER times?",
                match -> stage.settings(
                        stage.settings().policy(),
                        stage.settings().searchStepsMax(),
                        Integer.parseInt(match.group(1))));
    }
}
