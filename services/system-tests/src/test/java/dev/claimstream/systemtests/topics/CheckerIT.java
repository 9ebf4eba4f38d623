package dev.claimstream.systemtests.topics;

import static dev.claimstream.systemtests.topics.SyntheticTopics.allocated;
import static dev.claimstream.systemtests.topics.SyntheticTopics.allocatedFor;
import static dev.claimstream.systemtests.topics.SyntheticTopics.allocatedOn;
import static dev.claimstream.systemtests.topics.SyntheticTopics.gpu;
import static dev.claimstream.systemtests.topics.SyntheticTopics.pending;
import static dev.claimstream.systemtests.topics.SyntheticTopics.released;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.standalone.Loopback;
import dev.claimstream.cli.standalone.StandaloneStack;
import dev.claimstream.kafka.Topics;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.workload.CheckerProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the checker reports every inconsistency in the topics, and reports nothing for a consistent history. */
@Timeout(300)
class CheckerIT {
    /** Time after the last record: longer than the difference of clocks that the checker tolerates. */
    private static final Duration LATER = Duration.ofMinutes(1);

    @TempDir
    private Path folder = Path.of("");

    private StandaloneStack stack;
    private SyntheticTopics topics;

    @SuppressWarnings("NullAway.Init") // start sets the fields before each test
    CheckerIT() {}

    @BeforeEach
    void start() {
        stack = StandaloneStack.start(folder);
        topics = new SyntheticTopics(stack, Instant.now().plus(LATER));
        topics.publishNode();
        topics.publishDevices(40);
    }

    @AfterEach
    void stop() {
        stack.close();
    }

    /** Returns the reported inconsistencies without offsets and uids. */
    private List<String> findings(int exitCode) throws IOException, InterruptedException {
        topics.close();
        CommandResult checked = CheckerProgram.runOnce(folder, stack.kafka().bootstrap(), stack.registryUrl());
        assertThat(checked.exitCode()).as(checked.toString()).isEqualTo(exitCode);
        assertThat(checked.err()).isEmpty();
        return checked.out()
                .lines()
                .filter(line -> line.startsWith("VIOLATION "))
                .map(line -> line.substring("VIOLATION ".length())
                        .replaceAll("^([a-z]+)\\.v1-\\d+@\\d+", "$1")
                        .replaceAll(" \\(uid-[^)]*\\)", "")
                        .replace("gpu.example.com/node-1/", "")
                        .replaceAll("\\d+ s\\b", "N s"))
                .toList();
    }

    @Test
    void reportsNothingForConsistentHistory() throws IOException, InterruptedException {
        var claim = topics.publishClaim("a");
        topics.sendDecision("a", 1, pending());
        topics.sendDecision("a", 2, allocated(gpu(0)));
        topics.publishClaim("a", gpu(0));
        topics.sendDecision("a", 3, allocatedFor("pod", gpu(0))); // another consumer
        topics.publishClaim("a");
        topics.sendDecision("a", 3, released());
        topics.sendDecision("a", 4, allocated(gpu(1)));
        topics.publishClaim("a", gpu(1));
        topics.publishClaim("b");
        topics.sendDecision("b", 5, allocated(gpu(0)));
        topics.publishClaim("b", gpu(0));
        topics.publishDeletion(claim);
        topics.sendDecision("a", 4, released());
        topics.sendTombstone("a");
        topics.publishClaim("foreign", "gpu-30");
        assertThat(findings(0)).isEmpty();
    }

    @Test
    @Tag("part-4")
    void reportsEveryInconsistency() throws IOException, InterruptedException {
        topics.publishClaim("b", gpu(2));
        topics.publishClaim("c", gpu(2));
        topics.sendDecision("b", 1, allocated(gpu(2)));
        topics.sendDecision("c", 2, allocated(gpu(2)));
        topics.publishClaim("lost");
        topics.publishClaim("changed", gpu(5));
        topics.sendDecision("changed", 3, allocated(gpu(4)));
        topics.sendDecision("changed", 4, allocated(gpu(5)));
        topics.publishClaim("again", gpu(6));
        topics.sendDecision("again", 5, allocated(gpu(6)));
        topics.sendDecision("again", 6, allocated(gpu(6)));
        topics.publishClaim("nowhere", "gpu-99");
        topics.sendDecision("nowhere", 7, allocated("gpu-99"));
        topics.publishClaim("late", "gpu-x");
        var slice = topics.slice("slice-2", Stream.of("gpu-x"));
        topics.publish(slice);
        topics.publishDeletion(slice);
        topics.sendDecision("late", 8, allocated("gpu-x"));
        topics.publishClaim("unknown", gpu(7));
        topics.sendDecision("unknown", 9, allocatedOn("node-9", gpu(7)));
        topics.publishClaim("other", gpu(9));
        topics.sendDecision("other", 10, allocated(gpu(8)));
        topics.publishDeletion(topics.publishClaim("gone"));
        topics.sendDecision("gone", 11, allocated(gpu(10)));
        topics.sendDecision("nothing", 12, released());
        topics.sendDecision("forgotten", 13, allocated(gpu(11)));
        topics.sendTombstone("forgotten");
        topics.publishClaim("waiting");
        topics.sendDecision("waiting", 14, allocated(gpu(12)));
        topics.sendDecision("waiting", 15, pending());
        topics.publishClaim("misnamed");
        topics.sendDecision("misnamed", 16, allocated(gpu(13)));
        topics.sendDecision("misnamed", 15, released());
        topics.publishClaim("unwritten", gpu(14));
        topics.sendDecision(topics.decisionRecord("unwritten", 17, allocated(gpu(14))));
        topics.bytes(Topics.CLAIMS, "hello".getBytes(StandardCharsets.UTF_8));
        assertThat(findings(2))
                .containsExactlyInAnyOrder(
                        "claims: device gpu-2 is in the status of claim team/c and of another claim: [uid-b, uid-c]",
                        "decisions: device gpu-2 is allocated to claim team/c and to another claim: [uid-b, uid-c]",
                        "for N s: claim team/lost has no decision",
                        "decisions: claim team/changed is allocated [gpu-5], but has devices [gpu-4] since allocated #0.3, without a release",
                        "decisions: claim team/again has two equal decisions: allocated #0.6 after allocated #0.5",
                        "decisions: claim team/nowhere is allocated device gpu-99, which was never published",
                        "decisions: claim team/late is allocated device gpu-x, which was deleted at least N s earlier",
                        "decisions: claim team/unknown is allocated on node node-9, which was never published",
                        "for N s: the status of claim team/other has devices [gpu-9], but its last decision is allocated #0.10 [gpu-8]",
                        "for N s: claim team/gone is deleted, but has devices [gpu-10]",
                        "decisions: released #0.12 of claim team/nothing, which has no allocation",
                        "decisions: tombstone of claim team/forgotten, which has devices [gpu-11]",
                        "decisions: claim team/waiting is pending, but has devices [gpu-12] since allocated #0.14, without a release",
                        "decisions: release #0.15 of claim team/misnamed, whose last decision is allocated #0.16",
                        "for N s: the last ledger event of claim team/unwritten is missing, but its last decision is allocated #0.17",
                        "claims: record cannot be decoded");
    }

    @Test
    @Tag("part-1")
    void reportsBrokenLedgerChain() throws IOException, InterruptedException {
        topics.publishClaim("a", gpu(1));
        var first = topics.decisionRecord("a", 1, allocated(gpu(1)));
        topics.sendDecision(first);
        topics.appendToLedger(first);
        byte[] left = topics.lastHash();
        topics.appendToLedger(topics.ledgerEvent(first, left, left)); // the hash does not match the content
        topics.appendToLedger(topics.ledgerEvent(first, new byte[32], left)); // the previous hash does not match
        assertThat(findings(2))
                .containsExactly(
                        "ledger: hash does not match the content",
                        "ledger: previousHash is not the hash of the previous event");
    }

    /**
     * A checker that is terminated early has observed no state for its full patience. It must not take that for
     * consistency.
     */
    @Test
    @Tag("part-0")
    void reportsResultWhenTerminated() throws IOException, InterruptedException {
        topics.publishClaim("lost");
        topics.close();
        CommandResult goingOn = runUntilTerminated(stack.kafka().bootstrap());
        assertThat(goingOn.out()).as(goingOn.toString()).contains("result: no violation");
        assertThat(goingOn.exitCode()).as(goingOn.toString()).isZero();
        CommandResult atRest = runUntilTerminated(stack.kafka().bootstrap(), "--at-rest");
        assertThat(atRest.out())
                .as(atRest.toString())
                .contains("claim team/lost (uid-lost) has no decision", "result: violations: 1");
        assertThat(atRest.exitCode()).as(atRest.toString()).isEqualTo(2);
        CommandResult nowhere =
                runUntilTerminated(Loopback.HOST + ":" + FreePorts.of(1).getFirst());
        assertThat(nowhere.out())
                .as(nowhere.toString())
                .contains("result: incomplete, the end of the topics was not reached");
        assertThat(nowhere.exitCode()).as(nowhere.toString()).isEqualTo(1);
    }

    private CommandResult runUntilTerminated(String bootstrap, String... more)
            throws IOException, InterruptedException {
        List<String> options =
                Stream.concat(Stream.of("--patience", "120"), Stream.of(more)).toList();
        return CheckerProgram.runUntilTerminated(
                folder, bootstrap, stack.registryUrl(), options.toArray(String[]::new));
    }
}
