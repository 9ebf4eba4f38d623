package dev.claimstream.process.settings;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.KubernetesVersion;
import io.micronaut.core.naming.NameUtils;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The settings under {@code claimstream.allocator}. */
final class AllocatorServiceSettings {
    private static final Set<ServiceName> ALLOCATOR = EnumSet.of(ServiceName.ALLOCATOR);

    private AllocatorServiceSettings() {}

    static List<Setting> all() {
        return List.of(
                ServiceSettings.enabled(ALLOCATOR, "allocator"),
                allocator(
                                "instance",
                                ServiceSettings.INSTANCE,
                                "Permanent name of this process; state and membership depend on it.")
                        .withDefault("allocator-0"),
                allocator(
                                "state-folder",
                                SettingType.path("a folder for local state"),
                                "Folder of local state. A process with `claimstream.allocator.enabled=false` needs none.")
                        .required(),
                allocator(
                                "policy",
                                SettingType.oneOf("first-fit", "best-fit"),
                                "Which devices of a node are allocated to an item.")
                        .withDefault("best-fit"),
                allocator(
                                "search-steps-max",
                                SettingType.number(1, Long.MAX_VALUE),
                                "Search budget per item and node; if exhausted, the item is pending.")
                        .in("steps")
                        .withDefault("200000"),
                allocator(
                                "overtaken-max",
                                SettingType.number(0, Integer.MAX_VALUE),
                                "Allocations that may overtake a pending item before a node is earmarked for it.")
                        .in("allocations")
                        .withDefault("64"),
                allocator(
                                "cool-down",
                                SettingType.duration(Duration.ZERO),
                                "Quarantine of the devices of a pod that was deleted before it finished.")
                        .withDefault("0s"),
                allocator(
                                "pin",
                                ServiceSettings.PIN,
                                "Value of `claimstream.writer.pin`. Unless it is `never`, a gated pod that may preempt can get a"
                                        + " node without free resources on which kube-scheduler can preempt.")
                        .withDefault("never"),
                allocator(
                                "kube-scheduler",
                                SettingType.flag(),
                                "Whether kube-scheduler places pods without the allocation gate. If `false`, claims are deallocated"
                                        + " for every unbound pod.")
                        .withDefault("true"),
                allocator(
                        "nodes",
                        SettingType.labelSelector(),
                        "Label selector of the nodes on which Claimstream allocates devices, in the syntax of `kubectl -l`. Not"
                                + " set: all nodes. Existing allocations on other nodes stay and count."),
                allocator("kubernetes", SettingType.oneOf(releases()), "Release whose feature-gate defaults apply.")
                        .withDefault(KubernetesVersion.NEWEST.toString()),
                allocator(
                        "features",
                        SettingType.text("NAME=true or NAME=false").list(),
                        "Feature gates that differ from the defaults, such as `DRAConsumableCapacity=false`."),
                allocator(
                                "threads",
                                SettingType.number(1, 64),
                                "Stream threads that the cells and the router of this process share.")
                        .in("threads")
                        .withDefault("1"),
                allocator(
                                "rebuild",
                                SettingType.flag(),
                                "Whether to rebuild the state from the public topics and the recorded decisions before the start.")
                        .withDefault("false"),
                allocator(
                                "snapshot-every",
                                SettingType.number(0, Long.MAX_VALUE),
                                "Inputs between two snapshots in the ledger; 0 for none.")
                        .in("inputs")
                        .withDefault("100000"),
                allocator("log-decisions", SettingType.flag(), "Whether each decision is one log line.")
                        .withDefault("false"),
                allocator(
                                "alarm-grace",
                                SettingType.duration(Duration.ZERO),
                                "Time for which a device must be allocated to two claims before the double allocation is reported.")
                        .withDefault("5s"),
                allocator(
                        "sources.<kind>",
                        SettingType.name("names of sources"),
                        "Sources that must have synced a kind of object before anything is allocated, several with commas"
                                + " between: `claimstream.allocator.sources.resource-slice: agent`. Kinds: "
                                + kinds() + "."));
    }

    private static String kinds() {
        return String.join(
                ", ",
                Arrays.stream(Kind.values())
                        .map(kind -> NameUtils.hyphenate(kind.apiName(), true))
                        .toList());
    }

    private static String[] releases() {
        return Arrays.stream(KubernetesVersion.values())
                .map(KubernetesVersion::toString)
                .toArray(String[]::new);
    }

    private static Setting allocator(String name, SettingType type, String meaning) {
        return Setting.of("claimstream.allocator." + name, type, ALLOCATOR, meaning);
    }
}
