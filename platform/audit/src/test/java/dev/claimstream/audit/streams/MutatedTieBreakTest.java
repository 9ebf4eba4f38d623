package dev.claimstream.audit.streams;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.audit.MemoryLog;
import dev.claimstream.audit.streams.EngineReplay.ReplayDifference;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Replay and shadow by builds of the engine that choose otherwise among equal nodes or equal devices. */
final class MutatedTieBreakTest {
    private static final int SEEDS = 3;
    private static final int STEPS = 200;
    private static final Pattern ALLOCATED =
            Pattern.compile("allocated claim (?<claim>team/claim-\\d+) \\(decision \\d+\\): node (?<node>[^,]+), .+");

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
            checkShadow(mutant, log, found);
        }
    }

    /** The first difference is one claim that is allocated in both builds, on another of the equal candidates. */
    private static void checkOnlyChoiceDiffers(TieBreak tieBreak, ReplayDifference found) {
        List<String> recorded = found.recorded();
        List<String> replayed = found.replayed();
        int first = 0;
        while (recorded.get(first).equals(replayed.get(first))) {
            first++;
        }
        Matcher original = ALLOCATED.matcher(recorded.get(first));
        Matcher other = ALLOCATED.matcher(replayed.get(first));
        assertThat(original.matches() && other.matches()).as(found.toString()).isTrue();
        assertThat(other.group("claim")).isEqualTo(original.group("claim"));
        assertThat(other.group("node").equals(original.group("node")))
                .as(found.toString())
                .isEqualTo(tieBreak == TieBreak.DEVICES);
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
