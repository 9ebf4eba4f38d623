package dev.claimstream.cli;

import static dev.claimstream.cli.ToldTopics.gpu;
import static dev.claimstream.cli.ToldTopics.granted;
import static dev.claimstream.cli.ToldTopics.grantedFor;
import static dev.claimstream.cli.ToldTopics.grantedOn;
import static dev.claimstream.cli.ToldTopics.released;
import static dev.claimstream.cli.ToldTopics.waits;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.Topics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
    private ToldTopics told;

    @SuppressWarnings("NullAway.Init") // start sets the fields before each test
    CheckerIT() {}

    @BeforeEach
    void start() {
        stack = StandaloneStack.start(folder);
        told = new ToldTopics(stack, Instant.now().plus(LATER));
        told.node();
        told.devices(40);
    }

    @AfterEach
    void stop() {
        stack.close();
    }

    /** Returns the reported inconsistencies without offsets and uids. */
    private List<String> wrong(int exitCode) throws IOException, InterruptedException {
        told.close();
        Ran checked = Checking.once(folder, stack.kafka().bootstrap(), stack.registryUrl());
        assertThat(checked.exitCode()).as(checked.toString()).isEqualTo(exitCode);
        assertThat(checked.err()).isEmpty();
        return checked.out()
                .lines()
                .filter(line -> line.startsWith("WRONG "))
                .map(line -> line.substring("WRONG ".length())
                        .replaceAll("^([a-z]+)\\.v1-\\d+@\\d+", "$1")
                        .replaceAll(" \\(uid-[^)]*\\)", "")
                        .replace("gpu.example.com/node-1/", "")
                        .replaceAll("\\d+ s\\b", "N s"))
                .toList();
    }

    @Test
    void aSoundHistoryIsSound() throws IOException, InterruptedException {
        var claim = told.claim("a");
        told.decide("a", 1, waits());
        told.decide("a", 2, granted(gpu(0)));
        told.claim("a", gpu(0));
        told.decide("a", 3, grantedFor("pod", gpu(0))); // another consumer
        told.claim("a");
        told.decide("a", 3, released());
        told.decide("a", 4, granted(gpu(1)));
        told.claim("a", gpu(1));
        told.claim("b");
        told.decide("b", 5, granted(gpu(0)));
        told.claim("b", gpu(0));
        told.gone(claim);
        told.decide("a", 4, released());
        told.forget("a");
        told.claim("foreign", "gpu-30");
        assertThat(wrong(0)).isEmpty();
    }

    @Test
    void everyFaultIsFound() throws IOException, InterruptedException {
        told.claim("b", gpu(2));
        told.claim("c", gpu(2));
        told.decide("b", 1, granted(gpu(2)));
        told.decide("c", 2, granted(gpu(2)));
        told.claim("lost");
        told.claim("changed", gpu(5));
        told.decide("changed", 3, granted(gpu(4)));
        told.decide("changed", 4, granted(gpu(5)));
        told.claim("again", gpu(6));
        told.decide("again", 5, granted(gpu(6)));
        told.decide("again", 6, granted(gpu(6)));
        told.claim("nowhere", "gpu-99");
        told.decide("nowhere", 7, granted("gpu-99"));
        told.claim("late", "gpu-x");
        var slice = told.slice("slice-2", Stream.of("gpu-x"));
        told.say(slice);
        told.gone(slice);
        told.decide("late", 8, granted("gpu-x"));
        told.claim("unknown", gpu(7));
        told.decide("unknown", 9, grantedOn("node-9", gpu(7)));
        told.claim("other", gpu(9));
        told.decide("other", 10, granted(gpu(8)));
        told.gone(told.claim("gone"));
        told.decide("gone", 11, granted(gpu(10)));
        told.decide("nothing", 12, released());
        told.decide("forgotten", 13, granted(gpu(11)));
        told.forget("forgotten");
        told.claim("waiting");
        told.decide("waiting", 14, granted(gpu(12)));
        told.decide("waiting", 15, waits());
        told.claim("misnamed");
        told.decide("misnamed", 16, granted(gpu(13)));
        told.decide("misnamed", 15, released());
        told.claim("unwritten", gpu(14));
        told.decide(told.record("unwritten", 17, granted(gpu(14))));
        told.bytes(Topics.CLAIMS, "hello".getBytes(StandardCharsets.UTF_8));
        assertThat(wrong(2))
                .containsExactlyInAnyOrder(
                        "claims: device gpu-2 is in the status of claim team/c while another has it: [uid-b, uid-c]",
                        "decisions: device gpu-2 is given to claim team/c while another has it: [uid-b, uid-c]",
                        "for N s: claim team/lost has no answer",
                        "decisions: claim team/changed gets [gpu-5], and has [gpu-4] since granted #0.3, without a release",
                        "decisions: claim team/again is answered twice: granted #0.6 after granted #0.5",
                        "decisions: claim team/nowhere gets device gpu-99, which was never published",
                        "decisions: claim team/late gets device gpu-x, which was gone since N s",
                        "decisions: claim team/unknown is granted on node node-9, which was never published",
                        "for N s: claim team/other: its status has [gpu-9], decided is granted #0.10 [gpu-8]",
                        "for N s: claim team/gone is gone, and holds [gpu-10]",
                        "decisions: claim team/nothing gives back released #0.12, and has nothing",
                        "decisions: claim team/forgotten is forgotten while it holds [gpu-11]",
                        "decisions: claim team/waiting is told that it waits, and has [gpu-12] since granted #0.14",
                        "decisions: claim team/misnamed gives back decision #0.15, and has that of granted #0.16",
                        "for N s: the ledger's last word on claim team/unwritten is nothing, that of the decisions granted #0.17",
                        "claims cannot be read");
    }

    @Test
    void aLedgerThatIsNotAChainIsFound() throws IOException, InterruptedException {
        told.claim("a", gpu(1));
        var first = told.record("a", 1, granted(gpu(1)));
        told.decide(first);
        told.ledger(first);
        byte[] left = told.lastHash();
        told.ledger(told.event(first, left, left)); // the hash does not match the content
        told.ledger(told.event(first, new byte[32], left)); // the previous hash does not match
        assertThat(wrong(2))
                .containsExactly(
                        "ledger: its hash is not that of its content",
                        "ledger: it does not name the hash of the event before");
    }

    /**
     * A checker that is terminated early has observed no state for its full patience. It must not take that for
     * consistency.
     */
    @Test
    void toldToEndItSaysWhatItKnows() throws IOException, InterruptedException {
        told.claim("lost");
        told.close();
        Ran goingOn = toldToEnd(stack.kafka().bootstrap());
        assertThat(goingOn.out()).as(goingOn.toString()).contains("verdict: nothing is wrong");
        assertThat(goingOn.exitCode()).as(goingOn.toString()).isZero();
        Ran atRest = toldToEnd(stack.kafka().bootstrap(), "--at-rest");
        assertThat(atRest.out())
                .as(atRest.toString())
                .contains("claim team/lost (uid-lost) has no answer", "verdict: 1 wrong");
        assertThat(atRest.exitCode()).as(atRest.toString()).isEqualTo(2);
        Ran nowhere = toldToEnd(Loopback.HOST + ":" + FreePorts.of(1).getFirst());
        assertThat(nowhere.out()).as(nowhere.toString()).contains("verdict: the end of the topics was not reached");
        assertThat(nowhere.exitCode()).as(nowhere.toString()).isEqualTo(1);
    }

    private Ran toldToEnd(String bootstrap, String... more) throws IOException, InterruptedException {
        List<String> options =
                Stream.concat(Stream.of("--patience", "120"), Stream.of(more)).toList();
        return Checking.untilTold(folder, bootstrap, stack.registryUrl(), options.toArray(String[]::new));
    }
}
