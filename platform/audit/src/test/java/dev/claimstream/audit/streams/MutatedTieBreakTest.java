package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.MemoryLog;
import dev.claimstream.audit.streams.EngineReplay.ReplayDifference;
import dev.claimstream.schemas.DecisionRecord;
import dev.claimstream.schemas.DeviceResultRecord;
import dev.claimstream.schemas.LedgerEvent;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Replay and shadow by builds of the engine that choose otherwise among equal nodes or equal devices. */
final class MutatedTieBreakTest {
    private static final int SEEDS = 3;
    private static final int STEPS = 200;
    private static final Pattern ALLOCATED = Pattern.compile(
            "allocated claim (?<claim>team/claim-\\d+) \\(decision \\d+\\): node (?<node>[^,]+), (?<devices>.+)");

    /** A place in the engine where equal candidates are ordered, and its opposite. */
    private enum TieBreak {
        NODES(
                "NodeRanking",
                "score < 0 : one.node.compareTo(other.node) < 0;",
                "score < 0 : one.node.compareTo(other.node) > 0;"),
        DEVICES("DeviceOrder", ".thenComparingInt(i -> i);", ".thenComparingInt(i -> -i);");

        private final String type;
        private final String original;
        private final String opposite;

        TieBreak(String type, String original, String opposite) {
            this.type = "dev.claimstream.allocation.solver." + type;
            this.original = original;
            this.opposite = opposite;
        }

        private EngineReplay unchanged(Path folder) throws Exception {
            return EngineMutant.build(type, original, original, folder);
        }

        private EngineReplay mutant(Path folder) throws Exception {
            return EngineMutant.build(type, original, opposite, folder);
        }
    }

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void replayAndShadowNameClaimOfOtherChoice(TieBreak tieBreak) throws Exception {
        EngineReplay mutant = tieBreak.mutant(folder);
        for (int seed = 0; seed < SEEDS; seed++) {
            MemoryLog log = RecordedCell.random(seed, STEPS).log();
            ReplayDifference found = mutant.replay(log)
                    .orElseThrow(() ->
                            new AssertionError("no divergence: the mutation of %s has no effect".formatted(tieBreak)));
            checkOnlyChoiceDiffers(tieBreak, found);
            checkState(found, devicesInUse(log, found.offset()));
            checkShadow(mutant, log, found);
        }
    }

    /** The first difference is one claim that is allocated in both builds, on another of the equal candidates. */
    private static void checkOnlyChoiceDiffers(TieBreak tieBreak, ReplayDifference found) {
        Matcher original = firstOf(found.recorded(), found);
        Matcher other = firstOf(found.replayed(), found);
        assertThat(other.group("claim")).isEqualTo(original.group("claim"));
        assertThat(other.group("node").equals(original.group("node")))
                .as(found.toString())
                .isEqualTo(tieBreak == TieBreak.DEVICES);
    }

    /** The first event of a result that the other result does not have. */
    private static Matcher firstOf(List<String> events, ReplayDifference found) {
        int first = 0;
        while (found.recorded().get(first).equals(found.replayed().get(first))) {
            first++;
        }
        Matcher allocated = ALLOCATED.matcher(events.get(first));
        assertThat(allocated.matches()).as(found.toString()).isTrue();
        return allocated;
    }

    /** The state is that before the input: both choices are free, and the nodes have the devices that the ledger has not given out. */
    private static void checkState(ReplayDifference found, Map<String, Set<String>> devicesInUse) {
        List<String> state = found.state();
        assertThat(state).as(found.toString()).hasSizeLessThanOrEqualTo(14);
        long used = devicesInUse.values().stream().mapToLong(Set::size).sum();
        assertThat(state.getFirst()).startsWith("cell 0: %d of 32 devices free, pending items: ".formatted(32 - used));
        for (List<String> events : List.of(found.recorded(), found.replayed())) {
            Matcher choice = firstOf(events, found);
            String node = choice.group("node");
            Set<String> usedOfNode = devicesInUse.values().stream()
                    .flatMap(Set::stream)
                    .filter(device -> device.contains("/" + node + "/"))
                    .collect(Collectors.toSet());
            String free = IntStream.range(0, 4)
                    .mapToObj(i -> "%s/gpu-%d".formatted(node, i))
                    .filter(device -> !usedOfNode.contains("gpu.example.com/" + device))
                    .collect(Collectors.joining(", "));
            assertThat(state)
                    .anyMatch(line -> line.startsWith("claim %s: absent".formatted(choice.group("claim")))
                            || line.matches("claim %s: pending \\(\\w+\\); no pod".formatted(choice.group("claim"))))
                    .contains("node %s: %d of 4 devices of gpu.example.com free: %s"
                            .formatted(node, 4 - usedOfNode.size(), free))
                    .anyMatch(line -> line.endsWith(": free")
                            && List.of(line.replace(": free", "").split(", "))
                                    .containsAll(List.of(choice.group("devices").split(", "))));
        }
    }

    /** Devices by claim that the ledger has given out before an input. */
    private static Map<String, Set<String>> devicesInUse(MemoryLog log, long offset) {
        Map<String, Set<String>> devices = new HashMap<>();
        for (LogRecord record : log.of(LogVerifier.LEDGER, 0)) {
            LedgerEvent event = LogReplayTest.event(record, log);
            if (event.getOffset() < offset) {
                apply(event, devices);
            }
        }
        return devices;
    }

    private static void apply(LedgerEvent event, Map<String, Set<String>> devices) {
        switch (event.getEvent()) {
            case "rebuild" -> devices.clear();
            case "released" -> devices.remove(event.getDecision().orElseThrow().getClaimUid());
            case "allocated" -> {
                DecisionRecord decision = event.getDecision().orElseThrow();
                devices.put(
                        decision.getClaimUid(),
                        decision.getAllocated().orElseThrow().getAllocation().getResults().stream()
                                .map(DeviceResultRecord::getDevice)
                                .map(device ->
                                        "%s/%s/%s".formatted(device.getDriver(), device.getPool(), device.getDevice()))
                                .collect(Collectors.toSet()));
            }
            default -> {} // changes no device
        }
    }

    private static void checkShadow(EngineReplay mutant, MemoryLog log, ReplayDifference found) {
        var growing = new GrowingLog(log);
        Supplier<List<ReplayDifference>> shadow = mutant.shadow(growing.log());
        growing.grow((int) found.offset());
        assertThat(shadow.get()).as("before the first other choice").isEmpty();
        growing.grow((int) found.offset() + 1);
        assertThat(shadow.get()).as("as soon as the ledger has it").containsExactly(found);
        growing.complete();
        assertThat(shadow.get()).as("later").containsExactly(found);
    }

    @Test
    void buildWithoutMutationEqualsLedger() throws Exception {
        EngineReplay build = TieBreak.NODES.unchanged(folder);
        MemoryLog log = RecordedCell.random(0, STEPS).log();
        assertThat(build.replay(log)).isEmpty();
        assertThat(build.shadow(log).get()).isEmpty();
    }
}
