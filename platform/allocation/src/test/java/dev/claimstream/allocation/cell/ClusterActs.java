package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.Objects;
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
final class ClusterActs {
    /** Growth of the work reserve per second. Its maximum is 0, so that it only repays overdrafts. */
    private static final long REPAID_PER_SECOND = 1_000;

    private static final String API = World.SOURCE;

    private final Stage stage;
    private long strangers;
    private final SortedMap<String, Long> generations = new TreeMap<>();

    private ClusterActs(Stage stage) {
        this.stage = stage;
    }

    static void addTo(Sentences say, Stage stage) {
        var acts = new ClusterActs(stage);
        acts.devices(say);
        acts.nodes(say);
        acts.classes(say);
        acts.watcher(say);
        acts.settings(say);
    }

    private void devices(Sentences say) {
        strangers(say);
        say.say("NAME with (?:devices )?TEXT", is -> {
            stage.world.write(Objects.node(is.group(1)));
            publish(is.group(1), "a", 1, is.group(2), true);
        });
        say.say(
                "NAME publishes (?:devices )?TEXT, first of NUMBER slices",
                is -> publish(is.group(1), "a", Long.parseLong(is.group(3)), is.group(2), true));
        say.say(
                "NAME publishes (?:devices )?TEXT, slice NAME of NUMBER",
                is -> publish(is.group(1), is.group(3), Long.parseLong(is.group(4)), is.group(2), false));
        say.say("NAME publishes (?:devices )?TEXT", is -> publish(is.group(1), "a", 1, is.group(2), true));
        say.say(
                "pool NAME for TEXT with (?:devices )?TEXT",
                is -> stage.world.write(Objects.slice(
                        is.group(1),
                        is.group(1),
                        1,
                        1,
                        is.group(2),
                        texts(is.group(3)).toArray(String[]::new))));
        say.say(
                "NAME withdraws its devices",
                is -> stage.world.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster(is.group(1) + "-a"), true));
    }

    private void strangers(Sentences say) {
        say.say(
                "(agent|stranger) publishes (?:devices )?TEXT in pool NAME",
                is -> stage.observe(new Observation.ObjectUpserted(
                        new Stamp(is.group(1), 1, 1 + strangers++),
                        Objects.slice(
                                is.group(1) + "-" + is.group(3),
                                is.group(3),
                                99,
                                1,
                                is.group(3),
                                texts(is.group(2)).toArray(String[]::new)))));
        say.say(
                "(agent|stranger) withdraws pool NAME",
                is -> stage.observe(new Observation.ObjectDeleted(
                        new Stamp(is.group(1), 1, 1 + strangers++),
                        Kind.RESOURCE_SLICE,
                        ObjectKey.cluster(is.group(1) + "-" + is.group(2)),
                        "uid-of-" + is.group(1) + "-" + is.group(2))));
    }

    private void publish(String pool, String slice, long slices, String devices, boolean isNew) {
        long generation = generations.merge(pool, 1L, (old, one) -> isNew ? old + one : old);
        stage.world.write(Objects.slice(
                pool + "-" + slice,
                pool,
                generation,
                slices,
                pool,
                texts(devices).toArray(String[]::new)));
    }

    /** Splits {@code 2 gpu and 1 nic}, or a list of devices: {@code gpu-0 numa=0, gpu-1 numa=1}. */
    private static List<String> texts(String devices) {
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

    private void nodes(Sentences say) {
        say.say("NAME is gone", is -> stage.world.delete(Kind.NODE, ObjectKey.cluster(is.group(1)), true));
        say.say("NAME falls silent", is -> stage.world.hear(is.group(1), true));
        say.say("NAME is back", is -> stage.world.hear(is.group(1), false));
        say.say(
                "NAME is (ready|not ready|cordoned|open)",
                is -> stage.world.write(new Node(
                        Objects.node(is.group(1)).meta(),
                        List.of(),
                        is.group(2).equals("cordoned"),
                        !is.group(2).equals("not ready"))));
        say.say(
                "NAME has room for TEXT",
                is -> stage.world.write(new Node(
                        Objects.node(is.group(1)).meta(),
                        List.of(),
                        false,
                        true,
                        List.of(),
                        ItemActs.resources(is.group(2)))));
        say.say(
                "a rule taints NAME/NAME as NAME",
                is -> stage.world.write(
                        Objects.taintRule("rule", is.group(3) + ":NoExecute", "", is.group(1), is.group(2))));
        say.say("the rule goes", is -> stage.world.delete(Kind.DEVICE_TAINT_RULE, ObjectKey.cluster("rule"), true));
    }

    private void classes(Sentences say) {
        say.say("class NAME", is -> stage.world.write(Objects.deviceClass(is.group(1), "kind=" + is.group(1))));
        say.say("class NAME selects TEXT", is -> stage.world.write(Objects.deviceClass(is.group(1), is.group(2))));
        say.say(
                "class NAME is given by others",
                is -> stage.world.write(
                        Objects.deviceClass(is.group(1), "kind=" + is.group(1)).asUnmanaged()));
        say.say("class NAME is found to be (ours|of others)", is -> {
            DeviceClass found = Objects.deviceClass(is.group(1), "kind=" + is.group(1));
            stage.world.reread(is.group(2).equals("ours") ? found : found.asUnmanaged());
            stage.list(Kind.DEVICE_CLASS);
        });
        say.say("class NAME goes", is -> stage.world.delete(Kind.DEVICE_CLASS, ObjectKey.cluster(is.group(1)), true));
        say.say("administrators (may|may not) use the namespace", is -> {
            var labels = new TreeMap<String, String>();
            labels.put(Namespace.ADMIN_ACCESS_LABEL, is.group(1).equals("may") ? "true" : "false");
            stage.world.write(new Namespace(
                    ObjectMeta.of("", Stage.NAMESPACE, "uid-of-namespace").withLabels(labels)));
        });
    }

    private void watcher(Sentences say) {
        say.say("everything must be listed", is -> {
            SortedMap<Kind, SortedSet<String>> sources = new TreeMap<>();
            Stream.of(Kind.values()).forEach(kind -> sources.put(kind, new TreeSet<>(List.of(API))));
            stage.sources(sources);
        });
        say.say(
                "everything but NAME is listed",
                is -> Stream.of(Kind.values())
                        .filter(kind -> !kind.apiName().equals(is.group(1)))
                        .forEach(stage::list));
        say.say("everything is listed", is -> Stream.of(Kind.values()).forEach(stage::list));
        say.say(
                "claims (wait for consumers|are allocated at once)",
                is -> stage.world.allocate(
                        is.group(1).equals("wait for consumers")
                                ? AllocationTiming.WAIT_FOR_CONSUMER
                                : AllocationTiming.IMMEDIATE));
        say.say("NAME is listed", is -> stage.list(kind(is.group(1))));
        say.say("NAME is known to be old", is -> stage.world.stale(kind(is.group(1))));
        say.say(
                "the earlier watcher tells that TEXT",
                is -> stage.world.toldByTheElder(() -> assertThat(say.act(is.group(1)))
                        .as("nobody understands this")
                        .isPresent()));
        say.say("everything is said once more", is -> stage.repeat());
        say.say(
                "word comes late of claim NAME as it was first",
                is -> stage.seeFirstAgain(Kind.RESOURCE_CLAIM, Stage.key(is.group(1))));
        say.say(
                "word comes late of what NAME published first",
                is -> stage.seeFirstAgain(Kind.RESOURCE_SLICE, ObjectKey.cluster(is.group(1) + "-a")));
        say.say(
                "NUMBER seconds pass",
                is -> IntStream.range(0, Integer.parseInt(is.group(1)))
                        .forEach(second -> stage.observe(new Observation.Tick())));
        say.say("somebody asks whether all is decided", is -> {
            stage.observe(new Observation.Probe("probe", 0, 2));
            stage.observe(new Observation.Probe("probe", 1, 2));
        });
    }

    static Kind kind(String name) {
        return Stream.of(Kind.values())
                .filter(kind -> kind.apiName().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no kind is called " + name));
    }

    private void settings(Sentences say) {
        say.say(
                "policy (first-fit|best-fit)",
                is -> stage.settings(
                        is.group(1).equals("first-fit") ? PlacementPolicy.FIRST_FIT : PlacementPolicy.BEST_FIT,
                        stage.settings().searchStepsMax(),
                        stage.settings().overtakenMax()));
        say.say(
                "what goes by force cools down for NUMBER seconds",
                is -> stage.settings(stage.settings().withCoolDown(Duration.ofSeconds(Long.parseLong(is.group(1))))));
        say.say(
                "kube-scheduler makes room",
                is -> stage.settings(stage.settings().withPreemption(true)));
        say.say(
                "groups may share claims",
                is -> stage.settings(stage.settings()
                        .with(stage.settings().features().with(Feature.WORKLOAD_RESOURCE_CLAIMS, true))));
        say.say(
                "devices take of their nodes",
                is -> stage.settings(stage.settings()
                        .with(stage.settings().features().with(Feature.NODE_ALLOCATABLE_RESOURCES, true))));
        say.say(
                "at most NUMBER steps of search",
                is -> stage.settings(
                        stage.settings().policy(),
                        Long.parseLong(is.group(1)),
                        stage.settings().overtakenMax()));
        say.say(
                "an input may cause NUMBER units of work and a slice NUMBER",
                is -> stage.settings(stage.settings()
                        .with(new WorkBudget(
                                Long.parseLong(is.group(1)), 0, REPAID_PER_SECOND, Long.parseLong(is.group(2))))));
        say.say(
                "slice NUMBER of work is done once more",
                is -> stage.observe(new Observation.WorkSliceDue(Long.parseLong(is.group(1)))));
        say.say("NUMBER slices of work are done", is -> {
            long next = stage.state().nextSlice();
            LongStream.range(next, next + Long.parseLong(is.group(1)))
                    .forEach(number -> stage.observe(new Observation.WorkSliceDue(number)));
        });
        say.say(
                "at most NUMBER may overtake",
                is -> stage.settings(
                        stage.settings().policy(), stage.settings().searchStepsMax(), Integer.parseInt(is.group(1))));
    }
}
